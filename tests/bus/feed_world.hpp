// A log in memory, served as a server would: pages on request, and a feed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bus/feed_publisher.hpp"
#include "bus/frame_server.hpp"
#include "bus/log_reader.hpp"

namespace feed_world {

// The body of requests where its content does not matter.
inline const base::RawValue kBody{base::encode(std::string("body"))};

struct Entry {
  bus::FeedEvent event;
  std::vector<std::string> levels;
};

struct Log {
  bus::LogIdentity identity;
  std::vector<Entry> entries;     // entries[i] has position i + 1
  std::string history = "facts";  // text of the events that are appended

  base::Position head() const { return {static_cast<std::int64_t>(entries.size())}; }

  const Entry& append(std::vector<std::string> levels) {
    bus::FeedEvent event;
    event.position = head().next();
    event.facts.bytes = history + " of " + std::to_string(event.position.value);
    if (event.position.value % 3 == 0) event.content = base::Binary{"content"};
    entries.push_back({event, std::move(levels)});
    return entries.back();
  }

  // Cuts the log back to that position; later events differ from those removed.
  void go_back(base::Position position) {
    entries.resize(static_cast<std::size_t>(position.value));
    history += "'";
  }

  std::optional<base::Hash> digest_at(base::Position position) const {
    if (position.value == 0 || position > head()) return std::nullopt;
    return bus::digest_of(entries[static_cast<std::size_t>(position.value - 1)].event);
  }

  std::vector<bus::FeedEvent> at_level(const std::string& level, base::Position after) const {
    std::vector<bus::FeedEvent> events;
    for (const Entry& entry : entries) {
      if (entry.event.position <= after) continue;
      for (const std::string& each : entry.levels) {
        if (each == level) events.push_back(entry.event);
      }
    }
    return events;
  }

  bus::LogPage page(const bus::ReadRequest& request, std::size_t events_max) const {
    bus::LogPage page;
    page.log = identity.log;
    page.epoch = identity.epoch;
    page.head = head();
    page.complete_through = std::min(request.after, head());
    while (page.complete_through < head() && page.events.size() < events_max) {
      const Entry& entry = entries[static_cast<std::size_t>(page.complete_through.value)];
      page.complete_through = entry.event.position;
      for (const std::string& level : entry.levels) {
        if (level == request.level) page.events.push_back(entry.event);
      }
    }
    page.digest = digest_at(page.complete_through);
    return page;
  }
};

// One life of a server over sockets of either kind.
class Server {
 public:
  Server(const Log& log, std::unique_ptr<bus::ServerSocket> command,
         std::unique_ptr<bus::PublisherSocket> feed, base::ServerId incarnation,
         std::size_t levels_max = bus::kLevelsMax)
      : log_(log),
        command_(std::move(command)),
        feed_(std::move(feed)),
        frames(*command_, welcome(log, incarnation)),
        publisher(*feed_, {log.identity, incarnation, log.head(), levels_max}) {}

  // Now and then an event is one that earlier readers cannot read.
  void publish(const Entry& entry) {
    publisher.publish(entry.event, entry.levels, entry.event.position.value % 3 == 0);
  }

  int do_work(base::Duration now, std::size_t page_max) {
    int work = publisher.do_work(now);
    while (auto from = frames.receive(now)) {
      ++work;
      const auto* request = std::get_if<bus::Request>(&from->message);
      if (request == nullptr) continue;
      ++request_count;
      bus::Reply reply = bus::ok_reply(request->key(), request->body);
      if (request->verb == bus::kReadVerb) {
        const auto wanted = bus::from_body<bus::ReadRequest>(request->body);
        if (wanted && wanted->digest && wanted->digest != log_.digest_at(wanted->after)) {
          reply =
              bus::error_reply(request->key(), bus::ReplyError::wrong_log, "of another history");
        } else if (wanted) {
          reply.body = bus::to_body(log_.page(*wanted, page_max));
        }
      }
      frames.reply(from->peer->id, reply);
    }
    return work;
  }

  bus::Pollable& command() { return *command_; }
  bus::ServerSocket& command_socket() { return *command_; }

 private:
  static bus::Welcome welcome(const Log& log, base::ServerId incarnation) {
    return {0, incarnation, log.identity.log, log.identity.epoch, "test", log.head()};
  }

  const Log& log_;
  std::unique_ptr<bus::ServerSocket> command_;
  std::unique_ptr<bus::PublisherSocket> feed_;

 public:
  bus::FrameServer frames;
  bus::FeedPublisher publisher;
  int request_count = 0;
};

}  // namespace feed_world
