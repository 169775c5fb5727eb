// Requests about the log as a whole: copies of it, anchors, and what the server records of itself.
#pragma once

#include <variant>

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/server/state.hpp"

namespace domain {

// Backups that a log knows at once: each of them is opened for every erasure. Archives likewise.
constexpr std::size_t kBackupsMax = 32;
constexpr std::size_t kArchivesMax = 256;

// ---- from clients ----

// A copy of the log is to be made in the folder, and erasures are to reach into it.
struct BeginBackup {
  static constexpr std::string_view kType = "BeginBackup";
  std::string name;           // 1 to 64 of a-z 0-9 . _ -
  std::string folder;         // absolute, missing or empty
  bool shares_files = false;  // see eventlog::BackupOptions

  bool operator==(const BeginBackup&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &BeginBackup::name);
    visit("folder", &BeginBackup::folder);
    visit("share_files", &BeginBackup::shares_files);
  }
};

// Nothing is to be done about that copy any more.
struct ForgetBackup {
  static constexpr std::string_view kType = "ForgetBackup";
  std::string name;

  bool operator==(const ForgetBackup&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &ForgetBackup::name);
  }
};

// The log's beginning is to be moved to the folder.
struct BeginArchive {
  static constexpr std::string_view kType = "BeginArchive";
  std::string name;        // 1 to 64 of a-z 0-9 . _ -
  std::string folder;      // absolute, missing or empty
  Position before;         // events from here on stay; 0: those from the time on
  base::Time before_time;  // log time

  bool operator==(const BeginArchive&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &BeginArchive::name);
    visit("folder", &BeginArchive::folder);
    visit("before", &BeginArchive::before);
    visit("before_time", &BeginArchive::before_time);
  }
};

// As ForgetBackup.
struct ForgetArchive {
  static constexpr std::string_view kType = "ForgetArchive";
  std::string name;
  // The log was not trimmed for it and will not be. The server says so; it does not travel.
  bool is_trim_given_up = false;

  bool operator==(const ForgetArchive&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &ForgetArchive::name);
  }
};

// An anchor that covers the event of this request is to be made.
struct RequestAnchor {
  static constexpr std::string_view kType = "RequestAnchor";

  bool operator==(const RequestAnchor&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

// ---- from the server itself ----

struct StartServer {
  static constexpr std::string_view kType = "StartServer";
  static constexpr CommandClass kClass = CommandClass::recorded;
  base::ServerId incarnation;
  std::int64_t writer_term = 0;
  std::string release;
  std::int64_t new_epoch = 0;  // of a log that has no event yet; 0: it has some

  bool operator==(const StartServer&) const = default;
};

// The copy is whole, on the disk, and has proved itself.
struct CompleteBackup {
  static constexpr std::string_view kType = "CompleteBackup";
  static constexpr CommandClass kClass = CommandClass::recorded;
  std::string name;
  Position through;  // its last event

  bool operator==(const CompleteBackup&) const = default;
};

// The copy could not be made.
struct AbandonBackup {
  static constexpr std::string_view kType = "AbandonBackup";
  static constexpr CommandClass kClass = CommandClass::recorded;
  std::string name;

  bool operator==(const AbandonBackup&) const = default;
};

struct RecordAnchor {
  static constexpr std::string_view kType = "RecordAnchor";
  static constexpr CommandClass kClass = CommandClass::recorded;
  AnchorMade anchor;

  bool operator==(const RecordAnchor&) const = default;
};

// As CompleteBackup. The anchor of its end goes on the record right before.
struct CompleteArchive {
  static constexpr std::string_view kType = "CompleteArchive";
  static constexpr CommandClass kClass = CommandClass::recorded;
  std::string name;
  Position first;    // its first event
  Position through;  // its last one
  AnchorMade anchor;

  bool operator==(const CompleteArchive&) const = default;
};

struct AbandonArchive {
  static constexpr std::string_view kType = "AbandonArchive";
  static constexpr CommandClass kClass = CommandClass::recorded;
  std::string name;

  bool operator==(const AbandonArchive&) const = default;
};

// No file of the log holds the events of the archive any more.
struct RecordTrim {
  static constexpr std::string_view kType = "RecordTrim";
  static constexpr CommandClass kClass = CommandClass::recorded;
  std::string name;
  Position through;

  bool operator==(const RecordTrim&) const = default;
};

using ServerClientCommands =
    base::Types<BeginBackup, ForgetBackup, BeginArchive, ForgetArchive, RequestAnchor>;
using ServerCommand = base::VariantOf<base::Joined<
    ServerClientCommands, base::Types<StartServer, CompleteBackup, AbandonBackup, RecordAnchor,
                                      CompleteArchive, AbandonArchive, RecordTrim>>>;

// The position that every reply has is all there is to tell.
struct ServerReply {
  bool operator==(const ServerReply&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

void reads(const ServerCommand& command, const StreamRef& target, Reads& further);
Decided decide(const ServerCommand& command, const States& states, const Context& context);
ServerReply reply(const ServerState& state, const ServerCommand& command);

}  // namespace domain
