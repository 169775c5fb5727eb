// The program `steno-server`: the commands that open a log. It has no others, since a server has
// nearly all of its program in memory.
#include "tools/steno/command_line/command_line.hpp"

int main(int argc, char** argv) {
  constexpr steno::LogCommands kCommands{
      .doctor = steno::doctor,
      .restore = steno::restore,
      .serve = steno::serve,
      .verify = steno::replay_verify,
      .state = steno::replay_state,
      .rebuild = steno::replay_rebuild,
      .salvage = steno::replay_salvage,
      .export_lines = steno::replay_export,
      .import_lines = steno::replay_import,
      .diff = steno::replay_diff,
      .stats = steno::replay_stats,
  };
  return steno::run_command_line(argc, argv, {&kCommands, nullptr});
}
