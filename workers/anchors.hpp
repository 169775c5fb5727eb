// The server's care for anchors: it takes what clients ask, has an anchor of the durable log folded
// and signed by the Eraser's port, puts it on the record, and shows the last one.
#pragma once

#include <string>

#include "workers/copy_desk.hpp"

namespace workers {

constexpr std::string_view kVerbAnchor = "anchor";    // no body → AnchorReplyBody
constexpr std::string_view kVerbAnchors = "anchors";  // no body → AnchorsAnswer

// The request is on the record at `through`, and an anchor there or later is being made; `anchors`
// tells when it is there.
struct AnchorReplyBody {
  Position through;

  bool operator==(const AnchorReplyBody&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("through", self.through);
  }
};

struct AnchorsAnswer {
  std::string key;                           // fingerprint of the server's own
  std::optional<domain::MadeAnchor> anchor;  // the last one; durable
  Position through;                          // where the last one stands
  std::string fault;                         // why the last one that was asked for was not made

  bool operator==(const AnchorsAnswer&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("key", self.key);
    visit("anchor", self.anchor);
    visit("through", self.through);
    visit("fault", self.fault);
  }
};

class AnchorDesk : private CopyDesk<AnchorOrder, AnchorReplyBody> {
 public:
  // All references outlive it. `key`: fingerprint; empty: the server has none, and makes no anchor.
  AnchorDesk(CommandWorker& commands, Eraser& eraser, bus::FrameServer& clients, std::string key)
      : CopyDesk(commands, eraser, clients), key_(std::move(key)) {}

  // Goes on with what was asked for and not made before the server started.
  void begin();
  // A request with one of the two verbs.
  void take(const bus::Peer& peer, const bus::Request& request);
  bool do_work(base::Time now, base::Time wall, Position durable);

 private:
  void create(const bus::Peer& peer, const bus::Request& request);
  bool take_made();
  AnchorsAnswer list() const;

  const std::string key_;
  Position wanted_;   // the last one that was asked for
  Position ordered_;  // the last one that was ordered; is_ordered_: and is not made yet
  bool is_ordered_ = false;
  std::string fault_;
};

}  // namespace workers
