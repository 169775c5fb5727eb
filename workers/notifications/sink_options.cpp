// The builtin commands, and the files of what is posted to.
#include "workers/notifications/sink_options.hpp"

#include <sys/stat.h>

#include <fstream>

namespace workers {
namespace {

// A file with an URL, and perhaps a secret.
struct UrlFile {
  std::string url;
  std::string secret;
};

bool is_clean(const std::string& text) {
  return text.find_first_of(" \t\r") == std::string::npos;
}

}  // namespace

std::array<bool, domain::kNotificationTargets> targets_of(const SinkOptions& options) {
  std::array<bool, domain::kNotificationTargets> targets{};
  const auto set = [&](domain::NotificationTarget target, bool is_there) {
    targets[static_cast<std::size_t>(target)] = is_there;
  };
  set(domain::NotificationTarget::channel, !options.channel_command.empty());
  set(domain::NotificationTarget::system, !options.system_command.empty());
  set(domain::NotificationTarget::webhook, options.webhook.has_value());
  set(domain::NotificationTarget::desktop, !options.desktop_command.empty());
  set(domain::NotificationTarget::parent, true);
  set(domain::NotificationTarget::wake, options.wake.has_value());
  set(domain::NotificationTarget::hook, options.hooks->has(domain::HookPoint::session_end));
  return targets;
}

std::vector<std::string> builtin_channel_command() {
  return {"openclaw", "message",  "send",        "--channel", "{channel}", "--account", "{account}",
          "--target", "{target}", "--thread-id", "{thread}",  "--message", "{text}"};
}

std::vector<std::string> builtin_system_command() {
  return {"openclaw", "system", "event", "--text", "{text}", "--mode", "now"};
}

std::vector<std::string> builtin_desktop_command() {
  return {"notify-send", "--app-name=Steno", "--", "{title}", "{text}"};
}

namespace {

// `secret`: what the second line is.
base::Result<UrlFile> read_url_file(const std::string& path, const std::string& secret) {
  const std::string accepted = "; it holds a line with the URL, and perhaps one with the " + secret;
  const auto fault = [&](const std::string& text) {
    return base::failure(base::ErrorCode::invalid, text + accepted, path);
  };
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return base::failure(base::ErrorCode::not_found, "there is no such file" + accepted, path);
  }
  if ((about.st_mode & 077) != 0) {
    return base::failure(base::ErrorCode::refused,
                         "others can use this file, which holds a secret; chmod 600 it", path);
  }
  std::ifstream file(path);
  UrlFile read;
  std::string more;
  if (!std::getline(file, read.url)) return fault("line 1: no URL");
  std::getline(file, read.secret);
  const bool is_http = read.url.starts_with("http://") || read.url.starts_with("https://");
  if (!is_http || !is_clean(read.url)) {
    return fault("line 1: not a URL that begins with http:// or https://");
  }
  if (!is_clean(read.secret)) return fault("line 2: a secret has no blanks");
  if (std::getline(file, more) && !more.empty()) return fault("line 3: too many lines");
  return read;
}

}  // namespace

base::Result<WebhookOptions> read_webhook_file(const std::string& path) {
  auto read = read_url_file(path, "secret of the signature");
  if (!read) return tl::unexpected(read.error());
  return WebhookOptions{std::move(read->url), std::move(read->secret)};
}

base::Result<WakeOptions> read_wake_file(const std::string& path) {
  auto read = read_url_file(path, "token of the hooks");
  if (!read) return tl::unexpected(read.error());
  return WakeOptions{std::move(read->url), std::move(read->secret)};
}

}  // namespace workers
