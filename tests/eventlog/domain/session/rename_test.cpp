// A session is given another name, while it lives or later. No two live sessions have one name.
#include "eventlog/domain/admission/name_mark.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::kSession;
using support::numbered;

Fact admitted(int number, std::string name, std::int64_t mark = 0) {
  const auto id = numbered<SessionId>(number);
  return fact(SessionAdmitted{id, "other", "alias00" + std::to_string(number), std::move(name),
                              mark})
      .on(support::kAdmission);
}

TEST_CASE("a live session leaves its name and takes another", "[session]") {
  const auto after =
      given(support::idle())
          .when(RenameSession{"login page"})
          .then(SessionRenamed{"login page"},
                fact(NameReleased{kSession, "fix-bug"}).on(support::kRegistry),
                fact(NameClaimed{kSession, "login page", {}}).on(support::kRegistry),
                fact(NameChanged{kSession, "alias000", "login page"}).on(support::kAdmission));
  CHECK(after.session().name == "login page");
  CHECK(after.session().alias == "alias000");
  CHECK(after.registry().names == std::map<std::string, SessionId>{{"login page", kSession}});
  CHECK(after.admission().names.at("login page") == NameHolder{kSession, "alias000"});
  CHECK(reply(after.session(), RenameSession{"login page"}).name == "login page");
  after.when(RenameSession{"login page"}).then(NothingChanged{std::string(RenameSession::kType)});
}

TEST_CASE("a name that was made from the prompt gives way, and is free", "[session]") {
  auto past = support::idle();
  auto& opened = *past.front().event.as<SessionOpened>();
  opened.name.clear();
  past.insert(past.begin() + 1, fact(SessionNamed{name_mark("fix-bug"), 1}).with("fix-bug"));
  std::erase_if(past, [](const Fact& one) { return one.event.is<NameClaimed>(); });
  for (Fact& one : past) {
    if (auto* e = one.event.as<SessionAdmitted>()) e->name_mark = name_mark("fix-bug");
  }
  CHECK(made_name_at(given(past).session()).value != 0);
  const auto after =
      given(past)
          .when(RenameSession{"fix-bug"})
          .then(SessionRenamed{"fix-bug"},
                fact(NameClaimed{kSession, "fix-bug", {}}).on(support::kRegistry),
                fact(NameChanged{kSession, "alias000", "fix-bug"}).on(support::kAdmission));
  CHECK(after.admission().name_marks.empty());
  CHECK(made_name_at(after.session()).value == 0);
  // Its text is still erased with the prompt.
  CHECK(after.session().made_name.version == StreamVersion{2});
}

TEST_CASE("a session that has ended is given a name that nobody needs", "[session]") {
  given(support::killed()).when(RenameSession{"old"}).then(SessionRenamed{"old"});
  given(support::killed() + admitted(7, "old"))
      .when(RenameSession{"old"})
      .then_rejected(RejectionCode::already_exists);
}

TEST_CASE("a name of another live session is refused, and one that cannot be given", "[session]") {
  const auto refused = [](const std::vector<Fact>& past, std::string name, RejectionCode code) {
    given(past).when(RenameSession{std::move(name)}).then_rejected(code);
  };
  refused(support::idle() + admitted(7, "login"), "login", RejectionCode::already_exists);
  refused(support::idle() + admitted(7, "", name_mark("login")), "login",
          RejectionCode::already_exists);
  refused(support::idle() +
              fact(NameClaimed{numbered<SessionId>(7), "login", {}}).on(support::kRegistry),
          "login", RejectionCode::already_exists);
  for (const std::string& bad :
       {std::string(), std::string(65, 'x'), std::string("two\nlines"), std::string("\x1b[1m"),
        std::string("\xff"), std::string("@self"), std::string(" a"), std::string("4fzk2q9x")}) {
    refused(support::idle(), bad, RejectionCode::invalid);
  }
  refused({}, "login", RejectionCode::not_found);
}

TEST_CASE("a renamed session leaves its last name at its end", "[session]") {
  const auto after = given(support::idle() + SessionRenamed{"login"} +
                           fact(NameReleased{kSession, "fix-bug"}).on(support::kRegistry) +
                           fact(NameClaimed{kSession, "login", {}}).on(support::kRegistry) +
                           fact(NameChanged{kSession, "alias000", "login"}).on(support::kAdmission))
                         .when(KillSession{})
                         .outcome();
  REQUIRE(after);
  bool is_released = false;
  for (const Emitted& one : *after) {
    const auto* released = one.event.as<NameReleased>();
    is_released = is_released || (released != nullptr && released->name == "login");
  }
  CHECK(is_released);
}

}  // namespace
}  // namespace domain
