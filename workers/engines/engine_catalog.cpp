// Names are kept beside the entries, because the domain takes them as lists.
#include "workers/engines/engine_catalog.hpp"

#include <algorithm>

#include "workers/engines/engines.hpp"

namespace engines {

std::string CatalogEntry::program_setting() const {
  return name == kind->name ? name + "_program" : "program in [engines." + name + "]";
}

bool CatalogEntry::offers(domain::HookPoint point) const {
  using domain::HookPoint;
  const bool is_own = point == HookPoint::none || point == HookPoint::session_start ||
                      point == HookPoint::user_prompt_submit || point == HookPoint::notification ||
                      point == HookPoint::session_end;
  if (is_own) return true;
  // A subagent begins by a tool call.
  const HookPoint asked = point == HookPoint::subagent_start ? HookPoint::pre_tool_use : point;
  const auto points = hook_points ? std::span<const HookPoint>(*hook_points) : kind->hook_points;
  return std::find(points.begin(), points.end(), asked) != points.end();
}

EngineCatalog::EngineCatalog(std::vector<CatalogEntry> entries) : entries_(std::move(entries)) {
  for (const CatalogEntry& entry : entries_) {
    names_.push_back(entry.name);
    if (entry.kind->is_injecting) injecting_names_.push_back(entry.name);
    if (entry.kind->takes_files) names_with_files_.push_back(entry.name);
  }
}

const CatalogEntry* EngineCatalog::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const CatalogEntry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

std::string EngineCatalog::names_text() const {
  std::string text;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (i > 0) text += i + 1 == names_.size() ? " or " : ", ";
    text += names_[i];
  }
  return text;
}

EngineCatalog catalog_of_kinds() {
  std::vector<CatalogEntry> entries;
  for (const EngineKind* kind : engine_kinds()) {
    entries.push_back({std::string(kind->name), kind, std::string(kind->description)});
  }
  return EngineCatalog(std::move(entries));
}

}  // namespace engines
