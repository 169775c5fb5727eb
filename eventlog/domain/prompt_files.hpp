// Files that go with a prompt. Which ones an agent can be given is told by their first bytes, never
// by a name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/rejection.hpp"

namespace domain {

// The files of one prompt.
constexpr std::size_t kPromptFilesMax = 10;
// All files of a turn, with those of prompts that are added to it. As base64 they fit the 32 MB of
// one request to the model's API.
constexpr std::int64_t kPromptFilesBytesMax = std::int64_t{20} << 20;
// One image; the API takes no larger one.
constexpr std::int64_t kImageBytesMax = std::int64_t{5} << 20;

// A file as it comes with a command.
struct PromptFile {
  std::string name;  // without a folder
  std::string data;

  bool operator==(const PromptFile&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &PromptFile::name);
    visit("data", &PromptFile::data);
  }
};
using PromptFiles = std::vector<PromptFile>;

// The facts about a file. No erasure reaches them.
struct FileFacts {
  std::string name;
  std::string media_type;  // as media_type_of() returns it
  std::int64_t bytes = 0;

  bool operator==(const FileFacts&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &FileFacts::name);
    visit("media_type", &FileFacts::media_type);
    visit("bytes", &FileFacts::bytes);
  }
};

constexpr std::string_view kPdfType = "application/pdf";
constexpr std::string_view kTextType = "text/plain";

// Returns "image/png", "image/jpeg", "image/gif", "image/webp", kPdfType, or kTextType for UTF-8
// text of which something is shown; none: an agent cannot be given these bytes.
std::optional<std::string_view> media_type_of(std::string_view data);
bool is_image(std::string_view media_type);

// Returns why the file alone cannot go with a prompt, and what to do; none: it can.
std::optional<Rejection> check_file(const PromptFile& file);
// The same of a prompt's files together. `bytes_before`: of the files that its turn has already.
std::optional<Rejection> check_files(const PromptFiles& files, std::int64_t bytes_before = 0);
// Returns none if there are no files, or `engine` is one of `taking`, whose agents take them.
std::optional<Rejection> check_takes_files(const PromptFiles& files, const std::string& engine,
                                           std::span<const std::string> taking);

FileFacts facts_of(const PromptFile& file);
std::int64_t bytes_of(const PromptFiles& files);

// Returns "shot.png (image/png, 83 KB), notes.txt (text/plain, 2 KB)"; empty without files.
std::string files_text(const std::vector<FileFacts>& files);
// Returns the prompt as it is shown: "look at this [with shot.png (image/png, 83 KB)]".
std::string prompt_text(const std::string& prompt, const std::vector<FileFacts>& files);

}  // namespace domain
