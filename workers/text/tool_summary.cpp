// Picks the most telling text field of the input, whichever tool it is.
#include "workers/text/tool_summary.hpp"

#include <nlohmann/json.hpp>

#include "workers/text/terminal_text.hpp"

namespace workers {
namespace {

struct Telling {
  const char* field;
  std::size_t columns_max;
};

// The most telling first.
constexpr Telling kTelling[] = {{"command", 80},       {"file_path", 60},  {"path", 60},
                                {"notebook_path", 60}, {"pattern", 60},    {"url", 60},
                                {"query", 60},         {"description", 60}};

}  // namespace

std::string tool_line(std::string_view tool, std::string_view input) {
  return "🔧 " + tool_summary(tool, input);
}

std::string tool_summary(std::string_view tool, std::string_view input) {
  std::string line = cut_to_columns(safe_line(tool), 60);
  const auto json = nlohmann::json::parse(input, nullptr, false);
  if (!json.is_object()) return line;
  for (const Telling& telling : kTelling) {
    const auto found = json.find(telling.field);
    if (found == json.end() || !found->is_string()) continue;
    const std::string text = safe_head(found->get_ref<const std::string&>(), telling.columns_max);
    if (!text.empty()) return line + " — " + text;
  }
  return line;
}

}  // namespace workers
