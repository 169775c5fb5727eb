// Looks at each wait once in a duty cycle, and only then resumes tasks: these make new waits, and
// end others.
#include "workers/client/async_client.hpp"

#include <algorithm>
#include <utility>

#include "eventlog/base/check.hpp"

namespace workers {

AsyncClient::Wait::Wait(AsyncClient& client, const base::CommandId& id, std::string_view verb,
                        base::RawValue body)
    : client_(client), id_(id), verb_(verb), body_(std::move(body)) {}

AsyncClient::Wait::~Wait() {
  if (task_) client_.leave(*this);
}

void AsyncClient::Wait::await_suspend(std::coroutine_handle<> task) {
  task_ = task;
  const bool is_last =
      std::any_of(client_.waits_.begin(), client_.waits_.end(), [&](const Wait* wait) {
        return wait->is_request() && !wait->is_begun_ && !client_.under_way_.contains(wait->id_);
      });
  client_.waits_.push_back(this);
  if (is_request() && !is_last && client_.has_room(id_)) client_.begin(*this);
}

AsyncClient::~AsyncClient() {
  CHECK(waits_.empty() && over_.empty());
}

void AsyncClient::begin(Wait& wait) {
  wait.is_begun_ = true;
  const auto started = client_.start(wait.id_, wait.verb_, std::move(wait.body_), timeout_);
  if (started) {
    under_way_.insert(wait.id_);
  } else {
    wait.reply_ = tl::unexpected(Unanswered(started.error()));
  }
}

bool AsyncClient::is_over(Wait& wait, base::Duration now) {
  if (!wait.is_request()) return wait.until_ <= now;
  if (!wait.reply_ && wait.is_begun_) {
    wait.reply_ = client_.take_reply(wait.id_);
    if (wait.reply_) under_way_.erase(wait.id_);
  }
  return wait.reply_.has_value();
}

void AsyncClient::leave(Wait& wait) {
  std::erase(waits_, &wait);
  std::erase(over_, &wait);
  if (!wait.is_begun_ || wait.reply_) return;
  client_.forget(wait.id_);
  under_way_.erase(wait.id_);
}

int AsyncClient::do_work(base::Duration now) {
  client_.do_work(now);
  std::erase_if(waits_, [&](Wait* wait) {
    if (!is_over(*wait, now)) return false;
    over_.push_back(wait);
    return true;
  });
  int resumed = 0;
  for (; !over_.empty(); ++resumed) {
    Wait& wait = *over_.front();
    over_.pop_front();
    std::exchange(wait.task_, {}).resume();
  }
  for (Wait* wait : waits_) {
    if (wait->is_request() && !wait->is_begun_ && has_room(wait->id_)) begin(*wait);
  }
  return resumed;
}

base::Duration AsyncClient::next_timer() const {
  base::Duration timer = client_.next_timer();
  for (const Wait* wait : waits_) {
    // A request that could not be begun is over already.
    if (!wait->is_request() || wait->reply_) timer = std::min(timer, wait->until_);
  }
  return timer;
}

}  // namespace workers
