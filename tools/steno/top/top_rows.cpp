// The words are those of `ls`, `attention` and `output`.
#include "tools/steno/top/top_rows.hpp"

#include <algorithm>
#include <tuple>

#include "tools/steno/client/attention_text.hpp"
#include "tools/steno/connection/silence.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/operations/item_text.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {

using projections::SessionRow;
using workers::safe_line;

const domain::OpenAsk* first_ask(const SessionRow& row) {
  for (const domain::OpenAsk& ask : row.asks) {  // the oldest first
    if (domain::is_for_people(ask.kind) && ask.verdict == domain::AskVerdict::none) return &ask;
  }
  return nullptr;
}

std::string last_line(const std::vector<workers::OutputItem>& items) {
  workers::ItemText texts(true, false);
  std::string all;
  for (const workers::OutputItem& item : items) {
    if (item.kind != workers::ItemKind::ended) all += texts.of(item);
  }
  const auto lines = workers::lines_of(all);
  const auto last = std::find_if(lines.rbegin(), lines.rend(), [](std::string_view line) {
    return line.find_first_not_of(" \t") != std::string_view::npos;
  });
  return last == lines.rend() ? std::string() : safe_line(*last);
}

namespace {

bool is_asking(const SessionRow& row) {
  return row.attention == domain::Attention::asks;
}

TopGroup group_of(const SessionRow& row) {
  // A session of several turns that has done its work waits for the next prompt. That is no news.
  const bool is_needing = row.attention != domain::Attention::none &&
                          row.attention != domain::Attention::waiting_for_input;
  if (is_needing) return TopGroup::needs;
  const bool has_work = is_at_work(row) || row.tasks > 0;
  const bool is_starting =
      row.status == domain::SessionStatus::starting && row.pause == domain::EndReason::none;
  return has_work || is_starting ? TopGroup::works : TopGroup::waits;
}

// A list has no room for seconds beside hours.
std::string age_text(base::Duration age) {
  constexpr base::Duration kMinute = std::chrono::minutes(1);
  if (age < 100 * kMinute) return duration_text(age);
  const std::int64_t minutes = age / kMinute;
  const std::int64_t hours = minutes / 60;
  const auto two = [](std::int64_t count) {
    return (count < 10 ? "0" : "") + std::to_string(count);
  };
  return hours < 48 ? std::to_string(hours) + "h" + two(minutes % 60) + "m"
                    : std::to_string(hours / 24) + "d" + two(hours % 24) + "h";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

std::string needs_text(const TopFacts& facts, const SessionRow& row) {
  const auto known = facts.asks.find(row.session);
  const domain::OpenAsk* ask = first_ask(row);
  const bool is_known =
      ask != nullptr && known != facts.asks.end() && known->second.ask == ask->ask;
  if (!is_asking(row) || !is_known) return attention_text(row);
  const auto open = std::count_if(row.asks.begin(), row.asks.end(), [](const auto& one) {
    return domain::is_for_people(one.kind) && one.verdict == domain::AskVerdict::none;
  });
  return known->second.line + (open > 1 ? " (" + std::to_string(open - 1) + " more)" : "");
}

std::string works_text(const TopFacts& facts, const SessionRow& row, base::Time now) {
  const auto known = facts.lines.find(row.session);
  const std::string line = known == facts.lines.end() ? std::string() : known->second.text;
  const std::string status = line.empty() ? workers::status_text(row) : line;
  return joined({hook_wait_text(row, now), silence_text(row, now), status});
}

std::string waits_text(const SessionRow& row, base::Time now) {
  constexpr std::string_view kRunning = "running, ";
  std::string status = workers::status_text(row);
  if (status.starts_with(kRunning)) status.erase(0, kRunning.size());
  return joined({status, workers::idle_end_text(row, now)});
}

// Returns since when the session waits. A restart of the server changes its row, and not this.
base::Time waits_since(const SessionRow& row) {
  if (row.attention_since.us != 0) return row.attention_since;
  return row.idle_since.us != 0 ? row.idle_since : row.updated_at;
}

TopRow row_of(const TopFacts& facts, const SessionRow& session, base::Time now) {
  TopRow row;
  row.session = session.session;
  row.group = group_of(session);
  row.is_live = domain::is_live(session.status);
  row.has_asks = first_ask(session) != nullptr;
  row.alias = session.alias;
  const bool is_named = !facts.agent.empty() && session.agent != facts.agent;
  const std::string& name = session.name.empty() ? session.alias : session.name;
  row.name = safe_line(is_named ? session.agent + ": " + name : name);
  row.cost = workers::cost_text(session);
  const base::Duration silence = std::max(now - session.updated_at, base::Duration{0});
  switch (row.group) {
    case TopGroup::needs:
      row.age = age_text(std::max(now - session.attention_since, base::Duration{0}));
      row.text = needs_text(facts, session);
      row.style = is_asking(session) ? Style::warned : Style::bad;
      break;
    case TopGroup::works:
      row.age = age_text(std::max(workers::age_of(session, now), base::Duration{0}));
      row.silence = age_text(silence);
      row.text = works_text(facts, session, now);
      row.style = session.trouble.empty() ? Style::good : Style::warned;
      break;
    case TopGroup::waits:
      row.age = age_text(std::max(now - waits_since(session), base::Duration{0}));
      row.text = waits_text(session, now);
      row.style = Style::dim;
      break;
  }
  row.text = safe_line(row.text);
  return row;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool matches(const SessionRow& row, const std::string& filter) {
  const std::string all = row.name + "\n" + row.alias + "\n" + row.agent + "\n" + row.workdir +
                          "\n" + workers::status_text(row);
  return lower(all).find(lower(filter)) != std::string::npos;
}

// Sessions keep their places: of those that need a person the one that has waited longest comes
// first, of the others the one that was opened last.
auto order_of(const SessionRow& row) {
  const TopGroup group = group_of(row);
  const bool is_needing = group == TopGroup::needs;
  const int kind = !is_needing ? 0 : is_asking(row) ? 1 : domain::is_live(row.status) ? 2 : 3;
  return std::tuple(group, kind, is_needing ? row.attention_at.value : -row.opened.value);
}

}  // namespace

std::vector<TopRow> top_rows(const TopFacts& facts, const std::string& filter, base::Time now) {
  std::vector<const SessionRow*> shown;
  for (const SessionRow& session : facts.sessions) {
    if (filter.empty() || matches(session, filter)) shown.push_back(&session);
  }
  std::sort(shown.begin(), shown.end(), [](const SessionRow* one, const SessionRow* other) {
    return order_of(*one) < order_of(*other);
  });
  std::vector<TopRow> rows;
  rows.reserve(shown.size());
  for (const SessionRow* session : shown) rows.push_back(row_of(facts, *session, now));
  return rows;
}

TopTotals top_totals(const TopFacts& facts) {
  TopTotals totals;
  for (const SessionRow& session : facts.sessions) {
    if (domain::is_live(session.status)) ++totals.live;
    switch (group_of(session)) {
      case TopGroup::needs:
        ++totals.needing;
        break;
      case TopGroup::works:
        ++totals.working;
        break;
      case TopGroup::waits:
        ++totals.waiting;
        break;
    }
  }
  return totals;
}

}  // namespace steno
