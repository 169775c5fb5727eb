// The longest name that fits is the model's. An exact one is never shorter than the others.
#include "workers/engines/prices.hpp"

#include <algorithm>

#include "eventlog/base/msgpack.hpp"
#include "eventlog/domain/spending.hpp"

namespace engines {
namespace {

using domain::NanoUsd;
using domain::Usage;

constexpr std::size_t kDateChars = 9;  // "-20251001"

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_of(std::string_view model, std::string_view listed) {
  if (listed.ends_with('*')) return model.starts_with(listed.substr(0, listed.size() - 1));
  if (!model.starts_with(listed)) return false;
  const std::string_view rest = model.substr(listed.size());
  const bool is_dated = rest.size() >= kDateChars && rest.front() == '-' &&
                        std::all_of(rest.begin() + 1, rest.begin() + kDateChars, is_digit);
  const std::string_view variant = is_dated ? rest.substr(kDateChars) : rest;
  return variant.empty() || variant.front() == '[';
}

// Returns the price of so many tokens in 1e-9 dollars, without leaving the range of integers.
std::int64_t part(std::int64_t tokens, std::int64_t each) {
  constexpr std::int64_t kPico = 1'000;
  const std::int64_t tokens_max = base::kIntegerLimit / (each / kPico + 1);
  const std::int64_t bounded = std::min(tokens, tokens_max);
  return bounded * (each / kPico) + bounded * (each % kPico) / kPico;
}

NanoUsd cost(const TokenPrices& prices, const Usage& usage) {
  NanoUsd sum;
  domain::add_bounded(sum.value, part(usage.input_tokens, prices.input));
  domain::add_bounded(sum.value, part(usage.output_tokens, prices.output));
  domain::add_bounded(sum.value, part(usage.cache_read_tokens, prices.cache_read));
  domain::add_bounded(sum.value, part(usage.cache_creation_tokens, prices.cache_creation));
  return sum;
}

}  // namespace

const ModelPrice* PriceTable::find(std::string_view model) const {
  const auto alias = aliases.find(model);
  const std::string_view wanted = alias == aliases.end() ? model : alias->second;
  const ModelPrice* found = nullptr;
  std::size_t longest = 0;
  for (const auto& [listed, price] : models) {
    const std::size_t fits = listed.ends_with('*') ? listed.size() - 1 : listed.size();
    if (!is_of(wanted, listed) || (found != nullptr && fits < longest)) continue;
    found = &price;
    longest = fits;
  }
  return found;
}

std::optional<NanoUsd> PriceTable::cost_of_call(std::string_view model, const Usage& usage) const {
  const ModelPrice* price = find(model);
  if (price == nullptr) return std::nullopt;
  const std::int64_t prompt =
      usage.input_tokens + usage.cache_read_tokens + usage.cache_creation_tokens;
  const bool is_long = price->long_from > 0 && prompt > price->long_from;
  return cost(is_long ? price->long_prices : price->prices, usage);
}

std::optional<NanoUsd> PriceTable::cost_of_calls(std::string_view model, const Usage& usage) const {
  const ModelPrice* price = find(model);
  if (price == nullptr || price->long_from > 0) return std::nullopt;
  return cost(price->prices, usage);
}

void PriceTable::add(const PriceTable& other) {
  for (const auto& [model, price] : other.models) models.insert_or_assign(model, price);
  for (const auto& [alias, model] : other.aliases) aliases.insert_or_assign(alias, model);
  name = other.name;
}

}  // namespace engines
