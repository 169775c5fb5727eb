// Log, chain and epoch are compared in that order; only then is the block decoded.
#include "projections/fold/block_continuity.hpp"

#include "eventlog/domain/event_codec.hpp"

namespace projections {
namespace {

using base::ErrorCode;
using eventlog::BlockHeader;
using eventlog::Checkpoint;

std::string at(base::Position position) {
  return "position " + std::to_string(position.value);
}

base::Result<void> check_header(const Checkpoint& checkpoint, const BlockHeader& header) {
  const base::Position expected = checkpoint.position.next();
  if (header.first != expected) {
    return base::failure(ErrorCode::damaged,
                         "a block begins at position " + std::to_string(header.first.value) +
                             " where one must begin at " + std::to_string(expected.value),
                         at(expected));
  }
  if (checkpoint.position.value > 0 && header.log != checkpoint.log) {
    return base::failure(ErrorCode::wrong_log,
                         "log " + header.log.text() + " is not log " + checkpoint.log.text() +
                             ", from which the rows were built",
                         at(header.first));
  }
  if (header.previous != checkpoint.hash) {
    return base::failure(ErrorCode::wrong_log,
                         "the chain is broken: the block does not follow the one before it",
                         at(header.first));
  }
  return {};
}

// The epoch can change only by the event that announces it.
base::Result<void> check_epoch(const Checkpoint& checkpoint, const BlockHeader& header,
                               const domain::Event& first) {
  if (header.epoch == checkpoint.epoch) return {};
  const auto* started = first.as<domain::EpochStarted>();
  if (started != nullptr && started->counter == header.epoch.counter &&
      header.epoch.counter > checkpoint.epoch.counter) {
    return {};
  }
  return base::failure(ErrorCode::wrong_log,
                       "the block is of epoch " + std::to_string(header.epoch.counter) +
                           ", which no EpochStarted began after epoch " +
                           std::to_string(checkpoint.epoch.counter),
                       at(header.first));
}

}  // namespace

base::Result<FollowingBlock> follow(const Checkpoint& checkpoint, const eventlog::BlockView& block,
                                    const base::Hash& hash) {
  const BlockHeader& header = block.header;
  if (auto ok = check_header(checkpoint, header); !ok) return tl::unexpected(ok.error());
  FollowingBlock following;
  following.reached = {header.log, header.epoch, header.last(), hash};
  following.events.reserve(block.events.size());
  following.streams.reserve(block.events.size());
  for (const base::ByteView bytes : block.events) {
    const auto index = static_cast<std::int64_t>(following.events.size());
    domain::RecordedEvent& event = following.events.emplace_back();
    if (const auto ok = domain::decode_facts_to(event, bytes); !ok) {
      base::Error error = ok.error();
      error.text = base::describe(error);
      error.where = at(header.first.plus(index));
      return tl::unexpected(std::move(error));
    }
    event.envelope.position = header.first.plus(index);
    following.streams.push_back(domain::parse_stream(event.envelope.stream));
  }
  if (auto ok = check_epoch(checkpoint, header, following.events.front().event); !ok) {
    return tl::unexpected(ok.error());
  }
  return following;
}

}  // namespace projections
