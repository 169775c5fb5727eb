// Frames survive encoding and decoding, and have the bytes that the documentation shows. Damaged
// and oversized ones give an error that names the fault; both sides agree on a protocol.
#include "bus/frames.hpp"

#include "eventlog/base/random.hpp"
#include "eventlog/base/text_bytes.hpp"
#include "tests/support/catch.hpp"

namespace {

using bus::Bytes;

base::CommandId command_id() {
  base::CommandId id;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<char>(i + 1);
  return id;
}

std::vector<bus::Frame> samples() {
  base::RawValue body{base::encode(bus::LogIdentity{})};
  return {
      bus::Hello{1, 1, bus::Role::worker, {"credit"}, "w1", "main", "0.1.0"},
      bus::Welcome{1, {command_id().bytes}, {command_id().bytes}, {3, {"epoch00"}}, "0.1.0", {42}},
      bus::Request{command_id(), "read", body},
      bus::Reply{command_id(), bus::ReplyStatus::rejected, "id_reused", "another body", body, 7},
      bus::Notice{"heartbeat", {}},
  };
}

std::string decode_fault(const Bytes& bytes) {
  const auto frame = bus::decode_frame(bytes);
  return frame ? "" : base::describe(frame.error());
}

TEST_CASE("every kind of frame comes back as it was", "[bus]") {
  for (const bus::Frame& frame : samples()) {
    const auto back = bus::decode_frame(bus::encode_frame(frame));
    REQUIRE(back);
    CHECK(*back == frame);
  }
}

TEST_CASE("frames have the bytes that the documentation shows", "[bus]") {
  const bus::Hello hello{1, 1, bus::Role::worker, {}, "w1", "", ""};
  CHECK(base::to_hex(bus::encode_frame(hello)) ==
        "92a568656c6c6f84af70726f746f636f6c5f6c6f7765737401b070726f746f636f6c5f6869676865737401"
        "a4726f6c65a6776f726b6572a46e616d65a27731");
  const bus::Request request{command_id(),
                             "read",
                             {Bytes("\x81\xA5level\xA4"
                                    "all/",
                                    12)}};
  CHECK(base::to_hex(bus::encode_frame(request)) ==
        "92a77265717565737483a26964c4100102030405060708090a0b0c0d0e0f10a476657262a472656164"
        "a4626f647981a56c6576656ca4616c6c2f");
  const bus::Reply reply = bus::ok_reply({command_id()}, {});
  CHECK(base::to_hex(bus::encode_frame(reply)) ==
        "92a57265706c7981a26964c4100102030405060708090a0b0c0d0e0f10");
  CHECK(base::to_hex(bus::encode_frame(bus::Notice{"heartbeat", {}})) ==
        "92a66e6f7469636581a476657262a9686561727462656174");
}

TEST_CASE("the error of a frame names what is wrong and what is accepted", "[bus]") {
  CHECK(decode_fault("nonsense").find("msgpack array of two") != std::string::npos);
  CHECK(decode_fault(Bytes("\x92\xA4quux\x80", 7)).find("accepted are hello") != std::string::npos);
  CHECK(decode_fault(Bytes("\x92\xA4quux\x80", 7)).find("quux") != std::string::npos);
  CHECK(decode_fault(bus::encode_frame(bus::Hello{2, 1, {}, {}, "", "", ""})).find("protocol") !=
        std::string::npos);
  CHECK(decode_fault(bus::encode_frame(bus::Request{{}, "read", {}})).find("id") !=
        std::string::npos);
  CHECK(decode_fault(bus::encode_frame(bus::Request{command_id(), "", {}})).find("verb") !=
        std::string::npos);
  CHECK(decode_fault(bus::encode_frame(samples()[0]) + "x").find("not a frame") !=
        std::string::npos);
  bus::Hello talkative{1, 1, {}, {}, std::string(257, 'x'), "", ""};
  CHECK(decode_fault(bus::encode_frame(talkative)).find("256 bytes") != std::string::npos);
}

TEST_CASE("a frame over the limit is refused before it is looked at", "[bus]") {
  const auto frame = bus::decode_frame(Bytes(bus::kFrameBytesMax + 1, '\x92'));
  REQUIRE_FALSE(frame);
  CHECK(frame.error().code == base::ErrorCode::too_large);
}

TEST_CASE("the highest protocol in common is chosen, or both ranges are named", "[bus]") {
  CHECK(bus::choose_protocol({1, 9, {}, {}, "", "", ""}) == bus::kProtocolHighest);
  const auto none = bus::choose_protocol({7, 9, {}, {}, "", "", ""});
  REQUIRE_FALSE(none);
  CHECK(none.error().code == base::ErrorCode::refused);
  CHECK(none.error().text.find("7 to 9") != std::string::npos);
}

TEST_CASE("a body that is left out, or nil, has the default in each field", "[bus]") {
  CHECK(bus::from_body<bus::Hello>({}).value() == bus::Hello{});
  CHECK(bus::from_body<bus::Hello>({"\xC0"}).value() == bus::Hello{});
  CHECK_FALSE(bus::from_body<bus::Hello>({"\x01"}));
}

TEST_CASE("random and damaged frames never do harm", "[bus]") {
  base::SeededRandom random(7);
  const auto frames = samples();
  for (int round = 0; round < 50000; ++round) {
    Bytes bytes = bus::encode_frame(frames[random.below(frames.size())]);
    if (round % 4 == 0) {
      for (char& c : bytes) c = static_cast<char>(random.next());
    }
    for (std::uint64_t i = random.below(5); i > 0; --i) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    }
    if (round % 3 == 0) bytes.resize(random.below(bytes.size() + 1));
    const auto frame = bus::decode_frame(bytes);
    if (frame) REQUIRE(bus::decode_frame(bus::encode_frame(*frame)).value() == *frame);
    if (!frame) REQUIRE_FALSE(frame.error().text.empty());
  }
}

}  // namespace
