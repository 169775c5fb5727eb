// The kernel's answers about processes, whose names and environments anybody can choose.
#include "workers/processes/process_table.hpp"

#include "tests/fuzz/fuzz.hpp"

// The first byte chooses: 0 a line of /proc/<pid>/stat, 1 such a line around a name, 2 an
// environment.
void fuzz::run(ByteView in) {
  Source source(in);
  const std::uint8_t how = source.byte();
  const ByteView rest = source.rest();
  if (how % 3 == 2) {
    const auto value = processes::value_of("STENO_SESSION", rest);
    if (value) require(rest.find("STENO_SESSION=" + *value) != ByteView::npos, "it stands there");
    return;
  }
  const bool is_named = how % 3 == 1;
  const std::string line =
      is_named ? "7 (" + std::string(rest) + ") S 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 13 14 15 16 77 0"
               : std::string(rest);
  const auto row = processes::parse_stat(line);
  if (is_named) {
    require(row && row->pid == 7 && row->parent == 1 && row->session == 3 &&
                row->start_ticks == 77 && row->name == rest,
            "whatever a process calls itself, its row is its own");
  }
  if (row) require(row->pid > 0, "a process has a pid");
}
