// One line of an agent: JSON that is read piece by piece, and the frame that the line holds.
#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz.hpp"
#include "workers/engines/agent_line.hpp"
#include "workers/engines/claude/claude_frames.hpp"
#include "workers/engines/json_text.hpp"

namespace {

using base::ByteView;
using fuzz::require;
using Json = nlohmann::ordered_json;

void check_number(std::int64_t value) {
  require(value >= 0 && value < base::kIntegerLimit, "a number fits the log");
}

// Reads the value as every kind; as a kind that it does not have, it must be empty.
void read_all(const engines::JsonValue& value, int depth) {
  require(value.text().empty() || value.is_text(), "only a text has text");
  check_number(value.count());
  check_number(value.billionths());
  if (depth == 0) return;
  for (const auto& item : value.items()) read_all(item, depth - 1);
  const auto object = value.object();
  for (const char* key : {"type", "content", "text", "usage"}) read_all(object[key], depth - 1);
}

// A line that another JSON reader accepts must be accepted here, with the same values.
void compare(ByteView line, const std::optional<engines::JsonObject>& object) {
  constexpr std::size_t kDepthMax = 64;
  std::size_t depth = 0;
  for (const char c : line) depth += c == '{' || c == '[';
  // The other reader ends at a zero byte.
  if (depth > kDepthMax || line.find('\0') != ByteView::npos) return;
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return;
  require(object.has_value(), "a line that is a JSON object is read as one");
  for (const auto& [key, value] : json.items()) {
    const engines::JsonValue read = (*object)[key];
    if (!value.is_string()) continue;
    // If a name comes twice, the other reader takes the last field, this one the first.
    const std::string& text = value.get_ref<const std::string&>();
    const bool is_same = read.text() == text;
    if (!is_same && line.find("\\") == ByteView::npos) {
      const std::string field = '"' + key + '"';
      const std::size_t first = line.find(field);
      require(line.find(field, first + 1) != ByteView::npos, "a text is read as it stands");
    }
  }
}

}  // namespace

void fuzz::run(ByteView in) {
  const engines::JsonLine line(in);
  const auto object = line.object();
  if (object) {
    for (const char* key : {"type", "message", "event", "usage", "errors", "total_cost_usd"}) {
      read_all((*object)[key], 3);
    }
  }
  if (base::is_utf8(in)) compare(in, object);
  const auto frame = engines::read_frame(in);
  if (const auto* result = std::get_if<engines::ResultFrame>(&frame)) {
    check_number(result->result.agent_total.value);
    check_number(result->result.took.count());
  }
  const auto kept = engines::agent_line(domain::LineFault::not_json, in);
  require(kept.line_bytes == static_cast<std::int64_t>(in.size()) && in.starts_with(kept.line),
          "a line that is not understood is kept from its start");
}
