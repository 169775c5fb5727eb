// Tells which rules answer what agents ask. Decisions apply them.
#pragma once

#include "workers/protocol/rules.hpp"
#include "workers/reactors/reactor.hpp"

namespace workers {

class Rules final : public Reactor {
 public:
  std::string_view verb() const override { return kVerbRules; }
  base::RawValue answer(const DurableStates& durable) const override;
};

}  // namespace workers
