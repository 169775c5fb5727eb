// Each asker waits for a descriptor of its own, so that a stop wakes it, too.
#include "workers/hooks/subscriber_mail.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace workers {
namespace {

using Clock = std::chrono::steady_clock;

int new_eventfd() {
  return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

// Returns true once `stop_fd` is readable, false once `wake_fd` is or the time is over.
bool wait_for(int wake_fd, int stop_fd, base::Duration time) {
  const auto end = Clock::now() + time;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd items[] = {{wake_fd, POLLIN, 0}, {stop_fd, POLLIN, 0}};
    const int ready = ::poll(items, 2, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready > 0 && items[0].revents == 0) return true;
    if (ready > 0 || left <= 0) return false;
  }
}

}  // namespace

SubscriberMail::SubscriberMail() : wake_(new_eventfd()) {}

SubscriberAnswer SubscriberMail::ask(SubscriberQuestion question, int stop_fd) {
  const std::string name = question.subscriber;
  const base::Duration timeout = question.timeout;
  Asker asker{base::UniqueFd(new_eventfd()), std::nullopt};
  std::uint64_t number = 0;
  {
    const std::lock_guard guard(mutex_);
    number = ++last_;
    askers_[number] = &asker;
    letters_.push_back({number, std::move(question)});
    ::eventfd_write(wake_.get(), 1);
  }
  const bool is_stopped = wait_for(asker.wake.get(), stop_fd, timeout);
  const std::lock_guard guard(mutex_);
  askers_.erase(number);
  std::erase_if(letters_, [&](const Letter& letter) { return letter.number == number; });
  if (asker.answer) return std::move(*asker.answer);
  if (is_stopped) return {"the server stops", 0, {}, {}};
  const auto ms = timeout.count() / 1000;
  return {"the subscriber " + name + " did not answer within " +
              (ms < 1000 ? std::to_string(ms) + " ms" : std::to_string(ms / 1000) + " s"),
          0,
          {},
          {}};
}

std::optional<SubscriberMail::Letter> SubscriberMail::take() {
  const std::lock_guard guard(mutex_);
  eventfd_t count = 0;
  ::eventfd_read(wake_.get(), &count);
  if (letters_.empty()) return std::nullopt;
  Letter letter = std::move(letters_.front());
  letters_.pop_front();
  if (!letters_.empty()) ::eventfd_write(wake_.get(), 1);
  return letter;
}

void SubscriberMail::answer(std::uint64_t number, SubscriberAnswer answer) {
  const std::lock_guard guard(mutex_);
  const auto asker = askers_.find(number);
  if (asker == askers_.end() || asker->second->answer) return;
  asker->second->answer = std::move(answer);
  ::eventfd_write(asker->second->wake.get(), 1);
}

}  // namespace workers
