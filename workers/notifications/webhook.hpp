// Sends notifications by HTTP, signed as the Standard Webhooks specification 1.0.0 has it, so that
// the libraries that exist for it can check them.
#pragma once

#include <string>

#include "eventlog/base/time.hpp"
#include "workers/notifications/sink_options.hpp"

namespace workers {

// Returns the value of the header webhook-signature: "v1," and the base64 of the HMAC-SHA256 over
// "id.seconds.body". A secret that begins with "whsec_" is the base64 of the key; any other is the
// key itself.
std::string webhook_signature(const std::string& secret, const std::string& id,
                              std::int64_t seconds, const std::string& body);

// Posts the body as JSON, by steno-webhook. Does not follow redirects; the answer must be 2xx.
// Breaks off after `limit`, or once `stop_fd` is readable. Returns what went wrong, without the
// URL; empty: it was taken.
std::string post_webhook(const WebhookOptions& options, const std::string& id, std::int64_t seconds,
                         const std::string& body, base::Duration limit, int stop_fd);

}  // namespace workers
