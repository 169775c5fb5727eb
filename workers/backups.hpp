// The server's care for copies of its log: it takes what clients ask about them, records that one
// is begun before it is, so that erasures reach into it from then on, has it made by the Eraser's
// port, and records what came of it. What a killed server left is proved, or removed, at the start.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workers/copy_desk.hpp"

namespace workers {

constexpr std::string_view kVerbBackup = "backup";    // BackupBody → CopyReplyBody
constexpr std::string_view kVerbBackups = "backups";  // no body → BackupsAnswer

enum class BackupAction { create, forget };

struct BackupBody {
  BackupAction action = BackupAction::create;
  std::string name;           // 1 to 64 of a-z 0-9 . _ -
  std::string folder;         // create: absolute, missing or empty
  bool shares_files = false;  // create: see eventlog::BackupOptions

  bool operator==(const BackupBody&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("action", self.action);
    visit("name", self.name);
    visit("folder", self.folder);
    visit("share_files", self.shares_files);
  }
};

struct BackupRow {
  std::string name;
  std::string folder;
  Position begun;
  Position through;   // its last event; 0: it is being made, or could not be
  std::string fault;  // why it could not; such a backup is forgotten already

  bool operator==(const BackupRow&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("folder", self.folder);
    visit("begun", self.begun);
    visit("through", self.through);
    visit("fault", self.fault);
  }
};

struct BackupsAnswer {
  std::vector<BackupRow> backups;  // by name

  bool operator==(const BackupsAnswer&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("backups", self.backups);
  }
};

// Backups that a log knows at once: each of them is opened for every erasure.
constexpr std::size_t kBackupsMax = 32;

class BackupDesk : private CopyDesk<BackupOrder> {
 public:
  // All references outlive it.
  BackupDesk(CommandWorker& commands, Eraser& eraser, bus::FrameServer& clients)
      : CopyDesk(commands, eraser, clients) {}

  // Once the server's own stream is loaded.
  void begin();
  // A request with one of the two verbs.
  void take(const bus::Peer& peer, const bus::Request& request);
  bool do_work(base::Time now, base::Time wall, Position durable);

 private:
  void create(const bus::Peer& peer, const bus::Request& request, const BackupBody& body);
  void refuse_known(const bus::Peer& peer, const bus::Request& request, const std::string& name);
  void forget(const bus::Peer& peer, const bus::Request& request, const BackupBody& body);
  void finish(const BackupResult& done);
  BackupsAnswer list() const;

  std::map<std::string, BackupRow> failed_;  // of this server's life, by name
};

}  // namespace workers

template <>
struct base::EnumNames<workers::BackupAction> {
  static constexpr std::string_view kNames[] = {"create", "forget"};
};
