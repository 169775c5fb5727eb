// Port for reading the log a page at a time, and the bodies of the request `read` that does this
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
  Position after;               // events after this one are wanted
  std::int64_t events_max = 0;  // the page can hold fewer; 0: the server chooses
  std::int64_t bytes_max = 0;
  // digest_of the event at `after`, as the reader has it; none: it is not known. If the log has
  // another event there, it is of another history, and the answer is wrong_log.
  std::optional<base::Hash> digest{};
  // The events come without their content; content_bytes still says what they have. The page then
  // holds more of them.
  bool is_facts_only = false;

  bool operator==(const ReadRequest&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("level", &ReadRequest::level);
    visit("after", &ReadRequest::after);
    visit("events_max", &ReadRequest::events_max);
    visit("bytes_max", &ReadRequest::bytes_max);
    visit("digest", &ReadRequest::digest);
    visit("facts_only", &ReadRequest::is_facts_only);
  }
};

// All events of the level in (after, complete_through], ascending, and no others. Nothing more is
// durable if complete_through == head. It is beyond `after` whenever head is, so that a reader
// advances even where its level has no events.
struct LogPage {
  base::LogId log;
  LogEpoch epoch;
  Position complete_through;
  Position head;
  std::vector<FeedEvent> events;
  // digest_of the event at complete_through, whatever its level. If the page does not go beyond
  // `after`, it repeats the request's digest.
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
  // Asks for a page. At most one is asked for at a time: call again only after receive() answered.
  // Bounds of the page that are 0 are chosen by the reader.
  virtual void request(ReadRequest request) = 0;
  // Returns the answer once; if none comes, an error in the end. Never blocks.
  virtual std::optional<Result<LogPage>> receive() = 0;
};

}  // namespace bus
