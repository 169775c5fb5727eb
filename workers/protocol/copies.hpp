// The answers about backups, archives and anchors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/frames.hpp"
#include "eventlog/domain/server/state.hpp"

namespace workers {

using base::Position;

constexpr std::string_view kVerbBackups = "backups";  // no body → BackupsAnswer

struct BackupRow {
  std::string name;
  std::string folder;
  Position begun;
  Position through;   // its last event; 0: it is being made, or failed
  std::string fault;  // why it failed; such a backup is already forgotten

  bool operator==(const BackupRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &BackupRow::name);
    visit("folder", &BackupRow::folder);
    visit("begun", &BackupRow::begun);
    visit("through", &BackupRow::through);
    visit("fault", &BackupRow::fault);
  }
};

struct BackupsAnswer {
  std::vector<BackupRow> backups;  // by name

  bool operator==(const BackupsAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("backups", &BackupsAnswer::backups);
  }
};

constexpr std::string_view kVerbArchives = "archives";  // no body → ArchivesAnswer

struct ArchiveRow {
  std::string name;
  std::string folder;
  Position begun;
  Position first;           // its first event
  Position through;         // its last one; 0: it is being made, or failed
  bool is_trimmed = false;  // the log does not hold these events any more
  std::string fault;        // why it could not be made, or the log not be trimmed

  bool operator==(const ArchiveRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &ArchiveRow::name);
    visit("folder", &ArchiveRow::folder);
    visit("begun", &ArchiveRow::begun);
    visit("first", &ArchiveRow::first);
    visit("through", &ArchiveRow::through);
    visit("trimmed", &ArchiveRow::is_trimmed);
    visit("fault", &ArchiveRow::fault);
  }
};

struct ArchivesAnswer {
  std::vector<ArchiveRow> archives;  // by name

  bool operator==(const ArchivesAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("archives", &ArchivesAnswer::archives);
  }
};

constexpr std::string_view kVerbAnchors = "anchors";  // no body → AnchorsAnswer

struct AnchorsAnswer {
  std::string key;                           // fingerprint of the server's own
  std::optional<domain::MadeAnchor> anchor;  // the last one; durable
  Position through;                          // the position up to which the last one signs the log
  std::string fault;                         // why the last one asked for was not made

  bool operator==(const AnchorsAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("key", &AnchorsAnswer::key);
    visit("anchor", &AnchorsAnswer::anchor);
    visit("through", &AnchorsAnswer::through);
    visit("fault", &AnchorsAnswer::fault);
  }
};

}  // namespace workers
