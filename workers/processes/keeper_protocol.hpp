// The messages between worker and keeper over the keeper's fd 3, a SOCK_SEQPACKET socket. Each
// message is one packet of text:
//
//   to the keeper    terminate GRACE_MS     SIGTERM to the agent process, then kill after the grace
//                    kill                   SIGKILL to the whole tree
//   from the keeper  started PID TICKS      first message; TICKS: field 22 of /proc/PID/stat
//                    failed REASON TEXT     first and only message; the keeper exits
//                    exited CODE SIGNAL LEFT  last message; the tree is gone, but for LEFT members
//
// An example is "exited -1 15 0". Either side ends the talk by closing: a keeper whose worker is
// gone ends its tree. Header only and without libraries, for the keeper.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"

namespace processes {

using base::ByteView;
using base::Result;

// The longest message: a path of 4096 bytes and its sentence.
inline constexpr std::size_t kKeeperMessageBytesMax = 8192;

enum class StartFailure {
  lock_held,    // another keeper runs this session
  lock_failed,  // the lock file cannot be opened
  no_folder,    // the working folder cannot be entered
  no_program,   // the program is missing or cannot be executed
  keeper_lost,  // the keeper ended before it said anything
};

struct TerminateAgent {
  std::int64_t grace_ms = 0;
  bool operator==(const TerminateAgent&) const = default;
};
struct KillTree {
  bool operator==(const KillTree&) const = default;
};
using KeeperCommand = std::variant<TerminateAgent, KillTree>;

struct KeptStarted {
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;
  bool operator==(const KeptStarted&) const = default;
};
struct KeptNotStarted {
  StartFailure reason = StartFailure::keeper_lost;
  std::string text;
  bool operator==(const KeptNotStarted&) const = default;
};
struct KeptExited {
  std::int64_t code = -1;        // -1 when a signal ended it
  std::int64_t signal = 0;       // 0 when it exited by itself
  std::int64_t left_behind = 0;  // members of the tree that SIGKILL did not end in time
  bool operator==(const KeptExited&) const = default;
};
using KeeperReport = std::variant<KeptStarted, KeptNotStarted, KeptExited>;

namespace keeper_text {

inline constexpr std::array<std::string_view, 5> kReasons = {
    "lock_held", "lock_failed", "no_folder", "no_program", "keeper_lost"};

// Removes the first word and the space after it from `in`, and returns the word.
inline std::string_view take_word(std::string_view& in) {
  const std::size_t end = in.find(' ');
  const std::string_view word = in.substr(0, end);
  in = end == std::string_view::npos ? std::string_view{} : in.substr(end + 1);
  return word;
}

inline bool take_number(std::string_view& in, std::int64_t& out) {
  const std::string_view word = take_word(in);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc{} && end == word.data() + word.size();
}

// Not inlined: GCC 12 believes that the text is too long for its string then.
[[gnu::noinline]] inline tl::unexpected<base::Error> unknown(std::string_view what) {
  return base::failure(base::ErrorCode::invalid, std::string("not a keeper's ").append(what));
}

}  // namespace keeper_text

inline std::string encode(const KeeperCommand& command) {
  if (const auto* terminate = std::get_if<TerminateAgent>(&command)) {
    return "terminate " + std::to_string(terminate->grace_ms);
  }
  return "kill";
}

// Decodes any bytes; error: `invalid` unless they are exactly one command.
inline Result<KeeperCommand> decode_command(ByteView in) {
  if (in == "kill") return KeeperCommand(KillTree{});
  TerminateAgent terminate;
  if (keeper_text::take_word(in) == "terminate" &&
      keeper_text::take_number(in, terminate.grace_ms) && in.empty() && terminate.grace_ms >= 0) {
    return KeeperCommand(terminate);
  }
  return keeper_text::unknown("command");
}

inline std::string encode(const KeeperReport& report) {
  std::string out;
  if (const auto* started = std::get_if<KeptStarted>(&report)) {
    out = "started " + std::to_string(started->pid) + " " + std::to_string(started->start_ticks);
  } else if (const auto* failed = std::get_if<KeptNotStarted>(&report)) {
    out = "failed ";
    out += keeper_text::kReasons[static_cast<std::size_t>(failed->reason)];
    out += " " + failed->text;
  } else if (const auto* exited = std::get_if<KeptExited>(&report)) {
    out = "exited " + std::to_string(exited->code) + " " + std::to_string(exited->signal) + " " +
          std::to_string(exited->left_behind);
  }
  if (out.size() > kKeeperMessageBytesMax) out.resize(kKeeperMessageBytesMax);
  return out;
}

// Decodes any bytes; error: `invalid` unless they are exactly one report.
inline Result<KeeperReport> decode_report(ByteView in) {
  const std::string_view kind = keeper_text::take_word(in);
  if (kind == "started") {
    KeptStarted started;
    if (keeper_text::take_number(in, started.pid) &&
        keeper_text::take_number(in, started.start_ticks) && in.empty() && started.pid > 0) {
      return KeeperReport(started);
    }
  } else if (kind == "exited") {
    KeptExited exited;
    if (keeper_text::take_number(in, exited.code) && keeper_text::take_number(in, exited.signal) &&
        keeper_text::take_number(in, exited.left_behind) && in.empty()) {
      return KeeperReport(exited);
    }
  } else if (kind == "failed") {
    const std::string_view reason = keeper_text::take_word(in);
    for (std::size_t i = 0; i < keeper_text::kReasons.size(); ++i) {
      if (reason != keeper_text::kReasons[i]) continue;
      return KeeperReport(KeptNotStarted{static_cast<StartFailure>(i), std::string(in)});
    }
  }
  return keeper_text::unknown("report");
}

}  // namespace processes
