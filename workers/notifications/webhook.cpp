// The request is made by a program of its own, which alone loads libcurl; the secret is used by
// libsodium.
#include "workers/notifications/webhook.hpp"

#include <sodium.h>

#include <array>

#include <nlohmann/json.hpp>

#include "eventlog/base/text_bytes.hpp"

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

namespace {

// `headers`: lines, each with its line feed.
std::string post(const std::string& program, const std::string& url, const std::string& headers,
                 const std::string& body, ProgramRun how) {
  const std::string request = url + "\nContent-Type: application/json\nUser-Agent: steno/" +
                              STENO_RELEASE + "\nExpect:\n" + headers + "\n" + body;
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(how.limit).count();
  how.limit += kEndMax;
  const ProgramOutcome ran = run_program({program, std::to_string(limit)}, how, request);
  return ran.problem.empty() || ran.output.empty() ? ran.problem : ran.output;
}

}  // namespace

std::string post_webhook(const WebhookOptions& options, const WebhookMessage& message,
                         const ProgramRun& how) {
  std::string headers = "webhook-id: " + message.id +
                        "\nwebhook-timestamp: " + std::to_string(message.seconds) + "\n";
  if (!options.secret.empty()) {
    headers += "webhook-signature: " +
               webhook_signature(options.secret, message.id, message.seconds, message.body) + "\n";
  }
  return post(options.program, options.url, headers, message.body, how);
}

std::string post_wake(const WakeOptions& options, const std::string& text, const ProgramRun& how) {
  std::string headers;
  if (!options.token.empty()) {
    headers =
        "Authorization: Bearer " + options.token + "\nx-openclaw-token: " + options.token + "\n";
  }
  const nlohmann::ordered_json body{{"text", text}, {"mode", "now"}};
  return post(options.program, options.url, headers,
              body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), how);
}

}  // namespace workers
