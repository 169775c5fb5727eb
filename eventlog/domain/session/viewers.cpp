// Decides which channels are shown the session's output, and up to where they have seen it.
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

std::optional<Rejection> check_viewer(const Deciding& d, const std::string& channel) {
  if (auto bad = check_exists(d.session(), d.context)) return bad;
  if (channel.empty()) {
    return Rejection{RejectionCode::invalid, "name the channel that is shown the output"};
  }
  if (auto bad = check_length("channel", channel.size(), kFactBytesMax)) return bad;
  const auto& viewers = *d.session().viewers;
  const auto in_foreground = static_cast<std::size_t>(
      std::count_if(viewers.begin(), viewers.end(),
                    [](const auto& viewer) { return viewer.second.is_foreground; }));
  if (viewers.contains(channel) || in_foreground < kViewersMax) return std::nullopt;
  return Rejection{RejectionCode::limit_reached,
                   "session " + label(d.session()) + " is in the foreground of " +
                       std::to_string(in_foreground) + " channels, which is the limit"};
}

Viewer viewer_of(const SessionState& s, const std::string& channel) {
  const auto found = s.viewers->find(channel);
  return found == s.viewers->end() ? Viewer{} : found->second;
}

}  // namespace

Decided decide_one(Deciding d, const SetForeground& c) {
  if (auto bad = check_viewer(d, c.channel)) return tl::unexpected(*bad);
  const Viewer viewer = viewer_of(d.session(), c.channel);
  // A repeated request shows the rest of an ended session.
  const bool is_again = c.is_foreground && is_terminal(d.session().status);
  if (viewer.is_foreground == c.is_foreground && !is_again) return Decision{};
  d.emit(ForegroundChanged{c.channel, c.is_foreground, viewer.seen});
  return std::move(d.decision);
}

Decided decide_one(Deciding d, const MarkSeen& c) {
  if (auto bad = check_viewer(d, c.channel)) return tl::unexpected(*bad);
  if (c.through.value < 0) {
    return reject(RejectionCode::invalid,
                  std::to_string(c.through.value) + " is no position; name one from 1 on");
  }
  if (c.through > d.context.head) {
    return reject(RejectionCode::invalid, "position " + std::to_string(c.through.value) +
                                              " is behind the log's end; name one that is there");
  }
  if (c.through.value < 0 || c.further_bytes < 0) {
    return reject(RejectionCode::invalid,
                  "what was seen is a position and a count of bytes, from 0");
  }
  const Viewer viewer = viewer_of(d.session(), c.channel);
  const bool is_further = c.through > viewer.seen ||
                          (c.through == viewer.seen && c.further_bytes > viewer.further_bytes);
  if (!is_further) return Decision{};
  d.emit(OutputSeen{c.channel, c.through, c.further_bytes});
  return std::move(d.decision);
}

}  // namespace domain
