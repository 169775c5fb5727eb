// The table of operations: eight tools of agents, eight chat commands, five methods over JSON-RPC.
// A new operation is a row here and its handler.
#pragma once

#include <string_view>
#include <vector>

#include "tools/steno/operations/operation.hpp"

namespace steno {

const std::vector<Operation>& operations();

// Return null if there is none of that name.
const Operation* operation_of_tool(std::string_view tool);
const Operation* operation_of_chat(std::string_view chat);
const Operation* operation_of_method(std::string_view method);

}  // namespace steno
