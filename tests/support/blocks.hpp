// Sealed blocks for tests of the layers below the sequencer; their events are plain text.
#pragma once

#include "eventlog/store/block.hpp"

namespace support {

// Returns the text of the event at that position in a block of BlockChain.
inline std::string block_event(base::Position position) {
  return "event " + std::to_string(position.value);
}

// A chain of blocks of one log, sealed one after another.
class BlockChain {
 public:
  eventlog::SealedBlock next(std::int64_t count, const std::string& content = {}) {
    eventlog::BlockBuilder builder;
    for (std::int64_t i = 0; i < count; ++i) {
      builder.add(block_event(header_.first.plus(i)));
      if (i == 0 && !content.empty()) builder.add_content(base::Salt{'s'}, content);
    }
    return sealed(builder);
  }

  eventlog::SealedBlock sealed(eventlog::BlockBuilder& builder) {
    eventlog::SealedBlock block = builder.seal(header_);
    header_.first = block.header.last().next();
    header_.previous = block.hash;
    header_.time.us += 1000;
    return block;
  }

  eventlog::BlockHeader& header() { return header_; }

 private:
  static eventlog::BlockHeader start() {
    eventlog::BlockHeader header;
    header.log.bytes[0] = 7;
    header.epoch = {1, {'e', 'p', 'o', 'c', 'h'}};
    header.writer_term = 1;
    header.first = {1};
    header.time.us = 1'700'000'000'000'000;
    return header;
  }
  eventlog::BlockHeader header_ = start();
};

}  // namespace support
