// A name that was made from a prompt is content in the log; without it the alias stands in.
#include "workers/queries/session_texts.hpp"

#include "eventlog/log/log_reader.hpp"

namespace workers {

base::Result<std::string> text_at(const QuerySources& sources, Position position) {
  if (position.value == 0) return std::string();
  if (!sources.whole.holds(position)) return std::string();
  auto content = eventlog::read_content(sources.whole, position);
  if (!content) return tl::unexpected(content.error());
  return *content ? std::move((*content)->text) : std::string();
}

std::vector<domain::FileFacts> files_at(const QuerySources& sources, Position position) {
  if (position.value == 0 || !sources.whole.holds(position)) return {};
  const auto events = eventlog::read_events(sources.whole, position, position, {1, false});
  if (!events || events->empty()) return {};
  const auto* queued = events->front().event.as<domain::TurnQueued>();
  if (queued == nullptr) return {};
  return queued->files;
}

namespace {

// Returns the text of a name that was made from a prompt; none: it was erased, or is in an archive
// that cannot be read.
std::optional<std::string> name_at(const QuerySources& sources, Position position) {
  auto text = text_at(sources, position);
  if (!text || text->empty()) return std::nullopt;
  return std::move(*text);
}

// A conversation at rest waits for its next message, whenever that comes. Its session can have
// ended meanwhile, and the next one goes on with it.
bool is_at_rest(const projections::SessionRow& row) {
  if (row.descriptor.conversation.empty()) return false;
  const bool has_news = row.denied > 0 || row.tasks_lost > 0;
  return row.attention == domain::Attention::ended_idle ||
         (row.attention == domain::Attention::waiting_for_input && !has_news);
}

}  // namespace

void complete_row(const QuerySources& sources, projections::SessionRow& row) {
  if (is_at_rest(row)) row.attention = domain::Attention::none;
  if (row.name.empty()) row.name = name_at(sources, row.made_name).value_or(row.alias);
}

base::Result<projections::SessionRow> resolve(const QuerySources& sources, const QueryBody& body) {
  auto row = projections::resolve_session(sources.views, body.agent, body.reference,
                                          [&](Position at) { return name_at(sources, at); });
  if (row) complete_row(sources, *row);
  return row;
}

}  // namespace workers
