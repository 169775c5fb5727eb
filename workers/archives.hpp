// The server's care for archives: it takes what clients ask about them, records that one is begun,
// has it made and proved by the Eraser's port, puts its end on the record as an anchor, and only
// then has the log trimmed. What a killed server left is removed, or trimmed, at the start.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "workers/copy_desk.hpp"

namespace workers {

constexpr std::string_view kVerbArchive = "archive";    // ArchiveBody → CopyReplyBody
constexpr std::string_view kVerbArchives = "archives";  // no body → ArchivesAnswer

enum class ArchiveAction { create, forget };

struct ArchiveBody {
  ArchiveAction action = ArchiveAction::create;
  std::string name;        // 1 to 64 of a-z 0-9 . _ -
  std::string folder;      // create: absolute, missing or empty
  Position before;         // create: events from here on stay; 0: those from the time on
  base::Time before_time;  // create: log time

  bool operator==(const ArchiveBody&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("action", self.action);
    visit("name", self.name);
    visit("folder", self.folder);
    visit("before", self.before);
    visit("before_time", self.before_time);
  }
};

struct ArchiveRow {
  std::string name;
  std::string folder;
  Position begun;
  Position first;           // its first event
  Position through;         // its last one; 0: it is being made, or could not be
  bool is_trimmed = false;  // the log does not hold these events any more
  std::string fault;        // why it could not be made, or the log not be trimmed

  bool operator==(const ArchiveRow&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("folder", self.folder);
    visit("begun", self.begun);
    visit("first", self.first);
    visit("through", self.through);
    visit("trimmed", self.is_trimmed);
    visit("fault", self.fault);
  }
};

struct ArchivesAnswer {
  std::vector<ArchiveRow> archives;  // by name

  bool operator==(const ArchivesAnswer&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("archives", self.archives);
  }
};

// Archives that a log knows at once: erasures look into each of them.
constexpr std::size_t kArchivesMax = 256;

class ArchiveDesk : private CopyDesk<ArchiveOrder> {
 public:
  // All references outlive it. `has_key`: the server can sign.
  ArchiveDesk(CommandWorker& commands, Eraser& eraser, bus::FrameServer& clients, bool has_key)
      : CopyDesk(commands, eraser, clients), has_key_(has_key) {}

  // Once the server's own stream is loaded.
  void begin();
  // A request with one of the two verbs.
  void take(const bus::Peer& peer, const bus::Request& request);
  bool do_work(base::Time now, base::Time wall, Position durable);

 private:
  void create(const bus::Peer& peer, const bus::Request& request, const ArchiveBody& body);
  void refuse_known(const bus::Peer& peer, const bus::Request& request, const std::string& name);
  void forget(const bus::Peer& peer, const bus::Request& request, const ArchiveBody& body);
  bool drop_trim(const std::string& name);
  void finish(const ArchiveResult& done);
  void finish(const TrimResult& done);
  std::vector<std::string> needed() const;
  ArchivesAnswer list() const;

  const bool has_key_;
  std::deque<TrimOrder> trims_;               // to be given when the archive is durably on record
  base::Time trim_due_;                       // log time, after one that was not done
  std::map<std::string, ArchiveRow> failed_;  // of this server's life, by name
  std::map<std::string, std::string> untrimmed_;  // why a log is not trimmed, by archive
};

// Where events up to `state.trimmed` are, in words; empty: in the log.
std::string where_archived(const domain::ServerState& state);

}  // namespace workers

template <>
struct base::EnumNames<workers::ArchiveAction> {
  static constexpr std::string_view kNames[] = {"create", "forget"};
};
