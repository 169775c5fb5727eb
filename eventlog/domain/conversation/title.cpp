// A title is cut at a blank if the blank stands beyond 60 % of the length, so that it stays
// telling.
#include "eventlog/domain/conversation/title.hpp"

#include <algorithm>

#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

constexpr std::size_t kSessionIdCharacters = 8;
constexpr std::size_t kDateBytes = 10;
// The part of a text that its title is made from: a longer one says what it is about before.
constexpr std::size_t kTitledBytes = std::size_t{64} << 10;
// Far more than 60 or 64 characters of any script have: without it, marks upon one letter could be
// of any number.
constexpr std::size_t kTitleBytesMax = 2'048;

constexpr std::size_t kFenceMarksMin = 3;

// Returns the line's end from `at` on, or the text's.
std::size_t line_end(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

bool is_at_line_start(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

// A run of marks that opens or closes a block.
struct Fence {
  std::size_t at = std::string_view::npos;
  std::size_t end = std::string_view::npos;
  char mark = '`';

  bool is_found() const { return at != std::string_view::npos; }
  std::size_t marks() const { return end - at; }
};

// Returns the next run of at least so many marks.
Fence next_run(std::string_view text, std::size_t from, char mark, std::size_t marks_min) {
  const std::size_t at = text.find(std::string(marks_min, mark), from);
  if (at == std::string_view::npos) return {};
  return {at, std::min(text.find_first_not_of(mark, at), text.size()), mark};
}

// Returns the next run that opens a block. Tildes do so at the start of a line only.
Fence next_opening(std::string_view text, std::size_t from) {
  const Fence ticks = next_run(text, from, '`', kFenceMarksMin);
  Fence tildes = next_run(text, from, '~', kFenceMarksMin);
  while (tildes.is_found() && tildes.at < ticks.at && !is_at_line_start(text, tildes.at)) {
    tildes = next_run(text, tildes.end, '~', kFenceMarksMin);
  }
  return tildes.at < ticks.at ? tildes : ticks;
}

// True if the fence has a line of its own, or one with the name of a language behind it.
bool is_block_opening(std::string_view text, const Fence& fence) {
  const std::string_view behind = text.substr(fence.end, line_end(text, fence.end) - fence.end);
  return is_at_line_start(text, fence.at) &&
         (fence.mark == '~' || behind.find('`') == std::string_view::npos);
}

bool is_closing_line(std::string_view text, const Fence& run) {
  return is_at_line_start(text, run.at) &&
         trimmed(text.substr(run.end, line_end(text, run.end) - run.end)).empty();
}

// Returns where the block ends that the fence opens.
std::size_t block_end(std::string_view text, const Fence& opening) {
  const bool is_block = is_block_opening(text, opening);
  Fence closing = opening;
  do {
    closing = next_run(text, closing.end, opening.mark, opening.marks());
  } while (closing.is_found() && is_block && !is_closing_line(text, closing));
  if (closing.is_found()) return closing.end;
  return is_block ? text.size() : opening.end;
}

// Returns the line, cut to the length of a title.
std::string cut_title(std::string_view line) {
  if (first_shown(line, kTitleCharactersMax, kTitleBytesMax).size() == line.size()) {
    return std::string(line);
  }
  std::string_view cut = first_shown(line, kTitleCharactersMax - 1, kTitleBytesMax);
  constexpr std::size_t kKeptMin = kTitleCharactersMax * 6 / 10 + 1;
  const std::size_t blank = cut.rfind(' ');
  if (blank != std::string_view::npos && blank >= first_shown(cut, kKeptMin).size()) {
    cut = cut.substr(0, blank);
  }
  return std::string(cut) + "…";
}

}  // namespace

std::string without_code_blocks(std::string_view text) {
  std::string kept;
  std::size_t from = 0;
  for (Fence opening; (opening = next_opening(text, from)).is_found();) {
    kept.append(text.substr(from, opening.at - from)).append(" ");
    from = block_end(text, opening);
  }
  return kept.append(text.substr(from));
}

std::optional<std::string> title_of(const TitleSources& sources) {
  for (const std::string_view given : {sources.display_name, sources.subject}) {
    if (const std::string_view name = trimmed(given); !name.empty()) return std::string(name);
  }
  const std::string said = without_code_blocks(sources.first_user_text.substr(0, kTitledBytes));
  const std::string line = one_line(said, kTitleBytesMax);
  if (!line.empty()) return cut_title(line);
  std::string title(first_shown(trimmed(sources.session_id), kSessionIdCharacters));
  if (title.empty()) return std::nullopt;
  if (sources.updated > Time{}) {
    title += " (" + base::time_text(sources.updated).substr(0, kDateBytes) + ")";
  }
  return title;
}

ParsedLabel parse_label(std::optional<std::string_view> text) {
  if (!text) return {{}, LabelFault::not_text};
  const std::string_view label = trimmed(*text);
  if (label.empty()) return {{}, LabelFault::empty};
  const bool is_whole =
      first_shown(label, kLabelCharactersMax, kTitleBytesMax).size() == label.size();
  if (!is_whole) return {{}, LabelFault::too_long};
  return {std::string(label), LabelFault::none};
}

}  // namespace domain
