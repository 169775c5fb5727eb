// Which price is a model's, and what its use costs by it.
#include "tests/support/prices.hpp"
#include "tests/support/catch.hpp"

namespace {

using domain::NanoUsd;
using domain::Usage;
using engines::PriceTable;

constexpr Usage kMillion{1'000'000, 0, 0, 0};

TEST_CASE("a price counts for a model's dated and variant names only", "[workers]") {
  const PriceTable table = support::sample_prices();
  CHECK(table.cost_of_call("claude-haiku-4-5", kMillion) == NanoUsd{1'000'000'000});
  CHECK(table.cost_of_call("claude-haiku-4-5-20251001", kMillion) == NanoUsd{1'000'000'000});
  CHECK(table.cost_of_call("claude-haiku-4-5-20251001[1m]", kMillion) == NanoUsd{1'000'000'000});
  CHECK(table.cost_of_call("claude-opus-5-5[1m]", {0, 1, 1, 1}) == NanoUsd{25'200});
  CHECK_FALSE(table.cost_of_call("claude-opus-5-51", kMillion));
  CHECK_FALSE(table.cost_of_call("claude-opus-5-5-preview-2", kMillion));
  CHECK_FALSE(table.cost_of_call("", kMillion));
}

TEST_CASE("the longest name that fits is the model's", "[workers]") {
  PriceTable table;
  table.models["qwen*"] = {};
  table.models["qwen3-coder"] = {{300'000, 0, 0, 0}, 0, {}};
  table.aliases["coder"] = "qwen3-coder";
  CHECK(table.cost_of_call("qwen3-coder", kMillion) == NanoUsd{300'000'000});
  CHECK(table.cost_of_call("coder", kMillion) == NanoUsd{300'000'000});
  CHECK(table.cost_of_call("qwen3-coder:30b", kMillion) == NanoUsd{});
}

TEST_CASE("a long prompt makes the whole call dearer", "[workers]") {
  PriceTable table;
  table.models["m"] = {{100'000, 0, 0, 0}, 1000, {500'000, 0, 0, 0}};
  CHECK(table.cost_of_call("m", {1000, 0, 0, 0}) == NanoUsd{100'000});
  CHECK(table.cost_of_call("m", {1000, 0, 1, 0}) == NanoUsd{500'000});
  // Nobody knows how long the prompts of several calls were.
  CHECK_FALSE(table.cost_of_calls("m", {1000, 0, 0, 0}));
}

TEST_CASE("a price below a thousandth of a nanodollar's token is not lost", "[workers]") {
  PriceTable table;
  table.models["m"] = {{0, 0, 37'500, 0}, 0, {}};
  CHECK(table.cost_of_call("m", {0, 0, 2, 0}) == NanoUsd{75});
}

TEST_CASE("another table adds to the one that is there, and wins", "[workers]") {
  PriceTable table = support::sample_prices();
  PriceTable own;
  own.name = "own";
  own.models["claude-opus-5-5"] = {};
  table.add(own);
  CHECK(table.cost_of_call("claude-opus-5-5", kMillion) == NanoUsd{});
  CHECK(table.cost_of_call("claude-haiku-4-5", kMillion) == NanoUsd{1'000'000'000});
}

}  // namespace
