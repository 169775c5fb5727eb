// The answers to `status` and `flight`: the server's state, and its last steps.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/time.hpp"
#include "workers/instruments/duty_cycle.hpp"
#include "workers/instruments/flight_recorder.hpp"

namespace workers {

constexpr std::string_view kVerbStatus = "status";  // → StatusAnswer
constexpr std::string_view kVerbFlight = "flight";  // → FlightAnswer

// The loop's last steps, oldest first.
struct FlightAnswer {
  std::vector<FlightEntry> entries;

  bool operator==(const FlightAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("entries", &FlightAnswer::entries);
  }
};

// An engine as the server's settings have it, looked at with the server's own eyes.
struct EngineFacts {
  std::string name;
  std::string program;  // its words, as one text
  std::string path;     // of the program that they start; empty: it is not there, or cannot be run

  bool operator==(const EngineFacts&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &EngineFacts::name);
    visit("program", &EngineFacts::program);
    visit("path", &EngineFacts::path);
  }
};

// What a server was started with, which a client cannot know from its own surroundings.
struct ServerFacts {
  std::int64_t pid = 0;
  base::Time since;  // wall time of its start
  std::string user;
  std::string data_folder;
  std::string run_folder;
  std::string config_file;        // that was read; empty: none
  std::string program_folder;     // of its programs
  std::string search_path;        // PATH
  std::string agent_home;         // HOME of agents
  std::string engine;             // of sessions that name none
  std::vector<std::string> keys;  // names of the variables with a key or token that are set
  bool has_login = false;         // the agents' HOME holds a login of Claude Code
  std::vector<EngineFacts> engines;
  std::vector<std::string> settings;  // of engines and agents that are not the default: "KEY=VALUE"

  bool operator==(const ServerFacts&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("pid", &ServerFacts::pid);
    visit("since", &ServerFacts::since);
    visit("user", &ServerFacts::user);
    visit("data_folder", &ServerFacts::data_folder);
    visit("run_folder", &ServerFacts::run_folder);
    visit("config_file", &ServerFacts::config_file);
    visit("program_folder", &ServerFacts::program_folder);
    visit("search_path", &ServerFacts::search_path);
    visit("agent_home", &ServerFacts::agent_home);
    visit("engine", &ServerFacts::engine);
    visit("keys", &ServerFacts::keys);
    visit("has_login", &ServerFacts::has_login);
    visit("engines", &ServerFacts::engines);
    visit("settings", &ServerFacts::settings);
  }
};

struct StatusAnswer {
  base::ServerId incarnation;
  std::string release;
  base::LogId log;
  std::int64_t epoch = 0;
  std::int64_t writer_term = 0;
  base::Position durable;
  base::Position tail;
  std::int64_t uptime_us = 0;
  std::int64_t live_sessions = 0;
  std::int64_t parked_sessions = 0;  // of these; they do not count towards the next one
  std::int64_t max_sessions = 0;
  base::NanoUsd daily_budget{};        // of each agent; 0: no limit
  base::NanoUsd agent_budget{};        // of each agent, over all days; 0: no limit
  base::NanoUsd total_daily_budget{};  // of all agents; 0: no limit
  std::string prices;                  // the table by which the use of models is priced
  std::int64_t workers = 0;
  std::vector<std::int64_t> worker_pids;
  std::int64_t clients = 0;
  std::int64_t waiting_commands = 0;
  std::int64_t loaded_streams = 0;
  std::string key;            // fingerprint of the key that signs anchors
  std::string erasure_fault;  // why erasures are not completed; empty: no fault is known
  // By how much the clock is ahead of log time; negative: it is behind.
  base::Duration clock_lead{};
  std::vector<std::string> sinks;  // the targets of notifications for which there is one
  // Position at which the record of live sessions contradicts itself; 0: it does not.
  base::Position inconsistent;
  StageTimes stages;
  ServerFacts facts;  // of an older release: none

  bool operator==(const StatusAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("incarnation", &StatusAnswer::incarnation);
    visit("release", &StatusAnswer::release);
    visit("log", &StatusAnswer::log);
    visit("epoch", &StatusAnswer::epoch);
    visit("writer_term", &StatusAnswer::writer_term);
    visit("durable", &StatusAnswer::durable);
    visit("tail", &StatusAnswer::tail);
    visit("uptime_us", &StatusAnswer::uptime_us);
    visit("live_sessions", &StatusAnswer::live_sessions);
    visit("parked_sessions", &StatusAnswer::parked_sessions);
    visit("max_sessions", &StatusAnswer::max_sessions);
    visit("daily_budget", &StatusAnswer::daily_budget);
    visit("agent_budget", &StatusAnswer::agent_budget);
    visit("total_daily_budget", &StatusAnswer::total_daily_budget);
    visit("prices", &StatusAnswer::prices);
    visit("workers", &StatusAnswer::workers);
    visit("worker_pids", &StatusAnswer::worker_pids);
    visit("clients", &StatusAnswer::clients);
    visit("waiting_commands", &StatusAnswer::waiting_commands);
    visit("loaded_streams", &StatusAnswer::loaded_streams);
    visit("key", &StatusAnswer::key);
    visit("erasure_fault", &StatusAnswer::erasure_fault);
    visit("clock_lead_us", &StatusAnswer::clock_lead);
    visit("sinks", &StatusAnswer::sinks);
    visit("inconsistent", &StatusAnswer::inconsistent);
    visit("stages", &StatusAnswer::stages);
    visit("facts", &StatusAnswer::facts);
  }
};

}  // namespace workers
