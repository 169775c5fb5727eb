// Plays a recording of a real agent into an engine, and shows reports as text.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/driven_engine.hpp"
#include "tests/support/prices.hpp"
#include "workers/engines/json_text.hpp"

namespace engines {

struct RecordedLine {
  base::Time at;
  std::string direction;
  std::string text;
};

inline std::filesystem::path recordings() {
  return std::filesystem::path(STENO_SOURCE_DIR) / "tests/golden/claude-2.1.329";
}

// `name` is that of a file without its ending, of another version "../claude-VERSION/NAME".
inline std::vector<RecordedLine> recording(const std::string& name) {
  std::ifstream file(recordings() / (name + ".jsonl"));
  std::vector<RecordedLine> out;
  for (std::string line; std::getline(file, line);) {
    const JsonLine json(line);
    const JsonObject entry = json.object().value();
    out.push_back({base::Time{entry["t"].billionths() / 1000}, entry["dir"].text(),
                   std::string(entry["msg"].source())});
  }
  return out;
}

// Settings of an engine that knows the prices of the recordings' models.
inline EngineSettings priced() {
  EngineSettings settings;
  settings.prices = support::sample_prices();
  return settings;
}

// Turns in recordings without message ids get numbers from 1.
inline TurnId numbered_turn(int number) {
  TurnId turn;
  turn.bytes.back() = static_cast<char>(number);
  return turn;
}

inline TurnId recorded_turn(const JsonObject& prompt, int number) {
  return TurnId::parse(prompt["uuid"].text()).value_or(numbered_turn(number));
}

// Returns all reports of the recording, in order. The host's prompts begin turns.
inline std::vector<Report> replayed(support::DrivenEngine& engine, const std::string& name) {
  std::vector<Report> out;
  int turns = 0;
  const auto append = [&](std::vector<Report> more) {
    out.insert(out.end(), more.begin(), more.end());
  };
  for (const RecordedLine& line : recording(name)) {
    if (line.direction == "cli->host") append(engine.on_line(line.text, line.at));
    if (line.direction != "host->cli") continue;
    const JsonLine json(line.text);
    const auto said = json.object();
    if (said && (*said)["type"].text() == "user") {
      engine.begin_turn(recorded_turn(*said, ++turns), "");
    }
  }
  append(engine.on_end());
  return out;
}

inline std::string shown(const std::string& value) {
  return value;
}
inline std::string shown(std::int64_t value) {
  return std::to_string(value);
}
inline std::string shown(bool value) {
  return value ? "yes" : "no";
}
inline std::string shown(base::Duration value) {
  return std::to_string(value.count());
}
inline std::string shown(base::Time value) {
  return std::to_string(value.us);
}
inline std::string shown(base::NanoUsd value) {
  return std::to_string(value.value);
}
// Returns the last two digits of a numbered turn, or the first group of another id.
inline std::string shown(TurnId value) {
  const std::string text = value.text();
  return text.starts_with("00000000-") ? text.substr(34) : text.substr(0, 8);
}
inline std::string shown(const domain::Usage& usage) {
  return std::to_string(usage.input_tokens) + "/" + std::to_string(usage.output_tokens) + "/" +
         std::to_string(usage.cache_read_tokens) + "/" +
         std::to_string(usage.cache_creation_tokens);
}
inline std::string shown(const domain::Spending& spent) {
  std::string out;
  for (const domain::ModelSpending& each : spent) {
    out +=
        (out.empty() ? "" : ", ") + each.model + " " + shown(each.usage) + " $" + shown(each.cost);
  }
  return out;
}
inline std::string shown(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) out += (out.empty() ? "" : ", ") + value;
  return out;
}
template <class Enum>
requires std::is_enum_v<Enum> std::string shown(Enum value) {
  return std::string(base::enum_name(value));
}

// Returns "Output turn=01 kind=text text=…": every field in order, but "denied" and "parent" only
// if they are set, and nothing about money and the ids of messages, which have tests of their own.
inline std::string shown(const Report& report) {
  return std::visit(
      [](const auto& each) {
        std::string out(each.kType);
        std::decay_t<decltype(each)>::fields([&](const char* field, auto member) {
          const std::string_view name = field;
          const std::string text = shown(each.*member);
          if (name == "spent" || name == "basis" || name == "claimed" || name == "agent_base" ||
              name == "injected" || name == "unsaid" || name == "kept")
            return;
          if (name == "message" || name == "repeats") return;
          const bool is_rare = name == "denied" || name == "parent" || name == "tool" ||
                               name == "unpriced" || name == "deferred";
          if (is_rare && (text.empty() || text == "no")) return;
          out.append(" ").append(name).append("=").append(text);
        });
        return out;
      },
      report);
}

inline std::vector<std::string> shown(const std::vector<Report>& reports) {
  std::vector<std::string> out;
  for (const Report& report : reports) out.push_back(shown(report));
  return out;
}

}  // namespace engines
