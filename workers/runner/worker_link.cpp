// One cycle receives, then reads the clock, takes the frames, keeps the connection alive, runs the
// agents and sends reports.
#include "workers/runner/worker_link.hpp"

#include <algorithm>

#include "eventlog/base/mutant.hpp"
#include "eventlog/base/rare_branches.hpp"
#include "eventlog/base/release.hpp"

namespace workers {

void WorkerLinkOptions::give_up_before(base::Duration server_limit) {
  silence_max = std::min(silence_max, server_limit / 3);
  heartbeat_interval = std::min(heartbeat_interval, silence_max / 3);
}

WorkerLink::WorkerLink(AgentRunner& worker, Ports ports, base::WorkerId id, std::int64_t pid,
                       WorkerLinkOptions options)
    : worker_(worker),
      clock_(ports.clock),
      socket_(ports.socket),
      id_(id),
      pid_(pid),
      usual_(options),
      options_(options) {}

bool WorkerLink::do_work() {
  thread_.check();
  std::vector<base::Bytes> received = receive();
  const base::Duration now = clock_.boot();
  if (last_heard_.count() == 0) last_heard_ = worked_at_ = now;
  // A process that was stopped for this long can have lost its leases. A directive left in the
  // connection could start an agent for a turn that was given up; the server directs anew.
  const base::Duration away = now - std::exchange(worked_at_, now);
  if (away > options_.silence_max && !base::mutant(base::Mutant::stopped_worker_obeys)) {
    base::rare(base::Rare::worker_was_stopped);
    last_heard_ += away;  // time without a server counts only while it works
    received.clear();
    reconnect(now);
  }
  bool has_worked = !received.empty();
  for (const base::Bytes& bytes : received) {
    if (const auto frame = bus::decode_frame(bytes)) take_frame(*frame, now);
  }
  if (now >= next_heartbeat_ || worker_.is_leaving() != has_told_leaving_) {
    const bool is_silent = now - std::max(last_heard_, connected_at_) > options_.silence_max;
    if (is_silent) reconnect(now);
    if (is_registered_) {
      // A send that fails found no connection: the server is gone, or another one will come.
      is_registered_ =
          send(kVerbHeartbeat, bus::to_body(HeartbeatBody{worker_.held(), worker_.is_leaving()}));
    } else {
      greet();
    }
    has_told_leaving_ = worker_.is_leaving();
    next_heartbeat_ =
        now + (is_registered_ ? options_.heartbeat_interval : options_.greet_interval);
  }
  if (!is_orphaned_ && now - last_heard_ > options_.orphan_grace) {
    is_orphaned_ = true;
    worker_.end_all(now);
  }
  has_worked |= worker_.do_work(now);
  has_worked |= send_reports();
  return has_worked;
}

std::vector<base::Bytes> WorkerLink::receive() {
  std::vector<base::Bytes> received;
  while (received.size() < kFramesPerCycle) {
    auto bytes = socket_.receive();
    if (!bytes) break;
    received.push_back(std::move(*bytes));
  }
  return received;
}

void WorkerLink::reconnect(base::Duration now) {
  worker_.forget_unbegun();
  connected_at_ = now;
  is_registered_ = false;
  next_heartbeat_ = now;
  socket_.reconnect();
}

void WorkerLink::greet() {
  bus::Hello hello;
  hello.protocol_lowest = bus::kProtocolLowest;
  hello.protocol_highest = bus::kProtocolHighest;
  hello.role = bus::Role::worker;
  hello.name = id_.text();
  hello.release = base::release();
  socket_.send(bus::encode_frame(hello));
}

base::RawValue WorkerLink::registration() const {
  return bus::to_body(RegisterBody{id_, pid_, worker_.held(), worker_.is_leaving()});
}

void WorkerLink::take_frame(const bus::Frame& frame, base::Duration now) {
  if (const auto* welcome = std::get_if<bus::Welcome>(&frame)) {
    last_heard_ = now;
    options_ = usual_;
    if (welcome->silence_max.count() > 0) options_.give_up_before(welcome->silence_max);
    if (std::exchange(is_orphaned_, false)) worker_.come_back();
    is_registered_ = send(kVerbRegister, registration());
    return;
  }
  if (const auto* reply = std::get_if<bus::Reply>(&frame)) {
    if (bus::is_error(*reply, bus::ReplyError::hello_first)) {
      is_registered_ = false;
      greet();
    }
    return;
  }
  const auto* notice = std::get_if<bus::Notice>(&frame);
  if (notice == nullptr) return;
  last_heard_ = now;
  if (notice->verb == kVerbRegisterAgain) {
    is_registered_ = send(kVerbRegister, registration());
  } else if (notice->verb == kVerbHeartbeat) {
    const auto answer = bus::from_body<HeartbeatBody>(notice->body);
    is_leaving_known_ = answer && answer->is_leaving && worker_.is_leaving();
  } else if (notice->verb == kVerbDirective) {
    if (auto directive = bus::from_body<DirectiveBody>(notice->body)) {
      worker_.on_directive(std::move(*directive), now);
    }
  } else if (notice->verb == kVerbReportAck) {
    if (const auto ack = bus::from_body<ReportAckBody>(notice->body)) worker_.on_ack(*ack);
  }
}

bool WorkerLink::send_reports() {
  bool has_sent = false;
  while (is_registered_) {
    const auto reports = worker_.take_reports();
    if (!reports) break;
    if (!send(kVerbReports, bus::to_body(*reports))) {
      worker_.put_back(*reports);
      break;
    }
    has_sent = true;
  }
  return has_sent;
}

bool WorkerLink::send(std::string_view verb, base::RawValue body) {
  return socket_.send(bus::encode_frame(bus::Notice{std::string(verb), std::move(body)}));
}

}  // namespace workers
