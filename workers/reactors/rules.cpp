// The state says all.
#include "workers/reactors/rules.hpp"

namespace workers {

base::RawValue Rules::answer(const DurableStates& durable) const {
  RulesAnswer answer;
  for (const auto& [number, rule] : durable.of<domain::RulesStream>().rules) {
    answer.rules.push_back(rule);
  }
  return bus::to_body(answer);
}

}  // namespace workers
