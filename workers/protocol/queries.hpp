// The bodies of queries and of their answers.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bus/log_reader.hpp"
#include "eventlog/domain/conversation/key_listing.hpp"
#include "projections/views/conversation_list.hpp"
#include "projections/views/erasures.hpp"
#include "projections/views/metrics.hpp"
#include "projections/views/session_list.hpp"

namespace workers {

using base::Position;

constexpr std::string_view kVerbList = "list";            // → ListAnswer
constexpr std::string_view kVerbAttention = "attention";  // → AttentionAnswer
constexpr std::string_view kVerbAsks = "asks";            // → AsksAnswer
constexpr std::string_view kVerbShow = "show";            // → ShowAnswer
constexpr std::string_view kVerbOutput = "output";        // → OutputAnswer
constexpr std::string_view kVerbSearch = "search";        // → SearchAnswer
constexpr std::string_view kVerbRecord = "record";        // → RecordAnswer
constexpr std::string_view kVerbStats = "stats";          // → projections::MetricsReport
constexpr std::string_view kVerbDigests = "digests";      // → DigestsAnswer
// and bus::kReadVerb → bus::LogPage

// Who said a text that a search finds.
enum class SaidBy { user, assistant, tool };
// In which order a search tells what it finds.
enum class SearchOrder { best, newest };

// The body of every query; each verb reads the fields that concern it.
// Which conversations are listed: those that meet all conditions.
struct ConversationFilter {
  std::string label;                 // that it has, or is one of its labels; empty: any
  base::SessionId session;           // of its last run; unset: any
  std::set<domain::ToolKind> kinds;  // empty: all
  std::string spawned_by;            // the key of its parent; empty: any
  std::string words;                 // in its names, labels, subject, session or key; empty: any
  // Only those that changed earlier, log time, or at that time under a later key. 0: no bound.
  base::Time before;
  std::string before_key;
  bool wants_titles = false;

  bool operator==(const ConversationFilter&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("label", &ConversationFilter::label);
    visit("session", &ConversationFilter::session);
    visit("kinds", &ConversationFilter::kinds);
    visit("spawned_by", &ConversationFilter::spawned_by);
    visit("words", &ConversationFilter::words);
    visit("before", &ConversationFilter::before);
    visit("before_key", &ConversationFilter::before_key);
    visit("titles", &ConversationFilter::wants_titles);
  }
};

struct QueryBody {
  std::string agent;      // empty: all agents, if the asker can see them
  std::string reference;  // show, output, record, asks: id, alias, name or prefix
  std::set<domain::SessionStatus> statuses;  // list; empty: all
  std::vector<base::SessionId> sessions;  // list: only these of the agent, whatever else is said;
                                          // search: only these; empty: all
  std::int64_t limit = 0;                 // list, attention: the most sessions; output: the most
                                          // blocks of the agent's words; search: the most
                                          // texts; 0: the default;
                                          // output, −1: all, from the beginning
  base::Time active_since;                // list; search: only what was said since then
  bool wants_texts = false;               // show: with the texts of the answer
  Position after;                         // output: only later items, from there on; 0:
                                          // the last `limit`; attention: likewise
  Position before;                        // output, search: only earlier items; list: only
                                          // sessions opened earlier; 0: no bound
  Position at_least;                      // answer only once this position is durable
  base::Duration wait{std::chrono::seconds(10)};  // for at_least
  std::string words{};                            // search: what for; docs/search.md
  std::set<SaidBy> roles{};                       // search, output; empty: all
  SearchOrder order = SearchOrder::best;          // search
  base::Sparse<ConversationFilter> filter{};      // conversations
  // output: as a transcript, in which `limit` counts items, and ends of turns are items, too.
  bool is_transcript = false;
  // output: only where turns begin and end, in their order, without a text.
  bool is_outline = false;

  bool operator==(const QueryBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent", &QueryBody::agent);
    visit("reference", &QueryBody::reference);
    visit("statuses", &QueryBody::statuses);
    visit("sessions", &QueryBody::sessions);
    visit("limit", &QueryBody::limit);
    visit("active_since", &QueryBody::active_since);
    visit("texts", &QueryBody::wants_texts);
    visit("after", &QueryBody::after);
    visit("before", &QueryBody::before);
    visit("at_least", &QueryBody::at_least);
    visit("wait_us", &QueryBody::wait);
    visit("words", &QueryBody::words);
    visit("roles", &QueryBody::roles);
    visit("order", &QueryBody::order);
    visit("filter", &QueryBody::filter);
    visit("transcript", &QueryBody::is_transcript);
    visit("outline", &QueryBody::is_outline);
  }
};

struct ListAnswer {
  Position position;                              // the position that the answer is made at
  std::vector<projections::SessionRow> sessions;  // a page, at most 1,000
  bool has_more = false;                          // ask again with `before` as it is here
  Position before;
  std::int64_t total = 0;  // of the agent and statuses that were asked for

  bool operator==(const ListAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &ListAnswer::position);
    visit("sessions", &ListAnswer::sessions);
    visit("has_more", &ListAnswer::has_more);
    visit("before", &ListAnswer::before);
    visit("total", &ListAnswer::total);
  }
};

// The sessions that need a person; the one that has needed one for longest comes first.
struct AttentionAnswer {
  Position position;
  std::vector<projections::SessionRow> sessions;  // a page, at most 1,000
  bool has_more = false;                          // ask again with `after` as it is here
  Position after;
  // The lanes of all agents' conversations. Of an asker who sees one agent, another's key is left
  // out.
  std::vector<projections::LaneShown> lanes{};

  bool operator==(const AttentionAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &AttentionAnswer::position);
    visit("sessions", &AttentionAnswer::sessions);
    visit("has_more", &AttentionAnswer::has_more);
    visit("after", &AttentionAnswer::after);
    visit("lanes", &AttentionAnswer::lanes);
  }
};

// Something that an agent waits for an answer to.
struct AskShown {
  base::SessionId session;
  std::string agent;
  std::string alias;  // of the session, and so is the name
  std::string name;
  std::int64_t ask = 0;  // as AskRaised has it, and so have the next four
  domain::AskKind kind = domain::AskKind::approval;
  base::TurnId turn;
  std::string tool;
  Position position;    // of its AskRaised
  base::Time since;     // log time of the same event
  std::string workdir;  // of the session
  // Its content, whole or empty: more than kAskTextMax of one, or of an answer, is left out.
  std::string text;
  std::int64_t left_out = 0;  // bytes of the content; it is the event at `position`
  std::int64_t rule = 0;      // by which people are asked, whatever allows it; 0: none
  std::string pattern{};      // of that rule; empty: it cannot be read
  base::Time until{};         // log time at which it is answered by itself; 0: never
  domain::UnansweredAsk unanswered = domain::UnansweredAsk::deny;  // how

  bool operator==(const AskShown&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &AskShown::session);
    visit("agent", &AskShown::agent);
    visit("alias", &AskShown::alias);
    visit("name", &AskShown::name);
    visit("ask", &AskShown::ask);
    visit("kind", &AskShown::kind);
    visit("turn", &AskShown::turn);
    visit("tool", &AskShown::tool);
    visit("position", &AskShown::position);
    visit("since", &AskShown::since);
    visit("workdir", &AskShown::workdir);
    visit("text", &AskShown::text);
    visit("left_out", &AskShown::left_out);
    visit("rule", &AskShown::rule);
    visit("pattern", &AskShown::pattern);
    visit("until", &AskShown::until);
    visit("unanswered", &AskShown::unanswered);
  }
};
constexpr std::size_t kAskTextMax = std::size_t{1} << 20;
constexpr std::size_t kAsksTextMax = std::size_t{8} << 20;

// What agents wait for, the oldest first; with `reference` of that session alone.
struct AsksAnswer {
  Position position;
  std::vector<AskShown> asks;

  bool operator==(const AsksAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &AsksAnswer::position);
    visit("asks", &AsksAnswer::asks);
  }
};

// A budget to which a session's spending counts besides its own.
struct PayerShown {
  std::string first;  // alias of the first session of the lineage
  base::NanoUsd budget{};
  base::NanoUsd spent{};
  domain::CostBasis basis = domain::CostBasis::totals;

  bool operator==(const PayerShown&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("first", &PayerShown::first);
    visit("budget", &PayerShown::budget);
    visit("spent", &PayerShown::spent);
    visit("basis", &PayerShown::basis);
  }
};

// The texts are empty if they were not asked for, were erased, or cannot be read: a session is
// found and shown even then.
struct ShowAnswer {
  Position position;
  projections::SessionRow session;
  std::string prompt;                          // the first 4 KiB of the first prompt
  std::string system_prompt;                   // whole
  std::vector<projections::Erasure> erasures;  // the last 20
  std::string archived;             // where its texts are, if they cannot be read here; else empty
  std::string prompt_error;         // why it could not be read
  std::string system_prompt_error;  // why it could not be read
  std::string failure{};            // the last that was said of why it failed, if it needs a person
  base::NanoUsd lineage_spent{};    // by all that resume or fork one session; 0: nothing does
  domain::CostBasis lineage_basis = domain::CostBasis::totals;  // of the least certain part of that
  std::int64_t lineage_at_work = 0;  // sessions of them that have an agent process, this one too
  std::vector<PayerShown> payers{};  // those with a budget, as the row has them
  std::vector<domain::FileFacts> prompt_files{};  // that go with the first prompt

  bool operator==(const ShowAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &ShowAnswer::position);
    visit("session", &ShowAnswer::session);
    visit("prompt", &ShowAnswer::prompt);
    visit("system_prompt", &ShowAnswer::system_prompt);
    visit("erasures", &ShowAnswer::erasures);
    visit("archived", &ShowAnswer::archived);
    visit("prompt_error", &ShowAnswer::prompt_error);
    visit("system_prompt_error", &ShowAnswer::system_prompt_error);
    visit("failure", &ShowAnswer::failure);
    visit("lineage_spent", &ShowAnswer::lineage_spent);
    visit("lineage_basis", &ShowAnswer::lineage_basis);
    visit("lineage_at_work", &ShowAnswer::lineage_at_work);
    visit("payers", &ShowAnswer::payers);
    visit("prompt_files", &ShowAnswer::prompt_files);
  }
};

// A prompt stands where its turn was started. `ended` is the end of a turn that neither finished
// nor failed.
enum class ItemKind { prompt, said, thought, tool_call, tool_result, failure, notice, ended };

struct OutputItem {
  Position position;
  std::string type;  // of the event: OutputRecorded, PartialOutputRecorded, ToolCallStarted, …
  ItemKind kind = ItemKind::prompt;
  base::TurnId turn;
  base::Time time;          // log time
  std::string tool;         // of a tool call
  std::string call;         // of a tool call and its result
  bool is_error = false;    // of a result
  bool is_denied = false;   // likewise; it was not carried out, for lack of a permission
  bool is_cut_off = false;  // of a tool call: its turn is over, and it never had a result
  std::string parent;       // the call whose subagent it comes from; empty: the agent itself
  bool is_queued = false;   // of a prompt: it waits; such ones stand behind all else
  domain::EndReason reason = domain::EndReason::none;  // of an end
  Position text_at;  // of a prompt: position of the event that has its text; 0: its own
  std::string text;
  // So many bytes of a prompt's text are left out. Who wants them asks for the event that has them
  // alone.
  std::int64_t left_out = 0;
  base::Time erased_at;                    // the text was erased then; 0: it was not
  std::string erased_by;                   // the actor of the command that erased it
  std::vector<domain::FileFacts> files{};  // of a prompt
  std::string model{};                     // that said it; empty: not said of this item
  domain::Usage usage{};                   // of the call of the model, or of a turn that ends
  base::NanoUsd cost{};                    // of a turn that ends
  base::Duration took{};                   // likewise

  bool operator==(const OutputItem&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &OutputItem::position);
    visit("type", &OutputItem::type);
    visit("kind", &OutputItem::kind);
    visit("turn", &OutputItem::turn);
    visit("time", &OutputItem::time);
    visit("tool", &OutputItem::tool);
    visit("call", &OutputItem::call);
    visit("error", &OutputItem::is_error);
    visit("denied", &OutputItem::is_denied);
    visit("cut_off", &OutputItem::is_cut_off);
    visit("parent", &OutputItem::parent);
    visit("queued", &OutputItem::is_queued);
    visit("reason", &OutputItem::reason);
    visit("text_at", &OutputItem::text_at);
    visit("text", &OutputItem::text);
    visit("left_out", &OutputItem::left_out);
    visit("erased_at", &OutputItem::erased_at);
    visit("erased_by", &OutputItem::erased_by);
    visit("files", &OutputItem::files);
    visit("model", &OutputItem::model);
    visit("usage", &OutputItem::usage);
    visit("cost", &OutputItem::cost);
    visit("took_us", &OutputItem::took);
  }
};

// Events of one session behind `after` of the query, ascending, with their whole texts: some 4 MiB,
// which the last text can exceed. A text that was erased is left out.
struct RecordAnswer {
  Position position;
  projections::SessionRow session;
  std::vector<bus::FeedEvent> events;
  bool has_more = false;  // ask again with `after` = through
  Position through;
  std::string archived;  // where earlier events are that cannot be read here

  bool operator==(const RecordAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &RecordAnswer::position);
    visit("session", &RecordAnswer::session);
    visit("events", &RecordAnswer::events);
    visit("has_more", &RecordAnswer::has_more);
    visit("through", &RecordAnswer::through);
    visit("archived", &RecordAnswer::archived);
  }
};

// A page: at most 1,000 items, or 4 MiB of text, which the last item can exceed; and the prompts of
// its turns and those that wait, with at most 4 MiB of text.
struct OutputAnswer {
  Position position;
  projections::SessionRow session;
  std::vector<OutputItem> items;  // ascending, but for prompts that wait, which come last
  bool has_more = false;          // a page from the end: ask again with `before` = from; else with
                                  // `after` = through
  Position from;                  // the first and the last position that the page covers
  Position through;
  std::int64_t blocks = 0;  // of the agent's words; the parts of an unfinished one count as one
  std::string archived;     // where earlier items are that cannot be read here

  bool operator==(const OutputAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &OutputAnswer::position);
    visit("session", &OutputAnswer::session);
    visit("items", &OutputAnswer::items);
    visit("has_more", &OutputAnswer::has_more);
    visit("from", &OutputAnswer::from);
    visit("through", &OutputAnswer::through);
    visit("blocks", &OutputAnswer::blocks);
    visit("archived", &OutputAnswer::archived);
  }
};

// A text that a search has found.
struct SearchHit {
  Position position;  // of the event that has the text
  base::Time time;    // log time of the same event
  base::SessionId session;
  std::string agent;
  std::string alias;  // of the session, and so is the name; empty: it is not listed
  std::string name;
  SaidBy role = SaidBy::user;
  std::string tool;     // of a call that is begun
  std::string snippet;  // a part of the text, some 500 bytes at most
  // Where the words are in the snippet: begin and end of each in bytes, ascending.
  std::vector<std::int64_t> marks;

  bool operator==(const SearchHit&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &SearchHit::position);
    visit("time", &SearchHit::time);
    visit("session", &SearchHit::session);
    visit("agent", &SearchHit::agent);
    visit("alias", &SearchHit::alias);
    visit("name", &SearchHit::name);
    visit("role", &SearchHit::role);
    visit("tool", &SearchHit::tool);
    visit("snippet", &SearchHit::snippet);
    visit("marks", &SearchHit::marks);
  }
};

struct SearchAnswer {
  Position position;               // the position that the answer is made at
  Position indexed;                // all up to here was searched; less: the index is behind
  std::vector<SearchHit> hits;     // at most 1,000
  bool has_more = false;           // the newest first: ask again with `before` of the last hit
  bool is_ranked_in_part = false;  // so many match that only those said last were ranked

  bool operator==(const SearchAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &SearchAnswer::position);
    visit("indexed", &SearchAnswer::indexed);
    visit("hits", &SearchAnswer::hits);
    visit("has_more", &SearchAnswer::has_more);
    visit("ranked_in_part", &SearchAnswer::is_ranked_in_part);
  }
};

struct DigestRow {
  std::string name;
  Position position;
  base::Hash digest{};
  std::string fault;  // why it is not at the durable head; empty: it is

  bool operator==(const DigestRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &DigestRow::name);
    visit("position", &DigestRow::position);
    visit("digest", &DigestRow::digest);
    visit("fault", &DigestRow::fault);
  }
};

struct DigestsAnswer {
  std::vector<DigestRow> projections;

  bool operator==(const DigestsAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("projections", &DigestsAnswer::projections);
  }
};

}  // namespace workers

template <>
struct base::EnumNames<workers::ItemKind> {
  static constexpr std::string_view kNames[] = {"prompt",      "said",    "thought", "tool_call",
                                                "tool_result", "failure", "notice",  "ended"};
};
template <>
struct base::EnumNames<workers::SaidBy> {
  static constexpr std::string_view kNames[] = {"user", "assistant", "tool"};
};
template <>
struct base::EnumNames<workers::SearchOrder> {
  static constexpr std::string_view kNames[] = {"best", "newest"};
};
