// Requests about the log as a whole: copies of it, anchors, and the server's records about itself.
#pragma once

#include "eventlog/base/sealed_variant.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/server/state.hpp"

namespace domain {

// Most backups and archives that a log knows at once: each of them is opened for every erasure.
constexpr std::size_t kBackupsMax = 32;
constexpr std::size_t kArchivesMax = 256;

// ---- from clients ----

// Make a copy of the log in the folder, and let erasures reach into it.
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

// Stop tracking that copy: nothing more is done about it.
struct ForgetBackup {
  static constexpr std::string_view kType = "ForgetBackup";
  std::string name;

  bool operator==(const ForgetBackup&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &ForgetBackup::name);
  }
};

// Move the log's beginning to the folder.
struct BeginArchive {
  static constexpr std::string_view kType = "BeginArchive";
  std::string name;        // 1 to 64 of a-z 0-9 . _ -
  std::string folder;      // absolute, missing or empty
  Position before;         // events from here on stay; 0: `before_time` decides
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

// As ForgetBackup, for an archive.
struct ForgetArchive {
  static constexpr std::string_view kType = "ForgetArchive";
  std::string name;
  // The log was not trimmed for it and will not be. Set by the server; not on the wire.
  bool is_trim_given_up = false;

  bool operator==(const ForgetArchive&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &ForgetArchive::name);
  }
};

// Make an anchor that covers the event of this request.
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
  std::int64_t new_epoch = 0;  // epoch of a log without events; 0: it has some

  bool operator==(const StartServer&) const = default;
};

// The copy is whole, durable and proved.
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

// As CompleteBackup. The anchor of its end is recorded right before.
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
using ServerCommands =
    base::Joined<ServerClientCommands,
                 base::Types<StartServer, CompleteBackup, AbandonBackup, RecordAnchor,
                             CompleteArchive, AbandonArchive, RecordTrim>>;
using ServerCommand = base::SealedVariant<ServerCommands>;

// Every reply has a position; there is nothing else to tell.
struct ServerReply {
  bool operator==(const ServerReply&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

void reads(const ServerCommand& command, const StreamRef& target, Reads& further);
Decided decide(const ServerCommand& command, const States& states, const Context& context);
ServerReply reply(const ServerState& state, const ServerCommand& command);

}  // namespace domain

extern template class base::SealedVariant<domain::ServerCommands>;
