// A row for each key says how it is read.
#include "tools/steno/config/hook_tables.hpp"

#include <algorithm>
#include <map>

#include "tools/steno/config/given_setting.hpp"
#include "tools/steno/text/units.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Result;
using domain::HookPoint;
using workers::Hook;
using workers::HookPattern;

constexpr std::string_view kHookPrefix = "hooks.";
constexpr std::size_t kHookNameBytesMax = 64;  // of a subscriber's name, too
constexpr base::Duration kTimeoutMax = std::chrono::minutes(10);

// The points at which hooks can be asked.
constexpr HookPoint kPoints[] = {HookPoint::session_start, HookPoint::user_prompt_submit,
                                 HookPoint::pre_tool_use,  HookPoint::permission_request,
                                 HookPoint::post_tool_use, HookPoint::post_tool_use_failure,
                                 HookPoint::notification,  HookPoint::subagent_start,
                                 HookPoint::subagent_stop, HookPoint::stop,
                                 HookPoint::pre_compact,   HookPoint::session_end};

std::string points_text() {
  std::string text;
  for (const HookPoint point : kPoints) {
    text += (text.empty() ? "" : ", ") + std::string(base::enum_name(point));
  }
  return text;
}

struct HookKey {
  ConfigKey key;
  KeyKind kind;
  bool (*set)(HookTableRow&, const Given&);  // returns false if the value is not accepted
  // Returns why a value is not accepted, beside what is; null: there is nothing to say.
  std::string (*fault_of)(const std::string& value) = nullptr;
};

template <std::string Hook::*member>
bool set_hook_name(HookTableRow& row, const Given& given) {
  row.hook.*member = given.text;
  return !given.text.empty() && given.text.size() <= kHookNameBytesMax &&
         std::all_of(given.text.begin(), given.text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

bool set_points(HookTableRow& row, const Given& given) {
  const auto words = words_of(given);
  if (!words || words->empty()) return false;
  for (const std::string& word : *words) {
    const auto point = base::parse_enum<HookPoint>(word);
    if (!point || std::find(std::begin(kPoints), std::end(kPoints), *point) == std::end(kPoints)) {
      return false;
    }
    row.hook.points.push_back(*point);
  }
  return true;
}

template <std::string Hook::*member>
bool set_hook_pattern(HookTableRow& row, const Given& given) {
  row.hook.*member = given.text;
  return HookPattern::compile(given.text, false).has_value();
}

template <std::string Hook::*member>
bool set_hook_text(HookTableRow& row, const Given& given) {
  row.hook.*member = given.text;
  return !given.text.empty();
}

bool set_hook_program(HookTableRow& row, const Given& given) {
  const auto words = program_of(given);
  if (words) row.hook.argv = *words;
  return words && !words->empty();
}

bool set_hook_url(HookTableRow& row, const Given& given) {
  row.hook.url = given.text;
  const bool is_http = given.text.starts_with("http://") || given.text.starts_with("https://");
  return is_http && given.text.find_first_of(" \t\r\n") == std::string::npos;
}

bool set_hook_url_file(HookTableRow& row, const Given& given) {
  const auto path = resolve_path(given, given.text);
  if (path) row.url_file = *path;
  return path.has_value();
}

bool set_builtin(HookTableRow& row, const Given& given) {
  row.hook.builtin = base::parse_enum<workers::BuiltinHook>(given.text);
  return row.hook.builtin.has_value();
}

bool set_timeout(HookTableRow& row, const Given& given) {
  const auto timeout = parse_duration(given.text);
  if (!timeout || timeout->count() <= 0 || *timeout > kTimeoutMax) return false;
  row.hook.timeout = *timeout;
  return true;
}

bool set_failure(HookTableRow& row, const Given& given) {
  row.hook.blocks_on_failure = given.text == "block";
  return given.text == "block" || given.text == "allow";
}

bool set_optional(HookTableRow& row, const Given& given) {
  row.hook.is_optional = given.text == "true";
  return true;
}

bool set_modify(HookTableRow& row, const Given& given) {
  row.hook.may_change = given.text == "true";
  return true;
}

const std::vector<HookKey>& hook_table_keys() {
  static const std::string kPointNames = points_text();
  static const std::vector<HookKey> kKeys = {
      {{"hooks.name", "1 to 64 of a-z 0-9 _ -", "What people call it; each has another one"},
       KeyKind::text,
       set_hook_name<&Hook::name>},
      {{"hooks.on", kPointNames, "The points at which it is asked"}, KeyKind::words, set_points},
      {{"hooks.tool", "an expression of RE2, such as Bash or Write|Edit",
        "The whole names of the tools that it is asked about; default: all"},
       KeyKind::text,
       set_hook_pattern<&Hook::tool>,
       HookPattern::fault_of},
      {{"hooks.input", "an expression of RE2, such as rm -rf",
        "What must be found in the call's input, as JSON, or in the prompt; default: anything"},
       KeyKind::text,
       set_hook_pattern<&Hook::input>,
       HookPattern::fault_of},
      {{"hooks.agent", "the name of an agent", "Whose sessions it is for; default: all agents'"},
       KeyKind::text,
       set_hook_text<&Hook::agent>},
      {{"hooks.engine", "the name of an engine", "Whose sessions it is for; default: all"},
       KeyKind::text,
       set_hook_text<&Hook::engine>},
      {{"hooks.command", "a line for /bin/sh",
        "It is run in the session's folder, and answers as Claude Code's hooks do"},
       KeyKind::text,
       set_hook_text<&Hook::command>},
      {{"hooks.program", kProgramAccepted, "The same without a shell"},
       KeyKind::words,
       set_hook_program},
      {{"hooks.url", "a URL that begins with http:// or https://",
        "It is posted there; the answer's body is the hook's answer"},
       KeyKind::text,
       set_hook_url},
      {{"hooks.url_file", kPathAccepted,
        "A file with such a URL, and in its second line the secret that signs requests"},
       KeyKind::path,
       set_hook_url_file},
      {{"hooks.subscriber", "1 to 64 of a-z 0-9 _ -",
        "The name of a program that connects to the server, such as steno hooks serve NAME"},
       KeyKind::text,
       set_hook_name<&Hook::subscriber>},
      {{"hooks.builtin", "deny, ask, allow, context, redact, quiet or memory",
        "A hook that is part of Steno"},
       KeyKind::text,
       set_builtin},
      {{"hooks.text", "a text",
        "Of a built-in hook: the reason, what the model is told, or the hours of quiet"},
       KeyKind::text,
       set_hook_text<&Hook::text>},
      {{"hooks.pattern", "an expression of RE2", "Of redact: what is replaced by [redacted]"},
       KeyKind::text,
       set_hook_pattern<&Hook::pattern>,
       HookPattern::fault_of},
      {{"hooks.timeout", "a duration from 1ms to 10m", "It is given up after this; default: 10s"},
       KeyKind::text,
       set_timeout},
      {{"hooks.on_failure", "allow or block",
        "What follows if it fails, or is given up; default: allow"},
       KeyKind::text,
       set_failure},
      {{"hooks.modify", "true or false", "It may change what it is asked about; default: true"},
       KeyKind::boolean,
       set_modify},
      {{"hooks.optional", "true or false",
        "Sessions are opened although their engine cannot be asked for it; default: false"},
       KeyKind::boolean,
       set_optional},
  };
  return kKeys;
}

std::string_view hook_key_name(const HookKey& key) {
  return key.key.name.substr(kHookPrefix.size());
}

std::vector<std::string> hook_names() {
  std::vector<std::string> names;
  for (const HookKey& key : hook_table_keys()) names.emplace_back(hook_key_name(key));
  return names;
}

// Returns what is missing, or too much.
std::string fault_of(const HookTableRow& row) {
  const Hook& hook = row.hook;
  if (hook.name.empty()) return "has no name";
  if (hook.points.empty()) return "is asked nowhere: set on = \"PreToolUse\", or another point";
  const int ways = static_cast<int>(!hook.command.empty()) + static_cast<int>(!hook.argv.empty()) +
                   static_cast<int>(!hook.url.empty()) + static_cast<int>(!row.url_file.empty()) +
                   static_cast<int>(!hook.subscriber.empty()) +
                   static_cast<int>(hook.builtin.has_value());
  if (ways == 0) return "needs one of command, program, url, url_file, subscriber and builtin";
  if (ways > 1) {
    return "has several of command, program, url, url_file, subscriber and builtin; it needs one";
  }
  const auto is_one_of = [&](std::initializer_list<HookPoint> points) {
    return std::any_of(hook.points.begin(), hook.points.end(), [&](HookPoint point) {
      return std::find(points.begin(), points.end(), point) != points.end();
    });
  };
  const bool has_tool =
      is_one_of({HookPoint::pre_tool_use, HookPoint::permission_request, HookPoint::post_tool_use,
                 HookPoint::post_tool_use_failure, HookPoint::subagent_start});
  if (!hook.tool.empty() && !has_tool) return "names a tool, and is asked where there is none";
  const bool has_input =
      has_tool || is_one_of({HookPoint::user_prompt_submit, HookPoint::notification});
  if (!hook.input.empty() && !has_input) return "names an input, and is asked where there is none";
  if (!hook.builtin && !hook.text.empty()) return "has a text, which only built-in hooks use";
  const bool is_redacting = hook.builtin == workers::BuiltinHook::redact;
  const bool is_after = hook.points == std::vector<HookPoint>{HookPoint::post_tool_use};
  if (is_redacting && (hook.pattern.empty() || !is_after)) {
    return "redacts: it needs a pattern, and on = \"PostToolUse\"";
  }
  const bool is_quiet = hook.builtin == workers::BuiltinHook::quiet;
  const bool is_of_news = hook.points == std::vector<HookPoint>{HookPoint::notification};
  if (is_quiet && (!workers::parse_quiet_hours(hook.text) || !is_of_news)) {
    return "is for quiet hours: it needs text = \"23:00-08:00\", and on = \"Notification\"";
  }
  const bool is_memory = hook.builtin == workers::BuiltinHook::memory;
  const bool is_around = std::all_of(hook.points.begin(), hook.points.end(), [](HookPoint point) {
    return point == HookPoint::session_start || point == HookPoint::session_end;
  });
  if (is_memory && (!is_around || !hook.text.empty())) {
    return "is a memory: it needs on = [\"SessionStart\", \"SessionEnd\"], or one of them, and no "
           "text";
  }
  if (!is_redacting && !hook.pattern.empty()) return "has a pattern, which only redact uses";
  if (hook.builtin == workers::BuiltinHook::context && hook.text.empty()) return "needs a text";
  return {};
}

class HookTableReader {
 public:
  HookTableReader(const std::string& path, const std::string& user_home)
      : path_(path), user_home_(user_home) {}

  Result<void> read(const FileSetting& setting) {
    where_ = path_ + " line " + std::to_string(setting.line);
    if (setting.table.empty()) {
      if (setting.kind == FileValueKind::tables) return {};
      return fail("hooks is of the wrong kind; accepted are tables [[hooks]]");
    }
    if (setting.table.size() == 1) {
      if (setting.kind != FileValueKind::table) {
        return fail("hooks is of the wrong kind; accepted are tables [[hooks]]");
      }
      if (auto ok = end(); !ok) return ok;
      rows_.emplace_back();
      begun_at_ = where_;
      return {};
    }
    return read_key(setting);
  }

  Result<std::vector<HookTableRow>> take() {
    if (auto ok = end(); !ok) return tl::unexpected(ok.error());
    return std::move(rows_);
  }

 private:
  Result<void> read_key(const FileSetting& setting) {
    const auto& all = hook_table_keys();
    const auto key = std::find_if(all.begin(), all.end(), [&](const HookKey& one) {
      return hook_key_name(one) == setting.key;
    });
    if (key == all.end()) return unknown_key(setting.key, "[[hooks]]", hook_names(), where_);
    const std::string name = "[[hooks]] " + setting.key;
    if (!fits(key->kind, setting.kind)) return wrong_kind(name, key->key, key->kind, where_);
    const Given given = given_in_file(setting, path_, user_home_);
    if (key->set(rows_.back(), given)) return {};
    std::string accepted(key->key.accepted);
    if (key->fault_of != nullptr) accepted += " (RE2 says: " + key->fault_of(given.text) + ")";
    return not_accepted(name, accepted, key->kind, given);
  }

  // Looks at the last table as a whole.
  Result<void> end() {
    if (rows_.empty()) return {};
    const HookTableRow& row = rows_.back();
    const std::string who =
        "[[hooks]] " + (row.hook.name.empty() ? std::string() : row.hook.name + " ");
    if (const std::string fault = fault_of(row); !fault.empty()) {
      return base::failure(ErrorCode::invalid, who + fault, begun_at_);
    }
    const auto first = std::find_if(rows_.begin(), rows_.end(), [&](const HookTableRow& one) {
      return one.hook.name == row.hook.name;
    });
    if (&*first == &row) return {};
    return base::failure(ErrorCode::invalid, who + "is there twice; give each another name",
                         begun_at_);
  }

  tl::unexpected<base::Error> fail(std::string text) const {
    return base::failure(ErrorCode::invalid, std::move(text), where_);
  }

  const std::string& path_;
  const std::string& user_home_;
  std::string where_;  // of the setting in work
  std::string begun_at_;
  std::vector<HookTableRow> rows_;
};

}  // namespace

Result<std::vector<HookTableRow>> read_hook_tables(const std::vector<FileSetting>& settings,
                                                   const std::string& path,
                                                   const std::string& user_home) {
  HookTableReader reader(path, user_home);
  for (const FileSetting& setting : settings) {
    const std::string& outermost = setting.table.empty() ? setting.key : setting.table.front();
    if (outermost != kHooksTables) continue;
    if (auto ok = reader.read(setting); !ok) return tl::unexpected(ok.error());
  }
  return reader.take();
}

const std::vector<ConfigKey>& hook_keys() {
  static const std::vector<ConfigKey> kKeys = [] {
    std::vector<ConfigKey> all;
    for (const HookKey& key : hook_table_keys()) all.push_back(key.key);
    return all;
  }();
  return kKeys;
}

}  // namespace steno
