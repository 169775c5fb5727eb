// The commands of the crash test, made from their number alone, so that the killed process and the
// one that checks its log agree on them.
#pragma once

#include "eventlog/log/log_reader.hpp"
#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "workers/commands/command_loop.hpp"

namespace crash {

// The first of every this many commands opens the session to which the others send prompts.
constexpr std::int64_t kCommandsOfSession = 50;

template <class Id>
Id id_of(std::int64_t number) {
  Id id;
  id.bytes[0] = 'c';
  for (unsigned i = 0; i < 8; ++i) id.bytes[8 + i] = static_cast<char>(number >> (56 - 8 * i));
  return id;
}

inline std::int64_t session_of(std::int64_t number) {
  return (number - 1) / kCommandsOfSession;
}
inline bool is_spawn(std::int64_t number) {
  return (number - 1) % kCommandsOfSession == 0;
}

// Returns the command's prompt; a few are so long that they are stored in chunks.
inline std::string prompt_of(std::int64_t number) {
  std::string prompt = "prompt " + std::to_string(number);
  if (number % 37 == 0) prompt.append(300'000, static_cast<char>('a' + number % 26));
  return prompt;
}

inline workers::CommandMessage numbered_command(std::int64_t number) {
  workers::CommandMessage m;
  m.id = id_of<base::CommandId>(number);
  m.digest[0] = 'd';
  m.stream_id = id_of<base::SessionId>(session_of(number));
  m.agent = "main";
  m.actor = "crash";
  if (is_spawn(number)) {
    domain::Spawn spawn;
    spawn.spec.engine = "scripted";
    spawn.spec.workdir = "/srv/project";
    spawn.spec.is_multi_turn = true;
    spawn.prompt = prompt_of(number);
    m.command = domain::Command(spawn);
  } else {
    m.command = domain::Command(domain::SendPrompt{prompt_of(number), false});
  }
  return m;
}

// Keeps few sessions in memory, so that they are evicted and loaded again.
inline workers::CommandLoopOptions options() {
  workers::CommandLoopOptions options;
  options.limits.max_sessions = 1'000'000;
  options.limits.queue_max = 1'000'000;
  options.streams_max = 4;
  return options;
}

}  // namespace crash
