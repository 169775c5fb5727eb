#include "tools/steno/client/session_filter.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>

#include "tools/steno/client/since.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/connection/silence.hpp"
#include "workers/operations/session_text.hpp"

namespace steno {
namespace {

using domain::SessionStatus;
using projections::SessionRow;

const std::set<SessionStatus> kLive{SessionStatus::starting, SessionStatus::running};
const std::set<SessionStatus> kEnded{SessionStatus::completed, SessionStatus::failed,
                                     SessionStatus::killed};

// A word for a state. The server knows the statuses; the rest is seen from the row.
struct State {
  std::string_view word;
  std::set<SessionStatus> statuses;                // empty: any
  bool (*is_in)(const SessionRow& row) = nullptr;  // null: the status says it all
};

const State kStates[] = {
    {"starting", {SessionStatus::starting}},
    {"running", {SessionStatus::running}},
    {"completed", {SessionStatus::completed}},
    {"failed", {SessionStatus::failed}},
    {"killed", {SessionStatus::killed}},
    {"live", kLive},
    {"ended", kEnded},
    {"working", kLive, [](const SessionRow& row) { return is_at_work(row) || row.tasks > 0; }},
    {"waiting", kLive, [](const SessionRow& row) { return row.is_waiting_for_input; }},
    {"asks", kLive, [](const SessionRow& row) { return domain::is_unanswered(row.asks); }},
    {"paused", kLive, [](const SessionRow& row) { return row.pause != domain::EndReason::none; }},
    {"parked", kLive, [](const SessionRow& row) { return row.is_parked; }},
    {"denied", {}, [](const SessionRow& row) { return row.denied > 0; }},
    {"attention",
     {},
     [](const SessionRow& row) { return row.attention != domain::Attention::none; }},
};

struct Sorting {
  std::string_view word;
  bool (*is_before)(const SessionRow& a, const SessionRow& b, base::Time now);  // null: see order_
};

constexpr Sorting kSortings[] = {
    {"started", nullptr},
    {"active", [](const SessionRow& a, const SessionRow& b,
                  base::Time) { return a.updated_at > b.updated_at; }},
    {"cost", [](const SessionRow& a, const SessionRow& b,
                base::Time) { return a.cost.value > b.cost.value; }},
    {"ran", [](const SessionRow& a, const SessionRow& b,
               base::Time now) { return workers::age_of(a, now) > workers::age_of(b, now); }},
    {"name", [](const SessionRow& a, const SessionRow& b, base::Time) { return a.name < b.name; }},
};

template <class Rows>
std::string words_of(const Rows& rows) {
  std::string words;
  for (const auto& row : rows) words += (words.empty() ? "" : ", ") + std::string(row.word);
  return words;
}

template <class Rows>
auto find_word(const Rows& rows, const std::string& word) {
  return std::find_if(std::begin(rows), std::end(rows),
                      [&](const auto& row) { return row.word == word; });
}

// A pattern with * or ? is the whole name, any other text a part of it.
bool is_named(const std::string& name, const std::string& pattern) {
  if (pattern.find_first_of("*?") == std::string::npos) return name.find(pattern) != name.npos;
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool is_within(const std::string& path, const std::string& folder) {
  if (path == folder || folder == "/") return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

}  // namespace

std::string status_words() {
  return words_of(kStates);
}
std::string sort_words() {
  return words_of(kSortings);
}

Outcome<SessionFilter> SessionFilter::of(const ListArguments& arguments, base::Time now) {
  SessionFilter filter;
  std::vector<const State*> states;
  for (const std::string& word : arguments.statuses) {
    const auto* state = find_word(kStates, word);
    if (state == std::end(kStates)) {
      return fail(kExitUsage, "unknown status '" + word + "'; known are " + words_of(kStates));
    }
    states.push_back(state);
  }
  const auto has_any = [&](const auto& of) {
    return std::any_of(states.begin(), states.end(), of);
  };
  if (!has_any([](const State* state) { return state->statuses.empty(); })) {
    for (const State* state : states) {
      filter.query_.statuses.insert(state->statuses.begin(), state->statuses.end());
    }
  }
  if (has_any([](const State* state) { return state->is_in != nullptr; })) {
    filter.tests_.emplace_back([states](const SessionRow& row) {
      return std::any_of(states.begin(), states.end(), [&](const State* state) {
        const bool has_status = state->statuses.empty() || state->statuses.contains(row.status);
        return has_status && (state->is_in == nullptr || state->is_in(row));
      });
    });
  }
  if (!arguments.since.empty()) {
    const auto since = since_of(arguments.since, now);
    if (!since) return tl::unexpected(since.error());
    filter.query_.active_since = *since;
  }
  if (!arguments.until.empty()) {
    const auto until = since_of(arguments.until, now);
    if (!until) return tl::unexpected(until.error());
    filter.tests_.emplace_back(
        [until = *until](const SessionRow& row) { return row.created_at < until; });
  }
  if (!arguments.name.empty()) {
    filter.tests_.emplace_back(
        [name = arguments.name](const SessionRow& row) { return is_named(row.name, name); });
  }
  if (!arguments.workdir.empty()) {
    filter.tests_.emplace_back([folder = absolute_path(arguments.workdir)](const SessionRow& row) {
      return is_within(row.workdir, folder);
    });
  }
  for (const std::string& label : arguments.labels) {
    filter.tests_.emplace_back([label](const SessionRow& row) {
      return std::find(row.labels.begin(), row.labels.end(), label) != row.labels.end();
    });
  }
  if (!arguments.schedule.empty()) {
    filter.tests_.emplace_back([name = arguments.schedule](const SessionRow& row) {
      return row.descriptor.kind != domain::DescriptorKind::none && row.descriptor.task == name;
    });
  }
  const auto* sorting = find_word(kSortings, arguments.sort);
  if (sorting == std::end(kSortings)) {
    return fail(kExitUsage, "sessions are not sorted by '" + arguments.sort + "'; known are " +
                                words_of(kSortings));
  }
  if (sorting->is_before != nullptr) {
    filter.order_ = [is_before = sorting->is_before, now](
                        const SessionRow& a, const SessionRow& b) { return is_before(a, b, now); };
  }
  return filter;
}

bool SessionFilter::matches(const SessionRow& row) const {
  return std::all_of(tests_.begin(), tests_.end(), [&](const auto& test) { return test(row); });
}

void SessionFilter::sort(std::vector<SessionRow>& rows) const {
  std::stable_sort(rows.begin(), rows.end(), order_);
}

}  // namespace steno
