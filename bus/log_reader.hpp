// Port for reading the log a page at a time, and the bodies of the request `read` that does so
// over the bus. Subscriptions fill their gaps through it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/feed_message.hpp"

namespace bus {

// The verb whose request's body is a ReadRequest and whose reply's body is a LogPage.
constexpr std::string_view kReadVerb = "read";

struct ReadRequest {
  std::string level;
  Position after;               // events beyond this one are wanted
  std::int64_t events_max = 0;  // the page may hold fewer; 0: as the server likes
  std::int64_t bytes_max = 0;
  // digest_of the event at `after`, as the reader has it; none: it cannot say. A log that has
  // another event there is of another history, and the answer is wrong_log.
  std::optional<base::Hash> digest{};

  bool operator==(const ReadRequest&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("level", &ReadRequest::level);
    visit("after", &ReadRequest::after);
    visit("events_max", &ReadRequest::events_max);
    visit("bytes_max", &ReadRequest::bytes_max);
    visit("digest", &ReadRequest::digest);
  }
};

// Holds all events of the level in (after, complete_through], ascending, and no others.
// complete_through == head: nothing more is durable. complete_through > after whenever
// head > after, so that a reader gets on even where its level has no events.
struct LogPage {
  base::LogId log;
  LogEpoch epoch;
  Position complete_through;
  Position head;
  std::vector<FeedEvent> events;
  // digest_of the event at complete_through, of whatever level. Of a page that does not go beyond
  // `after`: what the request said.
  std::optional<base::Hash> digest;

  bool operator==(const LogPage&) const = default;
  LogIdentity identity() const { return {log, epoch}; }
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("log", &LogPage::log);
    visit("epoch", &LogPage::epoch);
    visit("complete_through", &LogPage::complete_through);
    visit("head", &LogPage::head);
    visit("events", &LogPage::events);
    visit("digest", &LogPage::digest);
  }
};

class LogReader {
 public:
  virtual ~LogReader() = default;
  // At most one at a time: called again only after receive() gave an answer. Bounds of the page
  // that are 0 are the reader's own.
  virtual void request(ReadRequest request) = 0;
  // The answer, once; an error in the end if there is none. Never blocks.
  virtual std::optional<Result<LogPage>> receive() = 0;
};

}  // namespace bus
