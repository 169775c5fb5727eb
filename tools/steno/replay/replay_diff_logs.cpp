// Compares block hashes, then contents, which the hashes do not cover; looks closer only at the
// first difference.
#include <fmt/format.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/folder/open_log.hpp"
#include "tools/steno/replay/replay_diff.hpp"
#include "tools/steno/replay/replay_report.hpp"

namespace steno {
namespace {

using base::Bytes;
using base::Position;
using base::Result;
using Json = nlohmann::ordered_json;

// One of the two logs, read block by block.
class Side {
 public:
  static Result<Side> open(const std::string& folder, const ReplayArguments& arguments) {
    auto log = eventlog::open_unproved_log(folder, arguments.archives);
    if (!log) return tl::unexpected(log.error());
    if (log->store_error) return tl::unexpected(*log->store_error);
    if (auto ok = check_begin(*log); !ok) return tl::unexpected(ok.error());
    return Side(std::move(*log));
  }

  Position tail() const { return log_.store->tail(); }

  // Returns the block that begins at the position; null: there is none.
  Result<const eventlog::StoredBlock*> block_at(Position first) {
    if (blocks_.empty() && first <= tail()) {
      auto read = log_.store->read(first, eventlog::kScanBytes, true);
      if (!read) return tl::unexpected(read.error());
      blocks_.assign(std::make_move_iterator(read->begin()), std::make_move_iterator(read->end()));
    }
    if (blocks_.empty()) return nullptr;
    return &blocks_.front();
  }
  void pop() { blocks_.pop_front(); }

 private:
  explicit Side(eventlog::UnprovedLog log) : log_(std::move(log)) {}

  eventlog::UnprovedLog log_;
  std::deque<eventlog::StoredBlock> blocks_;
};

struct Difference {
  std::string what;  // same, ends, blocks, events, content
  Position position;
  std::string text;
};

std::string type_at(const eventlog::BlockView& block, std::size_t index) {
  const auto envelope = domain::decode_envelope(block.events[index]);
  if (!envelope) return "an event that cannot be read";
  return printable(envelope->type + " of stream " + envelope->stream + ", version " +
                   std::to_string(envelope->version.value));
}

// Returns the difference between two blocks whose facts differ.
Difference compare_blocks(const eventlog::BlockView& a, const eventlog::BlockView& b) {
  const auto at = [&](std::size_t i) { return a.header.first.plus(static_cast<std::int64_t>(i)); };
  if (a.header.log != b.header.log) {
    return {"blocks", a.header.first,
            fmt::format("two logs: {} and {}", a.header.log.text(), b.header.log.text())};
  }
  for (std::size_t i = 0; i < std::min(a.events.size(), b.events.size()); ++i) {
    if (a.events[i] == b.events[i]) continue;
    return {"events", at(i), fmt::format("{} | {}", type_at(a, i), type_at(b, i))};
  }
  const char* what = a.header.epoch != b.header.epoch ? "the same events in two epochs"
                     : a.events.size() != b.events.size()
                         ? "the same events, parted into blocks in two ways"
                         : "the same events in blocks with different headers";
  return {"blocks", a.header.first, what};
}

Difference compare_content(const eventlog::BlockView& block, const Bytes& a, const Bytes& b) {
  const auto entries = [](const Bytes& bytes) {
    std::map<std::int64_t, eventlog::StoredContent> all;
    const auto decoded = base::decode<eventlog::ContentBlock>(bytes);
    if (!decoded) return all;
    for (const auto& entry : decoded->entries) all.emplace(entry.index, entry);
    return all;
  };
  const auto left = entries(a);
  const auto right = entries(b);
  for (std::int64_t i = 0; i < block.header.count; ++i) {
    const auto l = left.find(i);
    const auto r = right.find(i);
    const bool is_left = l != left.end();
    const bool is_right = r != right.end();
    if (is_left == is_right && (!is_left || l->second == r->second)) continue;
    const char* what = is_left && is_right ? "the contents differ"
                       : is_left           ? "the content is in the first one only"
                                           : "the content is in the second one only";
    return {"content", block.header.first.plus(i), what};
  }
  return {"content", block.header.first, "the content blocks differ"};
}

// Returns the first difference. Everything before it is the same in both.
Result<Difference> compare(Side& a, Side& b, ProgressLine& progress) {
  const Position end = std::max(a.tail(), b.tail());
  for (Position next{1};;) {
    const auto left = a.block_at(next);
    if (!left) return tl::unexpected(left.error());
    const auto right = b.block_at(next);
    if (!right) return tl::unexpected(right.error());
    if (*left == nullptr && *right == nullptr) return Difference{"same", next.plus(-1), {}};
    if (*left == nullptr || *right == nullptr) {
      return Difference{
          "ends", next,
          fmt::format("the {} log ends at position {}, the other one goes on to {}",
                      *left == nullptr ? "first" : "second", next.value - 1, end.value)};
    }
    const auto first = eventlog::parse_block((*left)->facts);
    const auto second = eventlog::parse_block((*right)->facts);
    for (const auto* block : {&first, &second}) {
      const bool is_next = *block && (*block)->header.first == next;
      if (is_next) continue;
      return base::failure(base::ErrorCode::damaged,
                           *block ? "the event is missing" : block->error().text,
                           "position " + std::to_string(next.value));
    }
    if (first->hash() != second->hash()) return compare_blocks(*first, *second);
    if ((*left)->content != (*right)->content) {
      return compare_content(*first, (*left)->content, (*right)->content);
    }
    next = first->header.last().next();
    a.pop();
    b.pop();
    progress.show(next.plus(-1), end);
  }
}

}  // namespace

int diff_logs(const ReplayArguments& arguments) {
  auto a = Side::open(arguments.folder, arguments);
  if (!a) return fail(arguments.err, a.error());
  auto b = Side::open(arguments.other, arguments);
  if (!b) return fail(arguments.err, b.error());
  ProgressLine progress(arguments.err, "diff");
  const auto found = compare(*a, *b, progress);
  progress.clear();
  if (!found) return fail(arguments.err, found.error());
  const bool is_same = found->what == "same";
  if (arguments.is_json) {
    print_json_text(arguments.out, Json({{"same", is_same},
                                         {"difference", is_same ? Json() : Json(found->what)},
                                         {"position", found->position.value},
                                         {"text", found->text},
                                         {"first", a->tail().value},
                                         {"second", b->tail().value}}));
  } else if (is_same) {
    fmt::print(arguments.out, "the same, up to position {}\n", found->position.value);
  } else {
    fmt::print(arguments.out, "the same up to position {}; then, at {}: {}\n",
               found->position.value - 1, found->position.value, found->text);
  }
  return is_same ? kExitOk : kExitFailed;
}

}  // namespace steno
