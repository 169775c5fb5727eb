// Speaks NATS' text protocol itself; the reply subject of each publication ends in its slot.
#include "tools/benchmarks/nats_load.hpp"

#include <cstdlib>

namespace benchmarks {
namespace {

constexpr Nanoseconds kNatsReadyMax = std::chrono::seconds(20);
constexpr Nanoseconds kNatsAnswerMax = std::chrono::seconds(20);
constexpr std::string_view kCreate =
    R"({"name":"EVENTS","subjects":["events.*"],"storage":"file","retention":"limits",)"
    R"("max_consumers":-1,"max_msgs":-1,"max_bytes":-1,"max_age":0,"num_replicas":1})";
constexpr std::size_t kCreated = static_cast<std::size_t>(-1);  // in place of a slot

// Removes whole messages and adds the acknowledged slots, with which the subjects of the answers
// end: "MSG inbox.<n>.<slot> 1 <bytes>".
base::Result<void> take_messages(SocketStream& stream, std::vector<std::size_t>& done) {
  base::Bytes& in = stream.in;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = in.find("\r\n", begin)) != base::Bytes::npos;) {
    const std::string line = in.substr(begin, end - begin);
    std::size_t next = end + 2;
    if (line.starts_with("PING")) stream.out += "PONG\r\n";
    if (line.starts_with("-ERR")) return base::failure(base::ErrorCode::refused, "nats: " + line);
    if (line.starts_with("MSG ")) {
      const std::size_t bytes = std::strtoul(line.c_str() + line.rfind(' '), nullptr, 10);
      if (in.size() < next + bytes + 2) break;
      const std::string body = in.substr(next, bytes);
      if (body.find("\"error\"") != std::string::npos) {
        return base::failure(base::ErrorCode::refused, "nats: " + body);
      }
      const std::size_t subject_end = line.find(' ', 4);
      const std::size_t slot = line.rfind('.', subject_end) + 1;
      const std::string name = line.substr(slot, subject_end - slot);
      done.push_back(name == "created" ? kCreated : std::strtoul(name.c_str(), nullptr, 10));
      next += bytes + 2;
    }
    begin = next;
  }
  in.erase(0, begin);
  return {};
}

}  // namespace

base::Result<std::unique_ptr<NatsServer>> NatsServer::start(Workbench& bench) {
  const std::string folder = bench.fresh_folder("nats");
  auto process = ChildProcess::start({"sh", "-c", "exec \"$@\" 2>&1", "sh", "nats-server", "-js",
                                      "-sd", folder, "-a", "127.0.0.1", "-p", "-1"},
                                     folder + ".log");
  if (!process) return tl::unexpected(process.error());
  auto server = std::make_unique<NatsServer>();
  server->process_ = std::move(*process);
  for (;;) {
    const auto line = server->process_->read_line(kNatsReadyMax);
    if (!line || line->find("not found") != std::string::npos) {
      return base::failure(base::ErrorCode::not_found, "nats-server is not installed");
    }
    const auto after = [&](const std::string& words) {
      const std::size_t at = line->find(words);
      return at == std::string::npos ? std::string() : line->substr(at + words.size());
    };
    if (const auto version = after("Version:"); !version.empty()) {
      server->version_ = version.substr(version.find_first_not_of(' '));
    }
    if (const auto port = after("client connections on 127.0.0.1:"); !port.empty()) {
      server->port_ = std::atoi(port.c_str());
    }
    if (line->find("Server is ready") != std::string::npos) return server;
  }
}

base::Result<std::unique_ptr<NatsLoad>> NatsLoad::connect(const NatsServer& server,
                                                          std::size_t connections,
                                                          std::size_t value_bytes) {
  std::unique_ptr<NatsLoad> load(new NatsLoad(value_bytes));
  for (std::size_t i = 0; i < connections; ++i) {
    auto stream = SocketStream::connect_loopback(server.port());
    if (!stream) return tl::unexpected(stream.error());
    const std::string inbox = "inbox." + std::to_string(i);
    stream->out = "CONNECT {\"verbose\":false,\"pedantic\":false}\r\nSUB " + inbox + ".* 1\r\n";
    if (i == 0) {
      stream->out += "PUB $JS.API.STREAM.CREATE.EVENTS " + inbox + ".created " +
                     std::to_string(kCreate.size()) + "\r\n" + base::Bytes(kCreate) + "\r\n";
      for (std::vector<std::size_t> created; created.empty();) {
        if (auto ok = stream->exchange(kNatsAnswerMax); !ok) return tl::unexpected(ok.error());
        if (auto ok = take_messages(*stream, created); !ok) return tl::unexpected(ok.error());
      }
    }
    load->connections_.push_back(std::move(*stream));
  }
  return load;
}

base::Result<void> NatsLoad::start(std::size_t slot) {
  const std::size_t number = slot % connections_.size();
  base::Bytes& out = connections_[number].out;
  out += "PUB events.1 inbox." + std::to_string(number) + "." + std::to_string(slot) + " " +
         std::to_string(value_.size()) + "\r\n";
  out += value_;
  out += "\r\n";
  return {};
}

base::Result<void> NatsLoad::advance(std::vector<std::size_t>& done) {
  for (SocketStream& stream : connections_) {
    if (auto ok = stream.send(); !ok) return ok;
    if (auto ok = stream.receive(); !ok) return ok;
    if (auto ok = take_messages(stream, done); !ok) return ok;
  }
  return {};
}

base::Result<void> NatsLoad::wait(int timer_fd) {
  std::vector<const SocketStream*> streams;
  for (const SocketStream& stream : connections_) streams.push_back(&stream);
  return wait_for_any(streams, timer_fd);
}

}  // namespace benchmarks
