// Runs of subagents: what is kept of each, and how people see it. A run is one task, given by a
// conversation to a subagent with a conversation of its own; its end is announced to the one that
// asked. Source: details 2.12, the vectors subagents.
#pragma once

#include <optional>

#include "eventlog/domain/conversation/delivery.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

enum class SubagentOutcome : std::uint8_t { none, ok, error, timeout, unknown };
enum class RunStatus : std::uint8_t { running, done, error, timeout, unknown };
// The fate of the subagent's conversation after the announcement.
enum class RunCleanup : std::uint8_t { keep, remove };

struct SubagentRun {
  std::string run{};             // its id
  std::string child{};           // the subagent's session key
  std::string requester{};       // the session key of the conversation that asked
  std::string requester_name{};  // as people read it
  std::string task{};
  std::string label{};
  RunCleanup cleanup = RunCleanup::keep;
  DeliveryContext origin{};  // where the requester was asked from
  Time created{};
  Time started{};  // 0: it was not
  Time ended{};    // 0: it has not
  SubagentOutcome outcome = SubagentOutcome::none;
  std::string error{};        // of outcome `error`
  bool is_announced = false;  // or needs no announcement
  Time cleaned_up{};          // 0: it was not
  Time archive_at{};          // 0: never

  bool operator==(const SubagentRun&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("run", &SubagentRun::run);
    visit("child", &SubagentRun::child);
    visit("requester", &SubagentRun::requester);
    visit("requester_name", &SubagentRun::requester_name);
    visit("task", &SubagentRun::task);
    visit("label", &SubagentRun::label);
    visit("cleanup", &SubagentRun::cleanup);
    visit("origin", &SubagentRun::origin);
    visit("created", &SubagentRun::created);
    visit("started", &SubagentRun::started);
    visit("ended", &SubagentRun::ended);
    visit("outcome", &SubagentRun::outcome);
    visit("error", &SubagentRun::error);
    visit("announced", &SubagentRun::is_announced);
    visit("cleaned_up", &SubagentRun::cleaned_up);
    visit("archive_at", &SubagentRun::archive_at);
  }
};

// A run with an end and without an outcome is done.
RunStatus status_of(const SubagentRun& run);

constexpr std::int64_t kRunLabelCharacters = 72;
// Returns the label, else the task, else "subagent".
std::string label_of(const SubagentRun& run);
// The same, cut to so many characters, with "…" behind them if it was longer. 0 or less: not cut.
std::string short_label(const SubagentRun& run, std::int64_t characters_max = kRunLabelCharacters);

// Orders runs by their start, the newest first; one that was not started by its creation. For a
// stable sort.
bool is_newer(const SubagentRun& one, const SubagentRun& other);

constexpr base::Duration kSubagentTimeout = std::chrono::minutes(10);
constexpr base::Duration kRunArchiveAfter = std::chrono::hours(1);
// Returns how long after its end a run is archived, in whole minutes, at least one. None: never, as
// the setting 0 or less says.
std::optional<base::Duration> archive_after(std::optional<base::Duration> setting);

// Returns "agent:<agent>:subagent:<id>". `id` is a UUID that its maker has never used before.
std::string subagent_key(std::string_view agent, std::string_view id);

// ---- files of runs that OpenClaw wrote ----

// Fields of version 1 that have other names by now.
struct OldRunFields {
  Time announce_completed{};
  std::optional<bool> is_announce_handled{};
  std::string channel{};
  std::string account{};
};
// False: runs of such a file are not read.
constexpr bool is_known_runs_file(std::int64_t version) {
  return version == 1 || version == 2;
}
// Returns the run as the present version has it. `old` holds nothing for version 2.
SubagentRun upgraded(SubagentRun run, const OldRunFields& old);

}  // namespace domain

template <>
struct base::EnumNames<domain::SubagentOutcome> {
  static constexpr std::string_view kNames[] = {"none", "ok", "error", "timeout", "unknown"};
};
template <>
struct base::EnumNames<domain::RunStatus> {
  static constexpr std::string_view kNames[] = {"running", "done", "error", "timeout", "unknown"};
};
template <>
struct base::EnumNames<domain::RunCleanup> {
  static constexpr std::string_view kNames[] = {"keep", "delete"};
};
