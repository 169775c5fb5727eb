// The configuration: a TOML file, flags and environment with any content.
#include "tools/steno/config/config.hpp"

#include "tests/fuzz/fuzz.hpp"
#include "tools/steno/config/file_edit.hpp"
#include "tools/steno/config/prices_file.hpp"

namespace {

using base::ByteView;
using fuzz::require;

steno::ConfigInput plain_input() {
  steno::ConfigInput input;
  input.program_folder = "/opt/steno";
  input.working_folder = "/srv";
  input.environment["XDG_DATA_HOME"] = "/var/lib";
  input.read_file = [](const std::string& path) { return steno::parse_config({}, path); };
  return input;
}

// The text of the file that is read; valid for one input only.
ByteView file_text;

// Requires that the values of a configuration, given as flags, mean the same configuration.
void check(const steno::Config& config) {
  require(config.settings.size() == steno::config_keys().size(), "every key has a setting");
  steno::ConfigInput input = plain_input();
  for (const steno::Setting& setting : config.settings) {
    if (!setting.value.empty()) input.flags[setting.key] = setting.value;
  }
  // Only the file can say what its tables do.
  if (!config.engine_tables.empty()) {
    input.flags["config"] = "/etc/steno.toml";
    input.read_file = [](const std::string& path) { return steno::parse_config(file_text, path); };
  }
  const auto again = steno::load_config(input);
  require(again.has_value(), "a configuration's own values are accepted");
  for (std::size_t i = 0; i < config.settings.size(); ++i) {
    const auto& setting = config.settings[i];
    require(setting.value.empty() || again->settings[i].value == setting.value,
            "and mean the same");
  }
  require(again->engines.names() == config.engines.names(), "with the same engines");
  for (const steno::Setting& setting : steno::engine_settings(config)) {
    require(!setting.key.empty() && !setting.where.empty(), "what a table says has its place");
  }
  const auto endpoints = steno::endpoints_of(config);
  if (endpoints) require(endpoints->command.starts_with("ipc:///"), "sockets have absolute paths");
}

// Requires that a key can be set in a file and taken out again, where it can be at all.
void check_edits(std::string_view text) {
  for (const steno::KeyPath& key :
       {steno::KeyPath{"agent"}, {"engines", "a", "home"}, {"conversations", "queue", "cap"}}) {
    const auto set = steno::with_key(text, key, steno::toml_string("x"), "/etc/steno.toml");
    if (!set) continue;
    require(steno::parse_config(*set, "").has_value(), "a changed file is TOML");
    const auto unset = steno::without_key(*set, key, "/etc/steno.toml");
    require(!unset || unset->has_value(), "what was set is there");
  }
}

}  // namespace

// The first byte chooses: 0 a file's text, 1 one key as a flag, 2 one key in the environment.
void fuzz::run(ByteView in) {
  Source source(in);
  const std::uint8_t how = source.byte();
  steno::ConfigInput input = plain_input();
  if (how % 3 == 0) {
    file_text = source.rest();
    check_edits(file_text);
    input.flags["config"] = "/etc/steno.toml";
    const auto prices = steno::parse_prices(file_text, "/etc/prices.toml");
    require(prices || !prices.error().text.empty(), "an error of the prices says what is wrong");
    input.read_file = [](const std::string& path) { return steno::parse_config(file_text, path); };
  } else {
    const auto& keys = steno::config_keys();
    const std::string key(keys[source.byte() % keys.size()].name);
    if (how % 3 == 1) {
      input.flags[key] = source.rest();
    } else {
      input.environment[steno::environment_name(key)] = source.rest();
    }
  }
  const auto config = steno::load_config(input);
  if (config) {
    check(*config);
  } else {
    require(!config.error().text.empty(), "an error says what is wrong");
  }
}
