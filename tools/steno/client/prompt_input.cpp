// Reads a prompt to its end.
#include "tools/steno/client/prompt_input.hpp"

#include <unistd.h>

#include "workers/operations/opening.hpp"

namespace steno {

std::string read_all(LineInput& input) {
  std::string all;
  while (!input.is_at_end() && all.size() <= LineInput::kLineBytesMax) {
    input.fill();
    all += input.take_all();
  }
  while (!all.empty() && all.back() == '\n') all.pop_back();
  return all;
}

Outcome<std::string> prompt_of(const std::string& argument) {
  LineInput input(STDIN_FILENO);
  std::string prompt = argument == "-" ? read_all(input) : argument;
  if (const auto ok = workers::check_prompt(prompt); !ok) return fail(ok.error());
  return prompt;
}

}  // namespace steno
