// The list of all kinds of agents: a further one is a line here.
#include "workers/engines/engines.hpp"

#include <algorithm>

#include "workers/engines/claude/claude_engine.hpp"
#include "workers/engines/scripted/scripted_engine.hpp"

namespace engines {
namespace {

constexpr const EngineKind* kAll[] = {
    &kClaudeEngine,
    &kScriptedEngine,
};

}  // namespace

std::span<const EngineKind* const> engine_kinds() {
  return kAll;
}

const EngineKind* find_engine(std::string_view name) {
  const auto found = std::find_if(std::begin(kAll), std::end(kAll),
                                  [&](const EngineKind* kind) { return kind->name == name; });
  return found == std::end(kAll) ? nullptr : *found;
}

std::unique_ptr<Engine> make_engine(std::string_view name, EngineSettings settings,
                                    SessionLaunch session) {
  const EngineKind* kind = find_engine(name);
  return kind == nullptr ? nullptr : kind->make(std::move(settings), std::move(session));
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineKind* kind : kAll) names.emplace_back(kind->name);
  return names;
}

std::vector<std::string> injecting_engine_names() {
  std::vector<std::string> names;
  for (const EngineKind* kind : kAll) {
    if (kind->is_injecting) names.emplace_back(kind->name);
  }
  return names;
}

std::string engine_names_text() {
  std::string text;
  for (const EngineKind* kind : kAll) {
    if (!text.empty()) text += " or ";
    text += kind->name;
  }
  return text;
}

}  // namespace engines
