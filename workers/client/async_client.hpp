// Lets tasks ask a server: each awaits its own answer, or a time, while others go on. The owner of
// a loop drives it as it drives a ServerClient, and the tasks run within do_work().
#pragma once

#include <coroutine>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workers/client/refusal.hpp"
#include "workers/client/server_client.hpp"
#include "workers/client/task.hpp"

namespace workers {

// Used by one thread.
class AsyncClient {
 public:
  // Requests under way at once; further ones wait for their turn, in order. It is half of what a
  // server takes of one connection, so that none is sent again because it had no room.
  static constexpr std::size_t kUnderWayMax = 64;

  // Both outlive it, and it outlives its tasks. `timeout` is that of a request from its turn on.
  AsyncClient(ServerClient& client, base::Clock& clock, base::Duration timeout)
      : client_(client), clock_(clock), timeout_(timeout) {}
  ~AsyncClient();
  AsyncClient(const AsyncClient&) = delete;
  AsyncClient& operator=(const AsyncClient&) = delete;

  // Asks, and returns the answer or why there is none. After busy and timeout the outcome is
  // unknown. `verb` is a constant.
  template <class Answer, class Body>
  Task<Outcome<Answer>> ask(std::string_view verb, const Body& body) {
    return answer_to<Answer>(client_.fresh_id(), verb, bus::to_body(body));
  }
  // Sends a command under its id, the idempotency key. `body` is complete.
  template <class Reply>
  Task<Outcome<Reply>> command(const base::CommandId& id, const CommandBody& body) {
    return answer_to<Reply>(id, kVerbCommand, bus::to_body(body));
  }

  // A place at which a task waits; co_await gives what it waited for. It lies in the task's frame,
  // and leaves the client with it.
  class Wait {
   public:
    // For a reply.
    Wait(AsyncClient& client, const base::CommandId& id, std::string_view verb,
         base::RawValue body);
    // Until a boot time; the reply is then none.
    Wait(AsyncClient& client, base::Duration until) : client_(client), until_(until) {}
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> task);
    std::optional<Answered<bus::Reply>> await_resume() { return std::move(reply_); }

   private:
    friend class AsyncClient;

    bool is_request() const { return !verb_.empty(); }

    AsyncClient& client_;
    base::Duration until_{0};
    base::CommandId id_{};
    std::string_view verb_{};  // empty: it waits for a time
    base::RawValue body_{};
    bool is_begun_ = false;
    std::optional<Answered<bus::Reply>> reply_;
    std::coroutine_handle<> task_;
  };
  // Returns the wait for so long a time.
  Wait after(base::Duration time) { return Wait(*this, clock_.boot() + time); }

  // Tasks that wait for minutes, as for an answer of an agent. There are so many at most, so that
  // others have room beside them.
  static constexpr std::size_t kLongWaitsMax = 16;

  base::CommandId fresh_id() { return client_.fresh_id(); }
  base::Clock& clock() { return clock_; }
  base::Duration timeout() const { return timeout_; }

  // True if no task waits; there is then nothing to drive.
  bool is_idle() const { return waits_.empty(); }
  // One duty cycle at boot time `now`, the client's included; returns how many waits are over.
  int do_work(base::Duration now);
  base::Duration next_timer() const;

 private:
  template <class Answer>
  Task<Outcome<Answer>> answer_to(base::CommandId id, std::string_view verb, base::RawValue body) {
    Wait wait(*this, id, verb, std::move(body));
    auto reply = co_await wait;
    if (!*reply) co_return refuse(verb, reply->error());
    auto answer = bus::from_body<Answer>((*reply)->body);
    if (!answer) {
      const Unanswered why = BadAnswer{std::move(answer.error())};
      co_return refuse(verb, why);
    }
    co_return std::move(*answer);
  }

  // True if a request of that id has its turn now.
  bool has_room(const base::CommandId& id) const {
    return under_way_.size() < kUnderWayMax && !under_way_.contains(id);
  }
  void begin(Wait& wait);
  bool is_over(Wait& wait, base::Duration now);
  void leave(Wait& wait);

  friend class LongWait;

  ServerClient& client_;
  base::Clock& clock_;
  const base::Duration timeout_;
  std::size_t long_waits_ = 0;
  std::vector<Wait*> waits_;  // in the order in which they came
  std::deque<Wait*> over_;    // whose tasks are to be resumed
  std::set<base::CommandId> under_way_;
};

// Counts its task among those that wait for long, as long as it lives.
class LongWait {
 public:
  LongWait(AsyncClient& client, bool is_one) : client_(client), is_one_(is_one) {
    client_.long_waits_ += is_one_ ? 1 : 0;
  }
  ~LongWait() { client_.long_waits_ -= is_one_ ? 1 : 0; }
  LongWait(const LongWait&) = delete;
  LongWait& operator=(const LongWait&) = delete;

  // False: too many others wait.
  bool has_room() const { return client_.long_waits_ <= AsyncClient::kLongWaitsMax; }

 private:
  AsyncClient& client_;
  const bool is_one_;
};

}  // namespace workers
