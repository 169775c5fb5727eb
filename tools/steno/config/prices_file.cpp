// Reads with toml++, key by key, so that an error can name the one that is wrong.
#include "tools/steno/config/prices_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include <toml++/toml.h>

namespace steno {
namespace {

using base::ErrorCode;
using base::Result;
using engines::ModelPrice;
using engines::PriceTable;
using engines::TokenPrices;

constexpr double kDollarsMax = 100'000;
constexpr std::int64_t kLongFromMax = 1'000'000'000'000;

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  Result<PriceTable> read(const toml::table& file) {
    PriceTable table;
    table.name = path_;
    for (const auto& [key, node] : file) {
      if (auto ok = read(std::string(key.str()), node, table); !ok) {
        return tl::unexpected(ok.error());
      }
    }
    return table;
  }

 private:
  tl::unexpected<base::Error> refused(const toml::node& node, const std::string& key,
                                      const std::string& accepted) const {
    return base::failure(ErrorCode::invalid, key + " is not accepted; " + accepted + " is",
                         path_ + " line " + std::to_string(node.source().begin.line));
  }

  Result<void> read(const std::string& key, const toml::node& node, PriceTable& table) {
    if (key == "as_of") return read_date(node, table);
    if (key == "source") {
      if (!node.is_string()) return refused(node, key, "a text in quotes");
      return {};
    }
    const toml::table* entries = node.as_table();
    if (key == "aliases" && entries != nullptr) return read_aliases(*entries, table);
    if (key == "models" && entries != nullptr) return read_models(*entries, table);
    return refused(node, key, "as_of, source, [aliases] or [models]");
  }

  Result<void> read_date(const toml::node& node, PriceTable& table) {
    std::ostringstream date;
    if (const auto text = node.value_exact<std::string>()) {
      date << *text;
    } else if (const auto day = node.value_exact<toml::date>()) {
      date << *day;
    }
    constexpr std::size_t kDateChars = 10;  // "2026-11-20"
    if (date.str().size() != kDateChars) {
      return refused(node, "as_of", "a date such as \"2026-11-20\"");
    }
    table.name += " of " + date.str();
    return {};
  }

  Result<void> read_aliases(const toml::table& entries, PriceTable& table) {
    for (const auto& [alias, node] : entries) {
      const auto model = node.value_exact<std::string>();
      if (!model || model->empty()) {
        return refused(node, "aliases." + std::string(alias.str()),
                       "the name of a model in quotes");
      }
      table.aliases[std::string(alias.str())] = *model;
    }
    return {};
  }

  Result<void> read_models(const toml::table& entries, PriceTable& table) {
    for (const auto& [model, node] : entries) {
      const std::string key = "models.\"" + std::string(model.str()) + "\"";
      const toml::table* prices = node.as_table();
      if (prices == nullptr) {
        return refused(node, key, "{ input = 4, output = 20, cache_read = 0.2, cache_write = 5 }");
      }
      auto price = read_model(*prices, key);
      if (!price) return tl::unexpected(price.error());
      table.models[std::string(model.str())] = *price;
    }
    return {};
  }

  // A price of cached tokens that is left out is that of other input.
  Result<ModelPrice> read_model(const toml::table& entries, const std::string& key) {
    ModelPrice price;
    if (auto ok = check_keys(entries, key); !ok) return tl::unexpected(ok.error());
    if (auto ok = read_prices(entries, key, "", price.prices); !ok) {
      return tl::unexpected(ok.error());
    }
    const toml::node* from = entries.get("long_from");
    if (from == nullptr) return price;
    const auto tokens = from->value_exact<std::int64_t>();
    if (!tokens || *tokens <= 0 || *tokens > kLongFromMax) {
      return refused(*from, key + ".long_from", "a number of tokens above 0");
    }
    price.long_from = *tokens;
    if (auto ok = read_prices(entries, key, "long_", price.long_prices); !ok) {
      return tl::unexpected(ok.error());
    }
    return price;
  }

  Result<void> check_keys(const toml::table& entries, const std::string& key) const {
    constexpr std::string_view kKnown[] = {"input", "output", "cache_read", "cache_write"};
    for (const auto& [name, node] : entries) {
      std::string_view plain = name.str();
      if (plain == "long_from") continue;
      if (plain.starts_with("long_")) plain.remove_prefix(5);
      if (std::find(std::begin(kKnown), std::end(kKnown), plain) == std::end(kKnown)) {
        return refused(node, key + "." + std::string(name.str()),
                       "input, output, cache_read, cache_write, long_from or one of the first four "
                       "behind long_");
      }
    }
    return {};
  }

  Result<void> read_prices(const toml::table& entries, const std::string& key,
                           const std::string& prefix, TokenPrices& prices) const {
    const auto take = [&](const std::string& name, std::int64_t& price,
                          std::optional<std::int64_t> otherwise) -> Result<void> {
      const toml::node* node = entries.get(prefix + name);
      if (node == nullptr && otherwise) {
        price = *otherwise;
        return {};
      }
      const std::string whole = key + "." + prefix + name;
      if (node == nullptr) {
        return base::failure(ErrorCode::invalid, whole + " is left out; write it down",
                             path_ + " line " + std::to_string(entries.source().begin.line));
      }
      const auto dollars = node->value<double>();
      const bool is_number = node->is_integer() || node->is_floating_point();
      if (!is_number || !dollars || !(*dollars >= 0 && *dollars <= kDollarsMax)) {
        return refused(*node, whole,
                       "a number of US dollars for a million tokens, from 0 to 100000,");
      }
      constexpr double kPicoForMillion = 1e6;
      price = std::llround(*dollars * kPicoForMillion);
      return {};
    };
    if (auto ok = take("input", prices.input, std::nullopt); !ok) return ok;
    if (auto ok = take("output", prices.output, std::nullopt); !ok) return ok;
    if (auto ok = take("cache_read", prices.cache_read, prices.input); !ok) return ok;
    return take("cache_write", prices.cache_creation, prices.input);
  }

  const std::string& path_;
};

Result<PriceTable> read_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) {
    if (errno == 0 || S_ISDIR(status.st_mode)) errno = EISDIR;
    const auto code = errno == ENOENT ? ErrorCode::not_found : ErrorCode::io;
    return base::failure(code, std::string("cannot read the prices: ") + std::strerror(errno),
                         path);
  }
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) return base::failure(ErrorCode::io, "cannot read the prices", path);
  return parse_prices(text.str(), path);
}

}  // namespace

Result<PriceTable> parse_prices(std::string_view text, const std::string& path) {
  try {
    const toml::table table = toml::parse(text);
    return Reader(path).read(table);
  } catch (const toml::parse_error& error) {
    return base::failure(ErrorCode::invalid,
                         "the prices are not TOML: " + std::string(error.description()),
                         path + " line " + std::to_string(error.source().begin.line));
  }
}

Result<PriceTable> load_prices(const Config& config) {
  PriceTable table;
  auto shipped = read_file(config.program_folder + "/" + std::string(kPricesFile));
  if (!shipped && shipped.error().code != ErrorCode::not_found) return shipped;
  if (shipped) table = std::move(*shipped);
  // The whole path would only be repeated on the record.
  if (const auto at = table.name.rfind('/'); at != std::string::npos) table.name.erase(0, at + 1);
  if (config.prices_file.empty()) return table;
  auto own = read_file(config.prices_file);
  if (!own) return own;
  const std::string name = table.name.empty() ? own->name : table.name + ", " + own->name;
  table.add(*own);
  table.name = name;
  return table;
}

bool is_priced(const Config& config, const std::string& model) {
  const auto prices = load_prices(config);
  return prices && prices->find(model) != nullptr;
}

std::string unpriced_text(const std::string& model) {
  return "⚠ the model " + model +
         " has no price that is known, so its cost is not, and no budget in dollars holds for it; "
         "limit it with --max-tokens, or write its price into prices_file";
}

std::string unpriced_text(const Config& config) {
  if (config.session.budget.value <= 0 || config.session.model.empty()) return {};
  const auto prices = load_prices(config);
  const bool is_known = !prices || prices->find(config.session.model) != nullptr;
  return is_known ? std::string() : unpriced_text(config.session.model);
}

}  // namespace steno
