// Compiled once: each source that visits all events takes seconds.
#include "tests/support/print.hpp"

#include "eventlog/domain/all_events.hpp"

namespace support {

std::string text_of(const domain::Event& event) {
  return domain::visit([](const auto& e) { return std::string(e.kType) + text_of(e); }, event);
}

}  // namespace support
