// Words of other programs' command lines: kubectl, gh, docker, temporal, nats, tmux and claude. A
// person who types one by habit is told what does the same here. None of them is accepted.
#pragma once

#include <string_view>

namespace steno {

// Returns the command line that does what a command of that name does elsewhere; empty: no known
// program has it, or nothing here does that.
std::string_view own_command(std::string_view word);

struct ForeignFlag {
  std::string_view flag;
  std::string_view needs;  // a flag here; the hint is for commands that have it
  std::string_view here;   // what does the same
};

// Returns what is known of a flag, without its value; null: nothing.
const ForeignFlag* foreign_flag(std::string_view flag);

// Returns the command line that does what a program's flag does elsewhere without a command; empty:
// likewise.
std::string_view own_command_for_flag(std::string_view flag);

}  // namespace steno
