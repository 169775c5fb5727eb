// A day that a test tells as a story, and then lets happen in a driven world. The story says what
// happens at which time, and who is to hear what of it; the day says where the two differ.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/driven_world.hpp"

namespace simulation {

// A prompt, and what the agent does with it.
struct Task {
  std::string prompt;
  TurnPlan plan;
};

// A session of a user, who is named like the session; or of a subagent.
struct Opening {
  std::string name;
  Task task;
  bool is_multi_turn = false;
  base::NanoUsd budget{};
  Duration run_timeout{0};
  std::string parent{};   // name of its session; empty: it is no subagent
  std::string channel{};  // of a subagent; a user has one
};

// A name of somebody who hears something, and that of the session that it is about.
using Hearer = std::pair<std::string, std::string>;
using Heard = std::map<Hearer, std::vector<std::string>>;

class Day {
 public:
  Day(base::Time begins, std::uint64_t seed, WorldSettings settings);

  // ---- what happens ----
  void at(base::Time time, std::function<void()> what) { agenda_.emplace(time, std::move(what)); }
  void opens(base::Time time, const Opening& opening);
  void asks(base::Time time, const std::string& session, const Task& task);
  // As `asks`, but the prompt is refused with that code.
  void asks_in_vain(base::Time time, const std::string& session, const std::string& code);
  // Half a second later, so that the whole seconds of what is told are certain.
  void does(base::Time time, const std::string& session, const domain::SessionCommand& command);
  void schedules(base::Time time, domain::ScheduleSpec spec, const TurnPlan& plan);
  // Agents do this with any other prompt.
  void set_usual(const TurnPlan& plan) { usual_ = plan; }

  // ---- who is to hear of it ----
  // In the order in which that one hears of that session. `text`: with the session's name for its
  // alias, and " / " for the end of a line.
  void hears(const std::string& who, const std::string& session, const std::string& text) {
    expected_[{who, session}].push_back(text);
  }
  // The sinks get the last one that this one is to hear of that session again, under the same id.
  void hears_again(const std::string& who, const std::string& session) {
    expected_again_[{who, session}].push_back(expected_[{who, session}].back());
  }

  // ---- and so it happens ----
  void run();
  DrivenWorld& world() { return world_; }
  base::SessionId session(const std::string& name) const { return sessions_.at(name); }
  // Everything that was heard but for repetitions under one id, and these repetitions.
  Heard heard() const { return all_heard().first; }
  Heard heard_again() const { return all_heard().second; }
  const Heard& expected() const { return expected_; }
  const Heard& expected_again() const { return expected_again_; }
  // Commands that were refused and should not have been, or the other way round.
  const std::vector<std::string>& refused() const { return refused_; }
  // Returns how many events of that type there are for which it holds.
  template <class E>
  int count(const std::function<bool(const E&)>& holds) const {
    int count = 0;
    for (const domain::RecordedEvent& event : world_.log().events()) {
      const auto* one = event.event.as<E>();
      if (one != nullptr && holds(*one)) ++count;
    }
    return count;
  }
  // Returns "CHANNEL about SESSION: TEXT" for each text that a channel in the foreground was shown.
  std::vector<std::string> shown() const;

 private:
  std::pair<Heard, Heard> all_heard() const;
  // Names of users' sessions and subagents are given; scheduled ones are "SCHEDULE NUMBER".
  std::map<base::SessionId, std::string> names() const;
  void expect_taken(const bus::Reply& reply, const std::string& what);

  std::map<std::string, TurnPlan> plans_;  // by prompt
  TurnPlan usual_;
  DrivenWorld world_;
  std::multimap<base::Time, std::function<void()>> agenda_;
  std::map<std::string, base::SessionId> sessions_;
  Heard expected_;
  Heard expected_again_;
  std::vector<std::string> refused_;
};

// Returns a line for each text that one of the two has and the other has not, and for each hearer
// who has heard the right things in another order.
std::vector<std::string> differences(const Heard& expected, const Heard& heard);

}  // namespace simulation
