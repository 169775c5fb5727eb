// Gives steps to the subscribers that are hooks, over the command endpoint, and takes their
// answers. A subscriber says that it wants a step, and hears of one within a second, or that there
// is none. A step that it had when it went away is given to another one of its name.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "bus/frame_server.hpp"
#include "eventlog/base/random.hpp"
#include "workers/hooks/hook.hpp"
#include "workers/hooks/subscriber_mail.hpp"
#include "workers/protocol/hook_steps.hpp"

namespace workers {

// Used by the server's thread. It never waits: whoever asks has a thread and a time-out of its own.
class HookSubscribers {
 public:
  // Further ones are refused as busy.
  static constexpr std::size_t kSubscribersMax = 64;
  static constexpr base::Duration kWishMax = std::chrono::seconds(1);
  // One that has no step and asks for none for so long is gone.
  static constexpr base::Duration kSilenceMax = std::chrono::seconds(3);
  // It is looked so often whether one that has a step is there.
  static constexpr base::Duration kProbeEvery = std::chrono::milliseconds(500);
  // A server that has just started waits for subscribers to come back. Later a step whose
  // subscriber is not there fails at once.
  static constexpr base::Duration kReturnMax = std::chrono::seconds(5);

  // All outlive it. `mail` null: no hook has a subscriber.
  HookSubscribers(bus::FrameServer& clients, const HookTable& hooks, SubscriberMail* mail,
                  base::Random& random)
      : clients_(clients), hooks_(hooks), mail_(mail), random_(random) {}

  // Takes what a peer of that role says; `now` is boot time.
  void take(const bus::Peer& peer, const bus::RequestKey& request, HookStepBody body,
            base::Duration now);
  // One duty cycle at boot time `now`. Returns true when anything was done.
  bool do_work(base::Duration now, base::Time wall);
  base::Duration next_timer() const;
  // -1: there is no such descriptor.
  int wake_fd() const { return mail_ == nullptr ? -1 : mail_->wake_fd(); }

 private:
  struct Question {
    SubscriberMail::Letter letter;
    base::Duration until{0};  // after which nobody waits for its answer
    bool is_lost = false;     // a subscriber had it, and went away
  };
  struct Given {
    base::CommandId asked;
    Question question;
    base::Duration probe_at{0};
  };
  struct Subscriber {
    std::string name;
    base::Duration heard_at{0};
    std::optional<bus::RequestKey> wish;  // not answered yet
    base::Duration wished_at{0};
    std::optional<Given> given;  // also after its time-out: the subscriber is busy with it
  };
  using Peers = std::map<bus::PeerId, Subscriber>;

  bool is_known(const std::string& name) const;
  bool tell(const bus::PeerId& peer, const bus::RequestKey& wish, const Given& given,
            base::Duration now);
  bool take_letters(base::Duration now);
  bool look_at_peers(base::Duration now);
  bool give(base::Duration now, base::Time wall);
  Peers::iterator next_for(const std::string& name);
  Peers::iterator lose(Peers::iterator peer);

  bus::FrameServer& clients_;
  const HookTable& hooks_;
  SubscriberMail* const mail_;
  base::Random& random_;
  Peers peers_;
  std::deque<Question> waiting_;
  std::optional<base::Duration> returned_by_;  // set by the first cycle
  base::Duration now_{0};
};

}  // namespace workers
