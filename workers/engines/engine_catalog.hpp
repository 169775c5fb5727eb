// The engines that sessions can name, as a value: it is made from the configuration and passed to
// whoever needs it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workers/engines/engine_kind.hpp"

namespace engines {

// A kind of agent, started in a way of its own.
struct CatalogEntry {
  std::string name;
  const EngineKind* kind = nullptr;  // never null in a catalogue
  std::string description;           // for people
  EngineSettings settings{};
  // The points at which its agents can be asked; unset: those of its kind.
  std::optional<std::vector<domain::HookPoint>> hook_points{};

  // True if hooks can be asked at the point, by the agents or by Steno itself.
  bool offers(domain::HookPoint point) const;
  // Returns the setting that says how it is started, as people are to read it.
  std::string program_setting() const;
};

class EngineCatalog {
 public:
  EngineCatalog() = default;
  // The names differ from each other; their order is kept.
  explicit EngineCatalog(std::vector<CatalogEntry> entries);

  std::span<const CatalogEntry> entries() const { return entries_; }
  // Returns null if there is no such engine.
  const CatalogEntry* find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  // Returns those whose agents take a prompt while they work.
  const std::vector<std::string>& injecting_names() const { return injecting_names_; }
  // Returns those whose agents take files with a prompt.
  const std::vector<std::string>& names_with_files() const { return names_with_files_; }
  // Returns the names as text, such as "a, b or c".
  std::string names_text() const;

 private:
  std::vector<CatalogEntry> entries_;
  std::vector<std::string> names_;
  std::vector<std::string> injecting_names_;
  std::vector<std::string> names_with_files_;
};

// Returns each kind under its own name, without settings: what there is without a configuration.
EngineCatalog catalog_of_kinds();

}  // namespace engines
