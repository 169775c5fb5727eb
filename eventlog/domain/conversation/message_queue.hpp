// The messages of a conversation that wait for its agent: what becomes of each one that comes, and
// which of them the next turn is made of. Functions that decide change nothing; those that fold
// (`admit`, `take`, `clear`) follow what was decided and never refuse. Texts are not here: a
// message is known by the position of the event that holds its text. Nothing leaves unseen: each
// message that is refused, dropped, known already or cleared is in what a function returns, so that
// its sender can be told. Source: details 2.1, complaints N13 and N14.
#pragma once

#include "eventlog/base/sparse.hpp"
#include "eventlog/domain/conversation/queue_settings.hpp"
#include "eventlog/domain/prompt_files.hpp"

namespace domain {

// Where a message came from, and its answer goes to.
struct MessageRoute {
  std::string channel;
  std::string to;
  std::string account;
  std::string thread;  // a number in digits

  bool operator==(const MessageRoute&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("channel", &MessageRoute::channel);
    visit("to", &MessageRoute::to);
    visit("account", &MessageRoute::account);
    visit("thread", &MessageRoute::thread);
  }
};

// The channel of a browser that shows the conversation itself: no message can be sent to it.
constexpr std::string_view kInternalChannel = "webchat";

// True if an answer can be sent there.
bool is_routable(const MessageRoute& route);

// A file that goes with a message.
struct QueuedFile {
  Position at;  // of the event with its data
  FileFacts facts;

  bool operator==(const QueuedFile&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("at", &QueuedFile::at);
    visit("facts", &QueuedFile::facts);
  }
};
using QueuedFiles = std::vector<QueuedFile>;

struct QueuedMessage {
  Position at;         // of the event with its text
  std::string id;      // that the channel has given; empty: none
  MessageRoute route;  // empty: nobody outside waits for an answer
  std::int64_t text_bytes = 0;
  Time accepted;                      // log time
  Time start_before{};                // wall time from which on it is not begun any more; 0: none
  base::Sparse<QueuedFiles> files{};  // in their order, before the message
  bool is_alone = false;              // it is given in a turn of its own

  bool operator==(const QueuedMessage&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("at", &QueuedMessage::at);
    visit("id", &QueuedMessage::id);
    visit("route", &QueuedMessage::route);
    visit("text_bytes", &QueuedMessage::text_bytes);
    visit("accepted", &QueuedMessage::accepted);
    visit("start_before", &QueuedMessage::start_before);
    visit("files", &QueuedMessage::files);
    visit("alone", &QueuedMessage::is_alone);
  }
};
using QueuedMessages = std::vector<QueuedMessage>;

// What the agent has not been told yet of messages that were dropped and summarised.
struct QueueOverflow {
  std::int64_t dropped = 0;      // so many
  std::vector<Position> latest;  // the newest of them, oldest first

  bool operator==(const QueueOverflow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("dropped", &QueueOverflow::dropped);
    visit("latest", &QueueOverflow::latest);
  }
};

struct MessageQueue {
  QueuedMessages waiting;  // oldest first
  QueueOverflow overflow;
  Position last;       // the newest message that was accepted; 0: none
  Time last_accepted;  // its log time
  // Messages for several places are among those that wait, so each is a turn of its own until none
  // of them is left.
  bool is_mixed = false;

  bool operator==(const MessageQueue&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("waiting", &MessageQueue::waiting);
    visit("overflow", &MessageQueue::overflow);
    visit("last", &MessageQueue::last);
    visit("last_accepted", &MessageQueue::last_accepted);
    visit("mixed", &MessageQueue::is_mixed);
  }
};

// ---- a message comes ----

// What the conversation's agent is doing.
enum class AgentWork : std::uint8_t {
  none,       // no turn runs
  steerable,  // a turn runs and takes further words
  busy,       // a turn runs and takes none: it has no stream yet, or is compacted
};

enum class Arrival : std::uint8_t {
  starts,            // it is a turn at once
  waits,             // it goes to the queue
  steers,            // it goes into the turn that runs; if that fails, to the queue
  steers_and_waits,  // both
  interrupts,        // the turn that runs is ended for it, and it goes to the queue
};

// Returns the way of a message. It starts at once only if none waits that it would overtake.
Arrival arrival(QueueMode mode, AgentWork work, const MessageQueue& queue);

// Which message counts as one that waits already. Both must have the same route.
enum class QueueDedupe : std::uint8_t {
  message_id,  // with the same id
  text,        // likewise, or without an id and with the same text, which the caller compares
  none,
};

enum class AdmissionOutcome : std::uint8_t {
  queued,
  refused,    // as many wait as may, and the newcomer gives way
  duplicate,  // it waits already
};

// What becomes of a message that goes to the queue.
struct Admission {
  AdmissionOutcome outcome = AdmissionOutcome::queued;
  Position duplicate_of;           // the message that waits; 0: it is no duplicate
  QueuedMessages dropped;          // for its sake, oldest first
  bool is_summarised = false;      // the agent is told of those that were dropped
  std::int64_t summaries_max = 0;  // by so many lines at most, of the newest

  bool operator==(const Admission&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("outcome", &Admission::outcome);
    visit("duplicate_of", &Admission::duplicate_of);
    visit("dropped", &Admission::dropped);
    visit("summarised", &Admission::is_summarised);
    visit("summaries_max", &Admission::summaries_max);
  }
};

// `same_text`: the message that waits with the same text; 0: there is none, or it is not known.
Admission accept(const MessageQueue& queue, const QueuedMessage& message,
                 const QueueSettings& settings, QueueDedupe dedupe = QueueDedupe::message_id,
                 Position same_text = {});
void admit(MessageQueue& queue, const QueuedMessage& message, const Admission& admission);
// Takes these messages off the queue. The agent is to be told of them, and of others before, by
// `told_max` lines at most; 0: it is not.
void end_messages(MessageQueue& queue, const std::vector<Position>& messages,
                  std::int64_t told_max);

// ---- a turn is made ----

enum class TurnShape : std::uint8_t {
  none,       // nothing is due
  single,     // one message, as it is
  collected,  // all that wait, or as many as one prompt holds, up to the first one with files; with
              // the overflow
  overflow,   // the overflow alone
};

// Of the texts of one prompt. The rest of kContentBytesMax is for titles and for the overflow.
constexpr std::int64_t kCollectedBytesMax = kContentBytesMax - (std::int64_t{4} << 20);

struct NextTurn {
  TurnShape shape = TurnShape::none;
  Time due;                        // of shape `none`: ask again then; 0: nothing waits
  std::vector<Position> messages;  // oldest first
  QueueOverflow overflow;          // that its prompt tells
  MessageRoute route;              // of the first message that has one
  Position settings_from;          // the message whose run settings hold: the newest
  bool is_mixed = false;           // see MessageQueue
  std::vector<Position> files{};   // of its last message, the only one that can have some

  bool operator==(const NextTurn&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("shape", &NextTurn::shape);
    visit("due", &NextTurn::due);
    visit("messages", &NextTurn::messages);
    visit("overflow", &NextTurn::overflow);
    visit("route", &NextTurn::route);
    visit("settings_from", &NextTurn::settings_from);
    visit("mixed", &NextTurn::is_mixed);
    visit("files", &NextTurn::files);
  }
};

// To be asked while no turn of the conversation runs. Mode `interrupt` waits for no debounce.
NextTurn next_turn(const MessageQueue& queue, const QueueSettings& settings, Time now);
void take(MessageQueue& queue, const NextTurn& turn);

// Empties the queue, as a stop does. Returns what waited.
QueuedMessages clear(MessageQueue& queue);

}  // namespace domain

template <>
struct base::EnumNames<domain::AgentWork> {
  static constexpr std::string_view kNames[] = {"none", "steerable", "busy"};
};
template <>
struct base::EnumNames<domain::Arrival> {
  static constexpr std::string_view kNames[] = {"starts", "waits", "steers", "steers_and_waits",
                                                "interrupts"};
};
template <>
struct base::EnumNames<domain::QueueDedupe> {
  static constexpr std::string_view kNames[] = {"message-id", "prompt", "none"};
};
template <>
struct base::EnumNames<domain::AdmissionOutcome> {
  static constexpr std::string_view kNames[] = {"queued", "refused", "duplicate"};
};
template <>
struct base::EnumNames<domain::TurnShape> {
  static constexpr std::string_view kNames[] = {"none", "single", "collected", "overflow"};
};
