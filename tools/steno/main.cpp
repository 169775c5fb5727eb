// The program `steno`: the command line, without what opens a log.
#include "tools/steno/command_line/command_line.hpp"

int main(int argc, char** argv) {
  return steno::run_command_line(argc, argv, {nullptr, steno::add_client_commands});
}
