// Declares `complete`, which shells ask while a command line is typed.
#include <algorithm>
#include <chrono>

#include "tools/steno/command_line/completion.hpp"
#include "tools/steno/command_line/parts.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/protocol/conversations.hpp"

namespace steno {
namespace {

// Nobody waits longer for a word, or reads through more of them.
constexpr base::Duration kNamesWait = std::chrono::seconds(1);
constexpr std::int64_t kNamesMax = 200;

// A shell puts words into its line as they are, and agents choose names.
bool is_plain(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:@/+-";
  return !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
}

// Returns the names that the server knows; without one, or with a slow one, there are none.
std::vector<std::string> names_at(const Config& config, KnownNames what) {
  std::vector<std::string> names;
  auto connection = Connection::open(config);
  if (!connection) return names;
  workers::QueryBody query;
  query.agent = config.agent;
  query.limit = kNamesMax;
  if (what == KnownNames::conversations) {
    query.filter = workers::ConversationFilter{};
    const auto page =
        (*connection)->ask<workers::ConversationsAnswer>(workers::kVerbConversations, query);
    for (std::size_t i = 0; page && i < page->conversations.size(); ++i) {
      names.push_back(page->conversations[i].key);
    }
    std::erase_if(names, [](const std::string& key) { return !is_plain(key); });
    return names;
  }
  const auto page = (*connection)->ask<workers::ListAnswer>(workers::kVerbList, query);
  for (std::size_t i = 0; page && i < page->sessions.size(); ++i) {
    const projections::SessionRow& row = page->sessions[i];
    names.push_back(row.alias);
    names.push_back(row.name);
  }
  std::erase_if(names, [](const std::string& name) { return !is_plain(name); });
  return names;
}

}  // namespace

void add_complete(CommandLine& line) {
  auto& words = line.keep<std::vector<std::string>>();
  CLI::App* command = line.command(
      line.app, "complete", "Print what can end a command line, for shells",
      "  steno complete -- conv sh", words,
      [&line](const Config& config, const std::vector<std::string>& begun) {
        Config quick = config;
        quick.timeout = std::min(quick.timeout, kNamesWait);
        for (const std::string& word :
             completions(line.app, begun, [&](KnownNames what) { return names_at(quick, what); })) {
          print(word + "\n");
        }
        return kExitOk;
      });
  command->add_option("WORDS", words, "The words behind steno; the last one is not finished");
}

}  // namespace steno
