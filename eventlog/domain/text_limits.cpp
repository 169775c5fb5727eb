// Checks and cuts texts that become facts.
#include "eventlog/domain/text_limits.hpp"

#include <algorithm>

namespace domain {
namespace {

std::size_t cut_length(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text.size();
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;
  return end;
}

}  // namespace

std::optional<Rejection> check_length(std::string_view field, std::size_t bytes,
                                      std::size_t bytes_max) {
  if (bytes <= bytes_max) return std::nullopt;
  return Rejection{RejectionCode::invalid, std::string(field) + " has " + std::to_string(bytes) +
                                               " bytes, of " + std::to_string(bytes_max) +
                                               " at most"};
}

void cut_text(std::string& text, std::size_t bytes_max) {
  text.resize(cut_length(text, bytes_max));
}

std::string cut_fact(std::string_view text) {
  return std::string(text.substr(0, cut_length(text, kFactBytesMax)));
}

}  // namespace domain
