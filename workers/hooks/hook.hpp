// Hooks as the settings have them: where they are asked, about what, and how.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/time.hpp"
#include "eventlog/domain/hook_gap.hpp"
#include "eventlog/domain/session/ask.hpp"

namespace workers {

// A hook that is part of Steno.
enum class BuiltinHook {
  deny,     // blocks, with the hook's text as the reason
  ask,      // has people asked whether the call may be made
  allow,    // grants what needs an approval
  context,  // tells the model the hook's text
  redact,   // replaces what its pattern matches in the output of a tool by "[redacted]"
  quiet,    // blocks notifications that can wait, in the hours of its text: "23:00-08:00"
  memory,   // keeps what a session found at its end, and tells the model at the start
};

// Hours of a day by the clock of the server's place, in minutes; they can go over midnight.
struct QuietHours {
  int from = 0;
  int until = 0;

  bool contains(int minute) const {
    return from <= until ? minute >= from && minute < until : minute >= from || minute < until;
  }
};
// Returns none for another text than "23:00-08:00".
std::optional<QuietHours> parse_quiet_hours(std::string_view text);

struct Hook {
  std::string name;
  std::vector<domain::HookPoint> points;
  // What it is asked about; an empty one does not narrow it. The first two are expressions of RE2:
  // of the tool's whole name, and of something in the call's input, or in the prompt.
  std::string tool;
  std::string input;
  std::string agent;
  std::string engine;
  // How it is asked: by one of these.
  std::string command;            // a line for /bin/sh, as Claude Code's hooks
  std::vector<std::string> argv;  // a program and its arguments
  std::string url;                // http or https
  std::string subscriber;         // the name of one that connects to the server
  std::optional<BuiltinHook> builtin;
  std::string secret;   // signs the requests to the URL; empty: they are not signed
  std::string text;     // for a built-in one
  std::string pattern;  // likewise; an expression of RE2
  base::Duration timeout = std::chrono::seconds(10);
  bool blocks_on_failure = false;
  bool may_change = true;
  bool is_optional = false;  // sessions of engines that cannot be asked for it do without

  bool has(domain::HookPoint point) const;
};

// An expression of RE2. An empty one matches everything.
class HookPattern {
 public:
  HookPattern();
  ~HookPattern();
  HookPattern(HookPattern&&) noexcept;
  HookPattern& operator=(HookPattern&&) noexcept;
  // Returns none if RE2 refuses the expression, or needs more than 256 KiB for it. `is_whole`: it
  // is compared with all of a text, else searched in it.
  static std::optional<HookPattern> compile(const std::string& text, bool is_whole);
  // Returns why it does, in the words of RE2; empty: it does not.
  static std::string fault_of(const std::string& text);

  bool matches(std::string_view text) const;
  // Returns the text with each match replaced.
  std::string replaced(std::string text, std::string_view by) const;

 private:
  struct Compiled;
  bool is_whole_ = false;
  std::unique_ptr<const Compiled> compiled_;
};

// The hooks of a server, in the order in which they are asked. A pattern that cannot be compiled
// matches everything: the settings refuse it before.
class HookTable {
 public:
  struct Entry {
    Hook hook;
    HookPattern tool;
    HookPattern input;
    HookPattern pattern;
  };

  // The points at which the agents of engines cannot be asked, by the names of the engines; one
  // that is not there can be asked at all.
  using Lacking = std::map<std::string, std::vector<domain::HookPoint>, std::less<>>;

  HookTable() = default;
  explicit HookTable(std::vector<Hook> hooks, Lacking lacking = {});

  const std::vector<Entry>& entries() const { return entries_; }
  bool is_empty() const { return entries_.empty(); }
  bool has(domain::HookPoint point) const;
  // Returns the points at which an agent process must wait for hooks.
  std::vector<domain::HookPoint> points_of(std::string_view agent, std::string_view engine) const;
  bool offers(std::string_view engine, domain::HookPoint point) const;
  // Returns where a hook is not asked although its table says so: the names of the points, by
  // engine.
  std::map<std::string, std::string> not_asked(const Hook& hook) const;
  // Returns what keeps sessions from being opened.
  std::vector<domain::HookGap> gaps() const;

 private:
  std::vector<Entry> entries_;
  Lacking lacking_;
};

// The table of a server without hooks.
const HookTable& no_hooks();

// True if the tool starts a subagent.
bool starts_subagent(std::string_view tool);

}  // namespace workers

template <>
struct base::EnumNames<workers::BuiltinHook> {
  static constexpr std::string_view kNames[] = {"deny",   "ask",   "allow", "context",
                                                "redact", "quiet", "memory"};
};
