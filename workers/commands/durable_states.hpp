// The states of the streams that stay with the server, as far as they are durable. The command loop
// decides on states that can be ahead of the disk; what clients are told comes from these.
#pragma once

#include <map>
#include <string>

#include "eventlog/domain/evolve.hpp"

namespace workers {

class DurableStates {
 public:
  // Takes a stream as the record has it; one that does not stay with the server is left out.
  void adopt(const std::string& stream, const domain::StreamState& state);
  // Folds a durable event; those of other streams are left out. Call it for each, in order.
  void fold(const domain::RecordedEvent& event);

  // The state of an aggregate with a single stream, which must have been adopted. Valid until the
  // next call of fold().
  template <class Aggregate>
  const typename Aggregate::State& of() const {
    return std::get<typename Aggregate::State>(state(Aggregate::kPattern));
  }

 private:
  const domain::StreamState& state(std::string_view stream) const;

  std::map<std::string, domain::StreamState, std::less<>> states_;
};

}  // namespace workers
