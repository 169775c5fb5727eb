// Tells a file by its first bytes, and a text by all of them.
#include "eventlog/domain/prompt_files.hpp"

#include <algorithm>

#include "eventlog/base/bytes.hpp"
#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kAccepted =
    "an agent can be given images (PNG, JPEG, GIF, WebP), PDF, and UTF-8 text";

std::optional<std::string_view> by_first_bytes(std::string_view data) {
  if (data.starts_with("\x89PNG\r\n\x1a\n"sv)) return "image/png";
  if (data.starts_with("\xff\xd8\xff"sv)) return "image/jpeg";
  if (data.starts_with("GIF87a"sv) || data.starts_with("GIF89a"sv)) return "image/gif";
  if (data.starts_with("RIFF"sv) && data.substr(0, 12).ends_with("WEBP"sv)) return "image/webp";
  if (data.starts_with("%PDF-"sv)) return kPdfType;
  return std::nullopt;
}

// Returns true if a part of the text is shown.
bool shows_something(std::string_view text) {
  while (!text.empty()) {
    const char32_t c = take_code_point(text);
    if (!is_control(c) && !is_blank(c)) return true;
  }
  return false;
}

std::optional<Rejection> check_name(const std::string& name) {
  const auto bad = [](const std::string& why) {
    return Rejection{RejectionCode::invalid, "a file's name " + why};
  };
  if (name.empty()) return bad("is missing");
  if (auto too_long = check_length("a file's name", name.size(), kFactBytesMax)) return too_long;
  if (!base::is_utf8(name)) return bad("is not UTF-8; send it under another one");
  if (name.find('/') != std::string::npos) return bad("has no folder; leave out what is before it");
  for (std::string_view rest = name; !rest.empty();) {
    if (is_control(take_code_point(rest))) {
      return bad("has control characters; send it under another one");
    }
  }
  return std::nullopt;
}

std::string mib_text(std::int64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

std::optional<std::string_view> media_type_of(std::string_view data) {
  if (const auto known = by_first_bytes(data)) return known;
  const bool is_text = data.find('\0') == std::string_view::npos && base::is_utf8(data);
  return is_text && shows_something(data) ? std::optional(kTextType) : std::nullopt;
}

bool is_image(std::string_view media_type) {
  return media_type.starts_with("image/");
}

std::optional<Rejection> check_file(const PromptFile& file) {
  if (auto bad = check_name(file.name)) return bad;
  if (file.data.empty()) return Rejection{RejectionCode::invalid, file.name + " is empty"};
  const auto type = media_type_of(file.data);
  if (!type) {
    return Rejection{RejectionCode::invalid,
                     file.name + " is none of the files that can be sent, by its bytes: " +
                         std::string(kAccepted) + "; name it in the prompt instead"};
  }
  const auto bytes = static_cast<std::int64_t>(file.data.size());
  if (!is_image(*type) || bytes <= kImageBytesMax) return std::nullopt;
  return Rejection{RejectionCode::limit_reached,
                   file.name + " has " + std::to_string(bytes) + " bytes, and an image has " +
                       mib_text(kImageBytesMax) + " at most; make it smaller"};
}

std::optional<Rejection> check_files(const PromptFiles& files, std::int64_t bytes_before) {
  if (files.size() > kPromptFilesMax) {
    return Rejection{RejectionCode::limit_reached,
                     "the prompt has " + std::to_string(files.size()) + " files, of " +
                         std::to_string(kPromptFilesMax) +
                         " at most; send the others with a further one"};
  }
  for (const PromptFile& file : files) {
    if (auto bad = check_file(file)) return bad;
  }
  const std::int64_t bytes = bytes_before + bytes_of(files);
  if (files.empty() || bytes <= kPromptFilesBytesMax) return std::nullopt;
  return Rejection{RejectionCode::limit_reached,
                   "the files have " + std::to_string(bytes) + " bytes" +
                       (bytes_before > 0 ? " with those that the turn has already" : "") + ", of " +
                       mib_text(kPromptFilesBytesMax) +
                       " at most; send some of them with a later prompt, or name them in the "
                       "prompt"};
}

std::optional<Rejection> check_takes_files(const PromptFiles& files, const std::string& engine,
                                           std::span<const std::string> taking) {
  if (files.empty() || std::find(taking.begin(), taking.end(), engine) != taking.end()) {
    return std::nullopt;
  }
  return Rejection{RejectionCode::invalid, "agents of the engine " + engine +
                                               " take no files; name the file in the prompt"};
}

FileFacts facts_of(const PromptFile& file) {
  return {file.name, std::string(media_type_of(file.data).value_or("")),
          static_cast<std::int64_t>(file.data.size())};
}

std::int64_t bytes_of(const PromptFiles& files) {
  std::int64_t bytes = 0;
  for (const PromptFile& file : files) bytes += static_cast<std::int64_t>(file.data.size());
  return bytes;
}

std::string files_text(const std::vector<FileFacts>& files) {
  std::string text;
  for (const FileFacts& file : files) {
    const bool is_small = file.bytes < 1'000;
    text += (text.empty() ? "" : ", ") + file.name + " (" + file.media_type + ", " +
            std::to_string(is_small ? file.bytes : (file.bytes + 500) / 1'000) +
            (is_small ? " bytes)" : " KB)");
  }
  return text;
}

std::string prompt_text(const std::string& prompt, const std::vector<FileFacts>& files) {
  if (files.empty()) return prompt;
  return prompt + (prompt.empty() ? "[with " : " [with ") + files_text(files) + "]";
}

}  // namespace domain
