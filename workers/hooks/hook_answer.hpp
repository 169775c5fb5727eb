// What a hook answers, read in the form of Claude Code's hooks.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "eventlog/domain/session/ask.hpp"

namespace workers {

struct HookAnswer {
  std::string failure;  // why it is of no use, without its own words; empty: it is of use
  std::string said;     // the beginning of its words, if it is of no use
  bool is_blocking = false;
  std::string reason;             // for the model, or for people; of a block, and of a decision
  std::string decision;           // "allow" or "ask"; empty: it decides nothing
  nlohmann::ordered_json input;   // null: it changes nothing
  nlohmann::ordered_json output;  // likewise
  std::string prompt;             // or the words of a notification; empty: it changes nothing
  std::string context;
  std::string stop;     // why the turn is to end; empty: it goes on
  std::string message;  // for people

  bool changes_anything() const {
    return !decision.empty() || !input.is_null() || !output.is_null() || !prompt.empty() ||
           !context.empty() || !stop.empty();
  }
};

// Reads what a program wrote that ended with that code: 0 and JSON; 0 and text, which at the start
// and with a prompt is told to the model; 2 blocks, with stderr as the reason. All else is a
// failure, unless stdout blocks by JSON.
HookAnswer read_answer(domain::HookPoint point, int exit_code, const std::string& output,
                       const std::string& errors);

}  // namespace workers
