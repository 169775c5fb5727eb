// Flags and arguments that many commands on sessions share.
#pragma once

#include <initializer_list>
#include <string>

#include "eventlog/base/digits.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "tools/steno/command_line/parts.hpp"

namespace steno {

// Adds a session reference: id, alias, name, or the start of one.
template <class Arguments>
void add_reference(CLI::App* command, Arguments& arguments) {
  command
      ->add_option("REF", arguments.reference,
                   "Session: id, alias, name, the start of one, or a conversation")
      ->required();
}

template <class Arguments>
CLI::Option* add_references(CLI::App* command, Arguments& arguments) {
  return command->add_option(
      "REF", arguments.references,
      "Sessions: id, alias, name, the start of one, or a conversation. A failure for one leaves "
      "the others alone");
}

template <class Arguments>
void add_files(CLI::App* command, Arguments& arguments) {
  command
      ->add_option("--file", arguments.files,
                   "An image, PDF or text that the agent is given before the prompt; can be "
                   "repeated; -: read from stdin")
      ->allow_extra_args(false)
      ->type_name("PATH");
}

// Adds the instructions and permissions that hold for a whole session.
template <class Arguments>
void add_bounds(CLI::App* command, Arguments& arguments, const std::string& without) {
  command->add_option("--max-turns", arguments.max_turns, "The agent's model calls; " + without)
      ->check(within(0, base::kIntegerLimit - 1))
      ->type_name("COUNT");
  command->add_option("--system-prompt", arguments.system_prompt, "Added to the agent's own");
  command
      ->add_option("--allow-tool", arguments.allowed_tools,
                   "A tool that it can use without asking; can be repeated")
      ->allow_extra_args(false)
      ->type_name("TOOL");
}

// Adds a flag for each setting of a session, and for those that are said with them.
inline void add_settings(CommandLine& line, CLI::App& command,
                         std::initializer_list<const char*> besides) {
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    line.setting(command, std::string(setting.key), flag_name(setting.key));
  }
  for (const char* key : besides) line.setting(command, key, flag_name(key));
}

}  // namespace steno
