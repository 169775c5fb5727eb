// Chooses the events as the query `output` does. A text that is longer than one message goes in
// pieces, each of which the record has as shown.
#include "workers/notifications/shown_output.hpp"

#include <poll.h>

#include <limits>

#include "eventlog/domain/stream_name.hpp"
#include "workers/queries/output_page.hpp"
#include "workers/text/characters.hpp"
#include "workers/text/end_text.hpp"
#include "workers/text/tool_summary.hpp"

namespace workers {
namespace {

constexpr std::size_t kShownBlocksMax = 200;  // for a channel that has seen nothing
// Deliveries behind it wait with it, so that news of the end does not overtake the words.
constexpr base::Duration kShowPatience = std::chrono::seconds(3);
constexpr std::chrono::milliseconds kIndexPause{5};

bool has_words(const domain::RecordedEvent& event) {
  if (const auto* output = event.event.as<domain::OutputRecorded>()) {
    return output->kind == domain::OutputKind::text && output->parent.empty();
  }
  const auto* call = event.event.as<domain::ToolCallStarted>();
  if (call != nullptr) return call->parent.empty();
  if (const auto* noted = event.event.as<domain::AgentNoted>()) {
    return domain::is_warning(*noted);
  }
  if (event.event.is<domain::AgentSessionShared>()) return true;
  const auto* finished = event.event.as<domain::TurnFinished>();
  if (finished != nullptr) return finished->is_answer;
  return event.event.is<domain::TurnFailed>();
}

std::string shown_text(const domain::RecordedEvent& event) {
  std::string text = event.content ? event.content->text : std::string();
  if (const auto* call = event.event.as<domain::ToolCallStarted>()) {
    return tool_line(call->tool, text);
  }
  const auto* shared = event.event.as<domain::AgentSessionShared>();
  if (shared != nullptr) text = shared_text(*shared);
  const auto* finished = event.event.as<domain::TurnFinished>();
  const bool is_empty =
      finished != nullptr && (!event.envelope.content || event.envelope.content->bytes == 0);
  if (is_empty) text = end_text(*finished);
  const bool is_warning = is_empty || shared != nullptr || event.event.is<domain::TurnFailed>() ||
                          event.event.is<domain::AgentNoted>();
  return is_warning ? "⚠️ " + text : text;
}

}  // namespace

base::Result<void> wait_for_index(eventlog::StreamIndex& index, Position position,
                                  base::Duration patience, int stop_fd) {
  for (base::Duration left = patience;; left -= kIndexPause) {
    const auto reached = index.position();
    if (!reached) return tl::unexpected(reached.error());
    if (*reached >= position) return {};
    pollfd stop{stop_fd, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&stop, 1, static_cast<int>(kIndexPause.count())) > 0) break;
  }
  return base::failure(base::ErrorCode::busy, "the stream index is behind");
}

base::Result<ShownOutput> read_shown(eventlog::BlockStore& log, eventlog::StreamIndex& index,
                                     const ShowJob& job, int stop_fd) {
  if (auto ok = wait_for_index(index, job.through, kShowPatience, stop_fd); !ok)
    return tl::unexpected(ok.error());
  OutputRange range;
  range.after = std::max(job.after, log.first().plus(-1));
  range.before = job.through.next();
  range.is_tail = job.after.value == 0;
  range.blocks_max = range.is_tail ? kShownBlocksMax : std::numeric_limits<std::size_t>::max();
  eventlog::StreamReader stream(log, index, domain::session_stream(job.agent, job.session));
  auto page = choose_output(stream, range, has_words);
  if (!page) return tl::unexpected(page.error());
  ShownOutput shown{{}, job.after, false};
  // The place is that before the text of which a piece was shown.
  std::int64_t further = job.after < range.after ? 0 : job.further_bytes;
  std::size_t characters = 0;
  for (eventlog::BlockEvents& block : page->blocks) {
    if (auto ok = eventlog::add_contents(log, block.first, block.events); !ok) {
      return tl::unexpected(ok.error());
    }
    for (const domain::RecordedEvent& event : block.events) {
      const std::string whole = shown_text(event);
      const auto seen = std::min(static_cast<std::size_t>(std::exchange(further, 0)), whole.size());
      const std::string_view text = std::string_view(whole).substr(seen);
      const std::size_t room = kShownCharactersMax - characters;
      const std::size_t more = characters_in(text) + (shown.text.empty() ? 0 : 1);
      if (more > room && !shown.text.empty()) {
        shown.has_more = true;
        return shown;
      }
      if (more > room) {
        const std::size_t bytes = piece_of(text, room);
        shown.text = text.substr(0, bytes);
        shown.further_bytes = static_cast<std::int64_t>(seen + bytes);
        shown.has_more = true;
        // One that has seen nothing begins with this text.
        if (range.is_tail) shown.through = event.envelope.position.plus(-1);
        return shown;
      }
      if (!text.empty()) shown.text.append(shown.text.empty() ? "" : "\n").append(text);
      characters += more;
      shown.through = event.envelope.position;
    }
  }
  // The page of a channel that has seen nothing ends at the range's end, wherever it begins.
  shown.has_more = page->has_more && !range.is_tail;
  shown.through = shown.has_more ? page->through : job.through;
  return shown;
}

}  // namespace workers
