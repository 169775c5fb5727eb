// Claude Code is the one engine with a login.
#include "tools/steno/connection/login.hpp"

#include <algorithm>

#include "tools/steno/config/command_words.hpp"

namespace steno {
namespace {

constexpr std::string_view kEngine = "claude";
constexpr std::int64_t kUnauthorized = 401;  // HTTP

const workers::EngineFacts* engine_of(const workers::ServerFacts& facts) {
  const auto found =
      std::find_if(facts.engines.begin(), facts.engines.end(),
                   [](const workers::EngineFacts& engine) { return engine.name == kEngine; });
  return found == facts.engines.end() ? nullptr : &*found;
}

}  // namespace

bool is_login_failure(std::string_view text, std::int64_t api_status) {
  const auto says = [&](std::string_view words) {
    return text.find(words) != std::string_view::npos;
  };
  return api_status == kUnauthorized || says("/login") || says("Not logged in");
}

std::string login_command(const workers::ServerFacts& facts) {
  const workers::EngineFacts* engine = engine_of(facts);
  const bool is_found = engine != nullptr && !engine->path.empty();
  const std::string home =
      facts.agent_home.empty() ? "" : "HOME=" + shell_word(facts.agent_home) + " ";
  return home + shell_word(is_found ? engine->path : std::string(kEngine));
}

std::string login_advice(const workers::ServerFacts& facts) {
  const std::string user = facts.user.empty() ? "the server's user" : "user " + facts.user;
  return "log in once as " + user + ": " + login_command(facts) +
         ", or set ANTHROPIC_API_KEY in the environment of steno serve and start it again";
}

bool lacks_login(const workers::ServerFacts& facts) {
  return facts.pid != 0 && engine_of(facts) != nullptr && facts.keys.empty() && !facts.has_login;
}

}  // namespace steno
