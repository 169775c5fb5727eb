// States of streams by name, folded from events; decisions in tests are made on them.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include "eventlog/domain/command.hpp"
#include "eventlog/domain/evolve.hpp"

namespace support {

class FoldedStreams {
 public:
  // Returns the stream's state; the empty one if nothing was folded.
  domain::StreamState& at(const std::string& stream) {
    const auto [found, is_new] = states_.try_emplace(stream);
    if (is_new) found->second = domain::initial_state(stream).value_or(domain::SessionState{});
    return found->second;
  }
  template <class Aggregate>
  const typename Aggregate::State& get(const std::string& stream) const {
    static const typename Aggregate::State kEmpty;
    const auto found = states_.find(stream);
    return found == states_.end() ? kEmpty : std::get<typename Aggregate::State>(found->second);
  }

  // Folds an event into `stream`; empty: the target's.
  void fold(const domain::StreamRef& target, const std::string& stream,
            const domain::Envelope& envelope, const domain::Event& event) {
    domain::evolve(at(name_of(target, stream)), envelope, event);
  }

  domain::Decided decide(const domain::Command& command, const domain::Context& context) {
    domain::Reads further = domain::reads_of(command, context.target);
    for (std::size_t known = 0; known <= further.streams().size();) {
      known = further.streams().size() + 1;
      const domain::Reads behind =
          domain::further_reads_of(command, context.target, states_of(further, context));
      for (const std::string& stream : behind.streams()) {
        const auto& named = further.streams();
        if (std::find(named.begin(), named.end(), stream) == named.end()) further.add(stream);
      }
    }
    const domain::States states = states_of(further, context);
    const domain::Decided decided = domain::decide_on(command, states, context);
    if (decided) {
      for (const domain::Emitted& emitted : *decided) {
        const auto& named = further.streams();
        const bool is_named = emitted.stream.empty() ||
                              std::find(named.begin(), named.end(), emitted.stream) != named.end();
        if (!is_named) throw std::logic_error("`reads` does not name " + emitted.stream);
      }
    }
    return decided;
  }

  bool is_consistent() const {
    for (const auto& [name, state] : states_) {
      if (domain::inconsistency(state).value != 0) return false;
    }
    return true;
  }

  static std::string name_of(const domain::StreamRef& target, const std::string& stream) {
    return stream.empty() ? domain::stream_of(target) : stream;
  }

 private:
  domain::States states_of(const domain::Reads& further, const domain::Context& context) {
    domain::States states(at(domain::stream_of(context.target)));
    for (const std::string& stream : further.streams()) states.add(stream, at(stream));
    return states;
  }

  std::map<std::string, domain::StreamState> states_;
};

// Returns the usual context of a command for the target stream.
inline domain::Context context_of(domain::StreamRef target, base::CommandId command) {
  static const std::vector<std::string> kEngines = {"claude", "scripted"};
  domain::Context context;
  context.target = std::move(target);
  context.command = command;
  context.engines = kEngines;
  context.injecting_engines = kEngines;
  context.file_engines = kEngines;
  context.has_key = true;
  return context;
}
inline domain::StreamRef session_ref(std::string agent, base::SessionId session) {
  return {domain::SessionStream::kPattern, std::move(agent), session};
}

}  // namespace support
