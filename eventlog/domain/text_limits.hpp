// Bounds of texts that become facts, which stay for ever. The actor's name, for one, is in every
// event of an append, and killing a session with a full queue makes a thousand events. Too long a
// text from a client is refused; one from a worker has happened already, and is cut.
#pragma once

#include <optional>
#include <string>

#include "eventlog/domain/rejection.hpp"

namespace domain {

constexpr std::size_t kFactBytesMax = 256;     // for a name, an id or a word from outside
constexpr std::size_t kPathBytesMax = 4'096;   // PATH_MAX
constexpr std::size_t kRefusalBytesMax = 512;  // a quoted text can be of any length
// For all tools that a session can use, each with one byte more, so that an empty name takes room
// too.
constexpr std::size_t kToolsBytesMax = std::size_t{64} << 10;

// Returns a rejection that names the field, its length and the limit; none if it is short enough.
std::optional<Rejection> check_length(std::string_view field, std::size_t bytes,
                                      std::size_t bytes_max);
// Cuts the text to at most `bytes_max`, and UTF-8 only before the first byte of a character.
void cut_text(std::string& text, std::size_t bytes_max);
// Returns the text, cut to kFactBytesMax.
std::string cut_fact(std::string_view text);

}  // namespace domain
