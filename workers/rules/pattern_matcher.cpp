// A command that cannot be read off for certain has one part, which only its own words allow.
#include "workers/rules/pattern_matcher.hpp"

#include <algorithm>
#include <filesystem>

#include <re2/re2.h>

#include <nlohmann/json.hpp>
#include "eventlog/base/json_depth.hpp"

namespace workers {
namespace {

using domain::AskedCall;
using domain::CallPart;
using Json = nlohmann::json;

// A pattern that needs more is refused.
constexpr std::int64_t kRegexBytesMax = 256 << 10;

struct Pattern {
  std::string tool;
  std::string rest;      // between the parentheses
  bool is_whole = true;  // it has none
};

Pattern read_pattern(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos || !text.ends_with(')')) return {text, {}, true};
  return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2), false};
}

bool is_regex(const std::string& rest) {
  return rest.size() > 2 && rest.starts_with('/') && rest.ends_with('/') && !rest.starts_with("//");
}

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const std::vector<std::string_view>& changing_tools() {
  static const std::vector<std::string_view> kTools = {"Edit", "Write", "MultiEdit",
                                                       "NotebookEdit"};
  return kTools;
}
const std::vector<std::string_view>& reading_tools() {
  static const std::vector<std::string_view> kTools = {"Read", "Glob", "Grep", "LS"};
  return kTools;
}

bool has_path(std::string_view tool) {
  return contains(changing_tools(), tool) || contains(reading_tools(), tool);
}

// True if a pattern of that tool is about calls of `tool`.
bool is_about(std::string_view of, std::string_view tool) {
  if (of == tool) return true;
  if (of == "Edit") return contains(changing_tools(), tool);
  if (of == "Read") return contains(reading_tools(), tool);
  if (!of.starts_with("mcp__")) return false;
  if (of.ends_with('*')) return tool.starts_with(of.substr(0, of.size() - 1));
  return tool.starts_with(of) && tool.substr(of.size()).starts_with("__");
}

Json input_of(const AskedCall& call) {
  if (base::json_depth(call.text) > base::kJsonDepthMax) return Json::object();
  const Json json = Json::parse(call.text, nullptr, false);
  const auto input = json.is_object() ? json.find("input") : json.end();
  const bool is_there = json.is_object() && input != json.end() && input->is_object();
  return is_there ? *input : Json::object();
}

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Returns the absolute path, without "." and "..".
std::string whole_path(std::string_view path, std::string_view workdir) {
  std::filesystem::path whole(path);
  if (whole.is_relative()) whole = std::filesystem::path(workdir) / whole;
  return whole.lexically_normal().string();
}

std::string path_in(const Json& input, std::string_view workdir) {
  for (const char* key : {"file_path", "notebook_path", "path"}) {
    const std::string path = text_in(input, key);
    if (!path.empty()) return whole_path(path, workdir);
  }
  return std::string(workdir);  // what lists or searches begins there
}

std::string host_in(const std::string& url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string::npos) return {};
  const std::string_view rest = std::string_view(url).substr(begin + 3);
  std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
    host.remove_prefix(at + 1);
  }
  return std::string(host.substr(0, host.find(':')));
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) + 1 - first));
}

// Takes a shell command apart at its operators. Gives up at whatever runs, reads or writes
// something that the words do not name plainly.
class CommandParts {
 public:
  explicit CommandParts(std::string_view command) : rest_(command) {}

  // No value: it cannot be read off.
  std::optional<std::vector<std::string>> read() {
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quote_ == '\'') {
        if (c == '\'') quote_ = 0;
        part_ += c;
        continue;
      }
      if (c == '\\') {
        if (i + 1 >= rest_.size() || rest_[i + 1] == '\n') return std::nullopt;
        part_ += c;
        part_ += rest_[++i];
        continue;
      }
      if (c == '`' || (c == '$' && i + 1 < rest_.size() && rest_[i + 1] != ' ')) {
        return std::nullopt;
      }
      if (quote_ == '"') {
        if (c == '"') quote_ = 0;
        part_ += c;
        continue;
      }
      if (c == '\'' || c == '"') quote_ = c;
      if (std::string_view("<>()").find(c) != std::string_view::npos) return std::nullopt;
      const bool is_double = i + 1 < rest_.size() && rest_[i + 1] == c;
      if (c == '&' && !is_double) return std::nullopt;
      if (c == '&' || c == '|' || c == ';' || c == '\n') {
        if (c != '\n' && c != ';' && is_double) ++i;
        end_part();
        continue;
      }
      part_ += c;
    }
    if (quote_ != 0) return std::nullopt;
    end_part();
    return parts_;
  }

 private:
  void end_part() {
    std::string part = trimmed(std::exchange(part_, {}));
    if (!part.empty()) parts_.push_back(std::move(part));
  }

  std::string_view rest_;
  std::string part_;
  std::vector<std::string> parts_;
  char quote_ = 0;
};

// Returns the regular expression of a pattern with `*` for anything, in paths but a slash, and `**`
// for anything.
std::string regex_of(std::string_view glob, bool has_folders) {
  std::string regex;
  for (std::size_t i = 0; i < glob.size();) {
    if (glob.substr(i).starts_with("**/")) {
      regex += "(?:.*/)?";
      i += 3;
    } else if (glob.substr(i).starts_with("**")) {
      regex += ".*";
      i += 2;
    } else if (glob[i] == '*') {
      regex += has_folders ? "[^/]*" : ".*";
      ++i;
    } else {
      regex += RE2::QuoteMeta(std::string(1, glob[i++]));
    }
  }
  return regex;
}

RE2::Options options_for_bytes() {
  RE2::Options options(RE2::Quiet);
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_max_mem(kRegexBytesMax);
  return options;
}

// In linear time.
bool is_like(std::string_view glob, std::string_view text, bool has_folders) {
  RE2::Options options = options_for_bytes();
  options.set_dot_nl(true);
  const RE2 compiled(regex_of(glob, has_folders), options);
  return compiled.ok() && RE2::FullMatch(std::string(text), compiled);
}

// Returns the beginning that a pattern of commands asks for; none: it asks for something else.
std::optional<std::string> beginning_of(const std::string& rest) {
  for (const std::string_view end : {":*", " *"}) {
    const bool is_it =
        rest.size() > end.size() && rest.ends_with(end) && rest.find('*') == rest.size() - 1;
    if (is_it) return rest.substr(0, rest.size() - end.size());
  }
  return std::nullopt;
}

// Returns how long the first word of a command is, with what is quoted in it.
std::size_t word_bytes(std::string_view command) {
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && c == ' ') return i;
    if (c == '\\' && quote != '\'') {
      ++i;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    }
  }
  return command.size();
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name(char c) {
  return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_assignment(std::string_view word) {
  std::size_t name = 0;
  while (name < word.size() && is_name(word[name])) ++name;
  if (name == 0 || name == word.size() || is_digit(word.front())) return false;
  return word[name] == '=' || word.substr(name).starts_with("+=");
}

// True if the word stands before a command: of the shell, or a program that runs another one.
bool runs_another(std::string_view word) {
  static const std::vector<std::string_view> kWords = {
      "!",    "{",      "if",    "then",    "else",    "elif",   "while",  "until",    "do",
      "time", "sudo",   "doas",  "command", "builtin", "exec",   "eval",   "nohup",    "env",
      "nice", "ionice", "xargs", "timeout", "setsid",  "stdbuf", "chroot", "function", "coproc"};
  return contains(kWords, word);
}

// True if the word is an option, or a number or a time as options have them.
bool is_option(std::string_view word) {
  if (word.starts_with('-')) return true;
  if (word.empty() || !is_digit(word.front())) return false;
  const std::size_t end = word.find_first_not_of("0123456789.");
  return end >= word.size() - 1 && word.find_first_not_of("0123456789.smhd") == std::string::npos;
}

// Of a command that lists its options one after the other, so many further words are looked at.
constexpr std::size_t kWordsOfOptions = 4;
constexpr std::size_t kWordsBefore = 32;
constexpr std::size_t kCommandsBytesMax = std::size_t{4} << 20;

// Adds a line for the command, and for each one that its first words run. False: too much.
bool add_commands(std::string_view command, std::string& lines) {
  std::size_t left = 0;
  bool is_run = false;
  for (std::size_t words = 0; !command.empty(); ++words) {
    if (words > kWordsBefore || lines.size() > kCommandsBytesMax) return false;
    lines.append(command).append(1, '\n');
    const std::string_view word = command.substr(0, word_bytes(command));
    if (runs_another(word)) {
      is_run = true;
      left = word == "function" || word == "coproc" ? 2 : 0;
    } else if (is_run && is_option(word)) {
      left = kWordsOfOptions;
    } else if (!is_assignment(word)) {
      if (left == 0) return true;
      --left;
    }
    command.remove_prefix(std::min(word.size() + 1, command.size()));
  }
  return true;
}

// Returns the commands that the part can run, as far as its words say, a line each and with single
// blanks. No value: they are too many.
std::optional<std::string> commands_in(const CallPart& part) {
  std::string lines;
  std::string command;
  const auto end = [&] {
    const bool is_added = add_commands(trimmed(std::exchange(command, {})), lines);
    return is_added;
  };
  for (const char c : part.text) {
    const bool is_end =
        !part.is_plain && std::string_view(";&|()`{}<>\n").find(c) != std::string_view::npos;
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (is_end && !end()) return std::nullopt;
    if (!is_end && !is_blank) command += c;
    if (!is_end && is_blank && !command.empty() && command.back() != ' ') command += ' ';
  }
  if (!end()) return std::nullopt;
  return lines;
}

bool matches_part_of(const std::string& regex, const std::string& text) {
  const RE2 compiled(regex, options_for_bytes());
  return compiled.ok() && RE2::PartialMatch(text, compiled);
}

// Says whether a pattern that denies or asks may be about the command, whatever stands before it.
// In linear time.
bool may_be_about(const std::string& rest, const CallPart& part) {
  const auto commands = commands_in(part);
  if (!commands) return true;
  if (is_regex(rest)) {
    return matches_part_of("(?m:" + rest.substr(1, rest.size() - 2) + ")", *commands);
  }
  const auto beginning = beginning_of(rest);
  const std::string words = regex_of(beginning.value_or(rest), false);
  if (matches_part_of("(?m)^" + words + (beginning ? "(?: |$)" : "$"), *commands)) return true;
  return !part.is_plain &&
         matches_part_of("(?s)(?:^|[^\\w-])" + words + "(?:[^\\w-]|$)", part.text);
}

bool matches_command(const std::string& rest, const CallPart& part) {
  if (!part.is_plain) return part.text == rest;
  const auto beginning = beginning_of(rest);
  if (beginning) return part.text == *beginning || part.text.starts_with(*beginning + " ");
  return is_like(rest, part.text, false);
}

bool matches_path(const std::string& rest, const CallPart& part, std::string_view workdir) {
  const std::string_view glob = rest;
  const std::string whole = glob.starts_with("//")
                                ? std::string(glob.substr(1))
                                : std::string(workdir) + "/" +
                                      std::string(glob.substr(glob.starts_with("./")  ? 2
                                                              : glob.starts_with("/") ? 1
                                                                                      : 0));
  return is_like(whole, part.text, true);
}

bool matches_regex(const std::string& rest, const CallPart& part) {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kRegexBytesMax);
  const RE2 regex(rest.substr(1, rest.size() - 2), options);
  return regex.ok() && RE2::PartialMatch(part.text, regex);
}

constexpr std::string_view kDomain = "domain:";
// By which an agent asks whether to carry out its plan.
constexpr std::string_view kPlanTool = "ExitPlanMode";

}  // namespace

std::vector<CallPart> PatternMatcher::parts_of(const AskedCall& call) const {
  const std::string tool(call.tool);
  const Json input = input_of(call);
  if (tool == "Bash") {
    const std::string command = text_in(input, "command");
    const auto parts = CommandParts(command).read();
    if (!parts || parts->empty()) return {{tool, command, false}};
    std::vector<CallPart> all;
    for (const std::string& part : *parts) all.push_back({tool, part, true});
    return all;
  }
  if (has_path(tool)) return {{tool, path_in(input, call.workdir), true}};
  if (tool == "WebFetch") return {{tool, host_in(text_in(input, "url")), true}};
  return {{tool, input.dump(-1, ' ', false, Json::error_handler_t::replace), true}};
}

bool PatternMatcher::matches(const std::string& pattern, const CallPart& part,
                             const AskedCall& call, bool is_loose) const {
  const Pattern read = read_pattern(pattern);
  if (!is_about(read.tool, part.tool)) return false;
  if (read.is_whole) return true;
  const bool has_regex = is_regex(read.rest);
  // A command that does more than its words say is allowed by none of them.
  const bool is_readable = part.is_plain || is_loose;
  if (has_regex && is_readable && matches_regex(read.rest, part)) return true;
  if (part.tool == "Bash") {
    if (!has_regex && matches_command(read.rest, part)) return true;
    return is_loose && may_be_about(read.rest, part);
  }
  if (has_regex) return false;
  if (has_path(part.tool)) return matches_path(read.rest, part, call.workdir);
  if (part.tool == "WebFetch" && read.rest.starts_with(kDomain)) {
    return is_like(read.rest.substr(kDomain.size()), part.text, false);
  }
  return false;
}

std::string PatternMatcher::fault_of(const std::string& pattern, bool is_granting) const {
  const Pattern read = read_pattern(pattern);
  const bool is_named =
      !read.tool.empty() && std::all_of(read.tool.begin(), read.tool.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '*';
      });
  const bool has_star = read.tool.find('*') != std::string::npos;
  if (!is_named || (has_star && !(read.tool.starts_with("mcp__") && read.tool.size() > 6))) {
    return "'" + pattern +
           "' names no tool; a pattern is such as Bash, Bash(make *), Edit(src/**), "
           "WebFetch(domain:example.org) or mcp__github";
  }
  if (is_granting && read.tool == kPlanTool) {
    return "no rule allows " + std::string(kPlanTool) +
           ": a plan is for somebody to read, and the next one is another; a rule can deny plans, "
           "or have people asked";
  }
  if (read.is_whole) return {};
  if (read.rest.empty()) return "'" + pattern + "' has nothing between its parentheses";
  std::string fits_all = "'" + pattern + "' fits every call; name the tool alone if that is meant";
  const bool is_stars =
      read.tool == "Bash" && read.rest.find_first_not_of(" :*") == std::string::npos;
  if (is_granting && is_stars) return fits_all;
  if (is_regex(read.rest)) {
    RE2::Options options(RE2::Quiet);
    options.set_max_mem(kRegexBytesMax);
    const RE2 regex(read.rest.substr(1, read.rest.size() - 2), options);
    if (!regex.ok()) return "the regular expression is wrong: " + regex.error();
    return is_granting && RE2::PartialMatch("", regex) ? fits_all : std::string();
  }
  if (read.tool == "Bash" || has_path(read.tool)) return {};
  if (read.tool == "WebFetch" && read.rest.starts_with(kDomain)) return {};
  return "calls of " + read.tool + " are compared by a regular expression only, such as " +
         read.tool + "(/draft/)";
}

// A star of `narrow` is one more character to the stars of `wide`. In paths the two kinds of stars
// differ, and a regular expression can say anything.
bool covers(const std::string& wide, const std::string& narrow) {
  const Pattern of = read_pattern(wide);
  const Pattern is = read_pattern(narrow);
  if (!is_about(of.tool, is.tool)) return false;
  if (of.is_whole || of.rest == is.rest) return of.is_whole || !is.is_whole;
  if (is.is_whole || is_regex(of.rest) || is_regex(is.rest)) return false;
  if (is.tool == "Bash") {
    const auto beginning = beginning_of(is.rest);
    const CallPart part{is.tool, beginning ? *beginning + " *" : is.rest, true};
    return matches_command(of.rest, part);
  }
  const bool has_hosts = of.rest.starts_with(kDomain) && is.rest.starts_with(kDomain);
  return has_hosts &&
         is_like(of.rest.substr(kDomain.size()), is.rest.substr(kDomain.size()), false);
}

namespace {

// Returns a pattern that may be none, or may not be about the call.
std::string suggestion_for(const AskedCall& call) {
  const Json json = Json::parse(call.text, nullptr, false);
  const PatternMatcher matcher;
  const std::vector<CallPart> parts = matcher.parts_of(call);
  const CallPart& first = parts.front();
  if (first.tool == "Bash") {
    if (parts.size() != 1 || first.text.empty()) return {};
    if (json.is_object() && json.contains("context") && json["context"].is_object()) {
      const Json suggestions = json["context"].value("permission_suggestions", Json::array());
      for (const Json& one : suggestions) {
        if (!one.is_object() || !one.contains("rules") || !one["rules"].is_array()) continue;
        for (const Json& rule : one["rules"]) {
          if (!rule.is_object() || text_in(rule, "toolName") != "Bash") continue;
          std::string suggested = "Bash(" + text_in(rule, "ruleContent") + ")";
          if (matcher.matches(suggested, first, call, false)) return suggested;
        }
      }
    }
    return "Bash(" + first.text + ")";
  }
  if (has_path(first.tool)) return first.tool + "(/" + first.text + ")";
  if (first.tool == "WebFetch") return "WebFetch(" + std::string(kDomain) + first.text + ")";
  return first.tool;
}

}  // namespace

std::string pattern_for(const AskedCall& call) {
  const PatternMatcher matcher;
  std::string pattern = suggestion_for(call);
  const std::vector<CallPart> parts = matcher.parts_of(call);
  const bool is_allowed = std::all_of(parts.begin(), parts.end(), [&](const CallPart& part) {
    return matcher.matches(pattern, part, call, false);
  });
  return is_allowed && matcher.fault_of(pattern, true).empty() ? pattern : std::string();
}

}  // namespace workers
