// Sends notifications by HTTP, signed as the Standard Webhooks specification 1.0.0 has it, so that
// the libraries that exist for it can check them.
#pragma once

#include <string>

#include "workers/notifications/run_program.hpp"
#include "workers/notifications/sink_options.hpp"

namespace workers {

// Returns the value of the header webhook-signature: "v1," and the base64 of the HMAC-SHA256 over
// "id.seconds.body". A secret that begins with "whsec_" is the base64 of the key; any other is the
// key itself.
std::string webhook_signature(const std::string& secret, const std::string& id,
                              std::int64_t seconds, const std::string& body);

// What is sent, under an id, and when.
struct WebhookMessage {
  std::string id;
  std::int64_t seconds = 0;  // since 1970
  std::string body;          // JSON
};

// Posts the body, by steno-webhook. Does not follow redirects; the answer must be 2xx. Breaks off
// as `how` says. Returns what went wrong, without the URL; empty: it was taken.
std::string post_webhook(const WebhookOptions& options, const WebhookMessage& message,
                         const ProgramRun& how);

// The same for the hook that wakes an orchestrator: {"text": …, "mode": "now"}, with the token in
// the headers Authorization and x-openclaw-token.
std::string post_wake(const WakeOptions& options, const std::string& text, const ProgramRun& how);

}  // namespace workers
