// Something that an agent asks of its host.
#pragma once

#include <string>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/ids.hpp"
#include "eventlog/domain/session/ask.hpp"

namespace engines {

enum class AskKind {
  permission,  // for a tool call
  question,    // to a person
  plan,        // whether to carry it out
  request,     // that the host carries out, such as to read a file for the agent
  step,        // of the agent's work, to hooks
};

// The agent asks its host for something, and waits for the answer.
struct Ask {
  std::string id;  // by which the agent knows it; any text
  AskKind kind = AskKind::permission;
  std::string subject;    // the tool, or the method of a request
  std::string call;       // the tool call that it is about; empty: none is named
  base::Bytes details;    // JSON: the input of the call, or the parameters; empty: none
  base::Bytes context{};  // JSON: what else the agent said of it, such as suggestions; empty: none
  base::TurnId turn{};    // in which it is asked; unset: not known
  domain::HookPoint point = domain::HookPoint::none;  // of a step
  bool is_deferrable = false;                         // see engine.hpp, Defer

  bool operator==(const Ask&) const = default;
};

// Returns the ask as the record has it: a JSON object with "input" and "context".
base::Bytes ask_text(const Ask& ask);

}  // namespace engines
