// Carries what subscribers are asked from the threads that ask hooks to the server's loop, which
// has the connections, and their answers back.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "eventlog/base/time.hpp"
#include "eventlog/base/unique_fd.hpp"

namespace workers {

struct SubscriberQuestion {
  std::string subscriber;  // its name
  std::string hook;        // likewise
  std::string step;        // the same each time that the step is asked
  std::string told;        // a JSON object
  base::Duration timeout{};
  bool is_asked_again = false;  // a server that has ended can have asked it before
};

struct SubscriberAnswer {
  std::string problem;  // why there is none; empty: there is one
  std::int64_t exit_code = 0;
  std::string output;
  std::string errors;
};

// Each thread that asks has one question at a time, so there are no more questions than threads.
class SubscriberMail {
 public:
  struct Letter {
    std::uint64_t number = 0;
    SubscriberQuestion question;
  };

  SubscriberMail();

  // For any thread. Waits for the answer, for the question's time-out at most, or until `stop_fd`
  // is readable.
  SubscriberAnswer ask(SubscriberQuestion question, int stop_fd);

  // For the loop's thread. Returns the next question that was not taken yet.
  std::optional<Letter> take();
  // Without effect if nobody waits for it any more.
  void answer(std::uint64_t number, SubscriberAnswer answer);
  // Readable while there is a question to take.
  int wake_fd() const { return wake_.get(); }

 private:
  struct Asker {
    base::UniqueFd wake;
    std::optional<SubscriberAnswer> answer;
  };

  const base::UniqueFd wake_;
  std::mutex mutex_;  // guards all below, and the askers
  std::uint64_t last_ = 0;
  std::deque<Letter> letters_;
  std::map<std::uint64_t, Asker*> askers_;  // that wait in ask()
};

}  // namespace workers
