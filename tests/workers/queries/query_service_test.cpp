// Queries see everything up to the durable head. A page costs only what it shows, is bounded, and
// leaves nothing out.
#include "workers/queries/query_service.hpp"

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/session_samples.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace workers {
namespace {

using support::kSession;
using support::LogBuilder;

// A store with whole facts, whose contents cannot be read while `is_torn`.
struct TornStore : support::CountingStore {
  using CountingStore::CountingStore;
  base::Result<std::vector<eventlog::StoredBlock>> read(Position from, std::size_t bytes_max,
                                                        bool with_content) override {
    if (is_torn && with_content) {
      return tl::unexpected(base::Error{base::ErrorCode::damaged, "the content is torn", {}});
    }
    return CountingStore::read(from, bytes_max, with_content);
  }

  bool is_torn = false;
};

// The query service over a log that grows.
struct QueriedLog {
  LogBuilder log;
  TornStore store{log.store()};
  std::unique_ptr<eventlog::KeyValueStore> views = eventlog::make_memory_key_value_store();
  std::unique_ptr<eventlog::KeyValueStore> index_rows = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index{*index_rows};
  QueryService service{
      {log.log(), {}}, store, *views, std::move(*projections::ProjectionSet::open(*views)), index};

  bus::Reply reply(std::string_view verb, base::RawValue body) {
    return service.answer({{}, {support::kCommand}, std::string(verb), std::move(body), log.head()})
        .reply;
  }
  template <class Answer, class Body>
  Answer ask(std::string_view verb, const Body& body) {
    const bus::Reply answer = reply(verb, bus::to_body(body));
    REQUIRE(answer.status == bus::ReplyStatus::ok);
    return *bus::from_body<Answer>(answer.body);
  }
  std::string stream() const { return domain::session_stream("main", kSession); }
};

TEST_CASE("a query sees everything up to the durable head", "[workers]") {
  QueriedLog w;
  QueryBody of_main;
  of_main.agent = "main";
  CHECK(w.ask<ListAnswer>(kVerbList, of_main).sessions.empty());
  w.log.append(w.stream(), support::opened());
  const auto listed = w.ask<ListAnswer>(kVerbList, of_main);
  CHECK(listed.position == w.log.head());
  REQUIRE(listed.sessions.size() == 1);
  for (int turn = 1; turn <= 3; ++turn) {
    w.log.append(w.stream(), domain::TurnQueued{support::turn(turn)}, "text");
    QueryBody shown = of_main;
    shown.reference = "fix-bug";
    CHECK(w.ask<ShowAnswer>(kVerbShow, shown).session.turns_queued == turn);
    CHECK(w.ask<OutputAnswer>(kVerbOutput, shown).items.size() == static_cast<std::size_t>(turn));
  }
}

TEST_CASE("a query lists who needs a person, page by page", "[workers]") {
  QueriedLog w;
  QueryBody query;
  query.agent = "main";
  query.limit = 1;
  CHECK(w.ask<AttentionAnswer>(kVerbAttention, query).sessions.empty());
  for (const int number : {1, 2}) {
    domain::SessionOpened opened = support::opened();
    opened.session = opened.lineage = support::numbered<base::SessionId>(number);
    opened.name += std::to_string(number);
    opened.alias.back() = static_cast<char>('0' + number);
    opened.spec.edit().repeated_calls_max = 12;
    w.log.append(domain::session_stream("main", opened.session), opened);
  }
  auto page = w.ask<AttentionAnswer>(kVerbAttention, query);
  REQUIRE(page.sessions.size() == 1);
  CHECK(page.sessions[0].name == "fix-bug1");
  CHECK(page.has_more);
  CHECK(page.position == w.log.head());
  query.after = page.after;
  page = w.ask<AttentionAnswer>(kVerbAttention, query);
  REQUIRE(page.sessions.size() == 1);
  CHECK(page.sessions[0].name == "fix-bug2");
  CHECK_FALSE(page.has_more);
  query.agent = "other";
  CHECK(w.ask<AttentionAnswer>(kVerbAttention, query).sessions.empty());
}

TEST_CASE("a session is found and shown although its texts cannot be read", "[workers]") {
  QueriedLog w;
  w.log.append(w.stream(), support::opened(), "be brief");
  w.log.append(w.stream(), domain::TurnQueued{support::turn(1)}, "fix it");
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  const auto bare = w.ask<ShowAnswer>(kVerbShow, query);
  CHECK((bare.prompt.empty() && bare.system_prompt.empty() && bare.prompt_error.empty()));
  query.wants_texts = true;
  const auto whole = w.ask<ShowAnswer>(kVerbShow, query);
  CHECK(whole.prompt == "fix it");
  CHECK(whole.system_prompt == "be brief");
  CHECK((whole.prompt_error.empty() && whole.system_prompt_error.empty()));
  w.store.is_torn = true;
  const auto shown = w.ask<ShowAnswer>(kVerbShow, query);
  CHECK(shown.session.session == kSession);
  CHECK(shown.prompt.empty());
  CHECK(shown.prompt_error.find("the content is torn") != std::string::npos);
  CHECK(shown.system_prompt_error.find("the content is torn") != std::string::npos);
  query.wants_texts = false;
  CHECK(w.ask<ShowAnswer>(kVerbShow, query).prompt_error.empty());
}

// Opens a session whose name was made from its prompt.
void open_named(QueriedLog& w, base::SessionId id, const std::string& name) {
  const std::string stream = domain::session_stream("main", id);
  domain::SessionOpened opened = support::opened();
  opened.session = id;
  opened.name.clear();
  opened.alias = base::to_hex(id.view()).substr(24);
  w.log.add(stream, opened);
  w.log.add(stream, domain::SessionNamed{domain::name_mark(name)}, name);
  w.log.append(stream, domain::TurnQueued{support::turn(1)}, "its prompt");
}

TEST_CASE("a name made from a prompt is shown and found until it is erased", "[workers]") {
  QueriedLog w;
  const auto older = support::numbered<base::SessionId>(2);
  open_named(w, older, "fix-login-bug");
  w.log.append(domain::session_stream("main", older),
               domain::SessionClosed{domain::SessionStatus::killed, domain::EndReason::user});
  const auto id = support::numbered<base::SessionId>(3);
  open_named(w, id, "fix-login-bug");
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-login-bug";
  const auto shown = w.ask<ShowAnswer>(kVerbShow, query).session;
  CHECK(shown.session == id);
  CHECK(shown.name == "fix-login-bug");
  const auto names = [&] {
    std::vector<std::string> all;
    for (const auto& row : w.ask<ListAnswer>(kVerbList, query).sessions) all.push_back(row.name);
    return all;
  };
  CHECK(names() == std::vector<std::string>{"fix-login-bug", "fix-login-bug"});
  w.log.append(domain::session_stream("main", id),
               domain::ContentErased{{{base::StreamVersion{2}, base::StreamVersion{3}}}});
  CHECK(w.ask<ShowAnswer>(kVerbShow, query).session.session == older);
  CHECK(names() == std::vector<std::string>{shown.alias, "fix-login-bug"});
  w.log.append(domain::session_stream("main", older),
               domain::ContentErased{{{base::StreamVersion{2}, base::StreamVersion{3}}}});
  CHECK(w.reply(kVerbShow, bus::to_body(query)).code == "not_found");
}

TEST_CASE("of a given and a made name the session that was opened last is meant", "[workers]") {
  QueriedLog w;
  const auto made = support::numbered<base::SessionId>(2);
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  const auto end = [&](base::SessionId id) {
    w.log.append(domain::session_stream("main", id),
                 domain::SessionClosed{domain::SessionStatus::killed, domain::EndReason::user});
  };
  open_named(w, made, "fix-bug");
  end(made);
  w.log.append(w.stream(), support::opened());
  CHECK(w.ask<ShowAnswer>(kVerbShow, query).session.session == kSession);
  end(kSession);
  const auto last = support::numbered<base::SessionId>(3);
  open_named(w, last, "fix-bug");
  CHECK(w.ask<ShowAnswer>(kVerbShow, query).session.session == last);
}

std::vector<std::string> texts_of(const OutputAnswer& answer) {
  std::vector<std::string> texts;
  for (const OutputItem& item : answer.items) texts.push_back(item.text);
  return texts;
}

TEST_CASE("the last output is shown, and all of it page by page", "[workers][R059][R062]") {
  QueriedLog w;
  w.log.append(w.stream(), support::opened());
  const Position begin = w.log.head();
  std::vector<std::string> said;
  for (int block = 1; block <= 30; ++block) {
    said.push_back("text " + std::to_string(block));
    w.log.add(w.stream(), domain::OutputRecorded{support::turn(1), block, domain::OutputKind::text},
              said.back());
    if (block % 5 != 2) w.log.seal();
  }
  w.log.seal();
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  for (const std::int64_t limit : {1, 2, 3, 7, 30, 100}) {
    INFO("at most " << limit);
    query.limit = limit;
    query.after = {};
    const auto count = std::min<std::ptrdiff_t>(limit, 30);
    CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)) ==
          std::vector<std::string>(said.end() - count, said.end()));
    query.after = begin;
    std::vector<std::string> paged;
    for (bool has_more = true; has_more;) {
      const auto page = w.ask<OutputAnswer>(kVerbOutput, query);
      CHECK(page.items.size() <= static_cast<std::size_t>(limit));
      for (auto& text : texts_of(page)) paged.push_back(std::move(text));
      has_more = page.has_more && !page.items.empty();
      if (has_more) query.after = page.items.back().position;
    }
    CHECK(paged == said);
  }
  for (std::size_t known = 0; known < said.size(); ++known) {
    query.after = w.log.events()[1 + known].envelope.position;
    query.limit = 1;
    CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)) ==
          std::vector<std::string>{said[known]});
  }
}

TEST_CASE("a finished block is shown without its parts", "[workers]") {
  QueriedLog w;
  const auto turn = support::turn(1);
  w.log.append(w.stream(), support::opened());
  w.log.append(w.stream(), domain::PartialOutputRecorded{turn, 1}, "half ");
  w.log.append(w.stream(), domain::TurnQueued{support::turn(2)}, "and more");
  w.log.append(w.stream(), domain::PartialOutputRecorded{turn, 1}, "a ");
  w.log.append(w.stream(), domain::OutputRecorded{turn, 1, domain::OutputKind::text},
               "half a sentence");
  w.log.append(w.stream(), domain::PartialOutputRecorded{turn, 2}, "the next");
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  // The prompt still waits, so it comes last.
  const std::vector<std::string> shown{"half a sentence", "the next", "and more"};
  CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)) == shown);
  query.limit = -1;
  CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)) == shown);
}

// Asks for one page after another and returns the texts of all. Every page must be bounded,
// whatever limit is asked for.
template <class Next>
std::vector<std::string> all_pages(QueriedLog& w, QueryBody query, Next&& next) {
  std::vector<std::vector<std::string>> pages;
  for (bool has_more = true; has_more;) {
    const auto page = w.ask<OutputAnswer>(kVerbOutput, query);
    CHECK(page.items.size() <= 1000);
    CHECK((pages.size() < 100 && (page.has_more || page.from <= page.through.next())));
    pages.push_back(texts_of(page));
    has_more = page.has_more;
    if (has_more) next(query, page);
  }
  if (query.before.value > 0) std::reverse(pages.begin(), pages.end());
  std::vector<std::string> texts;
  for (auto& page : pages) texts.insert(texts.end(), page.begin(), page.end());
  return texts;
}

TEST_CASE("a page of output costs what it shows, however long the session is",
          "[workers][C08][D05]") {
  QueriedLog w;
  w.log.append(w.stream(), support::opened());
  std::vector<std::string> said;
  for (int block = 1; block <= 5000; ++block) {
    said.push_back(std::to_string(block));
    w.log.add(w.stream(), domain::OutputRecorded{support::turn(1), block, {}}, said.back());
    w.log.add(domain::session_stream("other", support::kSource),
              domain::OutputRecorded{support::turn(2), block, {}}, std::string(1000, 'x'));
    if (block % 10 == 0) w.log.seal();
  }
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  (void)w.ask<ShowAnswer>(kVerbShow, query);  // brings the index up to the log's end
  const auto check_page = [&](std::int64_t limit, Position after, std::size_t items) {
    INFO("limit " << limit << " after " << after.value);
    w.store.forget();
    query.limit = limit;
    query.after = after;
    CHECK(w.ask<OutputAnswer>(kVerbOutput, query).items.size() == items);
    // Each log block has ten outputs of the session; it is read for facts, then for texts.
    CHECK(w.store.blocks_read <= 2 * items / 10 + 4);
  };
  check_page(200, {}, 200);
  check_page(100'000, {}, 1000);
  check_page(-1, {}, 1000);
  check_page(-1, {4000}, 1000);
  check_page(7, {9000}, 7);
  check_page(100'000, {10}, 1000);

  query.limit = -1;
  query.after = {};
  CHECK(all_pages(w, query, [](QueryBody& next, const OutputAnswer& page) {
          next.after = page.through;
        }) == said);
  query.limit = 3210;
  query.after = {};
  CHECK(all_pages(w, query, [](QueryBody& next, const OutputAnswer& page) {
          next.before = page.from;
          next.limit -= page.blocks;
        }) == std::vector<std::string>(said.end() - 3210, said.end()));
}

TEST_CASE("a page of output is bounded in bytes", "[workers]") {
  QueriedLog w;
  w.log.append(w.stream(), support::opened());
  std::vector<std::string> said;
  for (int block = 1; block <= 12; ++block) {
    said.push_back(std::to_string(block) + std::string(1 << 20, 'x'));
    w.log.append(w.stream(), domain::OutputRecorded{support::turn(1), block, {}}, said.back());
  }
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  CHECK(w.ask<OutputAnswer>(kVerbOutput, query).items.size() == 4);
  CHECK(all_pages(w, query, [](QueryBody& next, const OutputAnswer& page) {
          next.before = page.from;
        }) == said);
  query.limit = -1;
  CHECK(w.ask<OutputAnswer>(kVerbOutput, query).items.size() == 4);
  CHECK(all_pages(w, query, [](QueryBody& next, const OutputAnswer& page) {
          next.after = page.through;
        }) == said);
}

TEST_CASE("a prompt is shown where its turn was started", "[workers]") {
  using domain::EndReason;
  QueriedLog w;
  const auto id = [](int number) { return support::turn(number); };
  w.log.append(w.stream(), support::opened(true));
  for (int number = 1; number <= 4; ++number) {
    w.log.append(w.stream(), domain::TurnQueued{id(number)}, "prompt " + std::to_string(number));
  }
  w.log.append(w.stream(), domain::LeaseGranted{support::kWorker, support::kToken, {}});
  w.log.append(w.stream(), domain::TurnStarted{id(1), support::kToken});
  w.log.append(w.stream(), domain::OutputRecorded{id(1), 1, {}}, "answer 1");
  w.log.append(w.stream(), domain::TurnFinished{id(1), {}});
  w.log.append(w.stream(), domain::TurnStarted{id(2), support::kToken});
  w.log.append(w.stream(), domain::OutputRecorded{id(2), 2, {}}, "answer");
  w.log.append(w.stream(), domain::TurnInterrupted{id(2), EndReason::worker_lost, {}});
  w.log.append(w.stream(), domain::TurnInterrupted{id(3), EndReason::expired, {}});
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  const std::vector<std::string> shown{"prompt 1", "answer 1", "prompt 2", "answer",
                                       "",         "prompt 3", "",         "prompt 4"};
  const auto page = w.ask<OutputAnswer>(kVerbOutput, query);
  REQUIRE(texts_of(page) == shown);
  CHECK(page.items[4].reason == EndReason::worker_lost);
  CHECK(page.items[6].reason == EndReason::expired);
  CHECK(page.items[7].is_queued);
  CHECK_FALSE(page.items[2].is_queued);
  // A page that begins behind the prompts finds them.
  query.limit = -1;
  query.after = w.log.events()[5].envelope.position;
  CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)) == shown);
  query.limit = 2;
  query.after = {};
  CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)).front() == "answer 1");
  // Whoever asks for one event gets its text.
  query.limit = 0;
  const Position queued = w.log.events()[3].envelope.position;
  query.after = queued.plus(-1);
  query.before = queued.next();
  CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)) == std::vector<std::string>{"prompt 2"});
}

TEST_CASE("an outline has where turns begin and end, page by page, and reads no texts",
          "[workers]") {
  QueriedLog w;
  w.log.append(w.stream(), support::opened());
  std::vector<std::pair<std::string, base::TurnId>> marks;
  const auto mark = [&](domain::Event event, int turn, const std::string& text = {}) {
    marks.emplace_back(event.type(), support::turn(turn));
    w.log.append(w.stream(), std::move(event), text);
  };
  for (int turn = 1; turn <= 700; ++turn) {
    w.log.append(w.stream(), domain::TurnQueued{support::turn(turn)}, "prompt");
    mark(domain::TurnStarted{support::turn(turn), support::kToken}, turn);
    w.log.append(w.stream(), domain::OutputRecorded{support::turn(turn), turn, {}}, "text");
    mark(domain::TurnFailed{support::turn(turn), {}, {}, 0, {}}, turn, "error");
  }
  mark(domain::OwnTurnStarted{support::turn(701), {}, {}, {}}, 701);
  mark(domain::TurnInterrupted{support::turn(702), domain::EndReason::user, {}}, 702);
  w.store.is_torn = true;
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  query.limit = -1;
  query.is_outline = true;
  std::vector<std::pair<std::string, base::TurnId>> found;
  int pages = 0;
  for (bool has_more = true; has_more; ++pages) {
    const auto page = w.ask<OutputAnswer>(kVerbOutput, query);
    for (const OutputItem& item : page.items) {
      found.emplace_back(item.type, item.turn);
      CHECK((item.text.empty() && item.time.us > 0 && item.position > query.after));
    }
    has_more = page.has_more;
    query.after = page.through;
  }
  CHECK(found == marks);
  CHECK(pages == 2);
}

TEST_CASE("a page of facts alone holds every event, and no content is read for it", "[workers]") {
  QueriedLog w;
  w.log.append(w.stream(), support::opened());
  w.log.append(w.stream(), domain::TurnQueued{support::turn(1)}, "prompt");
  bus::ReadRequest request{"agent/main/", {}, 0, 0};
  const auto whole = w.ask<bus::LogPage>(bus::kReadVerb, request);
  w.store.is_torn = true;
  request.is_facts_only = true;
  const auto facts = w.ask<bus::LogPage>(bus::kReadVerb, request);
  REQUIRE(facts.events.size() == whole.events.size());
  CHECK(facts.events.back().facts == whole.events.back().facts);
  CHECK(whole.events.back().content);
  CHECK_FALSE(facts.events.back().content);
  CHECK(facts.events.back().content_bytes == 6);
  CHECK(facts.digest == whole.digest);
}

TEST_CASE("a page of output is bounded in bytes of prompts that wait", "[workers]") {
  QueriedLog w;
  w.log.append(w.stream(), support::opened(true));
  const std::string large(3 << 20, 'x');
  for (int number = 1; number <= 3; ++number) {
    w.log.append(w.stream(), domain::TurnQueued{support::turn(number)}, large);
  }
  w.log.append(w.stream(), domain::TurnQueued{support::turn(4)}, "small");
  w.log.append(w.stream(), domain::LeaseGranted{support::kWorker, support::kToken, {}});
  w.log.append(w.stream(), domain::TurnStarted{support::turn(1), support::kToken});
  for (int block = 1; block <= 4; ++block) {
    w.log.append(w.stream(), domain::OutputRecorded{support::turn(1), block, {}}, "said");
  }
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  query.limit = 1;
  const auto page = w.ask<OutputAnswer>(kVerbOutput, query);
  REQUIRE(page.items.size() == 4);
  const OutputItem& kept = page.items[1];
  const OutputItem& left_out = page.items[2];
  CHECK(kept.text == large);
  CHECK(kept.left_out == 0);
  CHECK(left_out.text.empty());
  CHECK(left_out.left_out == static_cast<std::int64_t>(large.size()));
  CHECK(page.items[3].text == "small");
  // Alone it is whole.
  query.after = left_out.position.plus(-1);
  query.before = left_out.position.next();
  query.limit = 0;
  const auto single = w.ask<OutputAnswer>(kVerbOutput, query);
  REQUIRE(single.items.size() == 1);
  CHECK(single.items.front().text == large);
}

TEST_CASE("the last output is counted in blocks of what the agent said", "[workers][R058]") {
  QueriedLog w;
  w.log.append(w.stream(), support::opened(true));
  w.log.append(w.stream(), domain::LeaseGranted{support::kWorker, support::kToken, {}});
  for (int turn = 1; turn <= 3; ++turn) {
    const auto id = support::turn(turn);
    const auto name = std::to_string(turn);
    w.log.add(w.stream(), domain::TurnQueued{id}, "prompt " + name);
    w.log.add(w.stream(), domain::TurnStarted{id, support::kToken});
    w.log.add(w.stream(), domain::ToolCallStarted{id, "call", "Bash"}, "tool " + name);
    w.log.add(w.stream(), domain::OutputRecorded{id, turn, {}}, "said " + name);
    w.log.append(w.stream(), domain::TurnFinished{id, {}});
  }
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  query.limit = 1;
  CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)) == std::vector<std::string>{"said 3"});
  query.limit = 2;
  CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)) ==
        std::vector<std::string>{"said 2", "prompt 3", "tool 3", "said 3"});
  query.limit = 3;
  CHECK(w.ask<OutputAnswer>(kVerbOutput, query).items.size() == 7);
  query.limit = 4;
  CHECK(w.ask<OutputAnswer>(kVerbOutput, query).items.size() == 9);
  // The parts of an unfinished block count as one.
  w.log.append(w.stream(), domain::PartialOutputRecorded{support::turn(4), 4}, "half ");
  w.log.append(w.stream(), domain::TurnQueued{support::turn(5)}, "prompt 5");
  w.log.append(w.stream(), domain::PartialOutputRecorded{support::turn(4), 4}, "a sentence");
  query.limit = 1;
  CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)) ==
        std::vector<std::string>{"half ", "a sentence", "prompt 5"});
  query.limit = 2;
  CHECK(texts_of(w.ask<OutputAnswer>(kVerbOutput, query)).front() == "said 3");
}

TEST_CASE("the parts of a block that is finished on another page are left out", "[workers]") {
  QueriedLog w;
  w.log.append(w.stream(), support::opened());
  std::vector<std::string> shown;
  for (int part = 1; part <= 1500; ++part) {
    w.log.add(w.stream(), domain::PartialOutputRecorded{support::turn(1), 1}, "part");
    if (part % 100 == 0) w.log.seal();
  }
  const bool is_finished = GENERATE(true, false);
  if (is_finished) {
    w.log.append(w.stream(), domain::OutputRecorded{support::turn(1), 1, {}}, "whole");
    shown.emplace_back("whole");
  } else {
    w.log.append(w.stream(), domain::TurnInterrupted{support::turn(1), {}, {}});
    w.log.append(w.stream(), domain::OutputRecorded{support::turn(2), 1, {}}, "another");
    shown.assign(1500, "part");
    shown.emplace_back();  // that it was interrupted
    shown.emplace_back("another");
  }
  QueryBody query;
  query.agent = "main";
  query.reference = "fix-bug";
  CHECK(all_pages(w, query, [](QueryBody& next, const OutputAnswer& page) {
          next.before = page.from;
        }) == shown);
  query.limit = -1;
  CHECK(all_pages(w, query, [](QueryBody& next, const OutputAnswer& page) {
          next.after = page.through;
        }) == shown);
}

TEST_CASE("a page of the log is given to who has seen the same events, and to nobody else",
          "[workers]") {
  QueriedLog w;
  const std::string other = domain::session_stream("other", support::kSource);
  for (int i = 0; i < 12; ++i) {
    w.log.add(i % 3 == 0 ? w.stream() : other, domain::NothingChanged{"text"});
    if (i % 5 == 4) w.log.seal();
  }
  w.log.seal();
  for (const std::int64_t events_max : {1, 2, 0}) {
    bus::ReadRequest request{"agent/main/", {}, events_max, 0};
    while (request.after < w.log.head()) {
      const auto page = w.ask<bus::LogPage>(bus::kReadVerb, request);
      REQUIRE(page.digest);
      bus::FeedEvent last;
      const auto at = static_cast<std::size_t>(page.complete_through.value - 1);
      last.facts.bytes = domain::encode_facts(w.log.events()[at]);
      CHECK(*page.digest == bus::digest_of(last));
      request.after = page.complete_through;
      request.digest = page.digest;
    }
    CHECK(w.ask<bus::LogPage>(bus::kReadVerb, request).digest == request.digest);
  }
  bus::ReadRequest request{"all/", {3}, 0, 0};
  request.digest = base::Hash{};
  const auto other_event = w.reply(bus::kReadVerb, bus::to_body(request));
  CHECK(bus::is_error(other_event, bus::ReplyError::wrong_log));
  CHECK_THAT(other_event.text, Catch::Contains("another event") && Catch::Contains("position 3"));
  request.after = w.log.head().next();
  const auto too_short = w.reply(bus::kReadVerb, bus::to_body(request));
  CHECK(bus::is_error(too_short, bus::ReplyError::wrong_log));
  CHECK_THAT(too_short.text, Catch::Contains("events are missing"));
}

TEST_CASE("pages of the log leave nothing out, however small they are", "[workers]") {
  QueriedLog w;
  const std::string other = domain::session_stream("other", support::kSource);
  std::vector<Position> of_main;
  for (int i = 0; i < 40; ++i) {
    const bool is_main = i % 3 != 0;
    const Position at = w.log.add(is_main ? w.stream() : other, domain::NothingChanged{"text"});
    if (is_main) of_main.push_back(at);
    if (i % 7 == 6) w.log.seal();
  }
  w.log.seal();
  for (const std::int64_t events_max : {1, 2, 3, 7, 100}) {
    for (const std::int64_t bytes_max : {1, 1000, 0}) {
      INFO("at most " << events_max << " events and " << bytes_max << " bytes");
      bus::ReadRequest request{"agent/main/", {}, events_max, bytes_max};
      std::vector<Position> read;
      while (request.after < w.log.head()) {
        const auto page = w.ask<bus::LogPage>(bus::kReadVerb, request);
        REQUIRE(page.complete_through > request.after);
        CHECK(page.events.size() <= static_cast<std::size_t>(events_max));
        for (const auto& event : page.events) read.push_back(event.position);
        request.after = page.complete_through;
      }
      CHECK(read == of_main);
    }
  }
}

// Reads a level page by page, in at most `pages` pages; returns the positions of its events.
std::vector<Position> read_level(QueriedLog& w, const std::string& level, int pages) {
  std::vector<Position> found;
  bus::ReadRequest request{level, {}, 0, 0};
  for (; request.after < w.log.head() && pages > 0; --pages) {
    const auto page = w.ask<bus::LogPage>(bus::kReadVerb, request);
    CHECK(page.complete_through > request.after);
    for (const auto& event : page.events) found.push_back(event.position);
    request.after = page.complete_through;
    request.digest = page.digest;
  }
  CHECK(request.after == w.log.head());
  return found;
}

TEST_CASE("reading a session's level costs what the session has, not what the log has",
          "[workers][C08]") {
  QueriedLog w;
  const std::string other = domain::session_stream("main", support::kSource);
  std::vector<Position> of_session;
  for (int i = 0; i < 20'000; ++i) {
    w.log.add(other, domain::OutputRecorded{support::turn(1), i, {}}, "much text");
    if (i % 4000 == 2000) {
      of_session.push_back(w.log.add(w.stream(), domain::NothingChanged{"mine"}, "text"));
    }
    if (i % 20 == 19) w.log.seal();
  }
  const std::string level = session_level("main", kSession);
  (void)read_level(w, level, 1);  // brings the index up to the log's end
  w.store.forget();
  CHECK(read_level(w, level, 1) == of_session);
  // Five blocks, each for facts and contents, and the log's last block for its digest.
  CHECK(w.store.blocks_read <= 2 * of_session.size() + 1);
  w.store.forget();
  CHECK(read_level(w, "agent/main/", 100).size() == 20'005);
}

TEST_CASE("reading an agent's level reads no content of other agents", "[workers]") {
  QueriedLog w;
  const std::string other = domain::session_stream("other", support::kSource);
  std::vector<Position> of_main;
  for (int i = 0; i < 500; ++i) {
    w.log.add(other, domain::OutputRecorded{support::turn(1), i, {}}, std::string(1000, 'x'));
    if (i == 250) of_main.push_back(w.log.add(w.stream(), domain::NothingChanged{"it"}, "text"));
    if (i % 10 == 9) w.log.seal();
  }
  w.store.forget();
  CHECK(read_level(w, "agent/main/", 1) == of_main);
  CHECK(w.store.content_read < 20'000);
}

TEST_CASE("a session's level is read whole although the stream index leaves events out",
          "[workers]") {
  QueriedLog w;
  std::vector<Position> of_session;
  for (int i = 0; i < 10; ++i) {
    of_session.push_back(w.log.append(w.stream(), domain::NothingChanged{"mine"}));
    (void)read_level(w, session_level("main", kSession), 1);  // makes an index row for each block
  }
  const auto rows = w.index_rows->scan("i/" + w.stream(), {}, 100);
  REQUIRE(rows->size() == 10);
  eventlog::WriteBatch batch;
  batch.remove((*rows)[4].key);
  REQUIRE(w.index_rows->write(batch));
  CHECK(read_level(w, session_level("main", kSession), 1) == of_session);
}

}  // namespace
}  // namespace workers
