// One request by libcurl, without redirects; its secret is used by libsodium.
#include "workers/notifications/webhook.hpp"

#include <curl/curl.h>
#include <poll.h>
#include <sodium.h>

#include <array>
#include <memory>

#include "eventlog/base/text_bytes.hpp"

namespace workers {
namespace {

constexpr std::string_view kEncodedKey = "whsec_";

struct EasyEnd {
  void operator()(CURL* easy) const { ::curl_easy_cleanup(easy); }
};
struct HeadersEnd {
  void operator()(curl_slist* headers) const { ::curl_slist_free_all(headers); }
};
using Easy = std::unique_ptr<CURL, EasyEnd>;
using Headers = std::unique_ptr<curl_slist, HeadersEnd>;

void add_header(Headers& headers, const std::string& line) {
  headers.reset(::curl_slist_append(headers.release(), line.c_str()));
}

// The other side's answer is not of use.
std::size_t drop_answer(char*, std::size_t size, std::size_t count, void*) {
  return size * count;
}

int stops(void* stop_fd, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  pollfd stop{*static_cast<const int*>(stop_fd), POLLIN, 0};
  return ::poll(&stop, 1, 0) > 0 ? 1 : 0;
}

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
  static const CURLcode begun = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  if (begun != CURLE_OK) return ::curl_easy_strerror(begun);
  const Easy easy(::curl_easy_init());
  if (easy == nullptr) return "there is no memory for a request";
  Headers headers;
  add_header(headers, "Content-Type: application/json");
  add_header(headers, "User-Agent: steno/" STENO_RELEASE);
  add_header(headers, "Expect:");
  add_header(headers, "webhook-id: " + id);
  add_header(headers, "webhook-timestamp: " + std::to_string(seconds));
  if (!options.secret.empty()) {
    add_header(headers,
               "webhook-signature: " + webhook_signature(options.secret, id, seconds, body));
  }
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  CURL* const request = easy.get();
  ::curl_easy_setopt(request, CURLOPT_URL, options.url.c_str());
  ::curl_easy_setopt(request, CURLOPT_PROTOCOLS_STR, "http,https");
  ::curl_easy_setopt(request, CURLOPT_NOSIGNAL, 1L);
  // A name server that does not answer is not waited for.
  ::curl_easy_setopt(request, CURLOPT_QUICK_EXIT, 1L);
  ::curl_easy_setopt(request, CURLOPT_HTTPHEADER, headers.get());
  ::curl_easy_setopt(request, CURLOPT_POSTFIELDS, body.c_str());
  ::curl_easy_setopt(request, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  ::curl_easy_setopt(request, CURLOPT_TIMEOUT_MS, static_cast<long>(milliseconds));
  ::curl_easy_setopt(request, CURLOPT_WRITEFUNCTION, drop_answer);
  ::curl_easy_setopt(request, CURLOPT_NOPROGRESS, 0L);
  ::curl_easy_setopt(request, CURLOPT_XFERINFOFUNCTION, stops);
  ::curl_easy_setopt(request, CURLOPT_XFERINFODATA, &stop_fd);
  const CURLcode code = ::curl_easy_perform(request);
  if (code == CURLE_ABORTED_BY_CALLBACK) return "the server stopped";
  // The library's longer messages name the host.
  if (code != CURLE_OK) return ::curl_easy_strerror(code);
  long status = 0;
  ::curl_easy_getinfo(request, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && status < 300) return {};
  return "the webhook answered with HTTP status " + std::to_string(status);
}

}  // namespace workers
