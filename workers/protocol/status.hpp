// The answers to `status` and `flight`: the server's state, and its last steps.
#pragma once

#include <string>
#include <vector>

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
  std::int64_t max_sessions = 0;
  base::NanoUsd daily_budget{};  // of each agent; 0: no limit
  std::int64_t workers = 0;
  std::vector<std::int64_t> worker_pids;
  std::int64_t clients = 0;
  std::int64_t waiting_commands = 0;
  std::int64_t loaded_streams = 0;
  std::string key;            // fingerprint of the key that signs anchors
  std::string erasure_fault;  // why erasures are not completed; empty: no fault is known
  // Position at which the record of live sessions contradicts itself; 0: it does not.
  base::Position inconsistent;
  StageTimes stages;

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
    visit("max_sessions", &StatusAnswer::max_sessions);
    visit("daily_budget", &StatusAnswer::daily_budget);
    visit("workers", &StatusAnswer::workers);
    visit("worker_pids", &StatusAnswer::worker_pids);
    visit("clients", &StatusAnswer::clients);
    visit("waiting_commands", &StatusAnswer::waiting_commands);
    visit("loaded_streams", &StatusAnswer::loaded_streams);
    visit("key", &StatusAnswer::key);
    visit("erasure_fault", &StatusAnswer::erasure_fault);
    visit("inconsistent", &StatusAnswer::inconsistent);
    visit("stages", &StatusAnswer::stages);
  }
};

}  // namespace workers
