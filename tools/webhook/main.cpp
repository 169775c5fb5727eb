// steno-webhook: sends one HTTP request, and ends. The server starts it for each notification to a
// webhook, so that it loads neither libcurl nor what libcurl loads.
//
//   steno-webhook MILLISECONDS [--answer]
//
// It reads the request from stdin: a line with the URL, a line for each header, an empty line, and
// the body, which is posted. It does not follow redirects, and ends by itself after that time. Exit
// code 0: the answer was 2xx; with --answer stdout has its body. 1: stdout says in one line what
// went wrong, without the URL. 2: the request makes no sense.
#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace {

constexpr int kTaken = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

struct EasyEnd {
  void operator()(CURL* easy) const { ::curl_easy_cleanup(easy); }
};
struct HeadersEnd {
  void operator()(curl_slist* headers) const { ::curl_slist_free_all(headers); }
};
using Easy = std::unique_ptr<CURL, EasyEnd>;
using Headers = std::unique_ptr<curl_slist, HeadersEnd>;

struct Request {
  std::string url;
  Headers headers;
  std::string body;
};

// Returns the text up to the next line break, and takes it off.
std::string take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

Request read_request(std::string_view text) {
  Request request;
  request.url = take_line(text);
  for (std::string line = take_line(text); !line.empty(); line = take_line(text)) {
    request.headers.reset(::curl_slist_append(request.headers.release(), line.c_str()));
  }
  request.body = text;
  return request;
}

constexpr std::size_t kAnswerMax = std::size_t{1} << 20;

// Keeps the beginning of the answer, if it is wanted.
std::size_t take_answer(char* bytes, std::size_t size, std::size_t count, void* answer) {
  if (auto* text = static_cast<std::string*>(answer); text != nullptr) {
    text->append(bytes, std::min(size * count, kAnswerMax - std::min(kAnswerMax, text->size())));
  }
  return size * count;
}

// Says why, and returns the exit code. If nobody reads it, the code alone tells.
int fail(int fd, std::string line, int code) {
  line += '\n';
  static_cast<void>(!::write(fd, line.data(), line.size()));
  return code;
}
int fail(std::string why) {
  return fail(STDOUT_FILENO, std::move(why), kFailed);
}

bool write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(STDOUT_FILENO, text.data(), text.size());
    if (bytes <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(bytes));
  }
  return true;
}

int send(const Request& request, long milliseconds, bool wants_answer) {
  if (const CURLcode begun = ::curl_global_init(CURL_GLOBAL_DEFAULT); begun != CURLE_OK) {
    return fail(::curl_easy_strerror(begun));
  }
  const Easy easy(::curl_easy_init());
  if (easy == nullptr) return fail("there is no memory for a request");
  CURL* const handle = easy.get();
  ::curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  ::curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  // A name server that does not answer is not waited for.
  ::curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
  ::curl_easy_setopt(handle, CURLOPT_HTTPHEADER, request.headers.get());
  ::curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.c_str());
  ::curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
  ::curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, milliseconds);
  std::string answer;
  ::curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_answer);
  ::curl_easy_setopt(handle, CURLOPT_WRITEDATA, wants_answer ? &answer : nullptr);
  // The library's longer messages name the host.
  if (const CURLcode code = ::curl_easy_perform(handle); code != CURLE_OK) {
    return fail(::curl_easy_strerror(code));
  }
  long status = 0;
  ::curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && status < 300) {
    return write_all(answer) ? kTaken : kFailed;
  }
  return fail("the webhook answered with HTTP status " + std::to_string(status));
}

}  // namespace

int main(int argc, char** argv) {
  const bool wants_answer = argc == 3 && std::string_view(argv[2]) == "--answer";
  const std::string_view time = argc == 2 || wants_answer ? argv[1] : "";
  long milliseconds = 0;
  const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), milliseconds);
  if (error != std::errc{} || end != time.data() + time.size() || milliseconds <= 0) {
    return fail(
        STDERR_FILENO,
        "steno-webhook MILLISECONDS [--answer]: reads a request from stdin; the server starts it",
        kUsage);
  }
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  return send(read_request(text), milliseconds, wants_answer);
}
