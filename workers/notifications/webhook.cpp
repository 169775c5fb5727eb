// The request is made by a program of its own, which alone loads libcurl; the secret is used by
// libsodium.
#include "workers/notifications/webhook.hpp"

#include <sodium.h>

#include <array>

#include "eventlog/base/text_bytes.hpp"
#include "workers/notifications/run_program.hpp"

namespace workers {
namespace {

constexpr std::string_view kEncodedKey = "whsec_";
// The program ends a request by itself. If it does not, it is killed after so much more.
constexpr base::Duration kEndMax = std::chrono::seconds(2);

}  // namespace

std::string webhook_signature(const std::string& secret, const std::string& id,
                              std::int64_t seconds, const std::string& body) {
  std::string key = secret;
  if (secret.starts_with(kEncodedKey)) {
    key = base::from_base64(std::string_view(secret).substr(kEncodedKey.size())).value_or(secret);
  }
  const std::string signed_text = id + "." + std::to_string(seconds) + "." + body;
  crypto_auth_hmacsha256_state state;
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  };
  ::crypto_auth_hmacsha256_init(&state, bytes(key), key.size());
  ::crypto_auth_hmacsha256_update(&state, bytes(signed_text), signed_text.size());
  std::array<unsigned char, crypto_auth_hmacsha256_BYTES> mac{};
  ::crypto_auth_hmacsha256_final(&state, mac.data());
  return "v1," + base::to_base64({reinterpret_cast<const char*>(mac.data()), mac.size()});
}

std::string post_webhook(const WebhookOptions& options, const std::string& id, std::int64_t seconds,
                         const std::string& body, base::Duration limit, int stop_fd) {
  std::string request = options.url + "\nContent-Type: application/json\nUser-Agent: steno/" +
                        STENO_RELEASE + "\nExpect:\nwebhook-id: " + id +
                        "\nwebhook-timestamp: " + std::to_string(seconds) + "\n";
  if (!options.secret.empty()) {
    request += "webhook-signature: " + webhook_signature(options.secret, id, seconds, body) + "\n";
  }
  request.append("\n").append(body);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  const ProgramOutcome ran = run_program({options.program, std::to_string(milliseconds)},
                                         limit + kEndMax, stop_fd, request);
  return ran.problem.empty() || ran.output.empty() ? ran.problem : ran.output;
}

}  // namespace workers
