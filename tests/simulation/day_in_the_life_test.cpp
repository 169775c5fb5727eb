// A day in the life of a server, told as a story. It begins on a Saturday evening in Berlin and
// ends on the Sunday evening; the clocks are set back in the night between. There are 200 sessions
// of all kinds, two losses of power and one crash of the worker. The texts that everybody
// hears are in the story, beside what happens, and nobody hears anything else.
#include <algorithm>
#include <chrono>

#include "tests/simulation/day.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment_number.hpp"
#include "workers/time_zones/system_time_zones.hpp"

namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using base::Time;
using domain::DescriptorKind;
using simulation::Day;
using simulation::Task;
using simulation::TurnPlan;
using std::to_string;

// ---- times, money and words ----

// 2026-10-25 00:00 in Berlin, which is 22:00 UTC of the day before.
constexpr Time kSunday{1'792'879'200'000'000};

// Times as clocks in Berlin show them: on that Sunday before 03:00, when they are set back to
// 02:00; behind that; and on the day before.
Time summer(int hours, int minutes, base::Duration more = 0s) {
  return kSunday + std::chrono::hours(hours) + std::chrono::minutes(minutes) + more;
}
Time winter(int hours, int minutes, base::Duration more = 0s) {
  return summer(hours + 1, minutes, more);
}
Time saturday(int hours, int minutes, base::Duration more = 0s) {
  return summer(hours - 24, minutes, more);
}

constexpr base::NanoUsd cents(std::int64_t count) {
  return {count * 10'000'000};
}

// An agent answers after that long, and half a second, so that a text's whole seconds are certain.
TurnPlan after(base::Duration takes, std::string says, base::NanoUsd costs = cents(1)) {
  return {takes + 500ms, std::move(says), costs, false, false};
}
TurnPlan failing(base::Duration takes) {
  return {takes + 500ms, {}, cents(1), true, false};
}

std::string channel_of(const std::string& user) {
  return "telegram|" + user;
}

// A session's name and its id; these are the same where the session was given a name.
std::string named(const std::string& name, const std::string& shown_name = {}) {
  return (shown_name.empty() ? name : shown_name) + " [" + name + "]";
}

// What an agent said last stands below an empty line.
std::string below(const std::string& words) {
  return words.empty() ? "" : " /  / " + words;
}

// "✅ Session NAME [NAME] completed (40s)", where it ran, what it was asked first, why it ended, and
// what its agent said last.
std::string ended(const std::string& how, const std::string& session, const std::string& lived,
                  const std::string& prompt, const std::string& words,
                  const std::string& why = {}) {
  const std::string sign = how == "completed" ? "✅" : how == "failed" ? "❌" : "⛔";
  const std::string text =
      sign + " Session " + session + " " + how + " (" + lived + ") / 📁 /srv / 📝 " + prompt;
  return text + (why.empty() ? "" : " / ⚠️ " + why) + below(words);
}

std::string reminder(const std::string& name, const std::string& lived = "10m0s") {
  return "⏱️ Session " + named(name) + " running for " + lived;
}

// ---- who hears ----

// The orchestrator hears titles.
void orchestrator_hears(Day& day, const std::string& name, const std::string& title,
                        const std::string& shown_name = {}) {
  day.hears("orchestrator", name, "Session " + title + ": " + named(name, shown_name));
}

void user_hears(Day& day, const std::string& name, const std::string& text) {
  day.hears(channel_of(name), name, text);
}

// A user and the orchestrator hear that the session waits, has ended, or has spent its budget.
void waits(Day& day, const std::string& name, const std::string& words) {
  const std::string does = words.ends_with('?') ? "asks" : "waits for input";
  user_hears(day, name, "🔔 [" + name + "] The agent " + does + ": / " + words);
  orchestrator_hears(day, name, "waits for input");
}
void ends(Day& day, const std::string& how, const std::string& name, const std::string& lived,
          const std::string& prompt, const std::string& words, const std::string& why = {}) {
  user_hears(day, name, ended(how, named(name), lived, prompt, words, why));
  orchestrator_hears(day, name, how);
}
void is_cut_off(Day& day, const std::string& name) {
  user_hears(day, name,
             "⚠️ Internal error. Session " + named(name) +
                 " lost its agent with a turn, which is not tried again");
  orchestrator_hears(day, name, "lost its agent with a turn");
}
void has_spent_budget(Day& day, const std::string& name, const std::string& lived,
                      const std::string& words) {
  user_hears(
      day, name,
      "⛔ Session limit reached — " + named(name) + " (" + lived + ") / 📁 /srv" + below(words));
  orchestrator_hears(day, name, "limit reached");
}

// ---- chapters ----

// Schedules are made on Saturday evening, and run until Sunday evening, in the zone of Berlin.
constexpr auto kOps = "telegram|ops";

void schedules(Day& day) {
  domain::ScheduleSpec spec;
  spec.zone = "Europe/Berlin";
  spec.session.channel = kOps;
  // A run's session is named after its schedule. No other one has the name by then.
  const auto ops_hear = [&](int run, const std::string& lived, const std::string& words) {
    const std::string name = spec.name + " " + to_string(run);
    day.hears(kOps, name, ended("completed", named(name, spec.name), lived, spec.prompt, words));
    orchestrator_hears(day, name, "completed", spec.name);
  };

  // 02:30 comes twice in this night. A line that names its hour means it once.
  spec.name = "nightly";
  spec.when = "30 2 * * *";
  spec.prompt = "Copy the database.";
  day.schedules(saturday(22, 0), spec, after(90s, "Copied."));
  ops_hear(1, "1m30s", "Copied.");

  // A line with * for the hours means 02:15 both times: 22, 0, 2, 2, 4, … 18 o'clock are 12 times.
  spec.name = "parcels";
  spec.when = "15 */2 * * *";
  spec.prompt = "Count the parcels.";
  day.schedules(saturday(22, 1), spec, after(20s, "17 parcels."));
  for (int run = 1; run <= 12; ++run) {
    // The tenth, at 14:15, is lost with the worker. Nobody hears of it, and the next one goes on.
    if (run == 10) continue;
    ops_hear(run, "20s", "17 parcels.");
  }

  // Once, at a local time behind the change.
  spec.name = "papers";
  spec.kind = domain::ScheduleKind::at;
  spec.when = "2026-10-25 07:00";
  spec.prompt = "Read the papers.";
  day.schedules(saturday(22, 2), spec, after(30s, "Rain."));
  ops_hear(1, "30s", "Rain.");

  // Heartbeats go to one session, in even steps over the change. They never wait for anybody. The
  // reminder comes once, and not to orchestrators.
  spec.name = "pulse";
  spec.kind = domain::ScheduleKind::every;
  spec.when = "30m";
  spec.run = domain::RunKind::heartbeat;
  spec.prompt = "Look around.";
  day.schedules(saturday(22, 15), spec, after(10s, "All is well."));
  day.hears(kOps, "pulse 1", "⏱️ Session pulse [pulse 1] running for 10m0s");
  // Somebody kills it, and the next beat opens another one.
  day.at(winter(16, 30), [&day] {
    const auto& schedule =
        std::get<domain::SchedulesState>(day.world().log().states().at("$schedules"));
    day.world().ask(domain::SessionCommand(domain::KillSession{}),
                    schedule.schedules.at("pulse").session);
  });
  // The last five of its blocks.
  std::string words = "All is well.";
  for (int i = 1; i < 5; ++i) words += " / All is well.";
  day.hears(kOps, "pulse 1",
            ended("killed", named("pulse 1", spec.name), "1125m0s", spec.prompt, words));
  orchestrator_hears(day, "pulse 1", "killed", spec.name);
  day.hears(kOps, "pulse 2", "⏱️ Session pulse [pulse 2] running for 10m0s");
}

// 120 users ask one question each: 20 in the evening, and 100 in the morning.
void questions(Day& day) {
  const Task task{"Count the boats.", after(40s, "Nine boats.")};
  for (int i = 1; i <= 120; ++i) {
    const std::string name = "user-" + to_string(i);
    const Time time = i <= 20 ? saturday(22, 20, (i - 1) * 90s) : winter(8, 0, (i - 21) * 150s);
    day.opens(time, {name, task});
    ends(day, "completed", name, "40s", task.prompt, task.plan.says);
  }
}

// The power fails at 02:30, when the nightly run is on the record and its session is not yet open.
// It is back at 02:34. The run comes then, once.
void power_fails_at_night(Day& day) {
  const Task dream{"Describe a dream.", after(20min, "A boat.")};
  day.opens(summer(2, 28), {"night-watch", dream, true});
  day.opens(summer(2, 29), {"night-owl", dream});
  day.at(summer(2, 29, 59s), [&day] {
    const auto& log = day.world().log();
    const auto is_fired = [&] {
      const auto* fired = log.events().back().event.as<domain::ScheduleFired>();
      return fired != nullptr && fired->schedule == "nightly";
    };
    CHECK(day.world().run_until(is_fired, 2s));
    day.world().lose_power(4min + 500ms);
  });
  // A session with one turn has failed with it.
  ends(day, "failed", "night-owl", "5m0s", dream.prompt, "", "Internal error.");
  // The other one lives on. Its times begin anew with the server: it is reminded of at 02:44, and
  // ended 30 minutes behind the crash, at 02:04 of the new time.
  is_cut_off(day, "night-watch");
  user_hears(day, "night-watch", reminder("night-watch", "16m0s"));
  ends(day, "killed", "night-watch", "36m0s", dream.prompt, "", "idle");
}

// Users of multi-turn sessions: ten answer, and close them; eight forget theirs.
void conversations(Day& day) {
  for (int i = 0; i < 10; ++i) {
    const std::string name = "talker-" + to_string(i);
    const Task first{"Book a berth.", after(30s, "Which harbour?")};
    const Time time = winter(8, 10, i * 20min);
    day.opens(time, {name, first, true});
    waits(day, name, "Which harbour?");
    day.asks(time + 4min, name, {"The old one.", after(30s, "Booked.")});
    waits(day, name, "Which harbour? / Booked.");
    day.does(time + 8min, name, domain::CloseSession{});
    ends(day, "completed", name, "8m0s", first.prompt, "Which harbour? / Booked.");
  }
  const Task forgotten{"Plan a trip.", after(20s, "Where to?")};
  for (int i = 0; i < 8; ++i) {
    const std::string name = "forgetful-" + to_string(i);
    day.opens(winter(8, 20, i * 10min), {name, forgotten, true});
    waits(day, name, "Where to?");
    user_hears(day, name, reminder(name));
    ends(day, "killed", name, "30m20s", forgotten.prompt, "Where to?", "idle");
  }
}

// Four users have subagents, five each: a subagent's end is a prompt for its parent, which then
// waits again. The power fails within that.
void subagents(Day& day) {
  day.set_usual(after(20s, "Noted."));
  const Time times[] = {winter(9, 10), winter(9, 57), winter(13, 0), winter(14, 9)};
  for (int i = 0; i < 4; ++i) {
    const std::string parent = "coordinator-" + to_string(i + 1);
    const Task task{"Search the harbour.", after(20s, "I begin.")};
    day.opens(times[i], {parent, task, true});
    std::string words = "I begin.";
    waits(day, parent, words);
    for (int child = 1; child <= 5; ++child) {
      const std::string name = "scout-" + to_string(i + 1) + "-" + to_string(child);
      const bool fails = i == 2 && child == 4;
      const bool is_lost = i == 3 && child == 3;        // with the worker, at 14:15
      const bool is_told_twice = i == 1 && child == 2;  // the power fails then
      simulation::Opening scout{
          name, {"Search the pier.", after(30s, "Nothing.")}, false, {}, {}, parent, {}};
      if (fails) scout.task = {"Search the wreck.", failing(30s)};
      if (is_told_twice) scout.channel = "telegram|logbook";
      day.opens(times[i] + child * 2min, scout);
      const std::string how = fails || is_lost ? "failed" : "completed";
      orchestrator_hears(day, name, how);
      day.hears(parent, name,
                "Subagent " + name + " (" + name + ") " + how +
                    (is_lost ? ": Restored with pending work." : ".") +
                    " / Its words: steno output " + name);
      if (is_told_twice) {
        day.hears("telegram|logbook", name,
                  ended(how, named(name), "30s", scout.task.prompt, "Nothing."));
        for (const std::string& who : {std::string("telegram|logbook"), parent}) {
          day.hears_again(who, name);
        }
        // The parent is within a turn then, and goes on with the news.
        day.asks(times[i] + 4min + 20s, parent, {"Draw a map.", after(60s, "A map.")});
        is_cut_off(day, parent);
      }
      // The last five of its blocks.
      words = child == 5 ? "Noted. / Noted. / Noted. / Noted. / Noted." : words + " / Noted.";
      // The fifth scout is sent as the reminder comes. After a crash it comes later.
      if (child == 5 && i != 1) user_hears(day, parent, reminder(parent));
      waits(day, parent, words);
    }
    if (i == 1) user_hears(day, parent, reminder(parent, "14m50s"));
    day.does(times[i] + 16min, parent, domain::CloseSession{});
    ends(day, "completed", parent, "16m0s", task.prompt, words);
  }
}

// The power fails when a scout's end has become a prompt of its parent, and that this was delivered
// is not on the record. It is delivered again, under the same id, and the parent has one prompt. So
// is what a channel took whose program had not ended yet.
void power_fails_within_a_delivery(Day& day) {
  // One session waits over the loss of power. Its time to be idle begins anew at 10:01:50.
  const Task task{"Plan a feast.", after(20s, "For whom?")};
  day.opens(winter(9, 50), {"host", task, true});
  waits(day, "host", "For whom?");
  user_hears(day, "host", reminder("host"));
  ends(day, "killed", "host", "41m50s", task.prompt, "For whom?", "idle");

  day.world().set_slow("telegram|logbook", 1s);
  day.at(winter(10, 1, 25s), [&day] {
    const auto& events = day.world().log().events();
    const auto scout = day.session("scout-2-2");
    const auto known = static_cast<std::ptrdiff_t>(events.size());
    const auto is_prompted = [&] {
      return std::any_of(events.begin() + known, events.end(),
                         [&](const domain::RecordedEvent& event) {
                           const auto* queued = event.event.as<domain::TurnQueued>();
                           return queued != nullptr && queued->from == scout;
                         });
    };
    CHECK(day.world().run_until(is_prompted, 20s));
    day.world().lose_power(20s);
  });
}

void budgets(Day& day) {
  // The second turn spends more than is left, and is stopped half way.
  for (const std::string name : {"spender-1", "spender-2"}) {
    const Time time = name == "spender-1" ? winter(12, 20) : winter(12, 21);
    day.opens(time, {name, {"Buy bread.", after(20s, "And?", cents(20))}, true, cents(50)});
    waits(day, name, "And?");
    day.asks(time + 3min, name, {"Buy a boat.", after(40s, "Bought.", cents(120))});
    has_spent_budget(day, name, "3m20s", "And?");
  }
  // The only turn does.
  day.opens(winter(12, 22),
            {"lavish", {"Buy a pier.", after(40s, "", cents(120))}, false, cents(50)});
  has_spent_budget(day, "lavish", "20s", "");
  // The end of a turn tells that all is spent. The session takes no prompt, and is ended as idle.
  const Task task{"Buy nets.", after(20s, "Ten nets.", cents(80))};
  day.opens(winter(12, 23), {"overspender", task, true, cents(50)});
  has_spent_budget(day, "overspender", "20s", "Ten nets.");
  day.asks_in_vain(winter(12, 26), "overspender", "over_budget");
  user_hears(day, "overspender", reminder("overspender"));
  ends(day, "killed", "overspender", "30m20s", task.prompt, "Ten nets.", "idle");
}

// A channel takes a session into its foreground and puts it back. It hears of it only meanwhile.
std::vector<std::string> foreground(Day& day) {
  const std::string name = "watched";
  const std::string desk = "slack|desk";
  const Time time = winter(12, 40);
  const Task task{"Paint the hull.", after(20s, "Which colour?")};
  day.opens(time, {name, task, true});
  waits(day, name, "Which colour?");
  day.does(time + 2min, name, domain::SetForeground{desk, true});
  day.asks(time + 3min, name, {"Red.", after(20s, "Half is red.")});
  waits(day, name, "Which colour? / Half is red.");
  const std::string waiting_here = "💬 Session watched [watched] is waiting for input (";
  const std::string how_to_reply = ") / Reply: steno send watched \"…\"";
  day.hears(desk, name, waiting_here + "3m20s" + how_to_reply);
  day.does(time + 5min, name, domain::SetForeground{desk, false});
  day.asks(time + 6min, name, {"The rest, too.", after(20s, "All is red.")});
  waits(day, name, "Which colour? / Half is red. / All is red.");
  day.does(time + 8min, name, domain::SetForeground{desk, true});
  // Its own channel, too, so that nobody is reminded after ten minutes.
  day.does(time + 9min, name, domain::SetForeground{channel_of(name), true});
  day.does(time + 11min, name, domain::CloseSession{});
  // Both have seen the words.
  ends(day, "completed", name, "11m0s", task.prompt, "");
  day.hears(desk, name, ended("completed", named(name), "11m0s", task.prompt, ""));

  const std::string to_desk = desk + " about watched: ";
  return {to_desk + "🔧 Bash — work / Which colour?", to_desk + "🔧 Bash — work",
          to_desk + "Half is red.", to_desk + "🔧 Bash — work / All is red.",
          channel_of(name) +
              " about watched: 🔧 Bash — work / Which colour? / 🔧 Bash — work / Half is red. / "
              "🔧 Bash — work / All is red."};
}

// All the other things that go wrong.
void troubles(Day& day) {
  // An agent says nothing for 15 s, and then answers after all. Its user kills the session.
  const Task silence{"Think.", {60s + 500ms, "Hm.", {}, false, true}};
  day.opens(winter(12, 55), {"silent", silence, true});
  user_hears(day, "silent",
             "⚠️ Session silent [silent] is stuck: its agent says nothing, and no tool runs");
  orchestrator_hears(day, "silent", "is stuck");
  waits(day, "silent", "Hm.");
  day.does(winter(12, 57), "silent", domain::KillSession{});
  ends(day, "killed", "silent", "2m0s", silence.prompt, "Hm.");

  // Five agents fail.
  const Task wreck{"Lift the wreck.", failing(20s)};
  for (int i = 0; i < 5; ++i) {
    const std::string name = "unlucky-" + to_string(i);
    day.opens(winter(13, 20, i * 1min), {name, wreck});
    ends(day, "failed", name, "20s", wreck.prompt, "", "Inference failed. error_during_execution");
  }

  // A prompt waits behind a turn that fails, until somebody says that it may go on.
  const Task first{"Mend the net.", failing(30s)};
  day.opens(winter(13, 30), {"patched", first, true});
  day.asks(winter(13, 30, 10s), "patched", {"And dry it.", after(20s, "It is dry.")});
  user_hears(day, "patched",
             "⏸️ Session patched [patched] is paused: a turn failed, and prompts wait / "
             "⚠️ Inference failed. error_during_execution");
  orchestrator_hears(day, "patched", "is paused");
  day.does(winter(13, 31), "patched", domain::ContinueSession{});
  waits(day, "patched", "It is dry.");
  day.does(winter(13, 33), "patched", domain::CloseSession{});
  ends(day, "completed", "patched", "3m0s", first.prompt, "It is dry.");

  // A turn may run for five minutes, and is stopped.
  const Task endless{"Count the waves.", after(20min, "Many.")};
  day.opens(winter(13, 40), {"runaway", endless, true, {}, 5min});
  user_hears(
      day, "runaway",
      "❌ Session runaway [runaway] waits for a prompt: a turn failed / ⚠️ run_timeout");
  orchestrator_hears(day, "runaway", "failed a turn");
  day.does(winter(13, 47), "runaway", domain::CloseSession{});
  ends(day, "completed", "runaway", "7m0s", endless.prompt, "");

  // One turn takes long. Its user is reminded once.
  const Task survey{"Survey the bay.", after(25min, "Deep.")};
  day.opens(winter(13, 5), {"surveyor", survey});
  user_hears(day, "surveyor", reminder("surveyor"));
  ends(day, "completed", "surveyor", "25m0s", survey.prompt, "Deep.");

  // A user kills a session within its turn.
  day.opens(winter(14, 30), {"hasty", survey});
  day.does(winter(14, 30, 15s), "hasty", domain::KillSession{});
  ends(day, "killed", "hasty", "15s", survey.prompt, "");

  // A channel is down for a while. Its user hears once, later.
  const Task stars{"Count the stars.", after(40s, "Seven.")};
  day.at(winter(17, 0), [&day] { day.world().set_down(channel_of("patient"), true); });
  day.opens(winter(17, 0), {"patient", stars});
  day.at(winter(17, 2), [&day] { day.world().set_down(channel_of("patient"), false); });
  ends(day, "completed", "patient", "40s", stars.prompt, "Seven.");
}

// The worker crashes at 14:15:06, with the turns of a scheduled run, of the heartbeat, of a scout
// (see above) and of three users. Another worker comes.
void worker_crashes(Day& day) {
  const Task chart{"Draw a chart.", after(60s, "Drawn.")};
  for (const std::string name : {"dropped-1", "dropped-2"}) {
    day.opens(winter(14, 14, 50s), {name, chart});
    ends(day, "failed", name, "16s", chart.prompt, "", "Internal error.");
  }
  day.opens(winter(14, 14, 40s), {"sailor", chart, true});
  day.at(winter(14, 15, 6s), [&day] { day.world().kill_worker(2s); });
  is_cut_off(day, "sailor");
  day.asks(winter(14, 17), "sailor", {"Once more.", after(60s, "Here it is.")});
  waits(day, "sailor", "Here it is.");
  day.does(winter(14, 19, 40s), "sailor", domain::CloseSession{});
  ends(day, "completed", "sailor", "5m0s", chart.prompt, "Here it is.");
}

simulation::WorldSettings usual_settings() {
  static const workers::SystemTimeZones zones;
  simulation::WorldSettings settings;
  settings.limits.max_sessions = 100;
  settings.limits.idle_timeout = 30min;
  settings.limits.run_timeout = 1h;
  settings.limits.repeated_calls_max = 12;
  settings.limits.remind_after = 10min;
  for (const auto target : {domain::NotificationTarget::channel, domain::NotificationTarget::system,
                            domain::NotificationTarget::parent}) {
    settings.limits.sinks[static_cast<std::size_t>(target)] = true;
  }
  settings.zones = &zones;
  return settings;
}

TEST_CASE("a day in the life of a server is told exactly as it was",
          "[simulation][day][R310][R311]") {
  // Seeds decide how long disks and threads take, and what a loss of power leaves unsynced.
  const auto seed = GENERATE(std::uint64_t{1}, std::uint64_t{2});
  if (static_cast<std::int64_t>(seed) > support::environment_number("STENO_DAYS", 2)) return;
  INFO("seed " << seed);
  Day day(saturday(21, 59), seed, usual_settings());
  schedules(day);
  questions(day);
  power_fails_at_night(day);
  conversations(day);
  subagents(day);
  power_fails_within_a_delivery(day);
  budgets(day);
  const auto shown = foreground(day);
  troubles(day);
  worker_crashes(day);
  day.at(winter(20, 0), [] {});
  day.run();

  REQUIRE(day.world().check_all() == "");
  CHECK(day.refused() == std::vector<std::string>{});
  const auto opened = [&](DescriptorKind kind) {
    return day.count<domain::SessionOpened>(
        [=](const auto& e) { return e.descriptor->kind == kind; });
  };
  CHECK(opened(DescriptorKind::user) == 164);
  CHECK(opened(DescriptorKind::cron) == 14);
  CHECK(opened(DescriptorKind::heartbeat) == 2);
  CHECK(opened(DescriptorKind::subagent) == 20);
  const auto runs = [&](const std::string& schedule) {
    return day.count<domain::ScheduleFired>(
        [=](const auto& e) { return e.schedule == schedule && e.moments == 1; });
  };
  CHECK(runs("nightly") == 1);
  CHECK(runs("parcels") == 12);
  CHECK(runs("papers") == 1);
  CHECK(runs("pulse") == 45);
  CHECK(day.count<domain::ScheduleSkipped>([](const auto&) { return true; }) == 0);
  // The two in the night, coordinator-2, and six with the worker: of two of these nobody heard.
  CHECK(day.count<domain::TurnInterrupted>(
            [](const auto& e) { return e.reason == domain::EndReason::worker_lost; }) == 9);
  // The channel that was down was tried three times in vain.
  CHECK(day.count<domain::NotificationFailed>([](const auto&) { return true; }) == 3);
  CHECK(simulation::differences(day.expected(), day.heard()) == std::vector<std::string>{});
  CHECK(simulation::differences(day.expected_again(), day.heard_again()) ==
        std::vector<std::string>{});
  CHECK(day.shown() == shown);
}

TEST_CASE("what was heard and not told, or told and not heard, is named", "[simulation]") {
  const simulation::Heard told = {{{"ann", "boat"}, {"waits", "ended"}}};
  const auto against = [&](const std::vector<std::string>& heard) {
    return simulation::differences(told, {{{"ann", "boat"}, heard}});
  };
  using Lines = std::vector<std::string>;
  CHECK(against({"waits", "ended"}) == Lines{});
  CHECK(against({"waits"}) == Lines{"ann has not heard of boat: ended"});
  CHECK(against({"waits", "ended", "ended"}) == Lines{"ann was not to hear of boat: ended"});
  CHECK(against({"ended", "waits"}) == Lines{"ann has heard in another order of boat: waits"});
  CHECK(simulation::differences({}, told).size() == 2);
}

TEST_CASE("a prompt of the moment behind a loss of power reaches an agent", "[simulation]") {
  const base::Duration later = GENERATE(base::Duration{1s}, base::Duration{21s});
  Day day(saturday(21, 59), 1, usual_settings());
  const Task first{"Begin.", after(20s, "And?")};
  day.opens(saturday(22, 0), {"ann", first, true});
  day.at(saturday(22, 2), [&day] { day.world().lose_power(20s); });
  day.asks(saturday(22, 2, later), "ann", {"Go on.", after(20s, "Done.")});
  day.at(saturday(22, 10), [] {});
  day.run();
  waits(day, "ann", "And?");
  waits(day, "ann", "And? / Done.");
  CHECK(simulation::differences(day.expected(), day.heard()) == std::vector<std::string>{});
}

TEST_CASE("a session is ended as idle also where its reminder was put off", "[simulation]") {
  auto settings = usual_settings();
  settings.limits.idle_timeout = 5min;
  Day day(saturday(21, 59), 1, settings);
  const Task first{"Begin.", after(6min, "And?")};
  day.opens(saturday(22, 0), {"ann", first, true});
  day.at(saturday(22, 7), [&day] { day.world().lose_power(20s); });
  day.at(saturday(22, 30), [] {});
  day.run();
  waits(day, "ann", "And?");
  ends(day, "killed", "ann", "12m20s", first.prompt, "And?", "idle");
  CHECK(simulation::differences(day.expected(), day.heard()) == std::vector<std::string>{});
}

}  // namespace
