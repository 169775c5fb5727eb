// The names of operations on their surfaces. An operation has the name that follows from its own,
// and can have an older one beside it, under which it is listed.
#pragma once

#include <string>
#include <string_view>

#include "workers/operations/operation.hpp"

namespace workers {

// Each returns how the operation is listed; empty: the surface does not have it.
std::string tool_name(const Operation& operation);    // "session_launch"
std::string chat_name(const Operation& operation);    // "session_launch", said after a slash
std::string method_name(const Operation& operation);  // "session.launch"

// Each returns the operation that the surface has under this name; null: none.
const Operation* find_tool(const OperationTable& table, std::string_view name);
const Operation* find_chat(const OperationTable& table, std::string_view name);
const Operation* find_method(const OperationTable& table, std::string_view name);

}  // namespace workers
