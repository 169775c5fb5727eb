// The row and erasures of one session, and on request its prompts from the log.
#include "workers/queries/show.hpp"

#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

constexpr std::size_t kPromptShownMax = 4 << 10;
constexpr std::size_t kErasuresShownMax = 20;

base::Result<std::vector<PayerShown>> payers_of(const QuerySources& sources,
                                                const projections::SessionRow& row) {
  std::vector<PayerShown> payers;
  for (const domain::Payer& payer : row.payers) {
    if (payer.budget.value == 0) continue;
    const auto lineage = projections::get_lineage(sources.views, row.agent, payer.lineage);
    if (!lineage) return tl::unexpected(lineage.error());
    const auto first = projections::get_session(sources.views, row.agent, payer.lineage);
    if (!first) return tl::unexpected(first.error());
    payers.push_back({*first ? (*first)->alias : payer.lineage.text(), payer.budget,
                      lineage->spent, lineage->basis});
  }
  return payers;
}

base::Result<ShowAnswer> show(const QuerySources& sources, const QueryBody& body,
                              const Query& query) {
  auto row = resolve(sources, body);
  if (!row) return tl::unexpected(row.error());
  auto erasures = projections::read_erasures(sources.views, row->agent, row->session);
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
    if (system_prompt) answer.system_prompt = std::move(*system_prompt);
    if (!prompt) answer.prompt_error = base::describe(prompt.error());
    if (!system_prompt) answer.system_prompt_error = base::describe(system_prompt.error());
  }
  if (!is_held) answer.archived = query.archived.text();
  return answer;
}

}  // namespace

const QueryKind kShowQuery{kVerbShow, QueryReads::rows, projections::SessionList::kName,
                           run_query<show>};

}  // namespace workers
