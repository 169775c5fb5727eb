// Asks for the session with its texts.
#include "tools/steno/operations/first_prompt.hpp"

namespace steno {

Outcome<std::string> first_prompt(Connection& connection, const std::string& agent,
                                  base::SessionId session) {
  workers::QueryBody query;
  query.agent = agent;
  query.reference = session.text();
  query.wants_texts = true;
  const auto shown = connection.ask<workers::ShowAnswer>(workers::kVerbShow, query);
  if (shown) return shown->prompt;
  if (shown.error().exit_code == kExitNotFound) return std::string();
  return tl::unexpected(shown.error());
}

}  // namespace steno
