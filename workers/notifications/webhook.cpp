// Says what is sent; http_post sends it.
#include "workers/notifications/webhook.hpp"

#include <nlohmann/json.hpp>

#include "workers/http/http_post.hpp"

namespace workers {

std::string post_webhook(const WebhookOptions& options, const WebhookMessage& message,
                         const processes::ProgramRun& how) {
  return post({options.program, options.url,
               signed_headers(options.secret, message.id, message.seconds, message.body),
               message.body},
              how)
      .problem;
}

std::string post_wake(const WakeOptions& options, const std::string& text,
                      const processes::ProgramRun& how) {
  std::string headers;
  if (!options.token.empty()) {
    headers =
        "Authorization: Bearer " + options.token + "\nx-openclaw-token: " + options.token + "\n";
  }
  const nlohmann::ordered_json body{{"text", text}, {"mode", "now"}};
  return post({options.program, options.url, headers,
               body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)},
              how)
      .problem;
}

}  // namespace workers
