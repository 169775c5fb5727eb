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

const EngineKind* find_kind(std::string_view name) {
  const auto found = std::find_if(std::begin(kAll), std::end(kAll),
                                  [&](const EngineKind* kind) { return kind->name == name; });
  return found == std::end(kAll) ? nullptr : *found;
}

std::string kind_names_text() {
  std::string text;
  for (const EngineKind* kind : kAll) {
    if (!text.empty()) text += " or ";
    text += kind->name;
  }
  return text;
}

}  // namespace engines
