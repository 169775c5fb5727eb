// Walks the tree of commands along the words, as parsing does.
#include "tools/steno/command_line/completion.hpp"

#include <algorithm>
#include <utility>

#include "tools/steno/config/config.hpp"

namespace steno {
namespace {

using Words = std::vector<std::string>;

bool takes_value(const CLI::App& command, const std::string& word) {
  if (word.find('=') != std::string::npos) return false;
  const CLI::Option* option = option_named(command, word);
  return option != nullptr && option->get_expected_min() > 0;
}

// Returns the name of the positional argument of that number; empty: there is none. The last one
// can be repeated.
std::string positional_named(const CLI::App& command, std::size_t number) {
  std::string last;
  for (const CLI::Option* option :
       command.get_options([](const CLI::Option* one) { return one->get_positional(); })) {
    last = option->get_name(true);
    if (number-- == 0) return last;
  }
  return last;
}

}  // namespace

const CLI::Option* option_named(const CLI::App& command, const std::string& name) {
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    if (const CLI::Option* option = app->get_option_no_throw(name)) return option;
  }
  return nullptr;
}

const CLI::App* command_below(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* one) { return one->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::string first_word(const CLI::App& app, std::span<const char* const> words) {
  bool is_value = false;
  for (std::string word : words) {
    if (std::exchange(is_value, false)) continue;
    if (!word.starts_with('-')) return word;
    if (word == "--") return {};
    is_value = takes_value(app, word);
  }
  return {};
}

std::vector<std::string> flags_of(const CLI::App& command) {
  Words flags;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
  }
  return flags;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  Words names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!one->get_name().empty() && !one->get_group().empty()) names.push_back(one->get_name());
  }
  return names;
}

std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words,
                                     const NamesOf& names_of) {
  if (words.empty()) return commands_of(app);
  const CLI::App* command = &app;
  std::size_t positionals = 0;
  bool is_value = false;
  for (auto word = words.begin(); word + 1 != words.end(); ++word) {
    if (std::exchange(is_value, false)) continue;
    if (*word == "--") return {};
    if (word->starts_with('-')) {
      is_value = takes_value(*command, *word);
    } else if (const CLI::App* below = command_below(*command, *word)) {
      command = below;
      positionals = 0;
    } else {
      ++positionals;
    }
  }
  const std::string& begun = words.back();
  Words all;
  if (is_value) return all;
  const Words commands = commands_of(*command);
  if (begun.starts_with('-')) {
    all = flags_of(*command);
  } else if (!commands.empty()) {
    all = commands;
  } else {
    const std::string name = positional_named(*command, positionals);
    if (name == "REF") all = names_of(KnownNames::sessions);
    const bool is_of_config =
        command->get_parent() != nullptr && command->get_parent()->get_name() == "config";
    if (name == "KEY" && is_of_config) {
      for (const ConfigKey& key : config_keys()) all.emplace_back(key.name);
    } else if (name == "KEY") {
      all = names_of(KnownNames::conversations);
    }
  }
  std::erase_if(all, [&](const std::string& one) { return !one.starts_with(begun); });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace steno
