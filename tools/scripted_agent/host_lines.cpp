// Answers control requests while it reads, also in the middle of a turn, as Claude Code does.
#include "tools/scripted_agent/host_lines.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace scripted_agent {
namespace {

// Ends the process as Claude Code does on input that it cannot read.
[[noreturn]] void refuse(std::string_view why) {
  write_all(STDERR_FILENO, why);
  ::_exit(1);
}

// Returns a member's text; empty if it is missing or of another type.
std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json member(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object[key] : Json(nullptr);
}

Json first_of(const Json& list) {
  return list.is_array() && !list.empty() ? list[0] : Json(nullptr);
}

// Returns a content's text: the content is a string or a list of blocks, of which those of type
// text count.
std::string prompt_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string out;
  if (!content.is_array()) return out;
  for (const Json& block : content) out += text_of(block, "text");
  return out;
}

// FNV-1a (Fowler, Noll and Vo, 32 bits), in eight hexadecimal digits.
std::string hash_text(std::string_view data) {
  std::uint32_t hash = 2'166'136'261u;
  for (const char c : data) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619u;
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", hash);
  return text.data();
}

std::size_t size_of(const std::string& data, bool is_base64) {
  if (!is_base64) return data.size();
  const auto padding = static_cast<std::size_t>(std::count(data.begin(), data.end(), '='));
  return data.size() / 4 * 3 - padding;
}

std::string blocks_text(const Json& content) {
  std::string text;
  if (content.is_string() && content != "") {
    const auto said = content.get<std::string>();
    return "[text " + std::to_string(said.size()) + " bytes " + hash_text(said) + "]";
  }
  if (!content.is_array()) return text;
  for (const Json& block : content) {
    const Json source = member(block, "source");
    const bool is_base64 = text_of(source, "type") == "base64";
    const std::string data = source.is_null() ? text_of(block, "text") : text_of(source, "data");
    text += "[" + text_of(block, "type");
    for (const std::string& word : {text_of(block, "title"), text_of(source, "media_type")}) {
      if (!word.empty()) text += " " + word;
    }
    text += " " + std::to_string(size_of(data, is_base64)) + " bytes " + hash_text(data) + "]";
  }
  return text;
}

Json initialize_response() {
  return {{"commands", Json::array()},
          {"agents", Json::array()},
          {"output_style", "default"},
          {"available_output_styles", {"default"}},
          {"models", Json::array({{{"name", "default"}}})},
          {"account", Json::object()}};
}

}  // namespace

bool HostLines::wait(std::int64_t timeout_ms) {
  pollfd fd{has_ended_ ? -1 : STDIN_FILENO, POLLIN, 0};
  const int ready = ::poll(&fd, 1, static_cast<int>(timeout_ms));
  if (ready > 0) read_some();
  return ready == 0;
}

std::optional<Prompt> HostLines::take_prompt() {
  if (prompts_.empty()) return std::nullopt;
  Prompt prompt = std::move(prompts_.front());
  prompts_.pop_front();
  return prompt;
}

std::optional<Json> HostLines::take_answer(const std::string& request_id) {
  const auto node = answers_.extract(request_id);
  return node.empty() ? std::nullopt : std::optional<Json>(node.mapped());
}

std::string HostLines::callback_of(const std::string& point, const std::string& tool) const {
  const auto found = callbacks_.find(point);
  if (found == callbacks_.end()) return {};
  const std::string& tools = found->second.tools;
  const bool is_meant =
      tools.empty() || ("|" + tools + "|").find("|" + tool + "|") != std::string::npos;
  return is_meant ? found->second.id : std::string();
}

void HostLines::read_some() {
  std::array<char, 65536> chunk;
  const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) {
    has_ended_ = true;
    return;
  }
  const std::string_view why = take({chunk.data(), static_cast<std::size_t>(count)});
  if (!why.empty()) refuse(why);
}

std::string_view HostLines::take(std::string_view bytes) {
  for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos;) {
    held_ += bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (const auto why = take_line(std::exchange(held_, {})); !why.empty()) return why;
  }
  held_ += bytes;
  return {};
}

std::string_view HostLines::take_line(const std::string& line) {
  if (line.find_first_not_of(" \r\t") == std::string::npos) return {};
  const Json frame = Json::parse(line, nullptr, false);
  if (frame.is_discarded()) return "Error parsing streaming input line\n";
  const std::string type = text_of(frame, "type");
  if (type == "user") {
    return take_prompt_line(frame);
  } else if (type == "control_request") {
    take_control(frame);
  } else if (type == "control_response") {
    const Json response = member(frame, "response");
    answers_[text_of(response, "request_id")] = response;
  }
  return {};
}

std::string_view HostLines::take_prompt_line(const Json& frame) {
  const Json message = member(frame, "message");
  if (text_of(message, "role") != "user") return "Error: Expected message role 'user'\n";
  const std::string uuid = text_of(frame, "uuid");
  // A prompt that comes again under the same id does not run again.
  if (!uuid.empty() && !seen_uuids_.insert(uuid).second) return {};
  if (!uuid.empty()) frames_.lifecycle(uuid, "queued");
  const Json content = member(message, "content");
  prompts_.push_back({prompt_text(content), uuid, blocks_text(content)});
  return {};
}

void HostLines::cancel_queued() {
  for (const Prompt& prompt : std::exchange(prompts_, {})) {
    if (!prompt.uuid.empty()) frames_.lifecycle(prompt.uuid, "cancelled");
  }
}

void HostLines::set_mode(const Json& id, const std::string& mode) {
  if (mode == "bypassPermissions" && !settings_.may_bypass) {
    return frames_.control_error(id,
                                 "Cannot set permission mode to bypassPermissions because the "
                                 "session was not launched with --dangerously-skip-permissions");
  }
  frames_.control_success(id, {{"mode", mode}});
  if (std::exchange(settings_.permission_mode, mode) != mode) frames_.mode(mode);
}

void HostLines::take_control(const Json& frame) {
  const Json id = member(frame, "request_id");
  const Json request = member(frame, "request");
  const std::string subtype = text_of(request, "subtype");
  if (subtype == "initialize") {
    const Json hooks = member(request, "hooks");
    for (const auto& [point, matchers] : hooks.items()) {
      const Json ids = member(first_of(matchers), "hookCallbackIds");
      const std::string tools = text_of(first_of(matchers), "matcher");
      if (const Json name = first_of(ids); name.is_string()) callbacks_[point] = {name, tools};
    }
    is_initialized_ = true;
    frames_.control_success(id, initialize_response());
  } else if (subtype == "interrupt") {
    if (!pending_request_.empty()) frames_.control_cancel(std::exchange(pending_request_, {}));
    if (member(request, "cancel_queued") == true) cancel_queued();
    Json still_queued = Json::array();
    for (const Prompt& prompt : prompts_) still_queued.push_back(prompt.uuid);
    frames_.control_success(id, {{"still_queued", std::move(still_queued)}});
    is_interrupted_ = is_turn_running_;
  } else if (subtype == "set_permission_mode") {
    set_mode(id, text_of(request, "mode"));
  } else if (subtype == "set_model") {
    settings_.model = text_of(request, "model");
    frames_.control_success(id, {{"model", member(request, "model")}});
  } else if (subtype == "set_max_thinking_tokens") {
    const Json tokens = member(request, "max_thinking_tokens");
    settings_.thinking_tokens = tokens.is_number() ? tokens.get<std::int64_t>() : 0;
    frames_.control_success(id, Json::object());
  } else {
    frames_.control_error(id, "Unsupported control request subtype: " + subtype);
  }
}

}  // namespace scripted_agent
