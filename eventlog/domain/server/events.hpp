// Facts of the log and its server, on the stream $server.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

// The first event of every epoch: of a new, a restored or a salvaged log.
struct EpochStarted {
  static constexpr std::string_view kType = "EpochStarted";
  std::int64_t counter = 0;
  std::string reason;  // "created", "restored", "salvaged"

  bool operator==(const EpochStarted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("counter", &EpochStarted::counter);
    visit("reason", &EpochStarted::reason);
  }
};

struct ServerStarted {
  static constexpr std::string_view kType = "ServerStarted";
  base::ServerId incarnation;
  std::int64_t writer_term = 0;
  std::string release;

  bool operator==(const ServerStarted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("incarnation", &ServerStarted::incarnation);
    visit("writer_term", &ServerStarted::writer_term);
    visit("release", &ServerStarted::release);
  }
};

// A copy of the log is being made in the folder; from here on erasures reach into it.
struct BackupBegun {
  static constexpr std::string_view kType = "BackupBegun";
  std::string name;
  std::string folder;  // absolute

  bool operator==(const BackupBegun&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &BackupBegun::name);
    visit("folder", &BackupBegun::folder);
  }
};

// The copy is whole, durable and proved.
struct BackupCompleted {
  static constexpr std::string_view kType = "BackupCompleted";
  std::string name;
  Position through;  // its last event

  bool operator==(const BackupCompleted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &BackupCompleted::name);
    visit("through", &BackupCompleted::through);
  }
};

// There is no such copy, or nothing more is done about it.
struct BackupForgotten {
  static constexpr std::string_view kType = "BackupForgotten";
  std::string name;

  bool operator==(const BackupForgotten&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &BackupForgotten::name);
  }
};

// A client asked for an anchor that covers this event. It will be made, across restarts too.
struct AnchorRequested {
  static constexpr std::string_view kType = "AnchorRequested";

  bool operator==(const AnchorRequested&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

// The server has signed the log up to a position; eventlog/proof/anchor.hpp has the bytes' meaning.
struct AnchorMade {
  static constexpr std::string_view kType = "AnchorMade";
  base::RawValue anchor;       // a map, exactly as it was signed
  std::array<char, 32> key{};  // the signer's public key
  std::array<char, 64> signature{};

  bool operator==(const AnchorMade&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("anchor", &AnchorMade::anchor);
    visit("key", &AnchorMade::key);
    visit("signature", &AnchorMade::signature);
  }
};

// The beginning of the log is being copied into the folder, and is removed from the log afterwards.
struct ArchiveBegun {
  static constexpr std::string_view kType = "ArchiveBegun";
  std::string name;
  std::string folder;  // absolute

  bool operator==(const ArchiveBegun&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &ArchiveBegun::name);
    visit("folder", &ArchiveBegun::folder);
  }
};

// The copy is whole, durable and proved. From here on erasures reach into it.
struct ArchiveCompleted {
  static constexpr std::string_view kType = "ArchiveCompleted";
  std::string name;
  Position first;    // its first event
  Position through;  // its last one

  bool operator==(const ArchiveCompleted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &ArchiveCompleted::name);
    visit("first", &ArchiveCompleted::first);
    visit("through", &ArchiveCompleted::through);
  }
};

// No file of the log holds the events of that archive any more.
struct LogTrimmed {
  static constexpr std::string_view kType = "LogTrimmed";
  std::string name;
  Position through;

  bool operator==(const LogTrimmed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &LogTrimmed::name);
    visit("through", &LogTrimmed::through);
  }
};

// There is no such copy, or nothing more is done about it.
struct ArchiveForgotten {
  static constexpr std::string_view kType = "ArchiveForgotten";
  std::string name;

  bool operator==(const ArchiveForgotten&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &ArchiveForgotten::name);
  }
};

using ServerEvents = base::Types<EpochStarted, ServerStarted, BackupBegun, BackupCompleted,
                                 BackupForgotten, AnchorRequested, AnchorMade, ArchiveBegun,
                                 ArchiveCompleted, LogTrimmed, ArchiveForgotten>;

}  // namespace domain
