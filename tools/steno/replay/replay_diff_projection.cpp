// Walks the live rows and the rebuilt ones side by side in key order.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "projections/fold/rows.hpp"
#include "tools/steno/replay/replay_diff.hpp"
#include "tools/steno/replay/replay_report.hpp"
#include "tools/steno/replay/replay_rows.hpp"
#include "workers/json/json.hpp"

namespace steno {
namespace {

using base::Bytes;
using base::Result;
using eventlog::KeyValue;
using eventlog::KeyValueStore;
using Json = nlohmann::ordered_json;

constexpr std::size_t kShownMax = 1000;  // differences to print; each is read by a person

// The rows of one projection, in key order.
class Walk {
 public:
  Walk(KeyValueStore& store, std::string_view projection) : reader_(store, projection) {}

  // Returns null after the last row.
  Result<const KeyValue*> front() {
    if (at_ == page_.size() && !is_ended_) {
      auto page = reader_.scan({}, next_, projections::kRowsPage);
      if (!page) return tl::unexpected(page.error());
      page_ = std::move(*page);
      at_ = 0;
      is_ended_ = page_.empty();
      if (!is_ended_) next_ = page_.back().key + '\0';
    }
    return at_ < page_.size() ? &page_[at_] : nullptr;
  }
  void pop() { ++at_; }

 private:
  projections::RowReader reader_;
  std::vector<KeyValue> page_;
  std::size_t at_ = 0;
  Bytes next_;
  bool is_ended_ = false;
};

struct Rows {
  Json differences = Json::array();
  std::int64_t count = 0;  // of differences, including those not shown
  std::int64_t rows = 0;   // compared
};

Json value_of(const KeyValue* row) {
  return row == nullptr ? Json()
                        : Json::parse(workers::msgpack_to_json(row->value), nullptr, false);
}

void add(Rows& rows, const Bytes& key, const KeyValue* live, const KeyValue* rebuilt) {
  ++rows.count;
  if (rows.differences.size() == kShownMax) return;
  rows.differences.push_back({{"key", Json::parse(workers::json_name(key), nullptr, false)},
                              {"live", value_of(live)},
                              {"rebuilt", value_of(rebuilt)}});
}

Result<Rows> compare(Walk live, Walk rebuilt) {
  Rows rows;
  for (;; ++rows.rows) {
    const auto a = live.front();
    if (!a) return tl::unexpected(a.error());
    const auto b = rebuilt.front();
    if (!b) return tl::unexpected(b.error());
    const KeyValue* of_live = *a;
    const KeyValue* of_rebuilt = *b;
    if (of_live == nullptr && of_rebuilt == nullptr) return rows;
    if (of_live == nullptr || (of_rebuilt != nullptr && of_rebuilt->key < of_live->key)) {
      add(rows, of_rebuilt->key, nullptr, of_rebuilt);
      rebuilt.pop();
    } else if (of_rebuilt == nullptr || of_live->key < of_rebuilt->key) {
      add(rows, of_live->key, of_live, nullptr);
      live.pop();
    } else {
      if (of_live->value != of_rebuilt->value) add(rows, of_live->key, of_live, of_rebuilt);
      live.pop();
      rebuilt.pop();
    }
  }
}

void print_text(std::FILE* out, const RebuiltProjection& projection, const Rows& rows) {
  const auto text = [](const Json& json) {
    return json.is_null() ? "absent" : json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  fmt::print(out, "{} at position {}: {} rows, {} different\n", projection.name,
             projection.position.value, rows.rows, rows.count);
  for (const Json& one : rows.differences) {
    fmt::print(out, "\nrow {}\n  live     {}\n  rebuilt  {}\n", text(one["key"]), text(one["live"]),
               text(one["rebuilt"]));
  }
  const auto hidden = rows.count - static_cast<std::int64_t>(rows.differences.size());
  if (hidden > 0) fmt::print(out, "\nand {} more\n", hidden);
}

}  // namespace

int diff_projection(const ReplayArguments& arguments) {
  const auto chosen = choose_projections(arguments.projection);
  if (!chosen) return fail(arguments.err, chosen.error());
  auto opened = RebuiltRows::open(arguments);
  if (!opened) return fail(arguments.err, opened.error());
  const auto projection = opened->run(*chosen->front());
  if (!projection) return fail(arguments.err, projection.error());
  if (!projection->is_compared) {
    return fail(arguments.err,
                {base::ErrorCode::not_found, "there are no live rows of " + projection->name, {}});
  }
  const auto rows =
      compare(Walk(*opened->live(), projection->name), Walk(opened->rebuilt(), projection->name));
  if (!rows) return fail(arguments.err, rows.error());
  if (arguments.is_json) {
    print_json_text(arguments.out, Json({{"projection", projection->name},
                                         {"position", projection->position.value},
                                         {"same", projection->is_equal},
                                         {"rows", rows->rows},
                                         {"different", rows->count},
                                         {"differences", rows->differences}}));
  } else {
    print_text(arguments.out, *projection, *rows);
  }
  if (rows->count == 0 && !projection->is_equal) {
    fmt::print(arguments.err, "steno: the rows are the same, but of another history\n");
  }
  return projection->is_equal ? kExitOk : kExitFailed;
}

int replay_diff(const ReplayArguments& arguments) {
  const bool has_positions = !arguments.from.empty() || !arguments.at.empty();
  const int kinds = (arguments.other.empty() ? 0 : 1) + (arguments.projection.empty() ? 0 : 1) +
                    (has_positions ? 1 : 0);
  if (kinds != 1) {
    return fail(arguments.err, {base::ErrorCode::invalid,
                                "choose one comparison: another FOLDER, --from and --to, or "
                                "--projection",
                                {}});
  }
  if (!arguments.other.empty()) return diff_logs(arguments);
  return has_positions ? diff_positions(arguments) : diff_projection(arguments);
}

}  // namespace steno
