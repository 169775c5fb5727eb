// Has hooks asked at the steps of agents, and about what agents ask people, and records what they
// answer. A step waits until it has its answer; a server that was killed meanwhile asks again,
// under the same number. The texts that hooks are told are read from the log.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "eventlog/base/unique_fd.hpp"
#include "workers/hooks/hook_step.hpp"
#include "workers/protocol/hooks.hpp"
#include "workers/reactors/content_loader.hpp"
#include "workers/reactors/reactor.hpp"
#include "workers/reactors/side_work.hpp"

namespace workers {

struct HookOptions {
  const HookTable* table = &no_hooks();  // outlives the reactor
  HookPrograms programs{};
  // Asks the hooks about a step; unset: run_hooks() does.
  std::function<StepOutcome(const HookStep&)> ask{};
};

class Hooks final : public Reactor {
 public:
  // Steps that are asked about at once. The next ones wait for them.
  static constexpr std::size_t kLanes = 8;

  // The references must outlive it; the side work is used only here.
  Hooks(CommandLoop& commands, base::Random& random, const SessionsUnderWay& sessions,
        std::unique_ptr<ContentLoader> contents, SideWork& side_work, HookOptions options);
  ~Hooks() override;

  void restore(const projections::StreamUnderWay& stream) override;
  void on_durable(const domain::RecordedEvent& event) override;
  bool do_work(const Cycle& cycle) override;
  // Counts one that was asked about a notification, or told of an end.
  void count(const domain::HookRun& run);
  std::string_view verb() const override { return kVerbHooks; }
  base::RawValue answer(const DurableStates& durable) const override;
  std::vector<int> wake_fds() const override;
  base::Duration next_timer() const override { return next_timer_; }

 private:
  struct Key {
    StreamKey session;
    std::int64_t ask = 0;
    auto operator<=>(const Key&) const = default;
  };
  enum class Stage { waiting, reading, read, asking, concluding };
  struct Step {
    Stage stage = Stage::waiting;
    HookStep facts;
    Position opened;
    bool has_text = false;
    bool has_opening = false;
  };
  struct Asked {
    Key key;
    domain::ConcludeHooks conclusion;
  };
  struct Lane {
    std::unique_ptr<Jobs<HookStep, StepOutcome>> jobs;
    std::optional<Key> key;  // of its job; none: it has none
  };
  struct Count {
    std::int64_t runs = 0;
    std::array<std::int64_t, std::size(base::EnumNames<domain::HookOutcome>::kNames)> outcomes{};
    std::int64_t failures = 0;  // whether they blocked the step or not
    base::Duration took{};
    std::string last_failure;
  };

  void count(const std::string& hook, domain::HookOutcome outcome, base::Duration took,
             const std::string& note);
  bool is_for_hooks(const domain::OpenAsk& ask) const;
  void look_at(const StreamKey& key, const domain::LeaseState& state);
  bool read_waiting();
  bool take_texts();
  void take_text(const Key& key, Step& step, const domain::RecordedEvent& event);
  bool begin_read();
  bool conclude_unasked();
  bool take_outcomes();
  void conclude(const Key& key, StepOutcome outcome);
  void send(Asked asked);
  void on_answer(Asked&& asked, const CommandOutcome& outcome);

  const SessionsUnderWay& sessions_;
  const std::unique_ptr<ContentLoader> contents_;
  const HookOptions options_;
  bool has_requests_ = false;  // a hook is asked about what agents ask people
  std::map<Key, Step> steps_;  // that have no answer yet
  std::multimap<Position, Key> wanted_;
  std::set<Position> unread_;            // to be read again, as they could not be read
  base::Time read_at_;                   // log time from which on they are
  std::map<std::string, Count> counts_;  // by hook
  const base::UniqueFd stop_;            // readable: break off
  std::vector<Lane> lanes_;              // none if there are no hooks
  base::Time now_;
  base::Duration next_timer_ = base::Duration::max();
  Outgoing<Asked> outgoing_;
};

}  // namespace workers
