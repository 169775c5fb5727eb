// Makes the anchors that clients ask for: has the durable log folded and signed, records what came
// of it, and shows the last one.
#pragma once

#include <string>

#include "workers/protocol/copies.hpp"
#include "workers/reactors/upkeep.hpp"

namespace workers {

class Anchors final : public Reactor {
 public:
  // All references outlive it. `key`: fingerprint; empty: the server has none, and makes no anchor.
  Anchors(CommandLoop& commands, Upkeep& upkeep, std::string key)
      : commands_(commands), upkeep_(upkeep), key_(std::move(key)) {}

  // Goes on with what was asked for and not made before the server started.
  void begin(Position started_at, std::int64_t writer_term) override;
  void on_durable(const domain::RecordedEvent& event) override;
  std::string_view verb() const override { return kVerbAnchors; }
  base::RawValue answer(Position durable) const override { return bus::to_body(list(durable)); }
  bool do_work(const Cycle& cycle) override;

 private:
  bool take_made();
  AnchorsAnswer list(Position durable) const;

  CommandLoop& commands_;
  Upkeep& upkeep_;
  const std::string key_;
  Position durable_;
  Position wanted_;   // the last one that was asked for
  Position ordered_;  // the last one that was ordered; is_ordered_: and is not made yet
  bool is_ordered_ = false;
  std::string fault_;
};

}  // namespace workers
