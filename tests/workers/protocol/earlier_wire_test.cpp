// Frames that the worker and the command line of earlier releases sent, in tests/golden/wire, are
// read whole: encoded again, they are the same bytes. A field that is not known any more would be
// skipped, and be missing there.
#include <filesystem>
#include <fstream>
#include <set>

#include "bus/log_reader.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/protocol/queries.hpp"
#include "workers/queries/queries.hpp"
#include "workers/server/older_requests.hpp"

namespace {

template <class Body>
bool is_read_whole(const base::RawValue& raw) {
  const auto body = bus::from_body<Body>(raw);
  return body && (raw.encoded.empty() || base::encode(*body) == raw.encoded);
}

bool is_read_whole(const workers::CommandBody& body) {
  const auto command = workers::decode_command(body);
  return command && workers::encode_command(*command).body == body.body;
}

bool is_read_whole(const workers::SequencedReport& one) {
  const auto report = workers::decode_report(one);
  return report && workers::encode_report(one.sequence, *report) == one;
}

bool is_read_whole(const bus::Request& request) {
  if (request.verb == workers::kVerbCommand) {
    const auto body = bus::from_body<workers::CommandBody>(request.body);
    return is_read_whole<workers::CommandBody>(request.body) && is_read_whole(*body);
  }
  if (request.verb == bus::kReadVerb) return is_read_whole<bus::ReadRequest>(request.body);
  if (workers::find_query(request.verb) != nullptr)
    return is_read_whole<workers::QueryBody>(request.body);
  if (workers::is_older_verb(request.verb))
    return workers::older_command(request.verb, request.body).has_value();
  // The others have no body.
  return bus::fields_of(request.body) == base::ByteView("\x80");
}

bool is_read_whole(const bus::Notice& notice) {
  if (notice.verb == workers::kVerbRegister)
    return is_read_whole<workers::RegisterBody>(notice.body);
  if (notice.verb == workers::kVerbHeartbeat)
    return is_read_whole<workers::HeartbeatBody>(notice.body);
  if (notice.verb != workers::kVerbReports || !is_read_whole<workers::ReportsBody>(notice.body))
    return false;
  const auto body = bus::from_body<workers::ReportsBody>(notice.body);
  return std::all_of(body->reports.begin(), body->reports.end(),
                     [](const workers::SequencedReport& report) { return is_read_whole(report); });
}

bool is_read_whole(const bus::Hello& hello) {
  return bus::choose_protocol(hello).has_value();
}

template <class Other>
bool is_read_whole(const Other&) {
  return false;
}

struct Recorded {
  std::string what;
  base::Bytes frame;
};

std::vector<Recorded> recorded(const std::string& ending) {
  std::vector<Recorded> frames;
  for (const auto& entry : std::filesystem::directory_iterator(support::golden_path("wire"))) {
    if (entry.path().extension() != ending) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      const std::size_t end = line.find(": ");
      REQUIRE(end != std::string::npos);
      frames.push_back({entry.path().stem().string() + " " + line.substr(0, end),
                        support::from_hex(line.substr(end + 2))});
    }
  }
  return frames;
}

void check(const Recorded& one) {
  CAPTURE(one.what);
  const auto frame = bus::decode_frame(one.frame);
  REQUIRE(frame);
  CHECK(bus::encode_frame(*frame) == one.frame);
  CHECK(std::visit([](const auto& body) { return is_read_whole(body); }, *frame));
}

TEST_CASE("what workers of earlier releases sent is read whole", "[workers]") {
  std::set<std::string> reports;
  for (const Recorded& one : recorded(".worker")) {
    check(one);
    const auto frame = bus::decode_frame(one.frame);
    const auto* notice = std::get_if<bus::Notice>(&*frame);
    if (notice == nullptr || notice->verb != workers::kVerbReports) continue;
    const auto body = bus::from_body<workers::ReportsBody>(notice->body);
    for (const auto& report : body->reports) reports.insert(report.type);
  }
  CHECK(reports.size() >= 12);
}

TEST_CASE("what command lines of earlier releases sent is read whole", "[workers]") {
  std::set<std::string> verbs;
  std::set<std::string> commands;
  for (const Recorded& one : recorded(".client")) {
    check(one);
    const auto frame = bus::decode_frame(one.frame);
    const auto* request = std::get_if<bus::Request>(&*frame);
    if (request == nullptr) continue;
    verbs.insert(request->verb);
    if (request->verb != workers::kVerbCommand) continue;
    commands.insert(bus::from_body<workers::CommandBody>(request->body)->type);
  }
  CHECK(verbs.size() >= 10);
  CHECK(commands.size() >= 15);
}

TEST_CASE("a field that nobody knows any more would be noticed", "[workers]") {
  workers::HeartbeatBody body;
  body.is_leaving = true;
  const bus::Notice notice{std::string(workers::kVerbHeartbeat), bus::to_body(body)};
  CHECK(is_read_whole(notice));
  base::Bytes renamed = notice.body.encoded;
  renamed.replace(renamed.find("leaving"), 7, "leavinG");
  CHECK_FALSE(is_read_whole(bus::Notice{notice.verb, {renamed}}));
}

}  // namespace
