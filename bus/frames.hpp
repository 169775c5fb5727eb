// The frames of the command and worker endpoints. On the wire each is a msgpack array of two:
// the kind as text, and the body as a map of named fields. README.md has golden bytes.
//
// A connection opens with HELLO, which WELCOME or an error reply answers; requests and notices
// follow. The bus does not look into the bodies of requests, replies and notices.
#pragma once

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "bus/log_identity.hpp"
#include "bus/ports.hpp"
#include "eventlog/base/fields.hpp"

namespace bus {

using base::Result;

constexpr std::int64_t kProtocolLowest = 1;
constexpr std::int64_t kProtocolHighest = 1;
static_assert(kProtocolLowest >= 1 && kProtocolLowest <= kProtocolHighest);

// Bounds of a peer's statements about itself, so that a table of peers is bounded in bytes too.
constexpr std::size_t kFeaturesMax = 64;
constexpr std::size_t kPeerTextBytesMax = 256;
// Verbs and codes are short names.
constexpr std::size_t kVerbBytesMax = 64;

// The default bound of a frame: a page of a reply can have as many items as its asker wanted.
constexpr std::size_t kItemsUnbounded = std::numeric_limits<std::size_t>::max();

enum class Role { client, worker, server, hook };
enum class ReplyStatus { ok, rejected, error };

// The codes of all error replies. The bus makes the first four, the server the others. The id of a
// reply to no request is zero.
enum class ReplyError {
  hello_first,     // the peer has not said HELLO
  protocol,        // no protocol in common
  bad_frame,       // the frame cannot be read; the text says why
  too_large,       // the answer does not fit a frame
  busy,            // try again later
  unavailable,     // the server's disk or store refused; it can serve again later
  wrong_log,       // the log is not the one that the asker has seen, or is of a later release
  invalid,         // the request makes no sense
  not_found,       // nothing has that name, or the log does not hold it any more
  already_exists,  // the name or the folder is taken
  id_reused,       // the request's id was used with another body
  limit_reached,   // the limit of their number is reached
  damaged,         // the log's own bytes do not prove themselves
  refused,         // the connection's scope, or the server's kind, does not permit it
  timeout,         // the position that was waited for did not come in time
  failed,          // anything else
};

struct Hello {
  std::int64_t protocol_lowest = 0;
  std::int64_t protocol_highest = 0;
  Role role = Role::client;
  std::vector<std::string> features;
  std::string name;     // for logs and listings
  std::string scope;    // the agent that the peer acts for; empty: all
  std::string release;  // of the peer's Steno

  bool operator==(const Hello&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("protocol_lowest", &Hello::protocol_lowest);
    visit("protocol_highest", &Hello::protocol_highest);
    visit("role", &Hello::role);
    visit("features", &Hello::features);
    visit("name", &Hello::name);
    visit("scope", &Hello::scope);
    visit("release", &Hello::release);
  }
};

struct Welcome {
  std::int64_t protocol = 0;  // the highest that both ends speak
  base::ServerId server;      // this life of the server
  base::LogId log;
  LogEpoch epoch;
  std::string release;
  base::Position head;  // durable
  // A worker that is silent for this long counts as gone; 0: not told.
  base::Duration silence_max{0};

  bool operator==(const Welcome&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("protocol", &Welcome::protocol);
    visit("server", &Welcome::server);
    visit("log", &Welcome::log);
    visit("epoch", &Welcome::epoch);
    visit("release", &Welcome::release);
    visit("head", &Welcome::head);
    visit("silence_max", &Welcome::silence_max);
  }
};

// Names one asking of a request.
struct RequestKey {
  base::CommandId id;
  std::int64_t ask = 0;
};

struct Request {
  base::CommandId id;  // made and kept by the sender; the same in every repetition
  std::string verb;
  base::RawValue body;  // one msgpack value; empty: none
  // The number of this asking, the same in every repetition. It is greater when the sender asks
  // anew under the same id, for example after a refusal. 0: the sender does not tell.
  std::int64_t ask = 0;

  RequestKey key() const { return {id, ask}; }
  bool operator==(const Request&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("id", &Request::id);
    visit("verb", &Request::verb);
    visit("body", &Request::body);
    visit("ask", &Request::ask);
  }
};

struct Reply {
  base::CommandId id;
  ReplyStatus status = ReplyStatus::ok;
  std::string code;  // of a rejection or error
  std::string text;  // for people
  base::RawValue body;
  // The request's number of asking, so that a late reply to an earlier asking is not taken for this
  // one's. 0: the request did not tell.
  std::int64_t ask = 0;

  bool operator==(const Reply&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("id", &Reply::id);
    visit("status", &Reply::status);
    visit("code", &Reply::code);
    visit("text", &Reply::text);
    visit("body", &Reply::body);
    visit("ask", &Reply::ask);
  }
};

// A message that answers nothing and gets no answer: a directive, a report, the acknowledgement of
// one, a heartbeat.
struct Notice {
  std::string verb;
  base::RawValue body;

  bool operator==(const Notice&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("verb", &Notice::verb);
    visit("body", &Notice::body);
  }
};

using Frame = std::variant<Hello, Welcome, Request, Reply, Notice>;

// Returns "hello", "welcome", "request", "reply" or "notice".
std::string_view frame_kind(const Frame& frame);
Bytes encode_frame(const Frame& frame);
// Decodes any bytes to a frame or an error: too_large over kFrameBytesMax, else invalid, naming the
// wrong kind or field and what is accepted. A frame with more than `items_max` msgpack values,
// nested ones included, is too_large before any of them is decoded.
Result<Frame> decode_frame(ByteView bytes, std::size_t items_max = kItemsUnbounded);

// Returns the highest protocol that both ends speak; error: refused, naming both ranges.
Result<std::int64_t> choose_protocol(const Hello& hello);

Reply ok_reply(const RequestKey& request, base::RawValue body);
// Makes an error reply; `request` has no id when it answers none.
Reply error_reply(const RequestKey& request, ReplyError code, std::string text);
// True if `reply` is an error reply with that code.
bool is_error(const Reply& reply, ReplyError code);

// Encodes a struct with fields as a body; from_body decodes it.
template <class T>
base::RawValue to_body(const T& value) {
  return {base::encode(value)};
}
// Returns the fields of a body. One that is left out, or nil, has none of them, so that each has
// its default. Valid as long as the body.
base::ByteView fields_of(const base::RawValue& body);
template <class T>
Result<T> from_body(const base::RawValue& body) {
  return base::decode<T>(fields_of(body));
}

}  // namespace bus

template <>
struct base::EnumNames<bus::Role> {
  static constexpr std::string_view kNames[] = {"client", "worker", "server", "hook"};
};

template <>
struct base::EnumNames<bus::ReplyStatus> {
  static constexpr std::string_view kNames[] = {"ok", "rejected", "error"};
};

template <>
struct base::EnumNames<bus::ReplyError> {
  static constexpr std::string_view kNames[] = {
      "hello_first", "protocol", "bad_frame", "too_large",      "busy",      "unavailable",
      "wrong_log",   "invalid",  "not_found", "already_exists", "id_reused", "limit_reached",
      "damaged",     "refused",  "timeout",   "failed"};
};
