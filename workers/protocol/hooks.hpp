// The answer about hooks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bus/frames.hpp"
#include "eventlog/domain/session/ask.hpp"

namespace workers {

constexpr std::string_view kVerbHooks = "hooks";  // no body → HooksAnswer

// A hook of the settings, and what came of it since the server began.
struct HookShown {
  std::string name;
  std::vector<domain::HookPoint> points;
  std::string how;  // "command", "program", "http", or the name of a built-in one
  std::string tool;
  std::string input;
  std::string agent;
  std::string engine;
  base::Duration timeout{};
  bool blocks_on_failure = false;
  bool may_change = true;
  std::int64_t runs = 0;
  std::int64_t changed = 0;
  std::int64_t blocked = 0;
  std::int64_t failed = 0;
  base::Duration took{};  // all runs together
  std::string last_failure{};
  bool is_optional = false;
  // The points at which it is not asked, since an engine's agents cannot be: by engine.
  std::map<std::string, std::string> not_asked{};

  bool operator==(const HookShown&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &HookShown::name);
    visit("points", &HookShown::points);
    visit("how", &HookShown::how);
    visit("tool", &HookShown::tool);
    visit("input", &HookShown::input);
    visit("agent", &HookShown::agent);
    visit("engine", &HookShown::engine);
    visit("timeout_us", &HookShown::timeout);
    visit("blocks_on_failure", &HookShown::blocks_on_failure);
    visit("may_change", &HookShown::may_change);
    visit("runs", &HookShown::runs);
    visit("changed", &HookShown::changed);
    visit("blocked", &HookShown::blocked);
    visit("failed", &HookShown::failed);
    visit("took_us", &HookShown::took);
    visit("last_failure", &HookShown::last_failure);
    visit("optional", &HookShown::is_optional);
    visit("not_asked", &HookShown::not_asked);
  }
};

struct HooksAnswer {
  std::vector<HookShown> hooks;  // in the order in which they are asked

  bool operator==(const HooksAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("hooks", &HooksAnswer::hooks);
  }
};

}  // namespace workers
