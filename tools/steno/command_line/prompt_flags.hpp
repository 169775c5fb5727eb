// The ways to give a prompt, which all commands that take one share.
#pragma once

#include <string>
#include <utility>

#include "tools/steno/client/project_settings.hpp"
#include "tools/steno/client/prompt_editor.hpp"
#include "tools/steno/client/prompt_input.hpp"
#include "tools/steno/command_line/parts.hpp"

namespace steno {

// Adds the positional argument `name`, and the flags that give a prompt in its place.
inline void add_prompt(CLI::App* command, const char* name, std::string& prompt, PromptPlace& place,
                       const std::string& help) {
  CLI::Option* argument = command->add_option(name, prompt, help);
  command
      ->add_option("--prompt-file", place.file,
                   "The prompt is the text of this file; -: read from stdin. It is a flag, and not "
                   "@FILE, since agents read @PATH in a prompt themselves")
      ->type_name("FILE")
      ->excludes(argument);
  command->add_flag("--edit", place.is_edited,
                    "Write the prompt in $VISUAL or $EDITOR, over the one that is given; if no "
                    "text is left, nothing is sent");
}

// Wraps a command that takes a prompt. One that is to be written in an editor is, and then is the
// prompt of that file. `is_needed`: there is nothing to do without one, unless there are files.
template <class Arguments, class Base>
auto prompting(Outcome<int> (*run)(const Config&, const Arguments&), std::string Base::*prompt,
               bool is_needed) {
  return [run, prompt, is_needed](const Config& config, const Arguments& arguments) {
    Arguments told = arguments;
    if (told.place.file == "-") {
      told.place.file.clear();
      told.*prompt = "-";
    }
    if (told.place.is_edited) {
      Config used = config;
      // The draft can be the prompt of a template.
      if constexpr (requires { told.template_name; }) {
        auto opening = with_project(config, told);
        if (!opening) return finish(tl::unexpected(opening.error()));
        used = std::move(opening->config);
        told = std::move(opening->arguments);
        told.template_name = kNoProjectFile;
      }
      const std::string given = told.*prompt;
      const bool is_there = !given.empty() || !told.place.file.empty();
      const auto draft =
          is_there ? prompt_of(given, told.place, true) : Outcome<std::string>(given);
      if (!draft) return finish(tl::unexpected(draft.error()));
      const auto file = edit_prompt(*draft);
      if (!file) return finish(tl::unexpected(file.error()));
      (told.*prompt).clear();
      told.place = {*file, false, true};
      const auto outcome = run(used, told);
      const int code = finish(outcome);
      leave_edited(*file, outcome.has_value());
      return code;
    }
    bool is_missing = is_needed && (told.*prompt).empty() && told.place.file.empty();
    if constexpr (requires { told.files; }) is_missing = is_missing && told.files.empty();
    if constexpr (requires { told.template_name; }) {
      is_missing = is_missing && told.template_name.empty();  // which can have one
    }
    if (!is_missing) return call(run, config, told);
    return finish(fail(kExitUsage,
                       "the prompt is empty; say it, or read it from stdin (-) or a file "
                       "(--prompt-file), or write it in an editor (--edit)"));
  };
}

}  // namespace steno
