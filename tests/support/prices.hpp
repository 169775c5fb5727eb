// The prices of models in tests: those that Claude Code computes with in the recordings.
#pragma once

#include "workers/engines/prices.hpp"

namespace support {

inline engines::PriceTable sample_prices() {
  engines::PriceTable table;
  table.name = "prices of tests";
  const auto add = [&](const char* model, engines::TokenPrices prices) {
    table.models[model] = {prices, 0, {}};
  };
  add("claude-opus-5-5", {4'000'000, 20'000'000, 200'000, 5'000'000});
  add("claude-sonnet-5-5", {2'000'000, 10'000'000, 100'000, 2'500'000});
  add("claude-sonnet-4-6", {3'000'000, 15'000'000, 300'000, 3'750'000});
  add("claude-haiku-4-5", {1'000'000, 5'000'000, 100'000, 1'250'000});
  return table;
}

}  // namespace support
