// How long the texts may be that become facts. Facts stay for ever, and who asked is in every event
// of an append, of which the kill of a session with a full queue makes a thousand. What a client
// says at too great a length is refused; what a worker reports has happened, and is cut.
#pragma once

#include <optional>
#include <string>

#include "eventlog/domain/rejection.hpp"

namespace domain {

constexpr std::size_t kFactBytesMax = 256;     // of a name, an id or a word of somebody else's
constexpr std::size_t kPathBytesMax = 4'096;   // PATH_MAX
constexpr std::size_t kRefusalBytesMax = 512;  // what is quoted in it may be of any length
// Of all tools that a session may use, each with one byte more: an empty one takes room, too.
constexpr std::size_t kToolsBytesMax = std::size_t{64} << 10;

// The rejection says which field is too long, how long it is and may be.
std::optional<Rejection> check_length(std::string_view field, std::size_t bytes,
                                      std::size_t bytes_max);
// Before a byte that begins a character, where the text is UTF-8.
void cut_text(std::string& text, std::size_t bytes_max);
// The text, cut to kFactBytesMax.
std::string cut_fact(std::string_view text);

}  // namespace domain
