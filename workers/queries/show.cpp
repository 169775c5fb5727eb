// The row and erasures of one session, and on request its prompts from the log.
#include "workers/queries/show.hpp"

#include <algorithm>

#include "eventlog/log/stream_reader.hpp"
#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

constexpr std::size_t kPromptShownMax = 4 << 10;
constexpr std::size_t kErasuresShownMax = 20;
constexpr std::size_t kFailureShownMax = 4 << 10;
constexpr int kFailureBlocksMax = 20;  // of the session's last ones

base::Result<std::vector<PayerShown>> payers_of(const QuerySources& sources,
                                                const projections::SessionRow& row) {
  std::vector<PayerShown> payers;
  for (const domain::Payer& payer : row.payers) {
    if (payer.budget.value == 0) continue;
    const auto lineage = projections::get_lineage(sources.views, row.agent, payer.lineage);
    if (!lineage) return tl::unexpected(lineage.error());
    const auto first = projections::get_session(sources.views, row.agent, payer.lineage);
    if (!first) return tl::unexpected(first.error());
    payers.push_back({*first ? (*first)->alias : payer.lineage.text(), payer.budget, lineage->spent,
                      lineage->basis});
  }
  return payers;
}

// True if the event's text can say why a turn, or the session, came to nothing.
bool tells_failure(const domain::RecordedEvent& event) {
  return event.envelope.content &&
         (event.event.is<domain::AgentStartFailed>() || event.event.is<domain::TurnFailed>() ||
          event.event.is<domain::QueuePaused>() || event.event.is<domain::AgentExited>());
}

bool has_failed(const projections::SessionRow& row) {
  using domain::Attention;
  return row.attention == Attention::failed || row.attention == Attention::over_budget ||
         row.pause != domain::EndReason::none;
}

// Finds that text among the session's last events.
base::Result<std::string> failure_of(const QuerySources& sources,
                                     const projections::SessionRow& row) {
  if (!has_failed(row)) return std::string();
  eventlog::StreamReader stream(sources.whole, sources.index,
                                domain::session_stream(row.agent, row.session));
  const auto behind = stream.version_behind(row.last_position.plus(-1));
  if (!behind) return tl::unexpected(behind.error());
  base::StreamVersion version = *behind;
  for (int blocks = 0; blocks < kFailureBlocksMax && version.value >= 1; ++blocks) {
    const auto block = stream.block_of(version);
    if (!block) return tl::unexpected(block.error());
    if (block->events.empty()) break;
    const auto found = std::find_if(block->events.rbegin(), block->events.rend(), tells_failure);
    if (found != block->events.rend()) return text_at(sources, found->envelope.position);
    version = block->events.front().envelope.version.plus(-1);
  }
  return std::string();
}

base::Result<ShowAnswer> show(const QuerySources& sources, const QueryBody& body,
                              const Query& query) {
  auto row = resolve(sources, body);
  if (!row) return tl::unexpected(row.error());
  auto erasures =
      projections::read_erasures(sources.views, domain::session_stream(row->agent, row->session));
  if (!erasures) return tl::unexpected(erasures.error());
  if (erasures->size() > kErasuresShownMax) {
    erasures->erase(erasures->begin(), erasures->end() - kErasuresShownMax);
  }
  const auto lineage = projections::get_lineage(sources.views, row->agent, row->lineage);
  if (!lineage) return tl::unexpected(lineage.error());
  auto payers = payers_of(sources, *row);
  if (!payers) return tl::unexpected(payers.error());
  ShowAnswer answer;
  answer.payers = std::move(*payers);
  answer.lineage_spent = lineage->spent;
  answer.lineage_basis = lineage->basis;
  answer.lineage_at_work = static_cast<std::int64_t>(lineage->reserved.size());
  answer.position = query.durable;
  answer.session = std::move(*row);
  answer.erasures = std::move(*erasures);
  // Texts in an archive that cannot be read are no error.
  const bool is_held = sources.whole.holds(answer.session.opened);
  if (body.wants_texts) {
    auto prompt = text_at(sources, answer.session.prompt);
    auto system_prompt = text_at(sources, answer.session.opened);
    if (prompt) answer.prompt = prompt->substr(0, kPromptShownMax);
    answer.prompt_files = files_at(sources, answer.session.prompt);
    if (system_prompt) answer.system_prompt = std::move(*system_prompt);
    if (!prompt) answer.prompt_error = base::describe(prompt.error());
    const auto failure = failure_of(sources, answer.session);
    if (failure) answer.failure = failure->substr(0, kFailureShownMax);
    if (!system_prompt) answer.system_prompt_error = base::describe(system_prompt.error());
  }
  if (!is_held) answer.archived = query.archived.text();
  return answer;
}

}  // namespace

const QueryKind kShowQuery{kVerbShow, QueryReads::rows_and_index, projections::SessionList::kName,
                           run_query<show>};

}  // namespace workers
