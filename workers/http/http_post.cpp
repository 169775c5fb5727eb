// The secret is used by libsodium.
#include "workers/http/http_post.hpp"

#include <sodium.h>

#include <array>

#include "eventlog/base/release.hpp"
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

std::string signed_headers(const std::string& secret, const std::string& id, std::int64_t seconds,
                           const std::string& body) {
  std::string headers =
      "webhook-id: " + id + "\nwebhook-timestamp: " + std::to_string(seconds) + "\n";
  if (secret.empty()) return headers;
  return headers + "webhook-signature: " + webhook_signature(secret, id, seconds, body) + "\n";
}

HttpOutcome post(const HttpPost& request, processes::ProgramRun how) {
  const std::string text = request.url + "\nContent-Type: application/json\nUser-Agent: steno/" +
                           base::release() + "\nExpect:\n" + request.headers + "\n" + request.body;
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(how.limit).count();
  how.limit += kEndMax;
  how.output_max = std::max(how.output_max, request.answer_max);
  std::vector<std::string> argv{request.program, std::to_string(limit)};
  if (request.answer_max > 0) argv.emplace_back("--answer");
  processes::ProgramOutcome ran = processes::run_program(argv, how, text);
  if (ran.problem.empty()) return {{}, std::move(ran.output)};
  return {ran.output.empty() ? std::move(ran.problem) : std::move(ran.output)};
}

}  // namespace workers
