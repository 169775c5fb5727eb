// An anchor names the rows by digest, and rows are built anew upon those that it names.
#include "projections/anchored_rows.hpp"

#include <filesystem>

#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "projections/fold/digest.hpp"
#include "projections/start/anchored_states.hpp"
#include "tests/support/failing_reads.hpp"
#include "tests/support/history.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

using base::ErrorCode;
using base::Position;
using eventlog::Anchor;
using eventlog::KeyValueStore;
using eventlog::LogBase;
using projections::ProjectionSet;
using support::History;

std::unique_ptr<KeyValueStore> no_rows() {
  return eventlog::make_memory_key_value_store();
}

struct Anchored {
  explicit Anchored(std::uint64_t seed = 3) : history(seed, {100, 6, 8}) {
    auto folded = projections::fold_anchor(history.log().store(), head(), *rows);
    REQUIRE(folded);
    anchor = *folded;
  }
  Position head() { return history.log().head(); }
  std::vector<eventlog::KeyValue> rows_under(std::string_view prefix) {
    return *rows->scan(prefix, {}, support::kAllEvents);
  }
  // The base of a log that was trimmed there, with a copy of the rows.
  LogBase base() {
    auto copy = no_rows();
    eventlog::WriteBatch batch;
    for (const auto& row : rows_under({})) batch.put(row.key, row.value);
    REQUIRE(copy->write(batch));
    return {anchor, "one", "/no/such/archive", std::move(copy)};
  }

  History history;
  std::unique_ptr<KeyValueStore> rows = no_rows();
  Anchor anchor;
};

bool are_equal(const std::vector<eventlog::KeyValue>& a, const std::vector<eventlog::KeyValue>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.key == y.key && x.value == y.value;
  });
}

TEST_CASE("an anchor names all projections' rows and all streams' states by digest",
          "[projections]") {
  Anchored w;
  CHECK(w.anchor.at.position == w.head());
  std::vector<std::string> names;
  for (const auto& rows : w.anchor.rows) {
    names.push_back(rows.name);
    CHECK(rows.digest == *projections::digest(*w.rows, rows.name));
  }
  CHECK(names == std::vector<std::string>{"session_list", "metrics", "resume_index", "takeover",
                                          "conversation_list", "streams"});
  const auto live = no_rows();
  auto set = ProjectionSet::open(*live);
  REQUIRE(set->catch_up(w.history.log().store(), w.head(), support::kAllEvents));
  const auto digests = *set->digests();
  for (std::size_t i = 0; i < digests.size(); ++i) {
    CHECK(w.anchor.rows[i].digest == digests[i].digest);
    CHECK(w.anchor.rows[i].schema == set->status()[i].schema);
  }
  CHECK(w.anchor.rows.back().schema == projections::StreamStates().schema());
}

TEST_CASE("an anchor's states are those that the streams add up to, as snapshots hold them",
          "[projections]") {
  Anchored w;
  eventlog::SnapshotStore snapshots(*w.rows, eventlog::kBaseStreams);
  std::map<std::string, domain::Envelope> last;
  for (const auto& event : w.history.log().events()) last[event.envelope.stream] = event.envelope;
  CHECK(w.rows_under(eventlog::kBaseStreams).size() == last.size());
  for (const auto& [stream, envelope] : last) {
    INFO(stream);
    const auto loaded = snapshots.load(stream);
    REQUIRE(loaded);
    REQUIRE(*loaded);
    CHECK((*loaded)->version == envelope.version);
    CHECK((*loaded)->last == envelope.position);
    const auto known = w.history.states().find(stream);
    if (known != w.history.states().end()) {
      CHECK(((*loaded)->state == domain::StreamState(known->second)));
    }
  }
}

// With another one nobody can begin where a trimmed log of an earlier release does, unless its
// archives are there. A new aggregate begins with the first schema, and so do its later states
// until a release has written some.
TEST_CASE("states have the schema of those that trimmed logs keep", "[projections]") {
  CHECK(domain::kSchemaOfAll == domain::kFirstSchema);
}

TEST_CASE("an anchor is of the end of a block", "[projections]") {
  support::LogBuilder log;
  for (int i = 0; i < 3; ++i) log.add(domain::kServerStream, domain::ServerStarted{{}, 1, "test"});
  log.seal();
  const auto rows = no_rows();
  const auto folded = projections::fold_anchor(log.store(), Position{2}, *rows);
  REQUIRE_FALSE(folded);
  CHECK(folded.error().code == ErrorCode::invalid);
  CHECK(projections::fold_anchor(log.store(), Position{1}, *rows));
  // Rows that are there already are gone on from.
  const auto whole = projections::fold_anchor(log.store(), log.head(), *rows);
  REQUIRE(whole);
  CHECK(*whole == *projections::fold_anchor(log.store(), log.head(), *no_rows()));
  CHECK_FALSE(projections::fold_anchor(log.store(), log.head().next(), *rows));
}

TEST_CASE("the rows of a base are held against its anchor", "[projections]") {
  Anchored w;
  CHECK(projections::check_anchored_rows(w.base()));
  const auto refused = [&](LogBase base, ErrorCode code) {
    const auto checked = projections::check_anchored_rows(base);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == code);
    const auto opened = projections::open_anchored_rows(std::move(base));
    REQUIRE_FALSE(opened);  // there is no archive that could help
    CHECK(opened.error().code == (code == ErrorCode::wrong_log      ? ErrorCode::refused
                                  : code == ErrorCode::rows_damaged ? ErrorCode::damaged
                                                                    : code));
    CHECK_THAT(opened.error().text, Catch::Contains("which cannot be read instead"));
  };
  for (std::size_t i = 0; i < w.anchor.rows.size(); ++i) {
    INFO(w.anchor.rows[i].name);
    LogBase other_release = w.base();
    ++other_release.anchor.rows[i].schema;
    refused(std::move(other_release), ErrorCode::wrong_log);
    LogBase not_named = w.base();
    not_named.anchor.rows.erase(not_named.anchor.rows.begin() + static_cast<std::ptrdiff_t>(i));
    // An anchor of a release without conversations names no rows of theirs.
    const bool may_lack = w.anchor.rows[i].name == "conversation_list";
    if (may_lack) CHECK(projections::check_anchored_rows(not_named));
    if (!may_lack) refused(std::move(not_named), ErrorCode::wrong_log);
    LogBase changed = w.base();
    const auto row = (*changed.rows)->scan(w.anchor.rows[i].name + "/", {}, 1)->front();
    eventlog::WriteBatch batch;
    batch.put(row.key, row.value + "x");
    REQUIRE((*changed.rows)->write(batch));
    refused(std::move(changed), ErrorCode::damaged);
  }
  LogBase missing = w.base();
  missing.rows = base::failure(ErrorCode::rows_damaged, "they are gone");
  refused(std::move(missing), ErrorCode::rows_damaged);
  auto opened = projections::open_anchored_rows(w.base());
  REQUIRE(opened);
  CHECK(are_equal(*(*opened)->scan({}, {}, support::kAllEvents), w.rows_under({})));
}

// The first so many blocks of a log, as an archive holds them.
void write_archive(eventlog::BlockStore& log, Position through, const std::string& folder) {
  const eventlog::LogFolder root{folder};
  std::filesystem::create_directories(root.root);
  auto store = eventlog::open_rocksdb_store({root.log()});
  REQUIRE(store);
  for (Position next{1}; next <= through;) {
    const auto page = log.read(next, 1 << 20, true);
    REQUIRE(page);
    for (const auto& stored : *page) {
      const auto block = eventlog::parse_block(stored.facts);
      if (block->header.first > through) break;
      eventlog::SealedBlock sealed;
      sealed.header = block->header;
      sealed.facts = stored.facts;
      sealed.content = stored.content;
      sealed.hash = block->hash();
      REQUIRE((*store)->append(sealed).status == eventlog::AppendStatus::stored);
      next = block->header.last().next();
    }
  }
}

TEST_CASE("rows that were lost are folded anew from the archive", "[projections]") {
  Anchored w;
  support::TempFolder folder;
  const auto lost = [&](const std::string& archive) {
    return LogBase{w.anchor, "one", folder.file(archive),
                   base::failure(ErrorCode::rows_damaged, "they are gone")};
  };
  write_archive(w.history.log().store(), w.head(), folder.file("whole"));
  auto opened = projections::open_anchored_rows(lost("whole"));
  if (!opened) FAIL(base::describe(opened.error()));
  CHECK(are_equal(*(*opened)->scan({}, {}, support::kAllEvents), w.rows_under({})));

  const auto refused = [&](const std::string& archive, const std::string& why) {
    const auto rows = projections::open_anchored_rows(lost(archive));
    REQUIRE_FALSE(rows);
    CHECK(rows.error().code == ErrorCode::damaged);
    CHECK_THAT(rows.error().text, Catch::Contains("they are gone") && Catch::Contains(why));
  };
  refused("missing", "which cannot be read instead");
  write_archive(w.history.log().store(), Position{1}, folder.file("short"));
  refused("short", "does not end at position " + std::to_string(w.head().value));
  support::LogBuilder other(99);
  while (other.head() < w.head()) {
    other.append(domain::kServerStream, domain::ServerStarted{{}, 1, "test"});
  }
  write_archive(other.store(), w.head(), folder.file("other"));
  refused("other", "the archives are of another log");
  support::LogBuilder broken(99);
  while (broken.head().next() < w.head()) {
    broken.append(domain::kServerStream, domain::ServerStarted{{}, 1, "test"});
  }
  broken.set_previous({});
  broken.append(domain::kServerStream, domain::ServerStarted{{}, 1, "test"});
  write_archive(broken.store(), w.head(), folder.file("broken"));
  refused("broken", "the chain is broken");
}

TEST_CASE("rows are built anew upon those that an anchor names", "[projections]") {
  Anchored w;
  const auto all = projections::all_projections();
  for (const auto& projection : all) {
    INFO(projection->name());
    const std::string name(projection->name());
    const auto to = no_rows();
    eventlog::WriteBatch old;
    old.put(name + "/zz/old", "old");
    old.put("another/row", "kept");
    REQUIRE(to->write(old));
    CHECK_FALSE(*projections::can_go_on(*to, *projection, w.head()));
    REQUIRE(projections::copy_anchored_rows(*w.rows, *projection, *to));
    CHECK(are_equal(*to->scan(name + "/", {}, support::kAllEvents), w.rows_under(name + "/")));
    CHECK(are_equal(*to->scan("checkpoint/", {}, 10), w.rows_under("checkpoint/" + name)));
    CHECK(*to->get("another/row") == "kept");
    CHECK(*projections::can_go_on(*to, *projection, w.head()));
    CHECK(*projections::can_go_on(*to, *projection, Position{1}));
    CHECK_FALSE(*projections::can_go_on(*to, *projection, w.head().next()));
    // Done again, it has the same outcome.
    REQUIRE(projections::copy_anchored_rows(*w.rows, *projection, *to));
    CHECK(*projections::digest(*to, name) == *projections::digest(*w.rows, name));
    CHECK_FALSE(*projections::can_go_on(*to, projections::StreamStates(), Position{1}));
  }
  const auto to = no_rows();
  REQUIRE(projections::copy_all_anchored_rows(*w.rows, *to));
  CHECK(are_equal(*to->scan({}, {}, support::kAllEvents), w.rows_under({})));
}

TEST_CASE("rows of another schema cannot be gone on with", "[projections]") {
  class Later final : public projections::Projection {
   public:
    std::string_view name() const override { return "metrics"; }
    std::int64_t schema() const override { return 1'000; }
    void apply(const domain::RecordedEvent&, const std::optional<domain::StreamRef>&,
               projections::Rows&) const override {}
  };
  Anchored w;
  CHECK_FALSE(*projections::can_go_on(*w.rows, Later(), Position{1}));
}

TEST_CASE("states that an anchor names become snapshots where there are no newer ones",
          "[projections]") {
  Anchored w;
  const Position begin = w.head();
  const auto index = no_rows();
  eventlog::SnapshotStore snapshots(*index);
  const std::string& older = w.history.states().begin()->first;
  const std::string& newer = w.history.states().rbegin()->first;
  REQUIRE(older != newer);
  eventlog::SnapshotStore base(*w.rows, eventlog::kBaseStreams);
  eventlog::LoadedStream stale = **base.load(older);
  stale.version = {1};
  REQUIRE(snapshots.save(older, stale));
  eventlog::LoadedStream fresh = **base.load(newer);
  fresh.version = {fresh.version.value + 1};
  REQUIRE(snapshots.save(newer, fresh));

  CHECK_FALSE(*projections::has_anchored_streams(*index, begin));
  REQUIRE(projections::copy_anchored_streams(*w.rows, *index, begin));
  CHECK(*projections::has_anchored_streams(*index, begin));
  CHECK_FALSE(*projections::has_anchored_streams(*index, begin.next()));
  for (const auto& row : w.rows_under(eventlog::kBaseStreams)) {
    const std::string stream = row.key.substr(eventlog::kBaseStreams.size());
    INFO(stream);
    const auto loaded = snapshots.load(stream);
    REQUIRE(loaded);
    REQUIRE(*loaded);
    const auto expected = stream == newer ? fresh : **base.load(stream);
    CHECK((*loaded)->version == expected.version);
    CHECK((*loaded)->last == expected.last);
    CHECK(((*loaded)->state == expected.state));
  }
}

TEST_CASE("whichever row cannot be read, nothing counts as built upon it", "[projections]") {
  Anchored w;
  const auto all = projections::all_projections();
  CHECK(support::require_each_read_matters(*w.rows, [&](KeyValueStore& from) {
          return projections::copy_all_anchored_rows(from, *no_rows());
        }) >= 2 * (all.size() + 1));
  CHECK(support::require_each_read_matters(*w.rows, [&](KeyValueStore& from) {
          return projections::copy_anchored_streams(from, *no_rows(), w.head());
        }) > w.history.states().size());
  CHECK(support::require_each_read_matters(*w.rows, [&](KeyValueStore& rows) {
          return projections::can_go_on(rows, *all.front(), w.head());
        }) == 1);
  CHECK(support::require_each_read_matters(*w.rows, [&](KeyValueStore& rows) {
          return projections::has_anchored_streams(rows, w.head());
        }) == 1);
  const auto into = no_rows();
  CHECK(support::require_each_read_matters(*into, [&](KeyValueStore& to) {
          return projections::copy_anchored_rows(*w.rows, *all.front(), to);
        }) > 2);
  CHECK(support::require_each_read_matters(*into, [&](KeyValueStore& index) {
          return projections::copy_anchored_streams(*w.rows, index, w.head());
        }) > 2);
  CHECK(support::require_each_read_matters(*w.rows, [&](KeyValueStore& rows) {
          return projections::fold_anchor(w.history.log().store(), w.head(), rows);
        }) >= 2 * (all.size() + 1));
}

}  // namespace
