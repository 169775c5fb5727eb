// A thread for each sink, so that one that hangs delays no other.
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <chrono>
#include <variant>

#include "eventlog/base/job_thread.hpp"
#include "eventlog/base/unique_fd.hpp"
#include "workers/notifications/command_template.hpp"
#include "workers/notifications/notice.hpp"
#include "workers/notifications/run_program.hpp"
#include "workers/notifications/shown_output.hpp"
#include "workers/notifications/webhook.hpp"

namespace workers {
namespace {

using domain::NotificationTarget;

constexpr base::Duration kDeliveryMax = std::chrono::seconds(15);

DeliveryOutcome deliver(const Notice& notice, base::Time wall, const SinkOptions& options,
                        int stop_fd) {
  DeliveryOutcome outcome{notice.notification, notice.requested.target, {}, {}, {}, false};
  const auto run = [&](const std::vector<std::string>& words, std::string text) {
    auto ran = run_program(fill_template(words, template_values(notice, std::move(text))),
                           kDeliveryMax, stop_fd);
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
      outcome.prompt = parent_text(notice);
      break;
    case NotificationTarget::webhook: {
      // Unique beyond this log: a session's id is.
      const std::string id =
          notice.requested.session.text() + "-" + std::to_string(notice.notification.value);
      outcome.error = post_webhook(*options.webhook, id, wall.us / 1'000'000, json_text(notice),
                                   kDeliveryMax, stop_fd);
    }
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
    outcome.error =
        run_program(fill_template(options.channel_command, values), kDeliveryMax, stop_fd).problem;
    if (!outcome.error.empty()) return outcome;
    outcome.has_shown = true;
  }
  outcome.through = shown.through;
  outcome.has_more = shown.has_more;
  return outcome;
}

using Job = std::variant<DeliveryJob, ShowJob>;
using Outcome = std::variant<DeliveryOutcome, ShowOutcome>;

class ThreadNotifier final : public Notifier {
 public:
  ThreadNotifier(eventlog::BlockStore& log, eventlog::StreamIndex& index, SinkOptions options)
      : options_(std::move(options)) {
    const auto targets = targets_of(options_);
    for (std::size_t target = 0; target < targets.size(); ++target) {
      if (!targets[target]) continue;
      sinks_[target] = std::make_unique<Sink>("notify", [&](const Job& job) -> Outcome {
        if (const auto* shown = std::get_if<ShowJob>(&job)) return run(log, index, *shown);
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
      if (sink != nullptr) fds.push_back(sink->wake_fd());
    }
    return fds;
  }

 private:
  using Sink = base::JobThread<Job, Outcome>;

  // A job that still waits when the server stops is not begun.
  bool is_stopped() const {
    pollfd stop{stop_.get(), POLLIN, 0};
    return ::poll(&stop, 1, 0) > 0;
  }
  DeliveryOutcome run(eventlog::BlockStore& log, eventlog::StreamIndex& index,
                      const DeliveryJob& job) {
    DeliveryOutcome behind{job.notification, job.requested.target, {}, {}, {}, true};
    if (is_stopped()) return behind;
    const auto notice = read_notice(log, index, job, stop_.get());
    return notice ? deliver(*notice, job.wall, options_, stop_.get()) : behind;
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
