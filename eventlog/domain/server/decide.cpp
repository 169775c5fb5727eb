// Decides the commands about the log as a whole. Name and folder of a copy must both be new, since
// erasures find a copy by them.
#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/server/server.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

template <class E>
Decision only(E fact) {
  Decision decision;
  decision.emit<ServerStream>(std::move(fact));
  return decision;
}

// `what` is "a backup" or "an archive".
std::optional<Rejection> check_name(const char* what, const std::string& name) {
  if (is_agent_name(name)) return std::nullopt;
  return Rejection{RejectionCode::invalid,
                   std::string(what) + " is named by 1 to 64 of a-z 0-9 . _ -, not '" + name + "'"};
}

std::optional<Rejection> check_folder(const char* what, const std::string& folder) {
  if (!folder.starts_with('/') || folder.find('\0') != std::string::npos) {
    return Rejection{
        RejectionCode::invalid,
        std::string(what) + " needs the absolute path of a new folder, not '" + folder + "'"};
  }
  return check_length("folder", folder.size(), kPathBytesMax);
}

std::optional<Rejection> check_key(const Context& context) {
  if (context.has_key) return std::nullopt;
  return Rejection{RejectionCode::refused, "this server has no key to sign with"};
}

// ---- backups ----

// Refuses even if the known backup's folder is gone. A copy that was moved away still holds
// erasable content, and erasures wait for it by name. Only its owner can say that it need not be
// waited for.
Rejection known_backup(const ServerState& s, const std::string& name) {
  const NamedBackup& known = s.backups.at(name);
  if (known.through.value == 0) {
    return {RejectionCode::already_exists,
            "no copy was made: backup " + name + " is just being made in " + known.folder +
                "; wait for it (steno backup list), or give another folder and name; "
                "steno backup forget " +
                name + " works once it is made"};
  }
  return {RejectionCode::already_exists,
          "no copy was made: backup " + name + " is in " + known.folder +
              ", and erasures reach into it there; give another folder and name (steno backup list "
              "shows which are taken); if that copy is gone for good, run steno backup forget " +
              name};
}

Decided decide_one(const ServerState& s, const Context&, const BeginBackup& c) {
  if (auto bad = check_name("a backup", c.name)) return tl::unexpected(*bad);
  if (auto bad = check_folder("a backup", c.folder)) return tl::unexpected(*bad);
  if (s.backups.contains(c.name)) return tl::unexpected(known_backup(s, c.name));
  for (const auto& [name, backup] : s.backups) {
    if (backup.folder == c.folder) return tl::unexpected(known_backup(s, name));
  }
  if (s.backups.size() >= kBackupsMax) {
    return reject(RejectionCode::limit_reached,
                  std::to_string(s.backups.size()) +
                      " backups are known, as many as there may be; forget one first");
  }
  return only(BackupBegun{c.name, c.folder});
}

Decided decide_one(const ServerState& s, const Context&, const ForgetBackup& c) {
  if (auto bad = check_name("a backup", c.name)) return tl::unexpected(*bad);
  const auto known = s.backups.find(c.name);
  if (known == s.backups.end()) {
    return reject(RejectionCode::not_found, "there is no backup '" + c.name + "'");
  }
  if (known->second.through.value == 0) {
    return reject(RejectionCode::in_progress, "backup " + c.name + " is being made; try again");
  }
  return only(BackupForgotten{c.name});
}

// A report about a copy that is no longer known is not recorded.
Decided decide_one(const ServerState& s, const Context&, const CompleteBackup& c) {
  if (!s.backups.contains(c.name)) return Decision{};
  return only(BackupCompleted{c.name, c.through});
}

Decided decide_one(const ServerState& s, const Context&, const AbandonBackup& c) {
  if (!s.backups.contains(c.name)) return Decision{};
  return only(BackupForgotten{c.name});
}

// ---- anchors ----

Decided decide_one(const ServerState&, const Context& context, const RequestAnchor&) {
  if (auto bad = check_key(context)) return tl::unexpected(*bad);
  return only(AnchorRequested{});
}

Decided decide_one(const ServerState&, const Context&, const RecordAnchor& c) {
  return only(c.anchor);
}

// ---- archives ----

Rejection known_archive(const ServerState& s, const std::string& name) {
  return {RejectionCode::already_exists,
          "no copy was made: archive " + name + " is in " + s.archives.at(name).folder +
              ", and holds other events of this log; give another folder and name (steno archive "
              "list shows which are taken)"};
}

Decided decide_one(const ServerState& s, const Context& context, const BeginArchive& c) {
  if (auto bad = check_name("an archive", c.name)) return tl::unexpected(*bad);
  if (auto bad = check_key(context)) return tl::unexpected(*bad);
  if (auto bad = check_folder("an archive", c.folder)) return tl::unexpected(*bad);
  if (c.before.value <= 0 && c.before_time.us <= 0) {
    return reject(RejectionCode::invalid, "say before which position or time");
  }
  if (s.archives.contains(c.name)) return tl::unexpected(known_archive(s, c.name));
  for (const auto& [name, archive] : s.archives) {
    if (archive.folder == c.folder) return tl::unexpected(known_archive(s, name));
    if (!archive.is_trimmed) {
      return reject(RejectionCode::in_progress, "archive " + name + " is being made; try again");
    }
  }
  if (s.archives.size() >= kArchivesMax) {
    return reject(RejectionCode::limit_reached,
                  std::to_string(s.archives.size()) +
                      " archives are known, as many as there may be; forget one first");
  }
  return only(ArchiveBegun{c.name, c.folder});
}

Decided decide_one(const ServerState& s, const Context&, const ForgetArchive& c) {
  if (auto bad = check_name("an archive", c.name)) return tl::unexpected(*bad);
  const auto known = s.archives.find(c.name);
  if (known == s.archives.end()) {
    return reject(RejectionCode::not_found, "there is no archive '" + c.name + "'");
  }
  if (!known->second.is_trimmed && !c.is_trim_given_up) {
    return reject(RejectionCode::in_progress,
                  "archive " + c.name + " is being made, or the log trimmed for it; try again");
  }
  return only(ArchiveForgotten{c.name});
}

Decided decide_one(const ServerState& s, const Context&, const CompleteArchive& c) {
  if (!s.archives.contains(c.name)) return Decision{};
  // One append, so that the anchor stands right before the event that completes the archive.
  Decision decision = only(c.anchor);
  decision.emit<ServerStream>(ArchiveCompleted{c.name, c.first, c.through});
  return decision;
}

Decided decide_one(const ServerState& s, const Context&, const AbandonArchive& c) {
  if (!s.archives.contains(c.name)) return Decision{};
  return only(ArchiveForgotten{c.name});
}

Decided decide_one(const ServerState& s, const Context&, const RecordTrim& c) {
  if (!s.archives.contains(c.name)) return Decision{};
  return only(LogTrimmed{c.name, c.through});
}

// ---- the server ----

Decided decide_one(const ServerState&, const Context&, const StartServer& c) {
  Decision decision;
  if (c.new_epoch != 0) decision.emit<ServerStream>(EpochStarted{c.new_epoch, "created"});
  decision.emit<ServerStream>(ServerStarted{c.incarnation, c.writer_term, c.release});
  return decision;
}

}  // namespace

void reads(const ServerCommand&, const StreamRef&, Reads&) {}

Decided decide(const ServerCommand& command, const States& states, const Context& context) {
  const auto& state = states.target<ServerStream>();
  return std::visit([&](const auto& c) { return decide_one(state, context, c); }, command);
}

ServerReply reply(const ServerState&, const ServerCommand&) {
  return {};
}

}  // namespace domain
