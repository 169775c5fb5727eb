// What the use of models costs. The table is a value that an operator can change; engines price
// what agents use by it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/types.hpp"

namespace engines {

// In 1e-12 dollars a token, which is dollars for a million tokens times 1,000,000. Not below zero.
struct TokenPrices {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_creation = 0;  // of five minutes

  bool operator==(const TokenPrices&) const = default;
};

// The highest price of a token, in the same unit: 100,000 dollars for a million.
constexpr std::int64_t kTokenPriceMax = 100'000'000'000;

// A price can differ for a call whose whole prompt, with what is cached of it, is longer.
struct ModelPrice {
  TokenPrices prices;
  std::int64_t long_from = 0;  // tokens of a prompt beyond which the others hold; 0: none do
  TokenPrices long_prices;

  bool operator==(const ModelPrice&) const = default;
};

struct PriceTable {
  std::string name;  // with its date; on the record, so that a cost can be computed again
  // By the model's name. A name stands also for the same with a date or a variant behind it:
  // "claude-haiku-4-5-20251001", "claude-opus-5-5[1m]". One that ends with * is a prefix.
  std::map<std::string, ModelPrice, std::less<>> models;
  std::map<std::string, std::string, std::less<>> aliases;  // "opus" → a name in `models`

  bool operator==(const PriceTable&) const = default;

  // Returns the price of the model; null: none is known.
  const ModelPrice* find(std::string_view model) const;

  // Returns the cost of one call, or of several. Several have none if it depends on the length of
  // each prompt. None also if the model has no price. Figures must not be below zero; the result is
  // bounded as the log's integers are.
  std::optional<domain::NanoUsd> cost_of_call(std::string_view model,
                                              const domain::Usage& usage) const;
  std::optional<domain::NanoUsd> cost_of_calls(std::string_view model,
                                               const domain::Usage& usage) const;

  // Takes over all prices and aliases of the other table, which wins, and its name.
  void add(const PriceTable& other);
};

}  // namespace engines
