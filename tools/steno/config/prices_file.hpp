// Reads what models cost from TOML files: the one that lies beside the program, and the operator's
// own over it.
//
//   as_of = "2026-11-20"            # when the prices held; it names the table
//   [aliases]
//   opus = "claude-opus-5-5"
//   [models]                        # US dollars for a million tokens
//   "claude-opus-5-5" = { input = 4, output = 20, cache_read = 0.2, cache_write = 5 }
#pragma once

#include <string>
#include <string_view>

#include "eventlog/base/result.hpp"
#include "tools/steno/config/config.hpp"
#include "workers/engines/prices.hpp"

namespace steno {

// The name of both files.
constexpr std::string_view kPricesFile = "prices.toml";

// Returns the table in `text`; `path` appears in errors and, with the date, in its name. Error
// invalid, with the line and the key, if something is not accepted.
base::Result<engines::PriceTable> parse_prices(std::string_view text, const std::string& path);

// Returns the table by which a server of this configuration prices the use of models. Without the
// file beside the program it has only what the operator's says. Errors: as parse_prices; not_found
// for an operator's file that is named and is not there; io.
base::Result<engines::PriceTable> load_prices(const Config& config);

// True if a server of this configuration knows what the model costs.
bool is_priced(const Config& config, const std::string& model);

// Returns what a person must know of a session with a budget whose model has no price.
std::string unpriced_text(const std::string& model);
// Returns it before a session of this configuration begins; empty: there is nothing to be known.
std::string unpriced_text(const Config& config);

}  // namespace steno
