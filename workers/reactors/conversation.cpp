// Events are read from the newest back, through the sessions that were resumed, until there is
// enough to tell; then they are told from the oldest on.
#include "workers/reactors/conversation.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "eventlog/domain/stream_name.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "eventlog/log/stream_reader.hpp"

namespace workers {
namespace {

using base::Position;
using base::StreamVersion;
using base::TurnId;
using domain::RecordedEvent;

constexpr std::string_view kOpening =
    "Your own transcript of this conversation is lost. This is what the record holds of it, oldest "
    "first. Go on from there; do not answer it again.\n\n<conversation>\n";
constexpr std::string_view kLeftOut = "(What was said before is left out.)\n";
constexpr std::string_view kClosing = "</conversation>\n\n";
// Long texts are told in part, and the inputs and results of tools in a small one.
constexpr std::size_t kTextBytesMax = 16 << 10;
constexpr std::size_t kToolBytesMax = 500;
// What is read back holds at most so many bytes of text, and longer texts are not read.
constexpr std::int64_t kReadBytesMax = 4 * static_cast<std::int64_t>(kConversationBytesMax);

std::string in_part(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  domain::cut_text(text, bytes_max);
  return text + " …";
}

std::string text_of(const RecordedEvent& event) {
  if (event.content) return event.content->text;
  return event.envelope.content ? "(This text is not told.)" : "";
}

// Collects what was said, a paragraph each.
class Telling {
 public:
  explicit Telling(TurnId current) : current_(current) {}

  void on(const RecordedEvent& event) {
    std::visit([&](const auto& fact) { take(fact, event); }, event.event);
  }

  std::vector<std::string> paragraphs() && { return std::move(said_); }

 private:
  template <class Fact>
  void take(const Fact&, const RecordedEvent&) {}

  void take(const domain::TurnQueued& e, const RecordedEvent& event) {
    prompts_[e.turn] = text_of(event);
  }
  void take(const domain::TurnStarted& e, const RecordedEvent&) {
    const auto prompt = prompts_.find(e.turn);
    if (e.turn == current_ || prompt == prompts_.end()) return;
    prompt_at_ = said_.size();
    add("User: ", prompt->second);
  }
  void take(const domain::TurnReturned&, const RecordedEvent&) {
    if (prompt_at_ && *prompt_at_ + 1 == said_.size()) said_.pop_back();
  }
  void take(const domain::OutputRecorded& e, const RecordedEvent& event) {
    partial_.clear();
    if (e.kind == domain::OutputKind::text && e.parent.empty()) add("You: ", text_of(event));
  }
  void take(const domain::PartialOutputRecorded&, const RecordedEvent& event) {
    partial_ += text_of(event);
  }
  void take(const domain::ToolCallStarted& e, const RecordedEvent& event) {
    if (e.parent.empty()) add("You called " + e.tool + ": ", in_part(text_of(event), kToolBytesMax));
  }
  void take(const domain::ToolCallFinished& e, const RecordedEvent& event) {
    if (!e.parent.empty()) return;
    add(e.is_denied ? "Denied: " : e.is_error ? "Failed: " : "Result: ",
        in_part(text_of(event), kToolBytesMax));
  }
  void take(const domain::TurnFinished&, const RecordedEvent&) { cut_off(); }
  void take(const domain::TurnFailed&, const RecordedEvent& event) {
    cut_off();
    add("(Your answer failed: ", in_part(text_of(event), kToolBytesMax) + ")");
  }
  void take(const domain::TurnInterrupted& e, const RecordedEvent&) {
    cut_off();
    if (prompts_.contains(e.turn) && e.reason != domain::EndReason::session_ended) {
      add("(You were interrupted.)", "");
    }
  }

  // A block that was never finished is known in part.
  void cut_off() {
    if (!partial_.empty()) add("You: ", std::exchange(partial_, {}) + " …");
  }
  void add(std::string_view who, const std::string& text) {
    said_.push_back(std::string(who) + in_part(text, kTextBytesMax) + "\n");
  }

  const TurnId current_;
  std::map<TurnId, std::string> prompts_;
  std::string partial_;
  std::vector<std::string> said_;
  std::optional<std::size_t> prompt_at_;  // of the prompt that was told last
};

// A part of a session's events: its blocks from the newest back.
struct Segment {
  std::vector<RecordedEvent> events;
  std::optional<domain::SessionOpened> opened;  // none: its beginning was not read
};

class BackwardReader {
 public:
  BackwardReader(eventlog::BlockStore& log, eventlog::StreamIndex& index)
      : log_(log), index_(index) {}

  // Reads the session's events before `before`, as long as their texts fit what is left.
  base::Result<Segment> read(const std::string& agent, base::SessionId session, Position before) {
    eventlog::StreamReader stream(log_, index_, domain::session_stream(agent, session));
    const auto behind = stream.version_behind(before.plus(-1));
    if (!behind) return tl::unexpected(behind.error());
    Segment segment;
    for (StreamVersion version = behind->plus(-1); version.value > 0 && bytes_left_ > 0;) {
      auto block = stream.block_of(version);
      if (!block) return tl::unexpected(block.error());
      auto& events = block->events;
      if (events.empty() || events.front().envelope.version > version) break;  // archived
      std::erase_if(events, [&](const RecordedEvent& event) {
        return event.envelope.version > version || event.envelope.position >= before;
      });
      if (events.empty()) break;
      version = events.front().envelope.version.plus(-1);
      if (auto added = eventlog::add_contents(log_, block->first, events, kReadBytesMax);
          !added) {
        return tl::unexpected(added.error());
      }
      for (const RecordedEvent& event : events) count(event);
      segment.events.insert(segment.events.begin(), std::make_move_iterator(events.begin()),
                            std::make_move_iterator(events.end()));
    }
    if (!segment.events.empty()) {
      const auto* opened = std::get_if<domain::SessionOpened>(&segment.events.front().event);
      if (opened != nullptr) segment.opened = *opened;
    }
    return segment;
  }

  bool has_room() const { return bytes_left_ > 0; }

 private:
  void count(const RecordedEvent& event) {
    if (event.content) bytes_left_ -= static_cast<std::int64_t>(event.content->text.size());
  }

  eventlog::BlockStore& log_;
  eventlog::StreamIndex& index_;
  std::int64_t bytes_left_ = kReadBytesMax;
};

}  // namespace

std::string conversation_text(std::span<const RecordedEvent> events, TurnId current,
                              std::size_t bytes_max) {
  Telling telling(current);
  for (const RecordedEvent& event : events) telling.on(event);
  const std::vector<std::string> said = std::move(telling).paragraphs();
  if (said.empty()) return {};
  std::size_t bytes = kOpening.size() + kLeftOut.size() + kClosing.size();
  auto first = said.end();
  while (first != said.begin() && bytes + std::prev(first)->size() <= bytes_max) {
    bytes += (--first)->size();
  }
  std::string text(kOpening);
  if (first != said.begin()) text += kLeftOut;
  for (; first != said.end(); ++first) text += *first;
  return text.append(kClosing);
}

base::Result<std::string> read_conversation(eventlog::BlockStore& log, eventlog::StreamIndex& index,
                                            const ConversationWanted& wanted) {
  const auto reached = index.position();
  if (!reached) return tl::unexpected(reached.error());
  if (*reached < wanted.known) {
    return base::failure(base::ErrorCode::busy, "the stream index is behind",
                         "position " + std::to_string(wanted.known.value));
  }
  BackwardReader reader(log, index);
  std::vector<RecordedEvent> events;
  std::set<base::SessionId> seen;
  base::SessionId session = wanted.session;
  Position before = reached->next();
  while (session.is_set() && reader.has_room() && seen.insert(session).second) {
    auto segment = reader.read(wanted.agent, session, before);
    if (!segment) return tl::unexpected(segment.error());
    if (segment->events.empty()) break;
    before = segment->events.front().envelope.position;
    session = segment->opened ? segment->opened->resumed_from : base::SessionId{};
    events.insert(events.begin(), std::make_move_iterator(segment->events.begin()),
                  std::make_move_iterator(segment->events.end()));
  }
  return conversation_text(events, wanted.current);
}

}  // namespace workers
