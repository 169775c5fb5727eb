// Tables in the order of the alphabet.
#include "tools/steno/command_line/foreign_words.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace steno {
namespace {

struct ForeignWord {
  std::string_view word;
  std::string_view here;
};

constexpr ForeignWord kForeignCommands[] = {
    {"agents", "steno ls, or steno top"},
    {"cancel", "steno interrupt REF, or steno kill REF"},
    {"capture-pane", "steno output REF"},
    {"create", "steno spawn 'PROMPT'"},
    {"delete", "steno kill REF, and steno erase REF for its texts"},
    {"describe", "steno show REF"},
    {"detach", "Ctrl-D in steno attach"},
    {"events", "steno watch"},
    {"exec", "steno send REF 'PROMPT'"},
    {"get", "steno ls, or steno show REF"},
    {"has-session", "steno show REF"},
    {"history", "steno watch REF --from start"},
    {"info", "steno status"},
    {"inspect", "steno show REF -o json"},
    {"kill-server", "steno stop"},
    {"kill-session", "steno kill REF"},
    {"list", "steno ls"},
    {"list-sessions", "steno ls"},
    {"new", "steno spawn 'PROMPT'"},
    {"new-session", "steno spawn 'PROMPT'"},
    {"pause", "steno interrupt REF"},
    {"prune", "steno worktree prune, or steno conv prune"},
    {"ps", "steno ls"},
    {"pub", "steno send REF 'PROMPT'"},
    {"remove", "steno kill REF, and steno erase REF for its texts"},
    {"rename-session", "steno rename REF NAME"},
    {"request", "steno send REF --wait 'PROMPT'"},
    {"rerun", "steno resume REF"},
    {"respawn", "steno resume REF"},
    {"result", "steno wait REF -o json"},
    {"rm", "steno kill REF, and steno erase REF for its texts"},
    {"send-keys", "steno send REF 'PROMPT'"},
    {"signal", "steno send REF 'PROMPT'"},
    {"start", "steno spawn 'PROMPT', or steno resume REF"},
    {"sub", "steno watch"},
    {"tail", "steno logs REF"},
    {"terminate", "steno kill REF"},
    {"unpause", "steno continue REF"},
    {"view", "steno show REF"},
};

constexpr ForeignFlag kForeignFlags[] = {
    {"--all-namespaces", "--all-agents", "--all-agents"},
    {"--filter", "--status", "--status, --name, --label and --since"},
    {"--format", "--output", "-o json, piped into jq"},
    {"--jq", "--output", "-o json, piped into jq"},
    {"--json", "--output", "-o json"},
    {"--namespace", "--agent", "--agent"},
    {"--no-headers", "--quiet", "-q, which prints aliases alone"},
    {"--query", "--status", "--status, --name, --label and --since"},
    {"--selector", "--label", "--label"},
    {"--template", "--output", "-o json, piped into jq"},
    {"--timestamps", "--follow", "-o jsonl, which has times"},
    {"-l", "--label", "--label"},
};

constexpr ForeignWord kForeignFlagsAlone[] = {
    {"--bg", "steno spawn 'PROMPT'"},  {"--continue", "steno resume REF"},
    {"--print", "steno run 'PROMPT'"}, {"--resume", "steno resume REF"},
    {"-c", "steno resume REF"},        {"-p", "steno run 'PROMPT'"},
    {"-r", "steno resume REF"},
};

std::string_view word_here(std::span<const ForeignWord> words, std::string_view word) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const ForeignWord& one) { return one.word == word; });
  return found == words.end() ? std::string_view{} : found->here;
}

}  // namespace

std::string_view own_command(std::string_view word) {
  return word_here(kForeignCommands, word);
}

const ForeignFlag* foreign_flag(std::string_view flag) {
  const auto* found = std::find_if(std::begin(kForeignFlags), std::end(kForeignFlags),
                                   [&](const ForeignFlag& one) { return one.flag == flag; });
  return found == std::end(kForeignFlags) ? nullptr : found;
}

std::string_view own_command_for_flag(std::string_view flag) {
  return word_here(kForeignFlagsAlone, flag);
}

}  // namespace steno
