// Each rule works on text: comments, strings and characters are blanked first, the rest is searched
// with regular expressions.
#include "tests/support/source_rules.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace support {
namespace {

constexpr std::size_t kWidthMax = 100;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool is_under(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + "/");
}

bool is_header(const std::string& path) {
  return path.ends_with(".hpp");
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

struct Include {
  std::size_t line = 0;
  std::string name;
  bool is_quoted = false;
};

std::vector<Include> includes_of(const SourceFile& file) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*(["<])([^">]+)[">].*)re");
  std::vector<Include> found;
  const auto lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_match(lines[i], match, kInclude)) {
      found.push_back({i + 1, match[2], match[1] == "\""});
    }
  }
  return found;
}

std::string at(const SourceFile& file, std::size_t line, const std::string& what) {
  return file.path + ":" + std::to_string(line) + ": " + what;
}

// The folders that files of a folder can include; the first folder that matches a file counts.
struct Allowance {
  std::string folder;
  std::vector<std::string> may_include;
};

const std::vector<Allowance>& allowances() {
  static const std::vector<Allowance> kAll = {
      {"eventlog/base", {"eventlog/base"}},
      {"eventlog/domain", {"eventlog/domain", "eventlog/base"}},
      {"eventlog/store", {"eventlog/store", "eventlog/base"}},
      {"eventlog/rocksdb", {"eventlog/rocksdb", "eventlog/store", "eventlog/base"}},
      {"eventlog/log", {"eventlog/log", "eventlog/store", "eventlog/domain", "eventlog/base"}},
      {"eventlog/proof",
       {"eventlog/proof", "eventlog/log", "eventlog/store", "eventlog/domain", "eventlog/base"}},
      {"eventlog/folder",
       {"eventlog/folder", "eventlog/proof", "eventlog/log", "eventlog/rocksdb", "eventlog/store",
        "eventlog/base"}},
      {"eventlog/copies",
       {"eventlog/copies", "eventlog/folder", "eventlog/proof", "eventlog/log", "eventlog/rocksdb",
        "eventlog/store", "eventlog/domain", "eventlog/base"}},
      {"eventlog/salvage", {"eventlog"}},
      {"bus", {"bus", "eventlog/base"}},
      {"projections/fold",
       {"projections/fold", "eventlog/log", "eventlog/store", "eventlog/domain", "eventlog/base"}},
      {"projections/views",
       {"projections/views", "projections/fold", "eventlog/domain", "eventlog/base"}},
      {"projections/start",
       {"projections/start", "projections/views", "projections/fold", "eventlog/log",
        "eventlog/domain", "eventlog/base"}},
      {"projections/content",
       {"projections/content", "projections/fold", "eventlog/copies", "eventlog/log",
        "eventlog/store", "eventlog/domain", "eventlog/base"}},
      {"projections", {"projections", "eventlog"}},
      {"workers/engines",
       {"workers/engines", "workers/processes", "eventlog/domain", "eventlog/base"}},
      {"workers/processes", {"workers/processes", "eventlog/base"}},
      {"workers/instruments", {"workers/instruments", "eventlog/base"}},
      {"workers/protocol",
       {"workers/protocol", "workers/instruments", "projections/views", "bus", "eventlog/domain",
        "eventlog/base"}},
      {"workers/json", {"workers/json", "bus", "eventlog/domain", "eventlog/base"}},
      {"workers/client",
       {"workers/client", "workers/protocol", "bus", "eventlog/domain", "eventlog/base"}},
      {"workers/operations",
       {"workers/operations", "workers/client", "workers/json", "workers/protocol", "workers/rules",
        "workers/text", "projections/views", "bus", "eventlog/domain", "eventlog/base"}},
      {"workers/commands",
       {"workers/commands", "workers/engines", "eventlog/log", "eventlog/domain", "eventlog/base"}},
      {"workers/queries",
       {"workers/queries", "workers/protocol", "workers/text", "projections", "bus", "eventlog"}},
      {"workers/text", {"workers/text", "eventlog/domain", "eventlog/base"}},
      {"workers/time_zones", {"workers/time_zones", "eventlog"}},
      {"workers/rules", {"workers/rules", "eventlog"}},
      {"workers/stores", {"workers/stores", "workers/engines", "eventlog/domain", "eventlog/base"}},
      {"workers/http", {"workers/http", "workers/processes", "eventlog/base"}},
      {"workers/hooks",
       {"workers/hooks", "workers/http", "workers/engines", "workers/processes", "eventlog/domain",
        "eventlog/base"}},
      {"workers/notifications",
       {"workers/notifications", "workers/queries", "workers/engines", "workers/hooks",
        "workers/http", "workers/processes", "workers/text", "eventlog"}},
      {"workers/upkeep", {"workers/upkeep", "projections", "eventlog"}},
      {"workers/reactors",
       {"workers/reactors", "workers/upkeep", "workers/notifications", "workers/commands",
        "workers/hooks", "workers/protocol", "workers/instruments", "workers/text",
        "projections/start", "bus", "eventlog"}},
      {"workers/server",
       {"workers/server", "workers/reactors", "workers/queries", "workers/commands",
        "workers/upkeep", "workers/notifications", "workers/protocol", "workers/instruments",
        "projections", "bus", "eventlog"}},
      {"workers/runner",
       {"workers/runner", "workers/engines", "workers/processes", "workers/protocol", "bus",
        "eventlog/base"}},
      {"tools/steno/text",
       {"tools/steno/text", "workers/client", "workers/json", "workers/text", "eventlog/domain",
        "eventlog/base"}},
      {"tools/steno/config",
       {"tools/steno/config", "tools/steno/text", "workers/engines", "workers/hooks",
        "workers/text", "bus", "eventlog/domain", "eventlog/base"}},
      {"tools/steno/connection",
       {"tools/steno/connection", "tools/steno/config", "tools/steno/text", "workers/operations",
        "workers/client", "workers/protocol", "projections/views", "bus", "eventlog/domain",
        "eventlog/base"}},
      {"tools/steno/client",
       {"tools/steno/client", "tools/steno/connection", "tools/steno/config", "tools/steno/text",
        "workers/operations", "workers/client", "workers/hooks", "workers/json",
        "workers/processes", "workers/protocol", "workers/rules", "workers/stores", "workers/text",
        "projections/views", "bus", "eventlog/proof", "eventlog/domain", "eventlog/base"}},
      {"tools/steno/top",
       {"tools/steno/top", "tools/steno/client", "tools/steno/connection", "tools/steno/config",
        "tools/steno/text", "workers/operations", "workers/client", "workers/protocol",
        "workers/text", "projections/views", "bus", "eventlog/domain", "eventlog/base"}},
      {"tools/steno/offline",
       {"tools/steno/offline", "tools/steno/client", "tools/steno/connection", "tools/steno/config",
        "tools/steno/text", "workers/json", "workers/protocol", "workers/text", "projections",
        "eventlog"}},
      {"tools/steno/replay",
       {"tools/steno/replay", "tools/steno/text", "workers/json", "projections", "eventlog"}},
      {"tools/steno/serve",
       {"tools/steno/serve", "tools/steno/config", "tools/steno/text", "workers", "bus",
        "eventlog"}},
      {"tools", {"tools", "workers", "projections", "bus", "eventlog"}},
      {"tests", {"tests", "tools", "workers", "projections", "bus", "eventlog"}},
  };
  return kAll;
}

bool is_library(const Include& include) {
  static const std::vector<std::string> kLibraries = {
      "zmq",   "rocksdb/", "msgpack", "nlohmann/",   "simdjson", "boost/", "spdlog/",
      "fmt/",  "CLI/",     "toml++/", "sodium",      "xxhash",   "re2/",   "curl/",
      "date/", "nats",     "libpq",   "prometheus/", "sqlite3",  "curses", "term.h"};
  return !include.is_quoted &&
         std::any_of(kLibraries.begin(), kLibraries.end(),
                     [&](const std::string& prefix) { return include.name.starts_with(prefix); });
}

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// True if the line has `word` outside of longer identifiers. A word that ends in '(' ends there.
bool contains_word(std::string_view line, std::string_view word) {
  for (std::size_t found = line.find(word); found != std::string_view::npos;
       found = line.find(word, found + 1)) {
    const std::size_t end = found + word.size();
    const bool begins = found == 0 || !is_word_char(line[found - 1]) || !is_word_char(word[0]);
    const bool ends = end == line.size() || !is_word_char(line[end]) || !is_word_char(word.back());
    if (begins && ends) return true;
  }
  return false;
}

// Returns the last argument between the parenthesis at `open` and the one that closes it.
std::string last_argument(const std::string& code, std::size_t open) {
  std::size_t depth = 0;
  std::size_t begin = open + 1;
  std::size_t at = open;
  for (; at < code.size(); ++at) {
    if (code[at] == '(' || code[at] == '{' || code[at] == '[') ++depth;
    if (code[at] == ')' || code[at] == '}' || code[at] == ']') --depth;
    if (depth == 0) break;
    if (code[at] == ',' && depth == 1) begin = at + 1;
  }
  std::string argument = code.substr(begin, at - begin);
  std::erase_if(argument, [](char c) { return c == ' ' || c == '\n'; });
  return argument;
}

bool is_domain(const std::string& path) {
  return is_under(path, "eventlog/domain");
}

}  // namespace

std::string code_of(std::string_view text) {
  std::string code(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to && i < code.size(); ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
  };
  std::size_t i = 0;
  while (i < text.size()) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//")) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      blank(i, end);
      i = end;
    } else if (rest.starts_with("/*")) {
      const std::size_t end = std::min(text.find("*/", i + 2), text.size());
      blank(i, end + 2);
      i = end + 2;
    } else if (rest.starts_with("R\"")) {
      const std::size_t open = text.find('(', i);
      if (open == std::string_view::npos) break;
      const std::string close = ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
      const std::size_t end = std::min(text.find(close, open), text.size());
      blank(open + 1, end);
      i = end + close.size();
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_word_char(text[i - 1])))) {
      // A quote behind a digit or a letter is a digit separator, as in 1'000.
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
      }
      // Names in an #include are checked elsewhere, from the original text.
      blank(i + 1, end);
      i = end + 1;
    } else {
      ++i;
    }
  }
  return code;
}

Complaints check_dependencies(const SourceFile& file) {
  Complaints complaints;
  const auto& all = allowances();
  const auto own = std::find_if(all.begin(), all.end(),
                                [&](const Allowance& a) { return is_under(file.path, a.folder); });
  if (own == all.end()) return {at(file, 1, "is in no folder that sources belong in")};
  for (const Include& include : includes_of(file)) {
    if (!include.is_quoted) continue;
    const bool is_allowed =
        std::any_of(own->may_include.begin(), own->may_include.end(),
                    [&](const std::string& folder) { return is_under(include.name, folder); });
    if (!is_allowed) {
      complaints.push_back(
          at(file, include.line, own->folder + " must not include " + include.name));
    }
  }
  return complaints;
}

Complaints check_purity(const SourceFile& file) {
  static const std::set<std::string> kAllowed = {
      "algorithm", "array",       "bit",     "bitset",   "new",    "compare",
      "concepts",  "cstddef",     "cstdint", "iterator", "limits", "map",
      "numeric",   "optional",    "set",     "span",     "string", "string_view",
      "tuple",     "type_traits", "utility", "variant",  "vector"};
  // The codec only looks event types up by name, so no order depends on it.
  static const std::set<std::string> kLookUp = {"eventlog/domain/event_codec.cpp"};
  static const std::vector<std::string> kBanned = {"float", "double",    "Clock",       "Random",
                                                   "rand(", "setlocale", "std::locale", "time("};
  Complaints complaints;
  if (!is_domain(file.path)) return complaints;
  for (const Include& include : includes_of(file)) {
    const bool is_look_up = include.name == "unordered_map" && kLookUp.contains(file.path);
    const bool is_port = include.name == "eventlog/base/random.hpp";
    if ((!include.is_quoted && !kAllowed.contains(include.name) && !is_look_up) || is_port) {
      complaints.push_back(at(file, include.line, "the domain must not include " + include.name));
    }
  }
  const auto lines = lines_of(code_of(file.text));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& word : kBanned) {
      if (contains_word(lines[i], word)) {
        complaints.push_back(at(file, i + 1, "the domain must not use " + word));
      }
    }
    if (lines[i].find("_clock") != std::string::npos) {
      complaints.push_back(at(file, i + 1, "the domain must not read a clock"));
    }
  }
  return complaints;
}

namespace {

// Returns the folder of an aggregate that the path is in; empty if it is in none.
std::string aggregate_of(std::string_view path) {
  constexpr std::string_view kDomain = "eventlog/domain/";
  if (!path.starts_with(kDomain)) return {};
  const std::string_view below = path.substr(kDomain.size());
  const std::size_t end = below.find('/');
  return end == std::string_view::npos ? std::string() : std::string(below.substr(0, end));
}

}  // namespace

Complaints check_aggregates(const std::vector<SourceFile>& files) {
  static const std::set<std::string> kKnowAll = {
      "eventlog/domain/aggregates.hpp", "eventlog/domain/all_events.hpp",
      "eventlog/domain/command.hpp",    "eventlog/domain/erasable.hpp",
      "eventlog/domain/evolve.hpp",     "eventlog/domain/stream_name.hpp"};
  Complaints complaints;
  std::map<std::string, std::set<std::string>> below;  // what an aggregate includes, by its folder
  for (const SourceFile& file : files) {
    const std::string aggregate = aggregate_of(file.path);
    const bool is_shared = file.path.starts_with("eventlog/domain/") && is_header(file.path) &&
                           aggregate.empty() && !kKnowAll.contains(file.path);
    if (aggregate.empty() && !is_shared) continue;
    for (const Include& include : includes_of(file)) {
      if (kKnowAll.contains(include.name)) {
        complaints.push_back(
            at(file, include.line,
               "an aggregate must not include " + include.name + ", which includes all of them"));
      }
      const std::string other = aggregate_of(include.name);
      if (is_shared && !other.empty()) {
        complaints.push_back(
            at(file, include.line, "what aggregates share must not include " + include.name));
      }
      if (!is_shared && !other.empty() && other != aggregate) below[aggregate].insert(other);
    }
  }
  // Aggregates that include none but those taken off before are taken off, until none is left.
  for (bool has_shrunk = true; has_shrunk;) {
    has_shrunk = std::erase_if(below, [&](const auto& one) {
                   return std::none_of(one.second.begin(), one.second.end(),
                                       [&](const auto& other) { return below.contains(other); });
                 }) > 0;
  }
  for (const auto& [aggregate, others] : below) {
    complaints.push_back("eventlog/domain/" + aggregate +
                         " includes an aggregate that includes it");
  }
  return complaints;
}

Complaints check_third_party(const std::vector<SourceFile>& files) {
  // Headers that show a library's types, collected until no further one is found.
  std::set<std::string> privates;
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const SourceFile& file : files) {
      if (!is_header(file.path) || privates.contains(file.path)) continue;
      for (const Include& include : includes_of(file)) {
        if (is_library(include) || (include.is_quoted && privates.contains(include.name))) {
          privates.insert(file.path);
          has_grown = true;
          break;
        }
      }
    }
  }
  Complaints complaints;
  for (const SourceFile& file : files) {
    for (const Include& include : includes_of(file)) {
      if (include.is_quoted && privates.contains(include.name) &&
          folder_of(include.name) != folder_of(file.path)) {
        complaints.push_back(at(file, include.line,
                                include.name + " shows a library's types; only files of its own "
                                               "folder may include it"));
      }
    }
  }
  return complaints;
}

Complaints check_banned_words(const SourceFile& file) {
  struct Ban {
    std::string word;
    std::string instead;
    std::set<std::string> where_it_may;
  };
  // Files that hand work between threads, or a value that several threads or processes read.
  static const std::set<std::string> kHandOver = {"bus/context.cpp",
                                                  "bus/queued_bytes.hpp",
                                                  "eventlog/base/job_thread.hpp",
                                                  "eventlog/store/head_file.cpp",
                                                  "eventlog/rocksdb/rocksdb_key_value_store.cpp",
                                                  "eventlog/rocksdb/rocksdb_store.cpp",
                                                  "eventlog/log/stream_index.hpp",
                                                  "projections/content/content_feed.cpp",
                                                  "projections/content/content_feed.hpp",
                                                  "workers/hooks/subscriber_mail.cpp",
                                                  "workers/hooks/subscriber_mail.hpp",
                                                  "tests/simulation/processes_at_once.cpp",
                                                  "tests/support/faulty_disk_model.hpp"};
  static const std::set<std::string> kTime = {"eventlog/base/time.cpp"};
  static const std::vector<Ban> kBans = {
      {"sleep_for", "wait for the event, with a deadline", {}},
      {"sleep_until", "wait for the event, with a deadline", {}},
      {"usleep", "wait for the event, with a deadline", {}},
      {"std::cout", "log, or write to a descriptor in tools/", {}},
      {"system_clock::now", "take the time as a value, from the Clock port", kTime},
      {"std::mutex", "hand work over in one of the few files that are for it", kHandOver},
      {"std::shared_mutex", "hand work over in one of the few files that are for it", kHandOver},
      {"std::condition_variable", "as std::mutex", kHandOver},
      {"std::condition_variable_any", "as std::mutex", kHandOver},
      {"std::atomic", "as std::mutex", kHandOver},
      {"std::shared_ptr", "own it in one place", {}},
      {"assert(", "CHECK, which is on in every build", {}},
      {"using namespace", "name what is used", {}},
  };
  static const std::vector<std::string> kNotes = {std::string("FIX") + "ME",
                                                  std::string("TO") + "DO"};
  Complaints complaints;
  const auto lines = lines_of(code_of(file.text));
  const auto raw = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const Ban& ban : kBans) {
      if (contains_word(lines[i], ban.word) && !ban.where_it_may.contains(file.path)) {
        complaints.push_back(at(file, i + 1, ban.word + " is banned: " + ban.instead));
      }
    }
    for (const std::string& note : kNotes) {
      if (contains_word(raw[i], note)) {
        complaints.push_back(at(file, i + 1, note + ": do it, or describe it in an issue"));
      }
    }
  }
  return complaints;
}

Complaints check_file_system(const SourceFile& file) {
  // A directory iterator throws in `++` when reading fails; so do the two functions that use one.
  static const std::regex kNever(
      R"re(\b(?:recursive_)?directory_(?:iterator|entry)\b|(?:\bfs|std::filesystem)::copy\()re");
  static const std::regex kCall(
      R"re((?:\bfs|std::filesystem)::()re"
      R"re(absolute|canonical|copy_file|create_directory|create_directories|)re"
      R"re(create_directory_symlink|create_hard_link|create_symlink|current_path|)re"
      R"re(equivalent|exists|file_size|hard_link_count|is_directory|is_empty|)re"
      R"re(is_fifo|is_other|is_regular_file|is_socket|is_symlink|last_write_time|)re"
      R"re(permissions|proximate|read_symlink|relative|remove|remove_all|rename|)re"
      R"re(resize_file|space|status|symlink_status|temp_directory_path|)re"
      R"re(weakly_canonical)re"
      R"re()\()re");
  if (is_under(file.path, "tests")) return {};
  Complaints complaints;
  const std::string code = code_of(file.text);
  const auto line_of = [&](std::size_t place) {
    const auto end = code.begin() + static_cast<std::ptrdiff_t>(place);
    return static_cast<std::size_t>(std::count(code.begin(), end, '\n')) + 1;
  };
  const std::sregex_iterator none;
  for (std::sregex_iterator found(code.begin(), code.end(), kNever); found != none; ++found) {
    const auto place = static_cast<std::size_t>(found->position());
    complaints.push_back(at(file, line_of(place),
                            found->str() + ": list with base::list_files, copy with copy_folder"));
  }
  for (std::sregex_iterator found(code.begin(), code.end(), kCall); found != none; ++found) {
    const auto place = static_cast<std::size_t>(found->position());
    const std::string last = last_argument(code, place + found->str().size() - 1);
    const bool is_name = !last.empty() && std::all_of(last.begin(), last.end(), is_word_char);
    if (is_name && std::regex_search(code, std::regex("std::error_code&? " + last + "\\b"))) {
      continue;
    }
    complaints.push_back(at(file, line_of(place), found->str() + "…) throws: give an error_code"));
  }
  return complaints;
}

// True if a FOLDERS list names the folder, before the next keyword.
static bool is_in_folders(const std::string& folder, std::string_view cmake_lists) {
  static const std::regex kFolders(R"(FOLDERS\s+([^)]*))");
  const std::string text(cmake_lists);
  for (auto found = std::sregex_iterator(text.begin(), text.end(), kFolders);
       found != std::sregex_iterator(); ++found) {
    std::istringstream words((*found)[1].str());
    for (std::string word; words >> word && word != "USES" && word != "SOURCES";) {
      if (word == folder) return true;
    }
  }
  return false;
}

Complaints check_is_built(const SourceFile& file, std::string_view cmake_lists) {
  if (!file.path.ends_with(".cpp")) return {};
  std::string spaced(cmake_lists);
  std::replace_if(
      spaced.begin(), spaced.end(), [](char c) { return c == '\n' || c == ')' || c == '('; }, ' ');
  const auto names = [&](const std::string& word) {
    return (" " + spaced + " ").find(" " + word + " ") != std::string::npos;
  };
  if (names(file.path)) return {};
  // FOLDERS lists a folder's own sources; a glob lists those of the folders below it.
  std::string folder = folder_of(file.path);
  if (is_in_folders(folder, cmake_lists) || names(folder_of(folder) + "/*")) return {};
  for (; !folder.empty(); folder = folder_of(folder)) {
    for (const char* glob : {"/*.cpp", "/*_test.cpp", "/*/*.cpp"}) {
      if (names(folder + glob)) return {};
    }
  }
  return {at(file, 1, "is not in CMakeLists.txt")};
}

Complaints check_is_used(const std::vector<SourceFile>& files) {
  static const std::regex kName(R"re(\b[A-Za-z_]\w*)re");
  // A type, then the name: neither a call nor a constructor.
  static const std::regex kDeclared(R"re([\w>&*]\s+[&*]?([a-z]\w*)\()re");
  static const std::regex kDefined(R"re(^[^\s].*?\b([a-z]\w*)\()re");
  // A coroutine calls these of its promise.
  static const std::set<std::string> kOfCoroutines = {"get_return_object", "initial_suspend",
                                                      "final_suspend", "return_value",
                                                      "unhandled_exception"};
  std::map<std::string, std::size_t> uses;
  std::set<std::string> defined;
  std::vector<std::pair<const SourceFile*, std::string>> headers;
  for (const SourceFile& file : files) {
    std::string code = code_of(file.text);
    for (std::sregex_iterator at(code.begin(), code.end(), kName), end; at != end; ++at) {
      ++uses[at->str()];
    }
    if (file.path.ends_with(".hpp")) {
      headers.emplace_back(&file, std::move(code));
      continue;
    }
    for (const std::string& line : lines_of(code)) {
      std::smatch found;
      if (std::regex_search(line, found, kDefined)) defined.insert(found[1]);
    }
  }
  Complaints complaints;
  for (const auto& [file, code] : headers) {
    const auto lines = lines_of(code);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::smatch found;
      if (!std::regex_search(lines[i], found, kDeclared)) continue;
      const std::string name = found[1];
      const bool is_call = contains_word(found.prefix().str() + found.str(), "return");
      const std::size_t own = defined.contains(name) ? 2 : 1;
      if (is_call || uses[name] > own || kOfCoroutines.contains(name)) continue;
      complaints.push_back(at(*file, i + 1, name + " is used nowhere"));
    }
  }
  return complaints;
}

Complaints check_types_are_unique(const std::vector<SourceFile>& files) {
  static const std::regex kNamespace(R"re(^namespace ([\w:]+) \{$)re");
  static const std::regex kType(R"re(^(?:struct|class|enum class) (\w+)(?: final)?(?: :.*)? \{)re");
  std::map<std::string, const SourceFile*> defined;
  Complaints complaints;
  for (const SourceFile& file : files) {
    if (!file.path.ends_with(".hpp")) continue;
    std::string space;
    const auto lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::smatch found;
      if (std::regex_search(lines[i], found, kNamespace)) space = found[1];
      if (!std::regex_search(lines[i], found, kType)) continue;
      const std::string name = space + "::" + found[1].str();
      const auto [first, is_new] = defined.emplace(name, &file);
      if (is_new || first->second == &file) continue;
      complaints.push_back(at(file, i + 1, name + " is also defined in " + first->second->path));
    }
  }
  return complaints;
}

Complaints check_links(const SourceFile& file,
                       const std::function<bool(const std::string&)>& exists) {
  static const std::regex kLink(R"re(\]\(([^)\s]+)\))re");
  Complaints complaints;
  const auto lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (auto link = std::sregex_iterator(lines[i].begin(), lines[i].end(), kLink);
         link != std::sregex_iterator(); ++link) {
      std::string target = (*link)[1];
      if (target.find("://") != std::string::npos || target.starts_with("mailto:")) continue;
      target = target.substr(0, target.find('#'));
      if (target.empty()) continue;
      const std::string folder = folder_of(file.path);
      const std::string path = folder.empty() ? target : folder + "/" + target;
      if (!exists(path)) complaints.push_back(at(file, i + 1, "no such file: " + target));
    }
  }
  return complaints;
}

Complaints check_walks(const SourceFile& list,
                       const std::function<std::string(const std::string&)>& read) {
  constexpr std::size_t kStopsMax = 8;
  constexpr std::size_t kClimbsMax = 2;
  static const std::regex kStop(R"re(\[`([\w:]+)`\]\(([^)]+)\))re");
  const auto count = [](std::string_view text, std::string_view word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  Complaints complaints;
  const auto lines = lines_of(list.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& walk = lines[i];
    if (!walk.starts_with("- ")) continue;
    const std::string_view way = std::string_view(walk).substr(0, walk.find("Back"));
    if (count(way, "→") >= kStopsMax) complaints.push_back(at(list, i + 1, "more than 8 stops"));
    if (count(walk, "↑") > kClimbsMax) complaints.push_back(at(list, i + 1, "more than 2 climbs"));
    for (auto stop = std::sregex_iterator(walk.begin(), walk.end(), kStop);
         stop != std::sregex_iterator(); ++stop) {
      const std::string function = (*stop)[1];
      const std::string file = (*stop)[2];
      // In a header the class is named at its beginning.
      const std::size_t colons = is_header(file) ? function.find("::") : std::string::npos;
      const std::string name = colons == std::string::npos ? function : function.substr(colons + 2);
      const std::regex definition("\\b" + name + R"(\([^;]*\{\n)");
      if (!std::regex_search(read(file), definition)) {
        complaints.push_back(at(list, i + 1, file + " defines no " + function));
      }
    }
  }
  return complaints;
}

Complaints check_header_form(const SourceFile& file) {
  if (!is_header(file.path)) return {};
  const auto lines = lines_of(file.text);
  std::size_t i = 0;
  while (i < lines.size() && lines[i].starts_with("//")) ++i;
  if (i == 0) return {at(file, 1, "begins without a comment that says what it is for")};
  if (i >= lines.size() || lines[i] != "#pragma once") {
    return {at(file, i + 1, "#pragma once must follow the comment")};
  }
  return {};
}

Complaints check_width(const SourceFile& file) {
  Complaints complaints;
  const auto lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // UTF-8 bytes of the form 10xxxxxx continue a character.
    const auto width = std::count_if(lines[i].begin(), lines[i].end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    });
    if (static_cast<std::size_t>(width) > kWidthMax) {
      complaints.push_back(at(file, i + 1, "is " + std::to_string(width) + " columns wide"));
    }
  }
  return complaints;
}

Complaints check_test_names(const SourceFile& file) {
  // A name can consist of several literals on several lines.
  static const std::regex kTestCase(R"re(TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+))re");
  Complaints complaints;
  for (auto found = std::sregex_iterator(file.text.begin(), file.text.end(), kTestCase);
       found != std::sregex_iterator(); ++found) {
    const std::string name = (*found)[1];
    if (name.find_first_of("[];") != std::string::npos) {
      complaints.push_back(file.path + ": test name with one of [ ] ; in it: " + name);
    }
  }
  return complaints;
}

Complaints check_check_macro(const SourceFile& file) {
  if (!is_header(file.path) && !is_under(file.path, "tests")) return {};
  Complaints complaints;
  for (const Include& include : includes_of(file)) {
    if (include.name == "eventlog/base/check.hpp") {
      complaints.push_back(at(file, include.line, "CHECK is for .cpp files of the product"));
    }
  }
  return complaints;
}

}  // namespace support
