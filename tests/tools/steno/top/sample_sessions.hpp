// Sessions for tests of the screen of `top`, and the screen as text.
#pragma once

#include <string>

#include "tools/steno/top/top_screen.hpp"

namespace support {

constexpr base::Time kNow{1'764'504'000'000'000};  // 2025-11-30T12:00:00Z

inline base::Time ago(base::Duration time) {
  return kNow + -time;
}

inline base::SessionId session_id(std::uint8_t number) {
  base::SessionId id;
  id.bytes[0] = 1;
  id.bytes[15] = static_cast<char>(number);
  return id;
}

// One that works since a minute ago.
inline projections::SessionRow at_work(std::uint8_t number, const std::string& name) {
  projections::SessionRow row;
  row.session = session_id(number);
  row.agent = "main";
  row.alias = "alias" + std::to_string(100 + number);
  row.name = name;
  row.status = domain::SessionStatus::running;
  row.workdir = "/srv/project";
  row.turn.bytes[0] = 1;
  row.opened = base::Position{number};
  row.created_at = ago(std::chrono::seconds(60 + number));
  row.updated_at = ago(std::chrono::seconds(2));
  row.cost = base::NanoUsd{12'300'000};
  return row;
}

inline projections::SessionRow waiting(std::uint8_t number, const std::string& name) {
  projections::SessionRow row = at_work(number, name);
  row.turn = {};
  row.is_multi_turn = row.is_waiting_for_input = true;
  row.attention = domain::Attention::waiting_for_input;
  return row;
}

inline projections::SessionRow asking(std::uint8_t number, const std::string& name) {
  projections::SessionRow row = at_work(number, name);
  row.attention = domain::Attention::asks;
  row.attention_since = ago(std::chrono::seconds(130));
  row.attention_at = base::Position{number};
  domain::OpenAsk ask;
  ask.ask = 1;
  ask.tool = "Bash";
  row.asks = {ask};
  return row;
}

inline projections::SessionRow failed(std::uint8_t number, const std::string& name) {
  projections::SessionRow row = at_work(number, name);
  row.turn = {};
  row.status = domain::SessionStatus::failed;
  row.end_reason = domain::EndReason::turn_error;
  row.closed_at = row.attention_since = ago(std::chrono::hours(5));
  row.attention = domain::Attention::failed;
  row.attention_at = base::Position{number};
  return row;
}

inline steno::TopState top_state(std::vector<projections::SessionRow> sessions,
                                 steno::ScreenSize size) {
  steno::TopState state;
  state.facts.position = base::Position{1};
  state.facts.sessions = std::move(sessions);
  state.now = kNow;
  state.size = size;
  steno::update(state);
  return state;
}

inline workers::AskShown request(std::int64_t number, const std::string& command) {
  workers::AskShown ask;
  ask.alias = "alias101";
  ask.name = "careful";
  ask.ask = number;
  ask.tool = "Bash";
  ask.since = ago(std::chrono::seconds(130));
  ask.workdir = "/srv/project";
  ask.text = "{\"input\":{\"command\":\"" + command + "\"}}";
  return ask;
}

// The lines without blanks at their ends.
inline std::string text_of(const steno::Screen& screen) {
  std::string text;
  for (const steno::ScreenLine& line : screen.lines) {
    std::string all;
    for (const steno::Span& span : line) all += span.text;
    all.erase(all.find_last_not_of(' ') + 1);
    text += all + "\n";
  }
  return text;
}

inline steno::TopAction press(steno::TopState& state, const std::string& letters) {
  steno::TopAction last;
  for (const char c : letters) {
    last = steno::press(state, {steno::KeyName::character, std::string(1, c)});
  }
  return last;
}

inline steno::TopAction press(steno::TopState& state, steno::KeyName name) {
  return steno::press(state, {name});
}

}  // namespace support
