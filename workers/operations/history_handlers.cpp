// Operations that show the words of conversations.
#include <algorithm>
#include <utility>

#include "eventlog/domain/conversation/transcript_preview.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/operations/transcript_pages.hpp"

namespace workers {
namespace {

constexpr std::size_t kPreviewKeysMax = 64;
// Items that are read for each one that is shown: calls of tools and their results come between.
constexpr std::int64_t kItemsOfMessage = 4;
constexpr std::int64_t kPreviewBytesMax = std::int64_t{1} << 20;
constexpr std::int64_t kHistoryBytesMax = std::int64_t{4} << 20;

domain::TranscriptLine line_of(const OutputItem& item) {
  domain::TranscriptLine line;
  switch (item.kind) {
    case ItemKind::prompt:
      line.role = "user";
      line.parts.push_back({"text", item.text, {}});
      for (const domain::FileFacts& file : item.files) {
        line.parts.push_back({file.media_type.substr(0, file.media_type.find('/')), {}, {}});
      }
      break;
    case ItemKind::said:
      line.role = "assistant";
      line.parts.push_back({"text", item.text, {}});
      break;
    case ItemKind::tool_call:
      line.role = "assistant";
      line.parts.push_back({"toolcall", {}, item.tool});
      break;
    case ItemKind::tool_result:
    case ItemKind::thought:
    case ItemKind::failure:
    case ItemKind::notice:
    case ItemKind::ended:
      break;
  }
  return line;
}

Task<Outcome<std::vector<domain::PreviewItem>>> preview(const Caller& caller,
                                                        const NamedConversation& named,
                                                        const PreviewArguments& arguments) {
  const auto shown = co_await find_conversation(caller, named);
  if (!shown) co_return tl::unexpected(shown.error());
  const auto parts = co_await parts_of(caller, *shown);
  if (!parts) co_return tl::unexpected(parts.error());
  TranscriptWanted wanted;
  wanted.count = arguments.limit * kItemsOfMessage;
  wanted.bytes_max = kPreviewBytesMax;
  wanted.wants_messages = true;
  const auto page = co_await transcript_page(caller, *parts, wanted);
  if (!page) co_return tl::unexpected(page.error());
  std::vector<domain::TranscriptLine> lines;
  for (const TranscriptItem& one : page->items) {
    domain::TranscriptLine line = line_of(one.item);
    if (!line.parts.empty()) lines.push_back(std::move(line));
  }
  co_return domain::preview_of(lines, {arguments.limit, arguments.characters});
}

}  // namespace

Task<Outcome<ConversationHistory>> show_history(const Caller& caller,
                                                const HistoryArguments& arguments) {
  auto named = named_conversation(caller, arguments.key);
  if (!named) co_return tl::unexpected(named.error());
  const auto shown = co_await find_conversation(caller, *named);
  if (!shown) co_return tl::unexpected(shown.error());
  const auto parts = co_await parts_of(caller, *shown);
  if (!parts) co_return tl::unexpected(parts.error());
  TranscriptWanted wanted;
  wanted.roles = {SaidBy::user, SaidBy::assistant};
  if (arguments.with_tools) wanted.roles.insert(SaidBy::tool);
  wanted.count = arguments.limit;
  wanted.before.value = arguments.before;
  wanted.after.value = arguments.after;
  wanted.bytes_max = kHistoryBytesMax;
  wanted.wants_messages = true;
  auto page = co_await transcript_page(caller, *parts, wanted);
  if (!page) co_return tl::unexpected(page.error());
  co_return ConversationHistory{std::move(*named), shown->session, std::move(*page)};
}

Task<Outcome<ConversationPreviews>> preview_conversations(const Caller& caller,
                                                          const PreviewArguments& arguments) {
  ConversationPreviews all;
  all.as_of = caller.server.clock().wall();
  for (const std::string& key : arguments.keys) {
    if (all.previews.size() == kPreviewKeysMax) break;
    ConversationPreview one{key};
    const auto named = named_conversation(caller, key);
    if (!named) {
      one.status = PreviewStatus::error;
      one.error = named.error().text;
    } else {
      auto items = co_await preview(caller, *named, arguments);
      if (items) {
        one.status = items->empty() ? PreviewStatus::empty : PreviewStatus::ok;
        one.items = std::move(*items);
      } else if (items.error().error == OperationError::not_found) {
        one.status = PreviewStatus::missing;
      } else {
        co_return tl::unexpected(items.error());
      }
    }
    all.previews.push_back(std::move(one));
  }
  co_return all;
}

}  // namespace workers
