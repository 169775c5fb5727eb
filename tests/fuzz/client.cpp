// A client whose server sends anything: each request still has one outcome, and in time.
#include "bus/client.hpp"

#include <deque>

#include "tests/fuzz/values.hpp"

namespace {

using base::Bytes;
using fuzz::require;
using fuzz::Source;

class Socket final : public bus::ClientSocket {
 public:
  bus::ZmqSocket* poll_handle() const override { return nullptr; }
  bool send(Bytes frame) override {
    require(bus::decode_frame(frame).has_value(), "what a client says can be read");
    return !is_full;
  }
  std::optional<Bytes> receive() override {
    if (incoming.empty()) return std::nullopt;
    Bytes first = std::move(incoming.front());
    incoming.pop_front();
    return first;
  }
  void reconnect() override { incoming.clear(); }

  std::deque<Bytes> incoming;
  bool is_full = false;
};

class StoppedClock final : public base::Clock {
 public:
  base::Duration boot() override { return {}; }
  base::Time wall() override { return {1'700'000'000'000'000}; }
};

base::CommandId id_of(int number) {
  base::CommandId id;
  id.bytes[0] = static_cast<char>(number + 1);
  return id;
}

Bytes reply(Source& source, std::uint8_t how) {
  static constexpr std::string_view kCodes[] = {"", "hello_first", "protocol", "busy"};
  bus::Reply reply;
  reply.id = how % 8 == 7 ? base::CommandId{} : id_of(how % 4);
  reply.status = static_cast<bus::ReplyStatus>(how >> 3 & 1 ? 2 : 0);
  reply.code = kCodes[source.byte() % 4];
  reply.body.encoded = source.piece();
  reply.ask = how >> 4 & 1 ? source.byte() : 0;
  return bus::encode_frame(reply);
}

}  // namespace

// Each byte of the input chooses the next step.
void fuzz::run(ByteView in) {
  Source source(in);
  Socket socket;
  StoppedClock clock;
  base::SeededRandom random(1);
  bus::Client client(socket, clock, random, {});
  bus::ClientLogReader reader(client, std::chrono::seconds(5));
  base::Duration now{0};
  base::Duration deadlines[4] = {};
  bool is_asked[4] = {};
  bool is_reading = false;
  base::Duration page_deadline{0};
  while (!source.is_empty()) {
    const std::uint8_t how = source.byte();
    if (how < 48) {
      socket.incoming.emplace_back(source.piece());
    } else if (how < 112) {
      socket.incoming.push_back(reply(source, how));
    } else if (how < 128) {
      socket.incoming.push_back(bus::encode_frame(bus::Welcome{1, {}, {}, {}, {}, {}}));
    } else if (how < 176 && !is_asked[how % 4]) {
      is_asked[how % 4] =
          client.start(id_of(how % 4), "show", {}, std::chrono::seconds(3)).has_value();
      deadlines[how % 4] = now + std::chrono::seconds(3 + 16);
    } else if (how < 184) {
      if (!is_reading) {
        is_reading = true;
        reader.request({"all/", {}});
        page_deadline = now + std::chrono::seconds(5 + 16);
      }
    } else {
      now += std::chrono::milliseconds(100) * (how % 64);
      socket.is_full = how >= 248;
    }
    client.do_work(now);
    require(client.next_timer() >= now, "the next timer is not in the past");
    for (int i = 0; i < 4; ++i) {
      if (!is_asked[i]) continue;
      if (client.take(id_of(i))) {
        is_asked[i] = false;
        require(!client.take(id_of(i)), "an outcome is told once");
      } else {
        require(now < deadlines[i], "every request has an outcome in time");
      }
    }
    const auto page = reader.receive();
    if (page) is_reading = false;
    require(!is_reading || now < page_deadline, "a page has an outcome in time");
    if (page && !*page) {
      require(!page->error().text.empty() || page->error().code == base::ErrorCode::refused ||
                  page->error().code == base::ErrorCode::busy,
              "an error says what is wrong");
    }
    while (client.take_notice()) {
    }
  }
}
