// Sends notifications by HTTP, signed as the Standard Webhooks specification 1.0.0 has it, so that
// the libraries that exist for it can check them.
#pragma once

#include <string>

#include "workers/notifications/sink_options.hpp"
#include "workers/processes/run_program.hpp"

namespace workers {

// What is sent, under an id, and when.
struct WebhookMessage {
  std::string id;
  std::int64_t seconds = 0;  // since 1970
  std::string body;          // JSON
};

// Posts the body, by steno-webhook. Does not follow redirects; the answer must be 2xx. Breaks off
// as `how` says. Returns what went wrong, without the URL; empty: it was taken.
std::string post_webhook(const WebhookOptions& options, const WebhookMessage& message,
                         const processes::ProgramRun& how);

// The same for the hook that wakes an orchestrator: {"text": …, "mode": "now"}, with the token in
// the headers Authorization and x-openclaw-token.
std::string post_wake(const WakeOptions& options, const std::string& text,
                      const processes::ProgramRun& how);

}  // namespace workers
