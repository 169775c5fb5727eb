// The builtin commands, and the file of a webhook.
#include "workers/notifications/sink_options.hpp"

#include <sys/stat.h>

#include <fstream>

namespace workers {
namespace {

constexpr std::string_view kAccepted =
    "; it holds a line with the URL, and perhaps one with the secret of the signature";

base::Error fault(const std::string& path, std::string text, std::string_view behind = kAccepted) {
  return {base::ErrorCode::invalid, std::move(text.append(behind)), path};
}

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
  return targets;
}

std::vector<std::string> builtin_channel_command() {
  return {"openclaw",  "message",  "send",     "--channel", "{channel}", "--account",
          "{account}", "--target", "{target}", "--message", "{text}"};
}

std::vector<std::string> builtin_system_command() {
  return {"openclaw", "system", "event", "--text", "{text}", "--mode", "now"};
}

std::vector<std::string> builtin_desktop_command() {
  return {"notify-send", "--app-name=Steno", "--", "{title}", "{text}"};
}

base::Result<WebhookOptions> read_webhook_file(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return base::failure(base::ErrorCode::not_found,
                         "there is no such file" + std::string(kAccepted), path);
  }
  if ((about.st_mode & 077) != 0) {
    return base::failure(base::ErrorCode::refused,
                         "others can use this file, which holds a secret; chmod 600 it", path);
  }
  std::ifstream file(path);
  WebhookOptions options;
  std::string more;
  if (!std::getline(file, options.url)) return tl::unexpected(fault(path, "line 1: no URL"));
  std::getline(file, options.secret);
  const bool is_http = options.url.starts_with("http://") || options.url.starts_with("https://");
  if (!is_http || !is_clean(options.url)) {
    return tl::unexpected(fault(path, "line 1: not a URL that begins with http:// or https://"));
  }
  if (!is_clean(options.secret)) {
    return tl::unexpected(fault(path, "line 2: a secret has no blanks"));
  }
  if (std::getline(file, more) && !more.empty()) {
    return tl::unexpected(fault(path, "line 3: too many lines"));
  }
  return options;
}

}  // namespace workers
