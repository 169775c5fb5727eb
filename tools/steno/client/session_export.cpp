// Reads sessions page by page, so that memory does not grow with them.
#include "tools/steno/client/session_export.hpp"

#include <algorithm>

#include "workers/json/event_json.hpp"
#include "workers/operations/finding.hpp"

namespace steno {
namespace {

using projections::SessionRow;

// A longer chain of resumes is cut off at its beginning.
constexpr std::size_t kChainMax = 1000;

Outcome<SessionRow> find_row(Connection& connection, const std::string& agent,
                             const std::string& reference) {
  workers::Caller caller = connection.caller();
  caller.agent = agent;
  auto found = connection.run(workers::find_session(caller, reference));
  if (!found) return tl::unexpected(found.error());
  return std::move(found->session);
}

using Write = std::function<Outcome<bool>(std::string_view text)>;

// Writes the session's events before `until`; 0: all.
Outcome<bool> write_one(Connection& connection, const SessionRow& row, base::Position until,
                        workers::TranscriptWriter& writer, const Write& write) {
  workers::QueryBody query;
  query.agent = row.agent;
  query.reference = row.session.text();
  while (true) {
    const auto page = connection.ask<workers::RecordAnswer>(workers::kVerbRecord, query);
    if (!page) return tl::unexpected(page.error());
    if (!page->archived.empty()) {
      return fail(kExitNotFound,
                  "the beginning of session " + row.alias + " was archived: " + page->archived);
    }
    for (const bus::FeedEvent& event : page->events) {
      const auto seen = workers::see(event);
      if (!seen) return fail(seen.error());
      const bool is_later = until.value > 0 && seen->recorded.envelope.position >= until;
      if (is_later) return true;
      auto ok = write(writer.add(seen->recorded));
      if (!ok) return ok;
    }
    if (!page->has_more) return true;
    query.after = page->through;
  }
}

}  // namespace

Outcome<std::vector<SessionRow>> chain_of(Connection& connection, const std::string& agent,
                                          const std::string& reference) {
  auto found = find_row(connection, agent, reference);
  if (!found) return tl::unexpected(found.error());
  std::vector<SessionRow> chain{std::move(*found)};
  while (chain.back().resumed_from.is_set() && chain.size() < kChainMax) {
    auto earlier = find_row(connection, chain.back().agent, chain.back().resumed_from.text());
    if (!earlier) return tl::unexpected(earlier.error());
    chain.push_back(std::move(*earlier));
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

workers::WrittenFile written_file(workers::WrittenForm form, const std::vector<SessionRow>& chain) {
  const SessionRow& last = chain.back();
  workers::WrittenFile file;
  file.form = form;
  const bool is_claude = form == workers::WrittenForm::claude && !last.agent_session.empty();
  file.session = is_claude ? last.agent_session : last.session.text();
  file.workdir = last.workdir;
  file.agent_version = "2.1.0";
  file.model = last.agent_model.empty() ? "unknown" : last.agent_model;
  file.began = chain.front().created_at;
  file.is_live = last.closed_at.us == 0;
  return file;
}

Outcome<WrittenSessions> write_sessions(Connection& connection, const workers::WrittenFile& file,
                                        const std::vector<SessionRow>& chain, const Write& write) {
  workers::TranscriptWriter writer(file);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const bool is_last = i + 1 == chain.size();
    const base::Position until = is_last ? base::Position{} : chain[i + 1].opened;
    const auto ok = write_one(connection, chain[i], until, writer, write);
    if (!ok) return tl::unexpected(ok.error());
  }
  if (const auto ok = write(writer.finish()); !ok) return tl::unexpected(ok.error());
  return WrittenSessions{writer.left_out(), writer.lines()};
}

}  // namespace steno
