// Delivers notifications beside the server's loop, to sinks: programs, an HTTP server, the desktop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/domain/outbox/events.hpp"
#include "eventlog/domain/session/commands.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/block_store.hpp"
#include "workers/notifications/sink_options.hpp"

namespace workers {

using base::Position;

// Deliveries to a target that are under way at once, each to another place. Places are chats; one
// that hangs must not silence the others.
constexpr std::size_t deliveries_at_once(domain::NotificationTarget target) {
  const bool has_places =
      target == domain::NotificationTarget::channel || target == domain::NotificationTarget::hook;
  return has_places ? 4 : 1;
}
// Likewise of outputs that are shown; the rest waits in the notifier.
constexpr std::size_t kShowsAtOnce = 4;

struct DeliveryJob {
  Position notification;  // the id of each attempt
  domain::NotificationRequested requested;
  base::Time wall;  // when it was submitted
};

struct DeliveryOutcome {
  Position notification;
  domain::NotificationTarget target = domain::NotificationTarget::channel;
  std::string error;       // empty: the sink took it. Nothing that the sink was given, or said
  std::string detail;      // what the sink said, which is not for the record
  std::string prompt;      // of the target `parent`, without error: what the parent is to be sent
  bool is_behind = false;  // nothing was tried: the session cannot be read yet
  bool is_suppressed = false;           // a hook blocked it, as `error` says
  std::vector<domain::HookRun> runs{};  // of hooks that were asked about it
};

// Asks to show a channel a session's output.
struct ShowJob {
  std::string agent;
  base::SessionId session;
  std::string channel;
  Position after;                  // the channel has seen what was recorded up to here; 0: nothing
  Position through;                // the last event to be shown
  std::int64_t further_bytes = 0;  // of the text behind `after` that it has seen, too
};

struct ShowOutcome {
  std::string agent;
  base::SessionId session;
  std::string channel;
  Position through;                // the last event that was shown whole, or had nothing to show
  bool has_shown = false;          // a text was sent
  bool has_more = false;           // there was more than one text takes
  std::string error;               // as in DeliveryOutcome
  bool is_behind = false;          // likewise
  std::int64_t further_bytes = 0;  // of the text behind `through` that were shown, too
};

// Port. Used by one thread.
class Notifier {
 public:
  virtual ~Notifier() = default;
  // At most one job for each place is under way.
  virtual void submit(DeliveryJob job) = 0;
  virtual std::optional<DeliveryOutcome> poll() = 0;
  // At most one job for each session and channel is under way. All jobs for one channel, deliveries
  // among them, reach the sink in the order of their submission.
  virtual void submit_show(ShowJob job) = 0;
  // An outcome can wait behind those of the other kind that came before it, so call both.
  virtual std::optional<ShowOutcome> poll_shown() = 0;
  // Become readable when there is an outcome.
  virtual std::vector<int> wake_fds() const { return {}; }
};

// Works with threads of its own for each sink of the options. Both stores outlive it. Its end
// breaks off what is under way.
std::unique_ptr<Notifier> make_thread_notifier(eventlog::BlockStore& log,
                                               eventlog::StreamIndex& index,
                                               const SinkOptions& options);

// Delivers nothing: each job is under way for ever.
std::unique_ptr<Notifier> make_idle_notifier();

}  // namespace workers
