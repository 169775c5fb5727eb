// The opening comes first, then the prompts of the turn, each behind its files, then answers.
#include "eventlog/domain/session/texts_needed.hpp"

namespace domain {
namespace {

void add_files(const AttachedFiles& files, std::vector<NeededText>& texts) {
  for (const AttachedFile& file : files) texts.push_back({TextRole::file, file.file});
}

}  // namespace

std::vector<NeededText> texts_needed(const SessionWork& state) {
  std::vector<NeededText> texts{{TextRole::opening, state.opened}};
  if (state.turn) {
    const bool is_given = !state.turn->deferred->empty();
    if (!is_given) {
      add_files(state.turn->files, texts);
      texts.push_back({TextRole::prompt, state.turn->prompt});
    }
    for (const InjectedPrompt& one : *state.turn->injected) {
      add_files(one.files, texts);
      texts.push_back({TextRole::prompt, one.prompt});
    }
  }
  for (const OpenAsk& ask : *state.asks) {
    if (ask.has_text) texts.push_back({TextRole::answer, ask.answer});
  }
  return texts;
}

}  // namespace domain
