// Makes the anchors that clients ask for: orders the fold and the signature over the durable log,
// records the result, and shows the last anchor.
#pragma once

#include <string>

#include "workers/protocol/copies.hpp"
#include "workers/reactors/upkeep.hpp"

namespace workers {

class Anchors final : public Reactor {
 public:
  // All references must outlive it. `key`: fingerprint; empty: the server has no key, and makes no
  // anchor.
  Anchors(CommandLoop& commands, Upkeep& upkeep, std::string key)
      : commands_(commands), upkeep_(upkeep), key_(std::move(key)) {}

  // Takes up a request that was recorded and not fulfilled before the server started.
  void begin(Position started_at, std::int64_t writer_term) override;
  void on_durable(const domain::RecordedEvent& event) override;
  std::string_view verb() const override { return kVerbAnchors; }
  base::RawValue answer(const DurableStates& durable) const override;
  bool do_work(const Cycle& cycle) override;

 private:
  bool take_made();

  CommandLoop& commands_;
  Upkeep& upkeep_;
  const std::string key_;
  Position durable_;
  Position wanted_;   // position of the last request
  Position ordered_;  // the last one ordered; not made yet while is_ordered_
  bool is_ordered_ = false;
  std::string fault_;
};

}  // namespace workers
