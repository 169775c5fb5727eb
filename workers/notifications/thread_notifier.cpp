// Threads for each sink, so that neither a sink nor a place that hangs delays another. The owner's
// thread gives them their jobs.
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <chrono>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <set>
#include <variant>

#include "eventlog/base/job_thread.hpp"
#include "eventlog/base/unique_fd.hpp"
#include "eventlog/domain/outbox/pacing.hpp"
#include "workers/notifications/command_template.hpp"
#include "workers/notifications/notice.hpp"
#include "workers/notifications/shown_output.hpp"
#include "workers/notifications/webhook.hpp"
#include "workers/processes/run_program.hpp"

namespace workers {
namespace {

using domain::NotificationTarget;

constexpr base::Duration kDeliveryMax = std::chrono::seconds(15);

// Returns the hooks' answer about it at that point.
StepOutcome ask_hooks(const Notice& notice, domain::HookPoint point, const std::string& text,
                      base::Time wall, const SinkOptions& options, int stop_fd) {
  HookStep step;
  step.session = notice.requested.session;
  step.agent = notice.requested.agent;
  step.alias = notice.requested.alias;
  step.engine = notice.engine;
  step.conversation = notice.conversation;
  step.workdir = notice.workdir;
  step.position = notice.notification;
  step.point = point;
  step.text = step_text_of(text);
  step.wall = wall;
  step.ended = notice.at;
  HookPrograms programs = options.hook_programs;
  programs.stop_fd = stop_fd;
  return run_hooks(*options.hooks, step, programs);
}

// Tells the hooks of a session's end. If one fails, all are told again.
void tell_end(const Notice& notice, base::Time wall, const SinkOptions& options, int stop_fd,
              DeliveryOutcome& outcome) {
  StepOutcome told = ask_hooks(notice, domain::HookPoint::session_end, end_hook_text(notice), wall,
                               options, stop_fd);
  for (const domain::HookRun& run : told.runs) {
    if (run.outcome != domain::HookOutcome::failed) continue;
    outcome.error = "the hook " + run.hook + " failed: " + run.note;
    outcome.detail = run.said;
  }
  outcome.runs = std::move(told.runs);
}

DeliveryOutcome deliver(const Notice& notice, base::Time wall, const SinkOptions& options,
                        int stop_fd) {
  DeliveryOutcome outcome{notice.notification, notice.requested.target, {}, {}, {}, false};
  const processes::ProgramRun how{kDeliveryMax, stop_fd, options.guard_program};
  std::string words_instead;
  if (notice.requested.target == NotificationTarget::hook) {
    tell_end(notice, wall, options, stop_fd, outcome);
    return outcome;
  }
  const auto kind = notice.requested.kind;
  const bool can_be_answer =
      kind == domain::NotificationKind::waiting || kind == domain::NotificationKind::completed;
  const bool is_place = notice.requested.target == NotificationTarget::channel;
  if (is_place && can_be_answer && notice.is_for_nobody) return outcome;
  // A parent is no person.
  const bool is_parent = notice.requested.target == NotificationTarget::parent;
  if (!is_parent && options.hooks->has(domain::HookPoint::notification)) {
    StepOutcome answer = ask_hooks(notice, domain::HookPoint::notification, news_hook_text(notice),
                                   wall, options, stop_fd);
    outcome.runs = std::move(answer.runs);
    outcome.is_suppressed = answer.verdict == domain::AskVerdict::denied;
    if (outcome.is_suppressed) outcome.error = "a hook blocked it";
    if (outcome.is_suppressed) return outcome;
    words_instead = changed_words(answer);
  }
  const auto run = [&](const std::vector<std::string>& words, std::string text) {
    if (!words_instead.empty()) text = words_instead;
    auto ran =
        processes::run_program(fill_template(words, template_values(notice, std::move(text))), how);
    outcome.error = std::move(ran.problem);
    outcome.detail = std::move(ran.output);
  };
  switch (notice.requested.target) {
    case NotificationTarget::channel:
      run(options.channel_command, chat_text(notice));
      break;
    case NotificationTarget::system:
      run(options.system_command, system_text(notice));
      break;
    case NotificationTarget::desktop:
      run(options.desktop_command, notice.last.empty() ? notice.error : notice.last);
      break;
    case NotificationTarget::parent:
      outcome.prompt =
          notice.requested.parent_key->empty() ? parent_text(notice) : announcement_text(notice);
      break;
    case NotificationTarget::webhook: {
      // Unique beyond this log: a session's id is.
      const std::string id =
          notice.requested.session.text() + "-" + std::to_string(notice.notification.value);
      outcome.error = post_webhook(
          *options.webhook, {id, wall.us / 1'000'000, json_text(notice, words_instead)}, how);
      break;
    }
    case NotificationTarget::wake:
      outcome.error = post_wake(*options.wake,
                                words_instead.empty() ? system_text(notice) : words_instead, how);
      break;
    case NotificationTarget::hook:
      break;
  }
  return outcome;
}

ShowOutcome show(const ShownOutput& shown, const ShowJob& job, const SinkOptions& options,
                 int stop_fd) {
  ShowOutcome outcome{job.agent, job.session, job.channel, job.after, false, false, {}, false};
  if (!shown.text.empty()) {
    auto values = route_values(job.channel);
    values["text"] = shown.text;
    values["session"] = job.session.text();
    values["agent"] = job.agent;
    values["kind"] = "output";
    outcome.error = processes::run_program(fill_template(options.channel_command, values),
                                           {kDeliveryMax, stop_fd, options.guard_program})
                        .problem;
    if (!outcome.error.empty()) return outcome;
    outcome.has_shown = true;
  }
  outcome.further_bytes = shown.further_bytes;
  outcome.through = shown.through;
  outcome.has_more = shown.has_more;
  return outcome;
}

using Job = std::variant<DeliveryJob, ShowJob>;
using Outcome = std::variant<DeliveryOutcome, ShowOutcome>;

bool is_show(const Job& job) {
  return std::holds_alternative<ShowJob>(job);
}

// The threads of one sink. A place has one job at a time, in the order in which they came; jobs of
// different places go at once. Deliveries and shows have threads of their own, so that neither
// waits for the other.
class Sink {
 public:
  Sink(std::size_t deliveries, std::function<Outcome(Job)> run)
      : deliveries_(deliveries), run_(std::move(run)) {}

  void submit(Job job) {
    std::string place = job_place(job);
    if (!is_show(job)) {
      waiting_.push_back({std::move(place), std::move(job)});
    } else if (held_.erase(place) > 0) {
      waiting_.push_front({std::move(place), std::move(job)});
    } else {
      waiting_.push_back({std::move(place), std::move(job)});
    }
    begin();
  }

  template <class Kind>
  std::optional<Kind> poll_kind() {
    for (const auto& thread : threads_) {
      auto outcome = thread->work.poll_kind<Kind>();
      if (!outcome) continue;
      if constexpr (std::same_as<Kind, ShowOutcome>) {
        if (outcome->has_more && outcome->error.empty()) held_[thread->place] = 0;
      }
      thread->place.clear();
      begin();
      return outcome;
    }
    // Called once in each cycle of the loop, in the course of which the next text is submitted.
    if (std::same_as<Kind, DeliveryOutcome> && !held_.empty()) {
      for (auto held = held_.begin(); held != held_.end();) {
        held = ++held->second > 1 ? held_.erase(held) : std::next(held);
      }
      begin();
    }
    return std::nullopt;
  }

  void add_wake_fds(std::vector<int>& fds) const {
    for (const auto& thread : threads_) fds.push_back(thread->work.wake_fd());
  }

 private:
  struct Thread {
    Thread(const std::function<Outcome(Job)>& run, bool for_shows)
        : work("notify", run), is_for_shows(for_shows) {}

    base::JobThread<Job, Outcome> work;
    const bool is_for_shows;
    std::string place;  // of its job; empty: it has none
  };
  struct Waiting {
    std::string place;
    Job job;
  };

  // Deliveries and shows name one channel alike.
  static std::string job_place(const Job& job) {
    const auto* delivery = std::get_if<DeliveryJob>(&job);
    const bool is_of_channel =
        delivery == nullptr || delivery->requested.target == NotificationTarget::channel;
    if (!is_of_channel) return domain::place_of(delivery->requested);
    return "channel " +
           (delivery == nullptr ? std::get<ShowJob>(job).channel : delivery->requested.channel);
  }

  // Returns a thread without a job, which may be a new one; null: all work.
  Thread* idle_thread(bool is_for_shows) {
    std::size_t count = 0;
    for (const auto& thread : threads_) {
      if (thread->is_for_shows != is_for_shows) continue;
      if (thread->place.empty()) return thread.get();
      ++count;
    }
    if (count >= (is_for_shows ? kShowsAtOnce : deliveries_)) return nullptr;
    threads_.push_back(std::make_unique<Thread>(run_, is_for_shows));
    return threads_.back().get();
  }

  void begin() {
    std::set<std::string> busy;
    for (const auto& thread : threads_) busy.insert(thread->place);
    for (const auto& [place, cycles] : held_) busy.insert(place);
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      // Those behind it for the same place wait for it, too.
      const bool is_free = busy.insert(at->place).second;
      Thread* thread = is_free ? idle_thread(is_show(at->job)) : nullptr;
      if (thread == nullptr) {
        ++at;
        continue;
      }
      thread->place = at->place;
      thread->work.submit(std::move(at->job));
      at = waiting_.erase(at);
    }
  }

  const std::size_t deliveries_;
  const std::function<Outcome(Job)> run_;
  std::list<Waiting> waiting_;
  // By place: cycles since a text was shown there that goes on. News of the session's end waits for
  // the rest.
  std::map<std::string, int> held_;
  std::vector<std::unique_ptr<Thread>> threads_;  // made when they are needed first
};

class ThreadNotifier final : public Notifier {
 public:
  ThreadNotifier(eventlog::BlockStore& log, eventlog::StreamIndex& index, SinkOptions options)
      : options_(std::move(options)) {
    const auto targets = targets_of(options_);
    for (std::size_t target = 0; target < targets.size(); ++target) {
      if (!targets[target]) continue;
      sinks_[target] =
          std::make_unique<Sink>(deliveries_at_once(static_cast<NotificationTarget>(target)),
                                 [&](const Job& job) -> Outcome {
                                   if (const auto* shown = std::get_if<ShowJob>(&job))
                                     return run(log, index, *shown);
                                   return run(log, index, std::get<DeliveryJob>(job));
                                 });
    }
  }
  ~ThreadNotifier() override { ::eventfd_write(stop_.get(), 1); }

  void submit(DeliveryJob job) override {
    const auto& sink = sinks_[static_cast<std::size_t>(job.requested.target)];
    if (sink != nullptr) sink->submit(std::move(job));
  }
  std::optional<DeliveryOutcome> poll() override {
    for (const auto& sink : sinks_) {
      if (sink == nullptr) continue;
      if (auto outcome = sink->poll_kind<DeliveryOutcome>()) return outcome;
    }
    return std::nullopt;
  }
  void submit_show(ShowJob job) override {
    if (channels() != nullptr) channels()->submit(std::move(job));
  }
  std::optional<ShowOutcome> poll_shown() override {
    return channels() == nullptr ? std::nullopt : channels()->poll_kind<ShowOutcome>();
  }
  std::vector<int> wake_fds() const override {
    std::vector<int> fds;
    for (const auto& sink : sinks_) {
      if (sink != nullptr) sink->add_wake_fds(fds);
    }
    return fds;
  }

 private:
  // A job that still waits when the server stops is not begun.
  bool is_stopped() const {
    pollfd stop{stop_.get(), POLLIN, 0};
    return ::poll(&stop, 1, 0) > 0;
  }
  DeliveryOutcome run(eventlog::BlockStore& log, eventlog::StreamIndex& index,
                      const DeliveryJob& job) {
    DeliveryOutcome behind{job.notification, job.requested.target, {}, {}, {}, true};
    if (is_stopped()) return behind;
    auto notice = read_notice(log, index, job, stop_.get());
    if (!notice) return behind;
    name_agent(*notice, options_.engines);
    return deliver(*notice, job.wall, options_, stop_.get());
  }
  ShowOutcome run(eventlog::BlockStore& log, eventlog::StreamIndex& index, const ShowJob& job) {
    ShowOutcome behind{job.agent, job.session, job.channel, job.after, false, false, {}, true};
    if (is_stopped()) return behind;
    const auto shown = read_shown(log, index, job, stop_.get());
    if (shown) return show(*shown, job, options_, stop_.get());
    if (shown.error().code == base::ErrorCode::busy) return behind;
    behind.is_behind = false;
    behind.error = shown.error().text;
    return behind;
  }
  Sink* channels() const {
    return sinks_[static_cast<std::size_t>(NotificationTarget::channel)].get();
  }

  const SinkOptions options_;
  const base::UniqueFd stop_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};    // readable: break off
  std::array<std::unique_ptr<Sink>, domain::kNotificationTargets> sinks_;  // by target
};

class IdleNotifier final : public Notifier {
 public:
  void submit(DeliveryJob) override {}
  std::optional<DeliveryOutcome> poll() override { return std::nullopt; }
  void submit_show(ShowJob) override {}
  std::optional<ShowOutcome> poll_shown() override { return std::nullopt; }
};

}  // namespace

std::unique_ptr<Notifier> make_thread_notifier(eventlog::BlockStore& log,
                                               eventlog::StreamIndex& index,
                                               const SinkOptions& options) {
  return std::make_unique<ThreadNotifier>(log, index, options);
}

std::unique_ptr<Notifier> make_idle_notifier() {
  return std::make_unique<IdleNotifier>();
}

}  // namespace workers
