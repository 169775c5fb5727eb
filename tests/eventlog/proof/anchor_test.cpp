// Anchors: the file of the key, the file of an anchor, and anchors on the record, checked against
// log and key.
#include "eventlog/proof/anchor.hpp"

#include <sys/stat.h>

#include <fstream>

#include "eventlog/proof/signing_key.hpp"
#include "eventlog/proof/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/one_session.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/verify_report.hpp"

namespace {

using base::ErrorCode;
using base::Position;
using Catch::Contains;
using eventlog::Anchor;
using eventlog::SignedAnchor;
using eventlog::VerifyReport;
using support::check_only_problem;
using support::kStream;

base::SigningKey key_of(std::uint64_t number) {
  base::SeededRandom random(number);
  return base::SigningKey(base::SigningKey::make_seed(random));
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A log with a session, and anchors of it.
struct AnchorFixture {
  support::LogBuilder log;
  base::SigningKey key = key_of(1);
  AnchorFixture() {
    domain::SessionOpened opened;
    opened.session = *base::SessionId::parse(support::kOnlySession);
    opened.agent = "main";
    log.append(kStream, opened);
    say(3);
  }
  void say(int count) {
    for (int i = 0; i < count; ++i) log.append(kStream, domain::AgentLineRecorded{});
  }
  // Returns an anchor of the block that holds the position.
  Anchor anchor(Position at) {
    const auto stored = *log.store().read(at, 1, false);
    const auto block = *eventlog::parse_block(stored.front().facts);
    return {{block.header.log, block.header.epoch, block.header.last(), block.hash()},
            {{"metrics", 1, {}}},
            {1}};
  }
  void record(const SignedAnchor& anchor) { log.append("$server", anchor); }
  VerifyReport verify(std::set<std::string> keys = {}) {
    return eventlog::verify_log(log.store(), {}, {}, {{}, {}, std::move(keys)});
  }
};

TEST_CASE("an anchor opens as it was signed, and with any flipped bit not at all", "[eventlog]") {
  AnchorFixture f;
  const Anchor anchor = f.anchor(f.log.head());
  const SignedAnchor made = eventlog::sign_anchor(anchor, f.key);
  const auto opened = eventlog::open_anchor(made);
  REQUIRE(opened);
  CHECK(*opened == anchor);
  for (std::size_t bit = 0; bit < 8 * made.anchor.encoded.size(); ++bit) {
    SignedAnchor changed = made;
    changed.anchor.encoded[bit / 8] =
        static_cast<char>(changed.anchor.encoded[bit / 8] ^ 1 << bit % 8);
    const auto refused = eventlog::open_anchor(changed);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::damaged);
  }
  SignedAnchor others = made;
  others.key = key_of(2).public_key();
  CHECK_FALSE(eventlog::open_anchor(others));
}

TEST_CASE("a key is made once, for its owner alone", "[eventlog]") {
  support::TempFolder folder;
  base::SystemRandom random;
  const std::string path = folder.file("key");
  const auto made = eventlog::open_signing_key(path, random);
  REQUIRE(made);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  const auto again = eventlog::open_signing_key(path, random);
  REQUIRE(again);
  CHECK(again->public_key() == made->public_key());
  const auto other = eventlog::open_signing_key(folder.file("other"), random);
  REQUIRE(other);
  CHECK(other->public_key() != made->public_key());

  SECTION("one that others may read is refused") {
    REQUIRE(::chmod(path.c_str(), 0640) == 0);
    const auto refused = eventlog::open_signing_key(path, random);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    CHECK(refused.error().where == path);
  }
  SECTION("one that was damaged is refused, wherever") {
    const std::string whole = bytes_of(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      put(path, changed);
      const auto refused = eventlog::open_signing_key(path, random);
      INFO("byte " << at);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::damaged);
      CHECK(refused.error().where == path);
    }
  }
}

TEST_CASE("an anchor's file is read as it was written, or named", "[eventlog]") {
  AnchorFixture f;
  support::TempFolder folder;
  const std::string path = folder.file("anchor");
  const auto made = eventlog::sign_anchor(f.anchor(f.log.head()), f.key);
  REQUIRE(eventlog::write_anchor_file(path, made));
  CHECK(*eventlog::read_anchor_file(path) == made);
  const auto missing = eventlog::read_anchor_file(folder.file("nothing"));
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::not_found);
  std::string bytes = bytes_of(path);
  for (const std::string& wrong :
       {std::string(), std::string("letter"), bytes + "x", bytes.substr(0, bytes.size() - 1)}) {
    put(path, wrong);
    const auto refused = eventlog::read_anchor_file(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::damaged);
    CHECK(refused.error().where == path);
  }
}

TEST_CASE("anchors on the record are held against log and key", "[eventlog]") {
  AnchorFixture f;
  const Position end = f.log.head();
  const Anchor anchor = f.anchor(end);
  const std::string own = base::fingerprint(f.key.public_key());
  const std::string other = base::fingerprint(key_of(2).public_key());

  SECTION("those that hold are counted") {
    f.record(eventlog::sign_anchor(anchor, f.key));
    f.say(2);
    f.record(eventlog::sign_anchor(f.anchor({3}), key_of(2)));
    const auto report = f.verify();
    CHECK(report.problems.empty());
    CHECK(report.anchors == std::map<std::string, std::int64_t>{{own, 1}, {other, 1}});
    CHECK(report.anchored == Position{3});
    check_only_problem(f.verify({own}), f.log.head(), "not trusted", ErrorCode::wrong_log);
    CHECK(f.verify({own, other}).problems.empty());
  }
  SECTION("one that was changed") {
    auto made = eventlog::sign_anchor(anchor, f.key);
    made.anchor.encoded.back() ^= 1;
    f.record(made);
    check_only_problem(f.verify(), f.log.head(), "signature");
  }
  SECTION("one of another block") {
    Anchor wrong = anchor;
    wrong.at.hash[0] ^= 1;
    f.record(eventlog::sign_anchor(wrong, f.key));
    check_only_problem(f.verify(), f.log.head(), "no such block");
  }
  SECTION("one of another log, another epoch, within a block, or of what is yet to come") {
    Anchor wrong = anchor;
    SECTION("log") {
      wrong.at.log.bytes[3] ^= 1;
    }
    SECTION("epoch") {
      ++wrong.at.epoch.counter;
    }
    SECTION("later") {
      wrong.at.position = end.plus(10);
    }
    f.record(eventlog::sign_anchor(wrong, f.key));
    check_only_problem(f.verify(), f.log.head(), "no such block");
  }
  SECTION("a log that was shortened to before the first one") {
    check_only_problem(f.verify({own}), end, "shortened", ErrorCode::wrong_log);
    CHECK(f.verify().problems.empty());
  }
}

}  // namespace
