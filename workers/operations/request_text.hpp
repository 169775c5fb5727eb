// The text of a JSON-RPC request before it is read: repaired where programs cut within a character,
// and searched for the id under which a refusal is answered.
#pragma once

#include <string>
#include <string_view>

#include "workers/operations/answer_json.hpp"

namespace workers {

// Replaces halves of surrogate pairs in the escapes of JSON by U+FFFD. JavaScript writes them where
// a program has cut a text within an emoji.
std::string without_lone_surrogates(std::string_view json);

// Returns the id of a request, whatever else is wrong with it; null: it has none that is a text or
// a number, or it is a batch.
Json request_id(std::string_view json);

}  // namespace workers
