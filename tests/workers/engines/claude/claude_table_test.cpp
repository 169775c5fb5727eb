// What becomes of each frame and each field that Claude Code was seen to send: the table
// tests/golden/claude_frames.tsv says it, and the recordings and the reader must agree with it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/recording.hpp"
#include "workers/engines/claude/claude_frames.hpp"

namespace engines {
namespace {

using Json = nlohmann::ordered_json;

std::filesystem::path golden() {
  return std::filesystem::path(STENO_SOURCE_DIR) / "tests/golden";
}

// "kind", or "kind<tab>field".
using Place = std::pair<std::string, std::string>;

struct Row {
  std::string does;  // "used": a change of it changes what is read; "dropped": it does not
  std::string how;   // what it is used for, or why it is dropped
};
using Table = std::map<Place, Row>;

// A line: kind, field ("-": the frame), does, how. "FIELD.*" stands for it with all below it.
Table read_table() {
  Table table;
  std::ifstream file(golden() / "claude_frames.tsv");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.empty()) continue;
    std::istringstream cells(line);
    std::string kind;
    std::string field;
    Row row;
    std::getline(cells, kind, '\t');
    std::getline(cells, field, '\t');
    std::getline(cells, row.does, '\t');
    std::getline(cells, row.how, '\t');
    table[{kind, field}] = row;
  }
  return table;
}

std::string text_in(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return "null";
  return object[key].is_string() ? object[key].get<std::string>() : object[key].dump();
}

std::string kind_of(const Json& frame) {
  const std::string type = text_in(frame, "type");
  if (type == "system") return type + "/" + text_in(frame, "subtype");
  const std::map<std::string, std::pair<const char*, const char*>> inner{
      {"stream_event", {"event", "type"}},
      {"control_request", {"request", "subtype"}},
      {"control_response", {"response", "subtype"}}};
  const auto found = inner.find(type);
  if (found == inner.end() || !frame.contains(found->second.first)) return type;
  return type + "/" + text_in(frame[found->second.first], found->second.second);
}

bool is_by_model(const std::string& name) {
  return name == "modelUsage" || name == "model_usage_since_last_result";
}

// Calls `take` with the path of each field: "a", "a.b", "a[].b"; names of models are "{}".
// `is_whole` tells of which paths the table has all below in one row.
template <class IsWhole, class Take>
void walk(const Json& value, const std::string& at, const std::string& last,
          const IsWhole& is_whole, const Take& take) {
  if (value.is_array()) {
    for (const Json& item : value) walk(item, at + "[]", last, is_whole, take);
    return;
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    const std::string name = is_by_model(last) ? "{}" : key;
    const std::string path = at.empty() ? name : at + "." + name;
    if (is_whole(path + ".*")) {
      take(path + ".*");
      continue;
    }
    take(path);
    walk(member, path, is_by_model(last) ? "" : key, is_whole, take);
  }
}

// Removes the field at the path, in each item of a list and for each model.
void remove(Json& value, std::string_view path) {
  if (path.ends_with(".*")) path.remove_suffix(2);
  if (value.is_array()) {
    if (path.starts_with("[]")) path.remove_prefix(2);
    if (path.starts_with('.')) path.remove_prefix(1);
    for (Json& item : value) remove(item, path);
    return;
  }
  if (!value.is_object()) return;
  const std::size_t end = path.find_first_of(".[");
  const std::string name(path.substr(0, end));
  std::string_view rest = end == std::string_view::npos ? "" : path.substr(end);
  if (rest.starts_with('.')) rest.remove_prefix(1);
  if (name == "{}") {
    if (rest.empty()) return value.clear();
    for (Json& member : value) remove(member, rest);
  } else if (value.contains(name)) {
    if (rest.empty()) {
      value.erase(name);
    } else {
      remove(value[name], rest);
    }
  }
}

// What the recordings show of a place.
struct Seen {
  bool is_used = false;
  std::size_t tried = 0;
  std::string example;  // the file in which it was seen first
};

// Frames of one kind that are tried, for each field; most are alike.
constexpr std::size_t kTriesMax = 40;

std::map<Place, Seen> seen_in_recordings(const Table& table) {
  std::map<Place, Seen> seen;
  const auto try_frame = [&](const Json& frame, const std::string& file) {
    const std::string kind = kind_of(frame);
    const Frame read = read_frame(frame.dump());
    Seen& whole = seen[{kind, "-"}];
    whole.is_used |= !std::holds_alternative<KnownFrame>(read);
    if (whole.example.empty()) whole.example = file;
    std::set<std::string> paths;
    walk(
        frame, "", "",
        [&](const std::string& path) {
          return table.contains({kind, path});
        },
        [&](const std::string& path) { paths.insert(path); });
    for (const std::string& path : paths) {
      Seen& field = seen[{kind, path}];
      if (field.example.empty()) field.example = file;
      if (field.is_used || field.tried >= kTriesMax) continue;
      ++field.tried;
      Json without = frame;
      remove(without, path);
      field.is_used = read_frame(without.dump()) != read;
    }
  };
  for (const char* version : {"claude-2.1.112", "claude-2.1.329", "claude-2.1.332"}) {
    for (const auto& entry : std::filesystem::directory_iterator(golden() / version)) {
      if (entry.path().extension() != ".jsonl") continue;
      const std::string file = std::string(version) + "/" + entry.path().filename().string();
      std::ifstream lines(entry.path());
      for (std::string line; std::getline(lines, line);) {
        const Json recorded = Json::parse(line, nullptr, false);
        if (recorded.is_discarded() || text_in(recorded, "dir") != "cli->host") continue;
        if (recorded["msg"].is_object()) try_frame(recorded["msg"], file);
      }
    }
  }
  return seen;
}

// Adds rows for what the table lacks; somebody has to say what they are for.
void add_missing(const Table& table, const std::map<Place, Seen>& seen) {
  std::ofstream file(golden() / "claude_frames.tsv", std::ios::app);
  for (const auto& [place, what] : seen) {
    if (table.contains(place)) continue;
    file << place.first << '\t' << place.second << '\t' << (what.is_used ? "used" : "dropped")
         << "\t?\n";
  }
}

TEST_CASE("the table says of each frame and field of the recordings what becomes of it",
          "[workers]") {
  const Table table = read_table();
  const auto seen = seen_in_recordings(table);
  if (std::getenv("STENO_WRITE_GOLDEN") != nullptr) add_missing(table, seen);
  std::vector<std::string> wrong;
  for (const auto& [place, what] : seen) {
    const std::string name = place.first + " " + place.second;
    const auto row = table.find(place);
    if (row == table.end()) {
      wrong.push_back(name + " is not in the table; see " + what.example);
      continue;
    }
    const std::string does = what.is_used ? "used" : "dropped";
    if (row->second.does != does) {
      wrong.push_back(name + " is " + does + ", and the table says " + row->second.does);
    }
    if (row->second.how.size() < 3) wrong.push_back(name + " lacks what it is for, or why not");
  }
  for (const auto& [place, row] : table) {
    if (!seen.contains(place)) {
      wrong.push_back(place.first + " " + place.second + " is in no recording");
    }
  }
  CHECK(wrong == std::vector<std::string>{});
}

// Rules are tried on wrong samples, too.
TEST_CASE("a field is known to be used by what is read without it", "[workers]") {
  Json frame = Json::parse(
      R"({"type":"result","modelUsage":{"opus":{"costUSD":1,"provider":"x"}},"errors":["a"]})");
  const Frame read = read_frame(frame.dump());
  Json without = frame;
  remove(without, "modelUsage.{}.provider");
  CHECK(without["modelUsage"]["opus"].size() == 1);
  CHECK(read_frame(without.dump()) == read);
  remove(without, "modelUsage.{}.costUSD");
  CHECK_FALSE(read_frame(without.dump()) == read);
}

}  // namespace
}  // namespace engines
