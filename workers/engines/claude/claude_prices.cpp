// A model's name may carry a date or a variant behind the name of the table.
#include "workers/engines/claude/claude_prices.hpp"

#include <algorithm>
#include <iterator>

#include "eventlog/base/msgpack.hpp"

namespace engines {
namespace {

// In 1e-9 dollars a token, which is dollars for a million tokens times 1,000.
struct Price {
  std::string_view model;
  std::int64_t input;
  std::int64_t output;
  std::int64_t cache_read;
  std::int64_t cache_creation;
};

constexpr Price kPrices[] = {
    {"claude-opus-5-5", 4'000, 20'000, 200, 5'000},
    {"claude-sonnet-5-5", 2'000, 10'000, 100, 2'500},
    {"claude-sonnet-4-6", 3'000, 15'000, 300, 3'750},
    {"claude-haiku-4-5", 1'000, 5'000, 100, 1'250},
};

// "claude-haiku-4-5-20251001" and "claude-opus-5-5[1m]" are such models, "claude-opus-5-51" is not.
bool is_of(std::string_view model, std::string_view listed) {
  if (!model.starts_with(listed)) return false;
  const std::string_view rest = model.substr(listed.size());
  return rest.empty() || rest.front() == '[' || (rest.size() == 9 && rest.front() == '-');
}

}  // namespace

std::optional<base::NanoUsd> claude_price(std::string_view model, const domain::Usage& usage) {
  const auto price = std::find_if(std::begin(kPrices), std::end(kPrices),
                                  [&](const Price& p) { return is_of(model, p.model); });
  if (price == std::end(kPrices)) return std::nullopt;
  constexpr std::int64_t kTokensMax = base::kIntegerLimit / 100'000;
  const auto part = [=](std::int64_t tokens, std::int64_t each) {
    return std::min(tokens, kTokensMax) * each;
  };
  const std::int64_t sum = part(usage.input_tokens, price->input) +
                           part(usage.output_tokens, price->output) +
                           part(usage.cache_read_tokens, price->cache_read) +
                           part(usage.cache_creation_tokens, price->cache_creation);
  return base::NanoUsd{std::min(sum, base::kIntegerLimit - 1)};
}

}  // namespace engines
