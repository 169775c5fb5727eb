// `output` and `stats`: what agents said, and what it cost.
#include <algorithm>
#include <utility>

#include "workers/operations/finding.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/operations/item_text.hpp"
#include "workers/operations/last_lines.hpp"
#include "workers/operations/output_pages.hpp"

namespace workers {
namespace {

// Of the answer's last words, so that it fits a message and a model's context.
constexpr std::size_t kResultBytesMax = 256 << 10;

}  // namespace

// At least as many blocks are read as lines are wanted: each block has one or more lines.
Task<Outcome<LastOutput>> show_output(const Caller& caller, const ShownArguments& arguments) {
  const std::int64_t asked = arguments.is_full ? kOutputLinesMax : arguments.lines;
  const std::int64_t wanted = std::min(asked + arguments.skipped, kOutputLinesMax);
  LastOutput output;
  LastLines lines(wanted);
  ItemText texts(false, false);
  auto page = co_await first_output_page(caller, arguments.session, wanted);
  for (bool has_more = true; has_more;) {
    if (!page) co_return tl::unexpected(page.error());
    for (const OutputItem& item : page->items) {
      lines.add(texts.of(item));
      const bool is_whole = item.type != domain::PartialOutputRecorded::kType;
      if (item.kind == ItemKind::prompt) output.last_words.clear();
      if (item.kind == ItemKind::said && is_whole && item.parent.empty() &&
          item.erased_at.us == 0) {
        output.last_words = cut_text(item.text, kResultBytesMax);
      }
    }
    output.row = std::move(page->session);
    has_more = page->has_more;
    const base::Position through = page->through;
    if (has_more) page = co_await next_output_page(caller, arguments.session, through);
  }
  output.as_of = caller.server.clock().wall();
  output.has_any = lines.has_any();
  lines.drop_last(arguments.skipped);
  output.is_cut = lines.is_cut();
  output.lines = lines.take();
  co_return output;
}

Task<Outcome<SessionTotals>> report_stats(const Caller& caller, const NoneArguments&) {
  QueryBody query;
  query.agent = caller.agent;
  auto report = co_await caller.server.ask<projections::MetricsReport>(kVerbStats, query);
  if (!report) co_return tl::unexpected(report.error());
  SessionTotals totals;
  totals.report = std::move(*report);
  const projections::MostExpensive& dearest = totals.report.totals.most_expensive;
  if (dearest.session.is_set()) {
    auto prompt = co_await first_prompt(caller, dearest.agent, dearest.session);
    if (!prompt) co_return tl::unexpected(prompt.error());
    totals.dearest_prompt = std::move(*prompt);
  }
  co_return totals;
}

}  // namespace workers
