// Signatures are those of the Standard Webhooks specification; settings of webhooks stay secret.
#include "workers/notifications/webhook.hpp"
#include "workers/http/http_post.hpp"

#include <sys/stat.h>

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

namespace workers {
namespace {

TEST_CASE("a signature is that of the specification's own example", "[workers]") {
  CHECK(webhook_signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek",
                          1614265330, R"({"test": 2432232314})") ==
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

class WebhookFile {
 public:
  explicit WebhookFile(const std::string& text, mode_t mode = 0600) {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), mode);
  }
  base::Result<WebhookOptions> read() const { return read_webhook_file(path_); }
  std::string fault() const {
    const auto options = read();
    REQUIRE_FALSE(options);
    CHECK(options.error().text.find("s3cret") == std::string::npos);
    return options.error().text;
  }

 private:
  support::TempFolder folder_;
  const std::string path_ = folder_.file("webhook");
};

TEST_CASE("a webhook's file has its URL and perhaps a secret", "[workers]") {
  const auto signed_one = WebhookFile("https://example.org/s3cret\nwhsec_c2VjcmV0\n").read();
  REQUIRE(signed_one);
  CHECK(signed_one->url == "https://example.org/s3cret");
  CHECK(signed_one->secret == "whsec_c2VjcmV0");
  const auto plain = WebhookFile("http://127.0.0.1:8080/").read();
  REQUIRE(plain);
  CHECK(plain->secret.empty());
}

TEST_CASE("a webhook's file that cannot be used says which line, and no secret", "[workers]") {
  CHECK(WebhookFile("").fault().find("line 1") != std::string::npos);
  CHECK(WebhookFile("s3cret").fault().find("line 1") != std::string::npos);
  CHECK(WebhookFile("file:///s3cret").fault().find("line 1") != std::string::npos);
  CHECK(WebhookFile("http://a/\ns3cret with blanks").fault().find("line 2") != std::string::npos);
  CHECK(WebhookFile("http://a/\nb\ns3cret").fault().find("line 3") != std::string::npos);
  CHECK(WebhookFile("http://a/\ns3cret", 0644).fault().find("chmod 600") != std::string::npos);
  CHECK_FALSE(read_webhook_file("/nowhere"));
}

}  // namespace
}  // namespace workers
