// Looks at the texts that become prompts.
#include "workers/operations/file_mention.hpp"

#include "workers/operations/text_bounds.hpp"
#include "workers/text/file_mention.hpp"

namespace workers {

Outcome<bool> check_mentions(const Json& arguments) {
  for (const auto& [name, value] : arguments.items()) {
    const bool is_prompt = name == "prompt" || name == "message" || name == "system_prompt";
    if (!is_prompt || !value.is_string()) continue;
    const std::string text = value.get<std::string>();
    const std::string_view word = file_mention(text);
    if (word.empty()) continue;
    return refuse(
        OperationError::refused,
        name + " has " + shown(word) +
            ": the agent would read that file without asking for a permission; write the "
            "path without the @, so that the agent's permissions count, or let the server's "
            "owner set chat_file_mentions = true");
  }
  return true;
}

}  // namespace workers
