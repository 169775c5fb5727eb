// Requests about copies and anchors as clients of older releases send them, a verb for each. The
// server carries them out as commands like all others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bus/frames.hpp"
#include "workers/commands/command_loop.hpp"

namespace workers {

constexpr std::string_view kVerbBackup = "backup";    // BackupBody → CopyReplyBody
constexpr std::string_view kVerbArchive = "archive";  // ArchiveBody → CopyReplyBody
constexpr std::string_view kVerbAnchor = "anchor";    // no body → AnchorReplyBody

enum class BackupAction { create, forget };

struct BackupBody {
  BackupAction action = BackupAction::create;
  std::string name;           // 1 to 64 of a-z 0-9 . _ -
  std::string folder;         // create: absolute, missing or empty
  bool shares_files = false;  // create: see eventlog::BackupOptions

  bool operator==(const BackupBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("action", &BackupBody::action);
    visit("name", &BackupBody::name);
    visit("folder", &BackupBody::folder);
    visit("share_files", &BackupBody::shares_files);
  }
};

enum class ArchiveAction { create, forget };

struct ArchiveBody {
  ArchiveAction action = ArchiveAction::create;
  std::string name;        // 1 to 64 of a-z 0-9 . _ -
  std::string folder;      // create: absolute, missing or empty
  Position before;         // create: events from here on stay; 0: those from the time on
  base::Time before_time;  // create: log time

  bool operator==(const ArchiveBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("action", &ArchiveBody::action);
    visit("name", &ArchiveBody::name);
    visit("folder", &ArchiveBody::folder);
    visit("before", &ArchiveBody::before);
    visit("before_time", &ArchiveBody::before_time);
  }
};

// The reply for a copy that is begun or forgotten. Whether one is finished is shown by the list.
struct CopyReplyBody {
  Position position;  // of what was recorded; durable

  bool operator==(const CopyReplyBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &CopyReplyBody::position);
  }
};

// The request is recorded at `through`, and an anchor there or later is being made; `anchors` shows
// when it is finished.
struct AnchorReplyBody {
  Position through;

  bool operator==(const AnchorReplyBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("through", &AnchorReplyBody::through);
  }
};

// True for the three verbs.
bool is_older_verb(std::string_view verb);
// Returns the command that the request asks for. Error invalid: the body cannot be read.
base::Result<domain::Command> older_command(std::string_view verb, const base::RawValue& body);
// Returns the answer in the form that belongs to the verb.
bus::Reply older_reply(std::string_view verb, const bus::RequestKey& request,
                       const CommandOutcome& outcome);

}  // namespace workers

template <>
struct base::EnumNames<workers::BackupAction> {
  static constexpr std::string_view kNames[] = {"create", "forget"};
};
template <>
struct base::EnumNames<workers::ArchiveAction> {
  static constexpr std::string_view kNames[] = {"create", "forget"};
};
