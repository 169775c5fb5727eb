// Speaks PostgreSQL's binary protocol itself, with one prepared statement on each connection.
#include "tools/benchmarks/postgres_load.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "eventlog/base/list_files.hpp"

namespace benchmarks {
namespace {

constexpr Nanoseconds kPostgresReadyMax = std::chrono::seconds(60);
constexpr Nanoseconds kPostgresAnswerMax = std::chrono::seconds(20);
constexpr std::string_view kInsert = "INSERT INTO events (session, body) VALUES (1, $1)";
constexpr std::string_view kInsertAndNotify =
    "WITH added AS (INSERT INTO events (session, body) VALUES (1, $1) RETURNING position) "
    "SELECT pg_notify('events', position::text) FROM added";
constexpr std::string_view kUpdate =
    "UPDATE entries SET entry = $1, updated = updated + 1 WHERE key = $2";

// Returns the program folder of the newest version installed on Debian; empty: there is none.
std::string program_folder() {
  std::string newest;
  std::error_code error;
  for (const base::ListedFile& entry :
       base::list_files("/usr/lib/postgresql").value_or(std::vector<base::ListedFile>())) {
    const std::string folder = entry.path + "/bin";
    if (std::filesystem::exists(folder + "/postgres", error)) newest = std::max(newest, folder);
  }
  return newest;
}

void add_int32(base::Bytes& out, std::size_t value) {
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(value >> shift & 255);
}

void add_message(base::Bytes& out, char type, const base::Bytes& body) {
  out += type;
  add_int32(out, body.size() + 4);
  out += body;
}

const base::Bytes kNul(1, '\0');

std::size_t int32_at(const base::Bytes& in, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(in[at + i]);
  return value;
}

// Removes whole messages; returns true if one of them says that the server is ready for a query.
base::Result<bool> take_messages(base::Bytes& in) {
  std::size_t begin = 0;
  bool is_ready = false;
  while (in.size() >= begin + 5) {
    const std::size_t end = begin + 1 + int32_at(in, begin + 1);
    if (in.size() < end) break;
    if (in[begin] == 'E') {
      std::string text = in.substr(begin + 5, end - begin - 5);
      std::replace(text.begin(), text.end(), '\0', ' ');
      return base::failure(base::ErrorCode::refused, "postgresql: " + text);
    }
    is_ready = is_ready || in[begin] == 'Z';
    begin = end;
  }
  in.erase(0, begin);
  return is_ready;
}

base::Result<void> ask(SocketStream& stream) {
  for (;;) {
    if (auto ok = stream.exchange(kPostgresAnswerMax); !ok) return ok;
    auto is_ready = take_messages(stream.in);
    if (!is_ready) return tl::unexpected(is_ready.error());
    if (*is_ready) return {};
  }
}

base::Result<SocketStream> log_in(const std::string& path) {
  auto stream = SocketStream::connect_unix(path);
  if (!stream) return stream;
  base::Bytes hello;
  add_int32(hello, 3 << 16);  // version of the protocol
  for (const char* word : {"user", "bench", "database", "postgres", ""}) hello += word + kNul;
  add_int32(stream->out, hello.size() + 4);
  stream->out += hello;
  if (auto ok = ask(*stream); !ok) return tl::unexpected(ok.error());
  return stream;
}

base::Result<void> query(SocketStream& stream, std::string_view text) {
  add_message(stream.out, 'Q', base::Bytes(text) + kNul);
  return ask(stream);
}

// Returns argv that runs a program as a user who can run a server, with stderr on stdout, and ends
// it with us.
std::vector<std::string> argv_of(std::vector<std::string> argv) {
  std::vector<std::string> all = {"sh", "-c", "exec \"$@\" 2>&1", "sh"};
  if (geteuid() == 0) {
    for (const char* word : {"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
                             "--pdeathsig=KILL"}) {
      all.push_back(word);
    }
  }
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

base::Result<void> give_to_postgres(const std::string& folder) {
  if (geteuid() != 0) return {};
  const passwd* user = getpwnam("postgres");
  // Others can pass through the folder above, but not list it.
  if (user != nullptr && chown(folder.c_str(), user->pw_uid, user->pw_gid) == 0 &&
      chmod(std::filesystem::path(folder).parent_path().c_str(), 0711) == 0) {
    return {};
  }
  return base::failure(base::ErrorCode::not_found, "there is no user postgres");
}

}  // namespace

base::Result<std::unique_ptr<PostgresServer>> PostgresServer::start(Workbench& bench) {
  const std::string programs = program_folder();
  if (programs.empty()) {
    return base::failure(base::ErrorCode::not_found, "postgresql is not installed");
  }
  auto server = std::make_unique<PostgresServer>();
  server->folder_ = bench.fresh_folder("postgres");
  const std::string log = server->folder_ + ".log";
  if (auto ok = give_to_postgres(server->folder_); !ok) return tl::unexpected(ok.error());
  const std::string cluster = server->folder_ + "/cluster";
  const auto made = ChildProcess::start(argv_of({programs + "/initdb", "-D", cluster, "-A", "trust",
                                                 "-U", "bench", "-E", "UTF8", "--no-locale"}),
                                        log);
  if (!made) return tl::unexpected(made.error());
  for (std::string said;;) {
    const auto line = (*made)->read_line(kPostgresReadyMax);
    if (!line && line.error().code == base::ErrorCode::unreachable &&
        said.find("Success.") != std::string::npos) {
      break;
    }
    if (!line) return base::failure(line.error().code, "initdb: " + said);
    said += *line + "\n";
  }
  auto process =
      ChildProcess::start(argv_of({programs + "/postgres", "-D", cluster, "-k", server->folder_,
                                   "-c", "listen_addresses=", "-c", "max_connections=300", "-c",
                                   "checkpoint_timeout=1h", "-c", "max_wal_size=8GB"}),
                          log);
  if (!process) return tl::unexpected(process.error());
  server->process_ = std::move(*process);
  for (;;) {
    const auto line = server->process_->read_line(kPostgresReadyMax);
    if (!line) return tl::unexpected(line.error());
    const std::size_t at = line->find("starting PostgreSQL ");
    if (at != std::string::npos)
      server->version_ = line->substr(at + 20, line->find(' ', at + 20) - at - 20);
    if (line->find("ready to accept connections") != std::string::npos) break;
  }
  const auto made_table = server->run(
      "CREATE TABLE events (position bigserial PRIMARY KEY, session integer NOT NULL, "
      "body bytea NOT NULL)");
  if (!made_table) return tl::unexpected(made_table.error());
  return server;
}

base::Result<void> PostgresServer::run(std::string_view statement) const {
  auto stream = log_in(socket_path());
  if (!stream) return tl::unexpected(stream.error());
  return query(*stream, statement);
}

base::Result<std::unique_ptr<PostgresLoad>> PostgresLoad::connect(const PostgresServer& server,
                                                                  PostgresLoadOptions options) {
  const std::string_view statement = !options.keys.empty() ? kUpdate
                                     : options.notifies    ? kInsertAndNotify
                                                           : kInsert;
  const std::size_t outstanding = options.outstanding;
  std::unique_ptr<PostgresLoad> load(new PostgresLoad(std::move(options)));
  for (std::size_t i = 0; i < outstanding; ++i) {
    auto stream = log_in(server.socket_path());
    if (!stream) return tl::unexpected(stream.error());
    // Prepared once: name, text, no parameter types.
    add_message(stream->out, 'P',
                base::Bytes("i") + kNul + base::Bytes(statement) + kNul + kNul + kNul);
    add_message(stream->out, 'S', {});
    if (auto ok = ask(*stream); !ok) return tl::unexpected(ok.error());
    load->connections_.push_back(std::move(*stream));
  }
  load->is_outstanding_.resize(outstanding);
  return load;
}

base::Result<void> PostgresLoad::start(std::size_t slot) {
  base::Bytes& out = connections_[slot].out;
  // Bind: portal, statement, one format (binary), the parameters, results as text.
  base::Bytes bind = kNul + "i" + kNul;
  bind.append("\0\1\0\1\0", 5);
  bind += keys_.empty() ? '\1' : '\2';
  add_int32(bind, value_.size());
  bind += value_;
  if (!keys_.empty()) {
    const std::string& key = keys_[drawn_.below(keys_.size())];
    add_int32(bind, key.size());
    bind += key;
  }
  bind.append("\0\0", 2);
  add_message(out, 'B', bind);
  add_message(out, 'E', kNul + base::Bytes(4, '\0'));
  add_message(out, 'S', {});
  is_outstanding_[slot] = true;
  return {};
}

base::Result<void> PostgresLoad::advance(std::vector<std::size_t>& done) {
  for (std::size_t slot = 0; slot < connections_.size(); ++slot) {
    if (!is_outstanding_[slot]) continue;
    SocketStream& stream = connections_[slot];
    if (auto ok = stream.send(); !ok) return ok;
    if (auto ok = stream.receive(); !ok) return ok;
    auto is_ready = take_messages(stream.in);
    if (!is_ready) return tl::unexpected(is_ready.error());
    if (!*is_ready) continue;
    is_outstanding_[slot] = false;
    done.push_back(slot);
  }
  return {};
}

base::Result<void> PostgresLoad::wait(int timer_fd) {
  std::vector<const SocketStream*> streams;
  for (std::size_t slot = 0; slot < connections_.size(); ++slot) {
    if (is_outstanding_[slot]) streams.push_back(&connections_[slot]);
  }
  return wait_for_any(streams, timer_fd);
}

}  // namespace benchmarks
