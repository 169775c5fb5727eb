// A page of what was said in a session, or in the sessions of a conversation, one after the other.
// Pages are told by positions, which never change.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "workers/operations/conversing.hpp"
#include "workers/protocol/queries.hpp"

namespace workers {

// A session whose part of the transcript is read.
struct TranscriptPart {
  base::SessionId session;
  std::string agent;
};

struct TranscriptItem {
  base::SessionId session;
  OutputItem item;
};

struct TranscriptPage {
  std::vector<TranscriptItem> items;  // ascending
  base::Position from;                // earlier ones are before it
  base::Position through;             // later ones are behind it
  bool has_earlier = false;
  bool has_later = false;
};

// Without `after` and `is_first` the last items are asked for, before a position if it is set.
struct TranscriptWanted {
  std::set<SaidBy> roles{};  // empty: all
  std::int64_t count = 50;   // of items; the most
  base::Position before{};
  base::Position after{};
  bool is_first = false;        // from the beginning
  bool wants_messages = false;  // without thoughts, notices and ends of turns
  // A page that has so many bytes of texts takes no more items. The last one can exceed it.
  std::int64_t bytes_max = std::int64_t{64} << 20;
};

// Returns the sessions of a conversation, oldest first: those that resets have left, and the last.
Task<Outcome<std::vector<TranscriptPart>>> parts_of(const Caller& caller,
                                                    const projections::ConversationShown& shown);

// The arguments outlive the task.
Task<Outcome<TranscriptPage>> transcript_page(const Caller& caller,
                                              const std::vector<TranscriptPart>& parts,
                                              const TranscriptWanted& wanted);

}  // namespace workers
