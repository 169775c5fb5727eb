// The answers of a host that asks nobody: everything is denied at once, so that the agent goes on.
#pragma once

#include "workers/engines/engine.hpp"

namespace workers {

constexpr std::string_view kNobodyApproves =
    "Denied: this tool call needs an approval, and nobody can give one in this session. It was not "
    "carried out. Go on without it, and say what was left out and why it was needed.";
constexpr std::string_view kDenied =
    "Denied: this was not carried out. Go on without it, and say what was left out and why it was "
    "needed.";
constexpr std::string_view kNotServed = "this host does not answer requests of that kind";

inline engines::Answer unattended_answer(const engines::Ask& ask) {
  const bool is_request = ask.kind == engines::AskKind::request;
  return {ask, false, base::Bytes(is_request ? kNotServed : kNobodyApproves)};
}

}  // namespace workers
