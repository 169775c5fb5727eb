// Where the answers of a conversation go to: its delivery context, and the order in which one is
// found. Every function returns normal contexts: without blanks around words, with the channel
// under its own name, and with what is blank left out. Source: R104, R282-R284, rulings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/fields.hpp"

namespace domain {

// Empty fields are not known.
struct DeliveryContext {
  std::string channel;
  std::string to;  // as the channel writes it: its case counts
  std::string account;
  std::string thread;             // a number in digits; "0" is a thread
  bool is_thread_number = false;  // the thread came as a number, and is written as one
  std::string reply_to;           // the message that is answered

  bool operator==(const DeliveryContext&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("channel", &DeliveryContext::channel);
    visit("to", &DeliveryContext::to);
    visit("account", &DeliveryContext::account);
    visit("thread", &DeliveryContext::thread);
    visit("thread_number", &DeliveryContext::is_thread_number);
    visit("reply_to", &DeliveryContext::reply_to);
  }
};

DeliveryContext normal_delivery(const DeliveryContext& context);
// True if nothing in it is known.
bool is_unknown(const DeliveryContext& context);

// Returns the first context, with each field that it lacks taken from the second one. A message
// that is answered is taken only for the same place.
DeliveryContext merged_delivery(const DeliveryContext& first, const DeliveryContext& second);

// Returns "channel|to|account|thread", which is the same for two contexts of one place only: a bar
// in a part has a backslash before it. None: the channel or the target is not known.
std::optional<std::string> delivery_key(const DeliveryContext& context);

// The fields of an entry, in the form that files have.
struct DeliveryFields {
  DeliveryContext context;  // that somebody has set
  DeliveryContext last;     // the last route: lastChannel, lastTo, lastAccountId, lastThreadId
  std::string channel;      // the entry's own, where the last route names none

  bool operator==(const DeliveryFields&) const = default;
};

// Returns the context that was set, completed by the last route.
DeliveryContext delivery_of(const DeliveryFields& fields);
// Returns the fields as they are stored and exported: the context and the last route agree.
DeliveryFields normal_fields(const DeliveryFields& fields);
// The same, completed by what a message implies, unless that is of another place.
DeliveryContext resolve_delivery(const DeliveryFields& fields, const DeliveryContext& implied);

// Returns the place that a key of a group or a channel names, with its thread. None: the key names
// no such place.
std::optional<DeliveryContext> delivery_of_key(std::string_view key);

}  // namespace domain
