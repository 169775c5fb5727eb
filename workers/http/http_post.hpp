// Sends HTTP requests by a program of its own, steno-webhook, which alone loads libcurl.
#pragma once

#include <string>

#include "workers/processes/run_program.hpp"

namespace workers {

struct HttpPost {
  std::string program;         // path of steno-webhook
  std::string url;             // http or https
  std::string headers;         // lines, each with its line feed
  std::string body;            // JSON
  std::size_t answer_max = 0;  // bytes that are wanted of the answer's body
};

struct HttpOutcome {
  std::string problem;   // empty: the answer was 2xx. It does not name the URL
  std::string answer{};  // the body of such an answer, or its beginning
};

// Does not follow redirects. Breaks off as `how` says.
HttpOutcome post(const HttpPost& request, processes::ProgramRun how);

// Returns the value of the header webhook-signature: "v1," and the base64 of the HMAC-SHA256 over
// "id.seconds.body", as the Standard Webhooks specification 1.0.0 has it. A secret that begins with
// "whsec_" is the base64 of the key; any other is the key itself.
std::string webhook_signature(const std::string& secret, const std::string& id,
                              std::int64_t seconds, const std::string& body);

// Returns the headers of a request that is signed so, each a line. Without a secret it has an id
// and a time, and no signature.
std::string signed_headers(const std::string& secret, const std::string& id, std::int64_t seconds,
                           const std::string& body);

}  // namespace workers
