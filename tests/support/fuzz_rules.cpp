// Finds decoders with regular expressions over the code without comments and strings, and collects
// the words and headers of each target.
#include "tests/support/fuzz_rules.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace support {
namespace {

constexpr std::string_view kTargets = "tests/fuzz/";

// Functions that read, but no bytes as they come from outside; each with the reason.
const std::set<std::string>& exempt() {
  static const std::set<std::string> kExempt = {
      "decode_row",   // base::decode, and the key for its error
      "parse_enum",   // a step of base::decode
      "read_chunk",   // takes a key of a store's own
      "read_field",   // a step of base::decode
      "read_u32",     // a length that the caller has checked
      "read_u64",     // the same
      "take_event",   // a step of verify_log, which the target log calls
      "take_frame",   // a step of Client::do_work, which the target client calls
      "take_number",  // a step of the keeper's decoders
      "take_word",    // the same
  };
  return kExempt;
}

template <class Use>
void for_each_match(const std::string& text, const std::regex& pattern, Use&& use) {
  for (auto found = std::sregex_iterator(text.begin(), text.end(), pattern);
       found != std::sregex_iterator(); ++found) {
    use(*found);
  }
}

std::string last_part(const std::string& qualified) {
  const std::size_t colon = qualified.rfind(':');
  return colon == std::string::npos ? qualified : qualified.substr(colon + 1);
}

// Returns the names of structs with `fields`, each with the files that define one.
std::map<std::string, std::set<std::string>> structs_with_fields(
    const std::vector<SourceFile>& files) {
  static const std::regex kParts(R"re(\bstruct\s+(\w+)\s*\{|static constexpr void (fields)\()re");
  std::map<std::string, std::set<std::string>> found;
  for (const SourceFile& file : files) {
    std::string current;
    for_each_match(code_of(file.text), kParts, [&](const std::smatch& match) {
      if (match[1].matched) current = match[1];
      if (match[2].matched && !current.empty()) found[current].insert(file.path);
    });
  }
  return found;
}

// The words of one target, and every header that it includes, directly or through others.
struct Target {
  std::set<std::string> words;
  std::set<std::string> headers;
};

std::vector<Target> targets_of(const std::vector<SourceFile>& files) {
  static const std::regex kWord(R"re(\w+)re");
  static const std::regex kInclude(R"re(#include "([^"]+)")re");
  std::map<std::string, const SourceFile*> by_path;
  for (const SourceFile& file : files) by_path[file.path] = &file;
  std::vector<Target> targets;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with(kTargets) || !file.path.ends_with(".cpp")) continue;
    Target target;
    for (std::vector<std::string> left{file.path}; !left.empty();) {
      const std::string path = left.back();
      left.pop_back();
      const auto found = by_path.find(path);
      if (path != file.path && !target.headers.insert(path).second) continue;
      if (found == by_path.end()) continue;
      for_each_match(found->second->text, kInclude,
                     [&](const std::smatch& match) { left.push_back(match[1]); });
      // Words in the targets' shared headers count for each target.
      if (!path.starts_with(kTargets)) continue;
      for_each_match(code_of(found->second->text), kWord,
                     [&](const std::smatch& match) { target.words.insert(match.str()); });
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

// The header counts, too, since two namespaces can have a function of one name.
bool is_covered(const std::vector<Target>& targets, const std::string& name,
                const std::string& header) {
  return std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
    return target.words.contains(name) && target.headers.contains(header);
  });
}

void check_functions(const SourceFile& file, const std::vector<Target>& targets,
                     Complaints& complaints) {
  static const std::regex kFunction(
      R"re(\b((?:decode|parse|read|split|take|from)(?:_\w+)?|on_line|feed|see)\s*\(([^()]*)\))re");
  static const std::regex kView(R"re(\b(?:ByteView|string_view)\b)re");
  if (!file.path.ends_with(".hpp")) return;
  for_each_match(code_of(file.text), kFunction, [&](const std::smatch& match) {
    const std::string name = match[1];
    if (!std::regex_search(match[2].str(), kView) || exempt().contains(name)) return;
    if (!is_covered(targets, name, file.path)) {
      complaints.push_back(file.path + ": no fuzz target names " + name);
    }
  });
}

}  // namespace

Complaints check_is_fuzzed(const std::vector<SourceFile>& files) {
  // Templates that only pick an alternative of a variant, or that write.
  static const std::set<std::string> kNotReading = {"encode", "optional", "std::get", "std::get_if",
                                                    "std::holds_alternative"};
  // These pick one without an argument; with one they read a row.
  static const std::set<std::string> kPicking = {"as", "is", "get"};
  static const std::regex kRead(R"re(\b((?:std::)?\w+)<\s*([\w:]+)\s*>\s*\()re");
  const std::vector<Target> targets = targets_of(files);
  std::vector<SourceFile> product;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with("tests/")) product.push_back(file);
  }
  const auto structs = structs_with_fields(product);
  Complaints complaints;
  for (const SourceFile& file : product) {
    check_functions(file, targets, complaints);
    for_each_match(code_of(file.text), kRead, [&](const std::smatch& match) {
      const std::string name = last_part(match[2]);
      const auto defined = structs.find(name);
      if (defined == structs.end() || kNotReading.contains(match[1])) return;
      const bool has_argument = !match.suffix().str().starts_with(')');
      if (kPicking.contains(match[1]) && !has_argument) return;
      const bool is_private = defined->second.contains(file.path) && file.path.ends_with(".cpp");
      const std::string own = file.path.substr(0, file.path.rfind('.')) + ".hpp";
      const auto& headers = defined->second;
      const bool is_fuzzed =
          is_private
              ? std::any_of(targets.begin(), targets.end(),
                            [&](const Target& target) { return target.headers.contains(own); })
              : std::any_of(headers.begin(), headers.end(), [&](const std::string& header) {
                  return is_covered(targets, name, header);
                });
      if (is_fuzzed) return;
      complaints.push_back(file.path + ": something is read as " + name + ", and no fuzz target " +
                           (is_private ? "includes " + own : "names it"));
    });
  }
  return complaints;
}

Complaints check_fuzz_targets(std::string_view cmake_lists, std::string_view readme,
                              const std::function<bool(const std::string&)>& has_corpus) {
  static const std::regex kTarget(R"re(\nsteno_fuzz\(\s*tests/fuzz/(\w+)\.cpp)re");
  Complaints complaints;
  const std::string cmake(cmake_lists);
  for_each_match(cmake, kTarget, [&](const std::smatch& match) {
    const std::string name = match[1];
    if (!has_corpus(name)) complaints.push_back("tests/fuzz/corpus/" + name + " has no inputs");
    if (readme.find("`" + name + "`") == std::string_view::npos) {
      complaints.push_back("tests/fuzz/README.md does not describe " + name);
    }
  });
  return complaints;
}

}  // namespace support
