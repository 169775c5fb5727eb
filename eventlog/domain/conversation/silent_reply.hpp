// Replies of an agent that are not meant for anybody, and the form in which the others are sent. An
// agent says NO_REPLY where it has nothing to say, and HEARTBEAT_OK where a heartbeat found
// nothing. Nothing is left out unseen: what is not sent has a reason. Source: details 2.12, the
// vectors silent.is and reply.normalize.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/fields.hpp"

namespace domain {

constexpr std::string_view kSilentToken = "NO_REPLY";

// True if the text begins with the token, or ends with it but for punctuation. The token must be a
// word of its own; its case counts.
bool is_silent(std::string_view text, std::string_view token = kSilentToken);

// As the agent gave it. Media and what is only for its channel are attachments.
struct AgentReply {
  std::optional<std::string> text;
  bool has_attachment = false;
};

struct ReplyForm {
  std::string_view prefix;  // that each text begins with; empty: none
  std::string_view silent_token = kSilentToken;
  bool strips_heartbeat = true;  // HEARTBEAT_OK at the ends of the text is left out
};

enum class ReplyFate : std::uint8_t {
  sent,
  empty,      // it had nothing in it
  silent,     // the agent wants nothing to be sent
  heartbeat,  // there was nothing but HEARTBEAT_OK
};

struct NormalReply {
  ReplyFate fate = ReplyFate::sent;
  // To be sent, with the attachments if there are any. None: there was no text; empty: it is left
  // out, and only the attachments are sent.
  std::optional<std::string> text;

  bool operator==(const NormalReply&) const = default;
};

// Attachments are sent whatever the text says.
NormalReply normal_reply(const AgentReply& reply, const ReplyForm& form = {});

}  // namespace domain

template <>
struct base::EnumNames<domain::ReplyFate> {
  static constexpr std::string_view kNames[] = {"sent", "empty", "silent", "heartbeat"};
};
