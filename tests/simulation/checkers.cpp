// Checks a finished log as a whole; the step-by-step checks are those of LogObserver.
#include "tests/simulation/checkers.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/log_reader.hpp"
#include "projections/projections.hpp"
#include "tests/simulation/log_observer.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace simulation {

std::string check_log(eventlog::BlockStore& store, const std::vector<Acknowledged>& acknowledged) {
  LogObserver log;
  if (auto wrong = log.follow(store); !wrong.empty()) return wrong;
  for (const Acknowledged& ack : acknowledged) {
    if (ack.position > log.position()) {
      return "command " + ack.command.text() + " was acknowledged at position " +
             std::to_string(ack.position.value) + ", which is not in the log";
    }
    if (!log.commands().contains(ack.command)) {
      return "command " + ack.command.text() + " was acknowledged and is not in the log";
    }
  }
  return {};
}

std::string check_outputs(const std::vector<RecordedEvent>& events,
                          const std::map<LeaseKey, AgentRecord>& records) {
  std::map<LeaseKey, std::vector<std::string>> recorded;
  std::vector<LeaseKey> exited;
  for (const RecordedEvent& event : events) {
    const auto ref = domain::parse_stream(event.envelope.stream);
    const LeaseKey lease{ref->id, event.envelope.token};
    if (event.event.is<domain::OutputRecorded>()) {
      recorded[lease].push_back(event.content ? event.content->text : "");
    } else if (event.event.is<domain::AgentExited>()) {
      exited.push_back(lease);
    }
  }
  for (const LeaseKey& lease : exited) {
    const auto said = records.find(lease);
    if (said == records.end()) continue;
    if (said->second.outputs != recorded[lease]) {
      return "an agent of session " + lease.session.text() + " said " +
             std::to_string(said->second.outputs.size()) + " things under token " +
             std::to_string(lease.token.value) + ", of which the log holds " +
             std::to_string(recorded[lease].size());
    }
  }
  return {};
}

std::string answer_to(base::TurnId turn) {
  return "done: " + turn.text();
}

std::string check_answers(const std::vector<RecordedEvent>& events) {
  for (const RecordedEvent& event : events) {
    const auto* finished = event.event.as<domain::TurnFinished>();
    if (finished == nullptr || !event.content) continue;
    if (event.content->text != answer_to(finished->turn)) {
      return describe(event) + " has the answer to another turn: " + event.content->text;
    }
  }
  return {};
}

namespace {

using CostByTurn = std::map<base::TurnId, base::NanoUsd>;

// Adds what the event says about a cost.
void add_cost(const domain::Event& event, CostByTurn& costs) {
  domain::visit(
      [&]<class E>(const E& e) {
        if constexpr (std::same_as<E, domain::SpendingRecorded>) {
          costs[e.turn].value += domain::cost_of(e.spent).value;
        } else if constexpr (requires { e.cost.booked; }) {
          costs[e.turn].value += domain::unbooked(e.cost).cost.value;
        }
      },
      event);
}

std::string check_lineages(const std::map<std::string, domain::StreamState>& states,
                           const std::map<LeaseKey, AgentRecord>& records) {
  std::map<base::SessionId, base::SessionId> lineages;
  std::map<base::SessionId, base::NanoUsd> spent;
  std::map<base::SessionId, base::NanoUsd> launched;  // by sessions that the lineage launched
  for (const auto& [name, state] : states) {
    if (const auto* s = std::get_if<domain::SessionState>(&state)) {
      lineages[s->session] = s->lineage;
      spent[s->lineage].value += s->cost.value;
      for (const domain::Payer& payer : *s->payers) launched[payer.lineage].value += s->cost.value;
    }
  }
  std::map<base::SessionId, base::NanoUsd> by_agents;
  for (const auto& [lease, record] : records) {
    for (const auto& [turn, cost] : record.spent)
      by_agents[lineages[lease.session]].value += cost.value;
  }
  for (const auto& [lineage, sum] : spent) {
    if (sum <= by_agents[lineage]) continue;
    return "lineage " + lineage.text() + " costs " + std::to_string(sum.value) +
           ", and its agents have spent " + std::to_string(by_agents[lineage].value);
  }
  for (const auto& [name, state] : states) {
    const auto* lineage = std::get_if<domain::LineageState>(&state);
    if (lineage == nullptr) continue;
    const base::SessionId first = domain::parse_stream(name)->id;
    const std::int64_t sum = spent[first].value + launched[first].value;
    if (lineage->spent.value == sum) continue;
    return name + " has spent " + std::to_string(lineage->spent.value) + ", its sessions " +
           std::to_string(sum);
  }
  return {};
}

bool is_marked(const std::map<std::string, domain::StreamState>& states, base::SessionId session) {
  return std::any_of(states.begin(), states.end(), [&](const auto& stream) {
    const auto* s = std::get_if<domain::SessionState>(&stream.second);
    return s != nullptr && s->session == session && s->basis >= domain::CostBasis::at_least;
  });
}

}  // namespace

std::string check_costs(const std::vector<RecordedEvent>& events,
                        const std::map<std::string, domain::StreamState>& states,
                        const std::map<LeaseKey, AgentRecord>& records) {
  std::map<LeaseKey, CostByTurn> recorded;
  std::vector<LeaseKey> exited;
  for (const RecordedEvent& event : events) {
    const auto ref = domain::parse_stream(event.envelope.stream);
    if (!ref->is<domain::SessionStream>()) continue;
    const LeaseKey lease{ref->id, event.envelope.token};
    add_cost(event.event, recorded[lease]);
    if (event.event.is<domain::AgentExited>()) exited.push_back(lease);
  }
  for (const LeaseKey& lease : exited) {
    const auto agent = records.find(lease);
    if (agent == records.end()) continue;
    for (const auto& [turn, spent] : agent->second.spent) {
      if (recorded[lease][turn] == spent) continue;
      return "turn " + turn.text() + " of session " + lease.session.text() + " cost " +
             std::to_string(spent.value) + ", on the record " +
             std::to_string(recorded[lease][turn].value);
    }
    if (!agent->second.has_cut_off_subagents || is_marked(states, lease.session)) continue;
    return "session " + lease.session.text() +
           " has cost more than is known, and that is not marked: a subagent was cut off";
  }
  return check_lineages(states, records);
}

std::string check_budgets(const std::vector<RecordedEvent>& events,
                          const std::map<std::string, domain::StreamState>& states,
                          base::NanoUsd daily_budget) {
  std::map<base::SessionId, base::NanoUsd> told;
  std::map<base::Time, base::NanoUsd> days;
  for (const RecordedEvent& event : events) {
    base::NanoUsd& spent = days[domain::day_start(event.envelope.wall_time)];
    const bool begins =
        event.event.is<domain::SessionOpened>() || event.event.is<domain::TurnStarted>();
    if (begins && spent >= daily_budget) {
      return describe(event) + " begins although the day's budget is spent";
    }
    const auto* more = event.event.as<domain::AgentSpent>();
    if (more == nullptr) continue;
    spent.value += more->cost.value;
    told[more->session].value += more->cost.value;
  }
  for (const auto& [name, state] : states) {
    const auto* s = std::get_if<domain::SessionState>(&state);
    if (s == nullptr || s->cost == told[s->session]) continue;
    return name + " has spent " + std::to_string(s->cost.value) + ", and its agent knows of " +
           std::to_string(told[s->session].value);
  }
  return {};
}

std::string file_said(const domain::FileFacts& file, std::string_view data) {
  return "\n<" + file.name + " " + file.media_type + ">" + std::string(data);
}

std::string check_prompts(const std::vector<RecordedEvent>& events) {
  struct Prompt {
    bool has_limit = false;
    std::int64_t attempts = 0;
    bool is_asked_to_end = false;
  };
  std::map<base::TurnId, Prompt> prompts;
  std::set<std::string> retrying;  // streams of sessions
  for (const RecordedEvent& event : events) {
    if (const auto* opened = event.event.as<domain::SessionOpened>()) {
      const bool retries = opened->spec->restart_policy == domain::RestartPolicy::retry;
      if (retries) retrying.insert(event.envelope.stream);
    } else if (const auto* queued = event.event.as<domain::TurnQueued>()) {
      prompts[queued->turn] = {queued->start_before.us != 0};
    } else if (const auto* asked = event.event.as<domain::InterruptRequested>()) {
      if (prompts.contains(asked->turn)) prompts[asked->turn].is_asked_to_end = true;
    } else if (const auto* returned = event.event.as<domain::TurnReturned>()) {
      if (returned->attempts == 0) continue;
      const bool is_next = returned->attempts == ++prompts[returned->turn].attempts;
      const bool is_allowed = returned->attempts < domain::kTurnAttemptsMax;
      if (is_next && is_allowed && retrying.contains(event.envelope.stream)) continue;
      return describe(event) + " is not to be tried again";
    } else if (const auto* ended = event.event.as<domain::TurnInterrupted>()) {
      const auto found = prompts.find(ended->turn);
      if (found == prompts.end()) continue;
      const Prompt& prompt = found->second;
      const bool can_expire = prompt.has_limit && prompt.attempts == 0;
      if (ended->reason == domain::EndReason::expired && !can_expire) {
        return describe(event) + " is not to expire";
      }
      const bool is_retried = retrying.contains(event.envelope.stream) && !prompt.is_asked_to_end &&
                              prompt.attempts + 1 < domain::kTurnAttemptsMax;
      if (ended->reason == domain::EndReason::worker_lost && is_retried) {
        return describe(event) + " is to be tried again";
      }
    }
  }
  return {};
}

std::string check_injections(const std::vector<RecordedEvent>& events,
                             const std::map<LeaseKey, AgentRecord>& records) {
  struct Turn {
    std::vector<std::string> prompts;  // not answered yet
    bool has_injected = false;
    bool is_asked_to_end = false;
  };
  constexpr const char* kWrongPrompts = ", and its agent was not given exactly its prompts";
  // The prompts that the agent which reported the event was given for the turn.
  const auto heard = [&](const RecordedEvent& event, base::TurnId turn) {
    const base::SessionId session = domain::parse_stream(event.envelope.stream)->id;
    const auto agent = records.find(LeaseKey{session, event.envelope.token});
    const bool is_known = agent != records.end() && agent->second.heard.contains(turn);
    return is_known ? agent->second.heard.at(turn) : std::vector<std::string>();
  };
  std::map<base::TurnId, Turn> turns;
  std::map<std::string, std::vector<std::string>> attached;  // by stream, to its next prompt
  const auto prompt_with = [&](const std::vector<domain::FileFacts>& files,
                               const RecordedEvent& event) {
    std::string text = event.content ? event.content->text : std::string();
    const auto contents = std::exchange(attached[event.envelope.stream], {});
    for (std::size_t i = 0; i < files.size(); ++i) text += file_said(files[i], contents.at(i));
    return text;
  };
  for (const RecordedEvent& event : events) {
    if (event.event.is<domain::FileAttached>()) {
      attached[event.envelope.stream].push_back(event.content->text);
    } else if (const auto* queued = event.event.as<domain::TurnQueued>()) {
      turns[queued->turn].prompts = {prompt_with(queued->files, event)};
    } else if (const auto* added = event.event.as<domain::PromptInjected>()) {
      turns[added->turn].prompts.push_back(prompt_with(added->files, event));
      turns[added->turn].has_injected = true;
    } else if (const auto* asked = event.event.as<domain::InterruptRequested>()) {
      turns[asked->turn].is_asked_to_end = true;
    } else if (const auto* continued = event.event.as<domain::TurnContinued>()) {
      auto& prompts = turns[continued->turn].prompts;
      const auto rest = prompts.begin() + continued->injected + 1;
      const std::vector<std::string> answered(prompts.begin(), rest);
      prompts.erase(prompts.begin(), rest);
      if (heard(event, continued->turn) != answered) return describe(event) + kWrongPrompts;
    } else if (const auto* finished = event.event.as<domain::TurnFinished>()) {
      const Turn& turn = turns[finished->turn];
      if (!turn.has_injected || turn.is_asked_to_end) continue;
      if (heard(event, finished->turn) != turn.prompts) return describe(event) + kWrongPrompts;
    }
  }
  return {};
}

std::string check_asks(const std::vector<RecordedEvent>& events,
                       const std::map<LeaseKey, AgentRecord>& records) {
  struct Asked {
    std::string call;
    LeaseKey lease;
    std::string text;
    domain::AskVerdict verdict = domain::AskVerdict::none;
    bool is_deferred = false;
  };
  std::map<std::pair<std::string, std::int64_t>, Asked> unheard;
  std::map<std::pair<std::string, std::int64_t>, Asked> open;
  std::map<std::pair<LeaseKey, std::string>, domain::AskVerdict> verdicts;
  std::map<std::int64_t, domain::RuleVerdict> rules;
  for (const RecordedEvent& event : events) {
    const std::string& stream = event.envelope.stream;
    if (const auto* raised = event.event.as<domain::AskRaised>()) {
      const LeaseKey lease{domain::parse_stream(stream)->id, event.envelope.token};
      const std::string text = event.content ? event.content->text : std::string();
      if (!open.emplace(std::pair(stream, raised->ask), Asked{raised->call, lease, text}).second) {
        return describe(event) + " was asked before";
      }
    } else if (const auto* answered = event.event.as<domain::AskAnswered>()) {
      const auto asked = open.find({stream, answered->ask});
      if (asked == open.end()) return describe(event) + " answers what nobody waits for";
      if (answered->basis == domain::AskBasis::rule) {
        const auto rule = rules.find(answered->rule);
        const bool is_granted = answered->verdict == domain::AskVerdict::granted;
        const auto said = is_granted ? domain::RuleVerdict::allow : domain::RuleVerdict::deny;
        if (rule == rules.end() || rule->second != said) {
          return describe(event) + " names a rule that does not say so";
        }
      }
      if (answered->basis == domain::AskBasis::earlier) {
        const auto earlier = unheard.extract({stream, answered->earlier});
        if (earlier.empty()) return describe(event) + " gives an answer that is not there";
        const Asked& before = earlier.mapped();
        if (before.verdict != answered->verdict || before.text != asked->second.text) {
          return describe(event) + " answers as if another request were asked";
        }
      }
      const bool is_again = asked->second.verdict != domain::AskVerdict::none;
      if (is_again && answered->basis != domain::AskBasis::text_lost) {
        return describe(event) + " was answered before";
      }
      asked->second.verdict = answered->verdict;
      verdicts[{asked->second.lease, asked->second.call}] = answered->verdict;
    } else if (const auto* added = event.event.as<domain::RuleAdded>()) {
      rules[added->rule] = added->verdict;
    } else if (const auto* removed = event.event.as<domain::RuleRemoved>()) {
      rules.erase(removed->rule);
    } else if (const auto* closed = event.event.as<domain::AskClosed>()) {
      const auto asked = open.find({stream, closed->ask});
      if (asked == open.end()) return describe(event) + " was over before";
      const bool is_told = closed->end == domain::AskEnd::told;
      if (is_told && asked->second.verdict == domain::AskVerdict::none) {
        return describe(event) + " was told no answer";
      }
      if (closed->end == domain::AskEnd::unheard) {
        const Asked& one = asked->second;
        const auto record = records.find(one.lease);
        const bool has_run =
            record != records.end() &&
            std::count(record->second.ran.begin(), record->second.ran.end(), one.call) > 0;
        if (has_run) return describe(event) + " was heard";
        unheard.emplace(asked->first, one);
      }
      open.erase(asked);
    } else if (event.event.is<domain::LeaseReleased>() || event.event.is<domain::LeaseExpired>()) {
      for (auto left = open.lower_bound({stream, 0});
           left != open.end() && left->first.first == stream; ++left) {
        if (left->second.is_deferred) continue;
        return describe(event) + " leaves request " + std::to_string(left->first.second) + " open";
      }
    } else if (const auto* returned = event.event.as<domain::TurnReturned>()) {
      for (auto& [key, asked] : open) {
        asked.is_deferred |= key.first == stream && asked.call == returned->deferred;
      }
    }
  }
  for (const auto& [lease, agent] : records) {
    for (const std::string& call : agent.ran) {
      const auto verdict = verdicts.find({lease, call});
      if (verdict != verdicts.end() && verdict->second == domain::AskVerdict::granted) continue;
      return call + " of session " + lease.session.text() + " ran, and was not granted";
    }
  }
  return {};
}

std::string check_schedules(const std::vector<RecordedEvent>& events) {
  std::map<base::CommandId, domain::ScheduleFired> fired;
  std::map<base::CommandId, int> outcomes;
  std::map<base::CommandId, int> begun;  // prompts queued under the run's id
  std::vector<base::CommandId> taken;
  for (const RecordedEvent& event : events) {
    if (const auto* one = event.event.as<domain::ScheduleFired>()) {
      if (!fired.emplace(one->run, *one).second) return describe(event) + " was fired before";
    } else if (const auto* run = event.event.as<domain::RunTaken>()) {
      ++outcomes[run->run];
      taken.push_back(run->run);
    } else if (const auto* refused = event.event.as<domain::RunRefused>()) {
      ++outcomes[refused->run];
      if (begun[refused->run] != 0) return describe(event) + ", and had begun";
    } else if (event.event.is<domain::TurnQueued>() || event.event.is<domain::PromptInjected>()) {
      const base::CommandId command = event.envelope.command;
      if (event.envelope.actor == "scheduler" && !fired.contains(command)) {
        return describe(event) + " is for a run that is not on the record";
      }
      ++begun[command];
    }
  }
  for (const auto& [run, count] : outcomes) {
    if (count > 1) return "the run " + run.text() + " has " + std::to_string(count) + " outcomes";
  }
  for (const base::CommandId& run : taken) {
    if (begun[run] == 1) continue;
    return "the run " + run.text() + " was begun " + std::to_string(begun[run]) + " times";
  }
  return {};
}

namespace {

// The messages of one conversation.
struct Messages {
  std::set<base::Position> open;    // accepted, and without an end
  std::vector<base::Position> run;  // under way
  base::TurnId id;                  // of that run
  base::Position last_given;        // the newest that a run had
};

bool has_all(const Messages& of, const std::vector<base::Position>& messages) {
  return std::all_of(messages.begin(), messages.end(),
                     [&](base::Position one) { return of.open.contains(one); });
}

// The files of messages, and the prompts that they are to go with.
struct FilesOfMessages {
  std::map<std::string, std::vector<std::string>> attached;  // by stream, to what comes next
  std::map<base::Position, std::string> messages;            // as an agent is told of them
  std::map<base::TurnId, std::string> runs;
};

// Returns what is wrong with the event; empty: nothing is.
std::string take_files(FilesOfMessages& of, const RecordedEvent& event) {
  std::vector<std::string>& attached = of.attached[event.envelope.stream];
  const auto said = [&](const std::vector<domain::FileFacts>& files) {
    const auto contents = std::exchange(attached, {});
    std::string all;
    for (std::size_t i = 0; i < files.size(); ++i) all += file_said(files[i], contents.at(i));
    return all;
  };
  if (event.event.is<domain::MessageFileAttached>() || event.event.is<domain::FileAttached>()) {
    attached.push_back(event.content->text);
  } else if (const auto* received = event.event.as<domain::MessageReceived>()) {
    of.messages[event.envelope.position] = said(received->files);
  } else if (const auto* begun = event.event.as<domain::ConversationRunBegun>()) {
    std::string& files = of.runs[begun->run->run];
    for (const base::Position message : begun->run->messages) {
      if (!files.empty()) return "a run goes on behind a message with files";
      files = of.messages[message];
    }
  } else if (event.event.is<domain::PromptInjected>()) {
    attached.clear();
  } else if (const auto* queued = event.event.as<domain::TurnQueued>()) {
    const std::string files = said(queued->files);
    const auto run = of.runs.find(queued->turn);
    if (run != of.runs.end() && run->second != files) return "its run has other files";
  }
  return {};
}

// Returns what is wrong with the event; empty: nothing is.
std::string take_message(Messages& of, const RecordedEvent& event) {
  const auto end = [&](const std::vector<base::Position>& messages) {
    if (!has_all(of, messages)) return std::string("a message ends twice");
    for (const base::Position one : messages) of.open.erase(one);
    return std::string();
  };
  if (event.event.is<domain::MessageReceived>()) {
    of.open.insert(event.envelope.position);
  } else if (const auto* ended = event.event.as<domain::MessagesEnded>()) {
    return end(ended->messages);
  } else if (const auto* begun = event.event.as<domain::ConversationRunBegun>()) {
    if (!of.run.empty() || of.id.is_set()) return "a run begins while another one is under way";
    of.id = begun->run->run;
    of.run = begun->run->messages;
    if (!has_all(of, of.run)) return "a run has a message that has ended";
    for (const base::Position one : of.run) {
      if (one < of.last_given) return "a message is overtaken by a later one";
      of.last_given = one;
    }
  } else if (const auto* back = event.event.as<domain::ConversationRunReturned>()) {
    if (back->run != of.id) return "a run returns that is not under way";
    if (!of.run.empty()) of.last_given = of.run.front();
    of.id = {};
    of.run.clear();
  } else if (const auto* steered = event.event.as<domain::MessageSteered>()) {
    if (steered->run != of.id) return "a message is steered into a run that is not under way";
    if (!of.open.contains(steered->message)) return "a message is steered that has ended";
    if (!steered->is_kept) of.open.erase(steered->message);
  } else if (const auto* over = event.event.as<domain::ConversationRunEnded>()) {
    if (over->run != of.id) return "a run ends that is not under way";
    of.id = {};
    return end(std::exchange(of.run, {}));
  }
  return {};
}

}  // namespace

std::string check_messages(const std::vector<RecordedEvent>& events,
                           const std::map<std::string, domain::StreamState>& states) {
  std::map<std::string, Messages> conversations;
  FilesOfMessages files;
  for (const RecordedEvent& event : events) {
    const std::string bad = take_files(files, event);
    if (!bad.empty()) return describe(event) + ": " + bad;
    const auto stream = domain::parse_stream(event.envelope.stream);
    if (!stream || !stream->is<domain::ConversationStream>()) continue;
    const std::string wrong = take_message(conversations[event.envelope.stream], event);
    if (!wrong.empty()) return describe(event) + ": " + wrong;
  }
  for (const auto& [stream, of] : conversations) {
    const auto& state = std::get<domain::ConversationState>(states.at(stream));
    std::set<base::Position> waits;
    for (const auto* all : {&state.queue.waiting, &state.returned}) {
      for (const domain::QueuedMessage& one : *all) waits.insert(one.at);
    }
    if (state.run) waits.insert(of.run.begin(), of.run.end());
    if (waits != of.open) return stream + " has messages that neither wait nor have an end";
  }
  return {};
}

namespace {

// The tasks of subagents. Most are kept by the subagent's session key.
struct Tasks {
  std::map<std::string, std::string> subagents;  // streams of conversations → keys
  std::map<std::string, base::Position> open;    // messages with tasks, by key
  std::map<base::SessionId, std::string> works;  // sessions → keys
  std::map<std::string, int> ended;
  std::map<std::string, int> told;
  std::set<std::string> killed;               // keys whose sessions somebody has killed
  std::map<std::string, std::string> givers;  // keys of subagents → streams of those who ask
  std::map<base::CommandId, std::set<std::string>> left;  // open tasks of whoever it has stopped

  void stop(const std::string& giver, base::CommandId command) {
    for (const auto& [key, task] : open) {
      const auto of = givers.find(key);
      if (of != givers.end() && of->second == giver && task.value != 0) left[command].insert(key);
    }
  }
  void end(const std::string& key, const std::vector<base::Position>& messages) {
    const auto task = open.find(key);
    if (task == open.end()) return;
    if (std::find(messages.begin(), messages.end(), task->second) == messages.end()) return;
    ++ended[key];
    open.erase(task);
  }
};

void take_task(Tasks& of, std::map<base::TurnId, std::vector<base::Position>>& runs,
               const RecordedEvent& event) {
  const std::string& stream = event.envelope.stream;
  if (const auto* opened = event.event.as<domain::ConversationOpened>()) {
    of.subagents.erase(stream);
    const bool is_tasked = domain::lane_of(opened->key) == domain::Lane::subagent;
    if (is_tasked && !opened->parent.empty()) {
      of.subagents[stream] = opened->key;
      of.givers[opened->key] =
          domain::conversation_stream(domain::agent_of_key(opened->parent), opened->parent);
    }
    of.open[opened->key] = {};
  } else if (const auto* directive = event.event.as<domain::DirectiveReceived>()) {
    if (directive->directive == "/stop") of.stop(stream, event.envelope.command);
  } else if (event.event.is<domain::ConversationDeleted>()) {
    of.stop(stream, event.envelope.command);
  } else if (const auto* session = event.event.as<domain::SessionOpened>()) {
    const std::string& key = session->descriptor->conversation;
    if (!key.empty()) of.works[domain::parse_stream(stream)->id] = key;
  } else if (const auto* closed = event.event.as<domain::SessionClosed>()) {
    const auto key = of.works.find(domain::parse_stream(stream)->id);
    // As with all others, which is told to nobody.
    const bool is_killed = closed->status == domain::SessionStatus::killed &&
                           closed->reason == domain::EndReason::user;
    if (is_killed && key != of.works.end()) of.killed.insert(key->second);
  } else if (const auto* request = event.event.as<domain::NotificationRequested>()) {
    if (request->parent_key->empty()) return;
    const bool is_of_session = request->session.is_set();
    ++of.told[is_of_session ? of.works.at(request->session) : request->unanswered->conversation];
  }
  const auto key = of.subagents.find(stream);
  if (key == of.subagents.end()) return;
  if (event.event.is<domain::MessageReceived>()) {
    const auto task = of.open.find(key->second);
    if (task != of.open.end() && task->second.value == 0) task->second = event.envelope.position;
  } else if (const auto* ended = event.event.as<domain::MessagesEnded>()) {
    of.end(key->second, ended->messages);
  } else if (const auto* begun = event.event.as<domain::ConversationRunBegun>()) {
    runs[begun->run->run] = begun->run->messages;
  } else if (const auto* over = event.event.as<domain::ConversationRunEnded>()) {
    of.end(key->second, runs[over->run]);
  } else if (event.event.is<domain::TaskWithdrawn>()) {
    of.open.erase(key->second);
    of.left[event.envelope.command].erase(key->second);
  }
}

}  // namespace

std::string check_tasks_told(const std::vector<RecordedEvent>& events) {
  Tasks of;
  std::map<base::TurnId, std::vector<base::Position>> runs;
  for (const RecordedEvent& event : events) take_task(of, runs, event);
  for (const auto& [command, keys] : of.left) {
    if (!keys.empty()) return "the task of " + *keys.begin() + " goes on behind a stop";
  }
  for (const auto& [key, count] : of.told) {
    if (count > of.ended[key]) return "the end of the task of " + key + " is told too often";
  }
  for (const auto& [key, count] : of.ended) {
    const bool is_told = of.told[key] == count || of.killed.contains(key);
    if (!is_told) return "nobody is told how the task of " + key + " ended";
  }
  return {};
}

std::string check_pacing(const std::vector<RecordedEvent>& events, std::int64_t told_max) {
  if (told_max == 0) return {};
  using domain::NotificationTarget;
  using Place = std::tuple<NotificationTarget, std::string>;
  std::map<base::Position, Place> requested;
  std::map<Place, std::vector<base::Time>> heard;
  for (const RecordedEvent& event : events) {
    if (const auto* request = event.event.as<domain::NotificationRequested>()) {
      const bool is_channel = request->target == NotificationTarget::channel;
      requested[event.envelope.position] = {request->target,
                                            is_channel ? request->channel : std::string()};
    } else if (const auto* done = event.event.as<domain::NotificationDelivered>()) {
      const Place& place = requested.at(done->notification);
      const auto target = std::get<NotificationTarget>(place);
      const bool is_paced = target != NotificationTarget::webhook &&
                            target != NotificationTarget::parent &&
                            target != NotificationTarget::hook;
      if (!is_paced) continue;
      std::vector<base::Time>& times = heard[place];
      times.push_back(event.envelope.log_time);
      const std::size_t before = times.size() - 1;
      const auto max = static_cast<std::size_t>(told_max);
      if (before >= max && times[before] - times[before - max] < std::chrono::minutes(1)) {
        return describe(event) + " is one too many for its place in a minute";
      }
    }
  }
  return {};
}

std::string check_parents(const std::vector<RecordedEvent>& events) {
  using Pair = std::pair<base::SessionId, base::SessionId>;  // parent, subagent
  std::map<base::Position, Pair> requested;
  std::map<Pair, int> delivered;
  std::map<Pair, int> prompts;
  std::map<Pair, int> wanted;
  for (const RecordedEvent& event : events) {
    if (const auto* request = event.event.as<domain::NotificationRequested>()) {
      if (request->target != domain::NotificationTarget::parent) continue;
      const std::string& key = *request->parent_key;
      const bool is_session = key.empty();
      const Pair pair{is_session ? request->parent : domain::conversation_id(request->agent, key),
                      is_session ? request->session : base::SessionId{}};
      requested.emplace(event.envelope.position, pair);
      ++wanted[pair];
    } else if (const auto* done = event.event.as<domain::NotificationDelivered>()) {
      const auto found = requested.find(done->notification);
      if (found != requested.end()) ++delivered[found->second];
    } else if (event.envelope.actor == "notifier") {
      const auto* queued = event.event.as<domain::TurnQueued>();
      const auto* injected = event.event.as<domain::PromptInjected>();
      const bool is_message = event.event.is<domain::MessageReceived>();
      if (queued == nullptr && injected == nullptr && !is_message) continue;
      const base::SessionId from = queued != nullptr     ? queued->from
                                   : injected != nullptr ? injected->from
                                                         : base::SessionId{};
      ++prompts[{domain::parse_stream(event.envelope.stream)->id, from}];
    }
  }
  for (const auto& [pair, count] : prompts) {
    if (count > wanted[pair]) return "session " + pair.first.text() + " heard too often";
  }
  for (const auto& [pair, count] : delivered) {
    if (prompts[pair] < count) return "session " + pair.first.text() + " did not hear all";
  }
  return {};
}

std::string check_tasks(const std::vector<RecordedEvent>& events,
                        const std::map<std::string, domain::StreamState>& states,
                        const std::map<LeaseKey, AgentRecord>& records) {
  std::set<std::string> without;  // whose tasks were given up, or had ended with the agent before
  std::map<std::string, base::CommandId> released;  // by which command
  for (const RecordedEvent& event : events) {
    const std::string& stream = event.envelope.stream;
    const auto* changed = event.event.as<domain::TasksChanged>();
    const bool is_given_up = changed != nullptr && changed->is_given_up;
    const bool is_lost = event.event.is<domain::LeaseExpired>();
    if (is_given_up || is_lost) without.insert(stream);
    if (event.event.is<domain::LeaseGranted>()) {
      without.erase(stream);
      released.erase(stream);
    }
    if (event.event.is<domain::LeaseReleased>()) {
      released[stream] = event.envelope.command;
    }
    const bool is_closed = event.event.is<domain::SessionClosed>();
    const auto before = released.find(stream);
    if (is_closed && before != released.end() && before->second != event.envelope.command) {
      without.insert(stream);
    }
  }
  for (const auto& [name, state] : states) {
    const auto* s = std::get_if<domain::SessionState>(&state);
    const bool has_waited = s != nullptr && s->status == domain::SessionStatus::completed &&
                            !without.contains(name) && !s->is_close_now;
    if (!has_waited) continue;
    const auto agent = records.find({s->session, s->last_token});
    if (agent == records.end() || agent->second.tasks == 0) continue;
    return name + " was completed while its agent had a task in the background";
  }
  return {};
}

namespace {

bool has_erased(const domain::StreamState& state, base::StreamVersion version) {
  return std::visit(
      [&]<class State>(const State& s) {
        if constexpr (std::derived_from<State, domain::ContentState>) {
          return domain::contains(s.erased, version);
        } else {
          return false;
        }
      },
      state);
}

}  // namespace

std::string check_contents(eventlog::BlockStore& store, const std::vector<RecordedEvent>& events,
                           const std::map<std::string, domain::StreamState>& states) {
  for (const RecordedEvent& event : events) {
    if (!event.envelope.content) continue;
    const auto state = states.find(event.envelope.stream);
    const bool is_erased =
        state != states.end() && has_erased(state->second, event.envelope.version);
    const auto stored = eventlog::read_content(store, event.envelope.position);
    if (!stored) return base::describe(stored.error());
    if (is_erased && *stored) return describe(event) + " was erased, and its text is there";
    if (!is_erased && !*stored) return describe(event) + " was not erased, and its text is gone";
    if (!is_erased && **stored != *event.content) return describe(event) + " has another text";
  }
  return {};
}

std::string check_level(const std::vector<RecordedEvent>& events, const std::string& level,
                        const std::vector<base::Position>& given) {
  std::vector<base::Position> expected;
  for (const RecordedEvent& event : events) {
    if (workers::is_of_level(event.envelope, level)) expected.push_back(event.envelope.position);
  }
  const auto differs = std::mismatch(expected.begin(), expected.end(), given.begin(), given.end());
  if (differs.first == expected.end() && differs.second == given.end()) return {};
  if (differs.first == expected.end()) {
    return "a subscriber of " + level + " was given position " +
           std::to_string(differs.second->value) + ", which is not of it";
  }
  return "a subscriber of " + level + " was not given position " +
         std::to_string(differs.first->value);
}

std::string check_projections(eventlog::BlockStore& store, eventlog::KeyValueStore& live) {
  const auto build =
      [&](eventlog::KeyValueStore& rows,
          std::size_t portion) -> base::Result<std::vector<projections::ProjectionDigest>> {
    auto set = projections::ProjectionSet::open(rows);
    if (!set) return tl::unexpected(set.error());
    while (!set->reached(store.tail())) {
      const auto folded = set->catch_up(store, store.tail(), portion);
      if (!folded) return tl::unexpected(folded.error());
    }
    return set->digests();
  };
  const auto fresh_rows = eventlog::make_memory_key_value_store();
  const auto kept = build(live, 7);
  const auto fresh = build(*fresh_rows, 100'000);
  if (!kept) return base::describe(kept.error());
  if (!fresh) return base::describe(fresh.error());
  return *kept == *fresh ? "" : "a projection differs from the one built from the start";
}

std::string describe(const RecordedEvent& event) {
  const domain::Envelope& e = event.envelope;
  std::string text = std::to_string(e.position.value) + " " + e.stream + " v" +
                     std::to_string(e.version.value) + " " + e.type + " by " +
                     std::string(base::enum_name(e.actor_kind));
  if (e.report_sequence > 0) {
    text +=
        " token " + std::to_string(e.token.value) + " report " + std::to_string(e.report_sequence);
  }
  if (domain::is_remembered(e)) text += " command " + e.command.text();
  return text;
}

}  // namespace simulation
