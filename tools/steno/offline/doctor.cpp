// `steno doctor`: examines folders, log, programs and server; says what is wrong and what to do.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/list_files.hpp"
#include "eventlog/base/release.hpp"
#include "eventlog/base/usd_text.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/log/tail_proof.hpp"
#include "projections/projections.hpp"
#include "projections/start/startup_rows.hpp"
#include "tools/steno/config/find_program.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/connection/found_server.hpp"
#include "tools/steno/connection/login.hpp"
#include "tools/steno/connection/silence.hpp"
#include "tools/steno/offline/offline_commands.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/notifications.hpp"
#include "workers/protocol/status.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::safe_line;

constexpr std::size_t kTextAt = 22;  // column of a finding's text
// With less free space the log cannot grow for long.
constexpr std::int64_t kFreeBytesMin = std::int64_t{1} << 30;
// A sync of a healthy disk takes a few milliseconds.
constexpr std::int64_t kStageSlowUs = 250'000;
constexpr std::int64_t kGapSlowUs = 250'000;
// A tool can work for so long without a word; an agent rarely does.
constexpr base::Duration kAgentSilence = std::chrono::minutes(10);
// A worker registers within a second, unless the machine is overloaded or it cannot start.
constexpr base::Duration kWorkerStartMax = std::chrono::seconds(5);

enum class Health { good, bad, unknown, warning };

struct Finding {
  std::string subject;
  Health health = Health::good;
  std::string text;
  std::string advice;  // what to do about a bad finding

  bool operator==(const Finding&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("subject", &Finding::subject);
    visit("health", &Finding::health);
    visit("text", &Finding::text);
    visit("advice", &Finding::advice);
  }
};

}  // namespace
}  // namespace steno

template <>
struct base::EnumNames<steno::Health> {
  static constexpr std::string_view kNames[] = {"good", "bad", "unknown", "warning"};
};

namespace steno {
namespace {

class Examination {
 public:
  Examination(const Config& config, bool is_verbose)
      : config_(config), is_verbose_(is_verbose), found_(find_server(config)) {}

  int run();

 private:
  void add(Finding finding) { findings_.push_back(std::move(finding)); }
  void examine_folder(const std::string& subject, const std::string& path);
  void examine_disk();
  void examine_log();
  void examine_log_end();
  void tell_proof();
  void examine_rows(eventlog::BlockStore& log, const std::string& name, const std::string& folder);
  void examine_projections(Connection& connection);
  void examine_program(const std::string& subject, const std::string& program,
                       const std::string& key);
  void ask_server();
  void examine_server();
  void examine_missing_server();
  void examine_agent_program();
  void examine_facts(const workers::ServerFacts& facts);
  bool is_examined(const engines::CatalogEntry& engine) const;
  void examine_engine(const workers::ServerFacts& facts, const engines::CatalogEntry& wanted);
  std::string program_subject(const engines::CatalogEntry& engine) const;
  void examine_login(const workers::ServerFacts& facts);
  std::string clients_text(const workers::StatusAnswer& status) const;
  void examine_status(const workers::StatusAnswer& status);
  void examine_clock(base::Duration lead);
  void examine_agents(Connection& connection);
  void examine_agent(const projections::SessionRow& row, base::Time now);
  void examine_notifications(Connection& connection);
  void examine_lost_worker(base::Duration uptime);
  void examine_stage(const std::string& name, const workers::StageTime& time, std::int64_t slow_us,
                     const std::string& advice);
  void print_findings() const;

  const Config& config_;
  const bool is_verbose_;
  const FoundServer found_;
  std::vector<Finding> findings_;
  std::unique_ptr<Connection> connection_;  // null: nobody listens
  std::optional<workers::StatusAnswer> status_;
  Failure failure_;  // why there is no status
  int server_code_ = kExitOk;
  int log_code_ = kExitOk;
};

std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  return bytes < 10 * kMiB ? std::to_string(bytes / 1024) + " KiB"
                           : std::to_string(bytes / kMiB) + " MiB";
}

// Returns the checkpoints of the stream index and of the projections in the folder.
base::Result<std::vector<eventlog::Checkpoint>> seen_by(eventlog::KeyValueStore& rows) {
  std::vector<eventlog::Checkpoint> seen;
  const auto indexed = eventlog::StreamIndex(rows).checkpoint();
  if (!indexed) return tl::unexpected(indexed.error());
  seen.push_back(*indexed);
  for (const auto& projection : projections::all_projections()) {
    const auto stored = projections::read_checkpoint(rows, projection->name());
    if (!stored) return tl::unexpected(stored.error());
    if (*stored) seen.push_back((*stored)->checkpoint);
  }
  return seen;
}

// Returns the position at which the record of live sessions contradicts itself, as the rows tell;
// 0: it does not, or the rows cannot be read.
base::Position inconsistent_at(eventlog::KeyValueStore& rows) {
  const auto takeover = projections::read_takeover(rows);
  if (!takeover) return {};
  const auto admission = takeover->shared.find(std::string(domain::kAdmissionStream));
  return admission == takeover->shared.end() ? base::Position{}
                                             : domain::inconsistency(admission->second.state);
}

Finding doubled_sessions(base::Position at) {
  return {"record", Health::bad,
          "it contradicts itself at position " + std::to_string(at.value) +
              "; no backup and no archive can be made of it",
          "`steno replay verify` says what it is; stop the server, and `steno replay salvage --to "
          "NEW` makes a log that verifies"};
}

int Examination::run() {
  add({"release", Health::good, base::release(), ""});
  ask_server();
  const bool has_file = config_.has_config_file;
  if (config_.tables_fault) {
    add({"configuration", Health::bad, base::describe(*config_.tables_fault),
         "mend the file; `steno serve` refuses it as it is"});
  } else {
    add({"configuration", Health::good,
         has_file ? config_.config_file : "none; " + config_.config_file + " does not exist", ""});
  }
  examine_folder("data folder", config_.data_folder);
  examine_folder("run folder", found_.run_folder);
  examine_disk();
  examine_log();
  examine_program("keeper", config_.keeper_program, "keeper_program");
  if (!config_.notify_webhook_file.empty()) {
    examine_program("webhook program", webhook_program(config_), "notify_webhook_file");
  }
  examine_agent_program();
  examine_server();
  tell_proof();
  print_findings();
  if (log_code_ != kExitOk) return log_code_;
  if (server_code_ != kExitOk) return server_code_;
  for (const Finding& finding : findings_) {
    if (finding.health == Health::bad) return kExitFailed;
  }
  return kExitOk;
}

void Examination::examine_folder(const std::string& subject, const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    add({subject, Health::unknown, path + " does not exist yet; the server makes it", ""});
  } else if (!S_ISDIR(status.st_mode)) {
    add({subject, Health::bad, path + " is not a folder", "move it away"});
  } else if (status.st_uid != ::geteuid()) {
    add({subject, Health::bad, path + " belongs to uid " + std::to_string(status.st_uid),
         "run steno as that user, or choose another folder"});
  } else if ((status.st_mode & 077) != 0) {
    add({subject, Health::bad, path + " is open to others", "chmod 700 " + path});
  } else {
    add({subject, Health::good, path, ""});
  }
}

void Examination::examine_disk() {
  struct statvfs space {};
  std::string path = config_.data_folder;
  while (::statvfs(path.c_str(), &space) != 0) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    if (parent.empty() || parent == path) return;
    path = parent;
  }
  const auto free =
      static_cast<std::int64_t>(space.f_bavail) * static_cast<std::int64_t>(space.f_frsize);
  if (free < kFreeBytesMin) {
    add({"disk", Health::bad, size_text(free) + " free",
         "make room: a server that cannot write its log stops"});
  } else {
    add({"disk", Health::good, size_text(free) + " free", ""});
  }
}

void Examination::examine_log() {
  std::int64_t bytes = 0;
  std::int64_t files = 0;
  const auto listed = base::list_tree(config_.data_folder);
  if (!listed && listed.error().code != base::ErrorCode::not_found) {
    return add({"log", Health::bad, base::describe(listed.error()), "see to that folder"});
  }
  for (const base::ListedFile& file : listed.value_or(std::vector<base::ListedFile>())) {
    if (file.kind != base::FileKind::file) continue;
    if (file.path.starts_with(found_.run_folder + "/")) continue;  // agents' files, if it lies here
    std::error_code ignored;
    const auto size = std::filesystem::file_size(file.path, ignored);
    // A file can disappear between listing and reading its size.
    if (ignored) continue;
    ++files;
    bytes += static_cast<std::int64_t>(size);
  }
  if (files == 0) {
    add({"log", Health::unknown, "none yet; `steno serve` begins one", ""});
  } else {
    add({"log", Health::good, std::to_string(files) + " files, " + size_text(bytes), ""});
  }
}

// A log that was found to be damaged is not one that a proof would find whole.
void Examination::tell_proof() {
  if (log_code_ != kExitOk) return;
  for (Finding& finding : findings_) {
    if (finding.subject != "log" || finding.health != Health::good) continue;
    finding.text += "; `steno replay verify` proves that it is whole";
  }
}

void Examination::examine_program(const std::string& subject, const std::string& program,
                                  const std::string& key) {
  const char* path = std::getenv("PATH");
  const std::string found = find_program(program, path == nullptr ? "" : path);
  if (!found.empty()) return add({subject, Health::good, found, ""});
  add({subject, Health::bad, "'" + program + "' is not an executable program here",
       "install it, or set " + key});
}

// The server starts agents, with its own settings and PATH; this shell's say nothing about it.
void Examination::examine_agent_program() {
  if (status_ && status_->facts.pid != 0) return;
  for (const engines::CatalogEntry& engine : config_.engines.entries()) {
    if (!is_examined(engine) || engine.settings.program.empty()) continue;
    examine_program(program_subject(engine), engine.settings.program.front(),
                    engine.program_setting());
  }
}

void Examination::ask_server() {
  auto connection = Connection::open(config_);
  if (!connection) {
    failure_ = connection.error();
    return;
  }
  connection_ = std::move(*connection);
  auto status = connection_->ask<workers::StatusAnswer>(workers::kVerbStatus, workers::QueryBody{});
  if (status) {
    status_ = std::move(*status);
  } else {
    failure_ = status.error();
  }
}

void Examination::examine_server() {
  if (!status_) return examine_missing_server();
  examine_status(*status_);
  examine_facts(status_->facts);
  examine_projections(*connection_);
  examine_agents(*connection_);
  examine_notifications(*connection_);
}

void Examination::examine_missing_server() {
  server_code_ = failure_.exit_code;
  if (connection_ != nullptr) {
    return add({"server", Health::bad, failure_.text,
                "it listens but does not answer: look at its log, then steno restart"});
  }
  // The log of a server that runs is its own affair.
  if (found_.holder.is_there()) return add({"server", Health::bad, failure_.text, ""});
  // A server would refuse a log that does not open, so the log is examined first.
  examine_log_end();
  const bool can_start = log_code_ == kExitOk;
  add({"server", Health::bad, can_start ? failure_.text : "none runs here",
       can_start ? "" : "mend the log first: the server does not start with this one"});
}

void Examination::examine_facts(const workers::ServerFacts& facts) {
  if (facts.pid == 0) return;  // of an older release
  add({"server's user", Health::good,
       facts.user + ", HOME of agents " + facts.agent_home + ", PATH " + facts.search_path, ""});
  const std::string own = config_.has_config_file ? config_.config_file : "";
  const bool is_same = facts.config_file == own;
  add({"server's settings", is_same ? Health::good : Health::warning,
       facts.config_file.empty() ? "no file was read" : facts.config_file,
       is_same ? ""
               : "this shell's commands read " + (own.empty() ? std::string("none") : own) +
                     "; settings of the server count from the other one, and after steno restart"});
  for (const std::string& setting : facts.settings) {
    add({"server's setting", Health::good, setting, ""});
  }
  for (const engines::CatalogEntry& engine : config_.engines.entries()) {
    if (is_examined(engine)) examine_engine(facts, engine);
  }
}

// The engine of new sessions, and those that the file adds.
bool Examination::is_examined(const engines::CatalogEntry& engine) const {
  return engine.name == config_.session.engine || engine.name != engine.kind->name;
}

void Examination::examine_engine(const workers::ServerFacts& facts,
                                 const engines::CatalogEntry& wanted) {
  const std::string subject = program_subject(wanted);
  const auto engine =
      std::find_if(facts.engines.begin(), facts.engines.end(),
                   [&](const workers::EngineFacts& one) { return one.name == wanted.name; });
  if (engine == facts.engines.end()) {
    return add({subject, Health::bad, "the server has none for " + wanted.name,
                "set " + wanted.program_setting() + " for the server, then steno restart"});
  }
  if (engine->path.empty()) {
    return add({subject, Health::bad,
                "'" + engine->program +
                    "' is no program that the server can run, in its PATH or "
                    "as a path",
                "install it there, or set " + wanted.program_setting() +
                    " for the server, then steno restart"});
  }
  add({subject, Health::good, engine->path + ", as the server sees it", ""});
  if (wanted.name == config_.session.engine && wanted.kind->has_login) examine_login(facts);
}

std::string Examination::program_subject(const engines::CatalogEntry& engine) const {
  return engine.name == config_.session.engine ? "agent program"
                                               : "agent program of " + engine.name;
}

void Examination::examine_login(const workers::ServerFacts& facts) {
  if (lacks_login(facts)) {
    return add({"agent login", Health::warning,
                "no key in the server's environment, and no login in " + facts.agent_home,
                login_advice(facts)});
  }
  std::string text;
  for (const std::string& key : facts.keys) text += (text.empty() ? "" : ", ") + key;
  if (!text.empty()) text += " in the server's environment";
  if (facts.has_login) {
    text += (text.empty() ? "" : "; ") + std::string("a login in ") + facts.agent_home;
  }
  add({"agent login", Health::good, text, ""});
}

// Returns how many clients are connected now, without this one. The kernel lists the connections of
// a socket by its path; if it does not tell, the server's count of those heard lately stands in.
std::string Examination::clients_text(const workers::StatusAnswer& status) const {
  std::ifstream file("/proc/net/unix");
  const std::string path = " " + found_.run_folder + "/command.sock";
  constexpr std::string_view kConnected = " 03 ";  // SS_CONNECTED
  std::int64_t connected = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t state = line.find(kConnected);
    connected += line.ends_with(path) && state != std::string::npos ? 1 : 0;
  }
  if (connected > 0) return std::to_string(connected - 1) + " other clients";
  return std::to_string(status.clients) + " clients heard in the last two minutes";
}

// Opens the log as a starting server does, but read-only.
void Examination::examine_log_end() {
  std::error_code ignored;
  const eventlog::LogFolder folder{config_.data_folder};
  const bool is_there = std::filesystem::exists(folder.log(), ignored) ||
                        std::filesystem::exists(folder.head(), ignored);
  if (!is_there) return;
  base::SystemRandom random;
  const auto log =
      eventlog::open_log(config_.data_folder, eventlog::LogMode::read_only, random, {});
  if (log) {
    add({"log's end", Health::good,
         "whole up to position " + std::to_string(log->store->tail().value), ""});
    examine_rows(*log->store, "index", folder.index());
    examine_rows(*log->store, "views", folder.views());
    return;
  }
  log_code_ = exit_code_of(log.error().code);
  const bool is_damaged = log.error().code == base::ErrorCode::damaged;
  add({"log's end", Health::bad, base::describe(log.error()),
       is_damaged ? std::string(kDamageAdvice)
                  : "leave the files as they are until that is clear"});
}

// Examines rows that are derived from the log. Damaged rows heal at the next start. Rows with a
// checkpoint that the log does not hold show that the log went back.
void Examination::examine_rows(eventlog::BlockStore& log, const std::string& name,
                               const std::string& folder) {
  const auto rows = eventlog::open_rocksdb_key_value_view(folder);
  const auto seen = rows ? seen_by(**rows) : tl::unexpected(rows.error());
  if (!seen) {
    const bool is_none = seen.error().code == base::ErrorCode::not_found;
    return add({name, Health::unknown,
                is_none ? "none; the next start builds it from the log"
                        : base::describe(seen.error()) + "; the next start builds it anew",
                ""});
  }
  for (const eventlog::Checkpoint& reached : *seen) {
    const auto proved = eventlog::prove_checkpoint(log, reached);
    if (proved) continue;
    if (proved.error().code != base::ErrorCode::damaged) {
      return add(
          {name, Health::unknown, proved.error().text + "; the next start builds it anew", ""});
    }
    log_code_ = kExitDamaged;
    return add({name, Health::bad, proved.error().text, ""});
  }
  add({name, Health::good, "of this log", ""});
  if (const base::Position at = inconsistent_at(**rows); name == "views" && at.value != 0) {
    add(doubled_sessions(at));
  }
}

void Examination::examine_projections(Connection& connection) {
  const auto digests =
      connection.ask<workers::DigestsAnswer>(workers::kVerbDigests, workers::QueryBody{});
  if (!digests) {
    return add({"projections", Health::bad, digests.error().text,
                "look at the server's log; a restart builds damaged rows anew"});
  }
  std::string faults;
  for (const workers::DigestRow& row : digests->projections) {
    if (!row.fault.empty()) faults += (faults.empty() ? "" : "; ") + row.name + ": " + row.fault;
  }
  if (faults.empty()) {
    add({"projections", Health::good,
         std::to_string(digests->projections.size()) + " at the log's end", ""});
  } else {
    add({"projections", Health::bad, faults, "restart the server, which builds them anew"});
  }
}

void Examination::examine_status(const workers::StatusAnswer& status) {
  add({"server", Health::good,
       (found_.holder.is_there() ? "process " + std::to_string(found_.holder.pid) + ", " : "") +
           "release " + status.release + ", up " + duration_text(base::Duration{status.uptime_us}) +
           ", " + clients_text(status),
       ""});
  if (status.release != base::release()) {
    add({"release", Health::bad, "the server is of release " + status.release,
         "restart it to have both the same"});
  }
  add({"log position", Health::good,
       std::to_string(status.durable.value) + " durable, log " + status.log.text() + ", epoch " +
           std::to_string(status.epoch) + ", term " + std::to_string(status.writer_term),
       ""});
  if (status.inconsistent.value != 0) add(doubled_sessions(status.inconsistent));
  add({"signing key", Health::good, status.key, ""});
  if (status.workers == 0) {
    examine_lost_worker(base::Duration{status.uptime_us});
  } else {
    add({"workers", Health::good, std::to_string(status.workers), ""});
  }
  if (!status.erasure_fault.empty()) {
    add({"erasures", Health::bad, status.erasure_fault,
         "what was erased may still be in a file until this is mended"});
  }
  examine_clock(status.clock_lead);
  if (std::find(status.sinks.begin(), status.sinks.end(), "channel") == status.sinks.end()) {
    add({"channels", Health::unknown, "nobody hears: no program sends to channels",
         "set notify_command if chats are to be told, and start the server again"});
  }
  const bool is_full = status.live_sessions - status.parked_sessions >= status.max_sessions;
  add({"sessions", is_full ? Health::bad : Health::good,
       places_text(status.live_sessions, status.parked_sessions, status.max_sessions) + ", " +
           std::to_string(status.waiting_commands) + " commands waiting",
       is_full ? "no session can be started: kill one, or raise max_sessions" : ""});
  if (status.daily_budget.value > 0) {
    add({"daily budget", Health::good,
         "$" + base::usd_text(status.daily_budget) + " for each agent, in a day of UTC", ""});
  }
  if (status.agent_budget.value > 0) {
    add({"agent budget", Health::good,
         "$" + base::usd_text(status.agent_budget) + " for each agent, over all time", ""});
  }
  if (status.total_daily_budget.value > 0) {
    add({"total daily budget", Health::good,
         "$" + base::usd_text(status.total_daily_budget) + " for all agents, in a day of UTC", ""});
  }
  if (status.prices.empty()) {
    add({"prices", Health::bad, "there are none, so no cost is known and no budget holds",
         "put prices.toml beside the program, or name a file by prices_file, and restart"});
  } else {
    add({"prices", Health::good, status.prices, ""});
  }
  examine_stage("inbox", status.stages.inbox, kStageSlowUs, "the server is overloaded");
  examine_stage("decide", status.stages.decide, kStageSlowUs, "the server was starved of CPU");
  examine_stage("sync", status.stages.sync, kStageSlowUs, "the disk is slow to sync");
  examine_stage("reply", status.stages.reply, kStageSlowUs, "the server was starved of CPU");
  examine_stage("answer", status.stages.total, 2 * kStageSlowUs, "");
  examine_stage("loop gap", status.stages.gap, kGapSlowUs, "the server was starved of CPU");
}

// A forward step is taken after seconds. One back is waited for: order never goes back.
void Examination::examine_clock(base::Duration lead) {
  const std::string by = duration_text(lead < base::Duration{0} ? -lead : lead);
  if (lead > base::kClockStepMin) {
    add({"clock", Health::bad, "was set " + by + " ahead of recorded times",
         "if it stays so, recorded times follow within seconds"});
  } else if (lead < -base::kClockStepMin) {
    add({"clock", Health::bad, by + " behind recorded times",
         "set the clock if it is wrong; if it is right, recorded times stay ahead until it has "
         "caught up, and budgets and schedules go by the clock"});
  } else {
    add({"clock", Health::good, "agrees with recorded times", ""});
  }
}

// A silent agent may be right: what it does can take long.
void Examination::examine_agents(Connection& connection) {
  workers::QueryBody query;
  query.statuses = {domain::SessionStatus::starting, domain::SessionStatus::running};
  std::int64_t at_work = 0;
  for (bool has_more = true; has_more;) {
    const auto live = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
    if (!live) return add({"agents", Health::bad, live.error().text, ""});
    for (const projections::SessionRow& row : live->sessions) {
      at_work += is_at_work(row) ? 1 : 0;
      examine_agent(row, connection.clock().wall());
    }
    query.before = live->before;
    has_more = live->has_more;
  }
  add({"agents", Health::good, std::to_string(at_work) + " at work", ""});
}

void Examination::examine_agent(const projections::SessionRow& row, base::Time now) {
  if (row.is_unpriced && row.budget.value > 0) {
    add({"price", Health::unknown,
         "of " + row.agent_model + " is not known: the budget of " + row.alias + " does not hold",
         "limit such sessions with max_tokens, or write the price into prices_file"});
  }
  const bool is_stuck = row.is_silent || row.is_repeating;
  if (!is_at_work(row) || (!is_stuck && now - row.updated_at < kAgentSilence)) return;
  const std::string arguments = row.session.text() + " --agent " + row.agent;
  const std::string end = row.turn.is_set() ? "interrupt " : "kill ";
  const std::string what = row.is_repeating ? "stuck: repeats a tool call"
                           : row.is_silent  ? "stuck: says nothing, and no tool of its runs"
                                            : silence_text(row, now);
  add({"agent", is_stuck ? Health::bad : Health::unknown, "of " + row.alias + ": " + what,
       "steno show " + arguments + "; steno " + end + arguments + " ends what it does"});
}

void Examination::examine_notifications(Connection& connection) {
  const auto answer = connection.ask<workers::NotificationsAnswer>(workers::kVerbNotifications,
                                                                   workers::QueryBody{});
  if (!answer) return add({"notifications", Health::bad, answer.error().text, ""});
  std::int64_t failed = 0;
  std::int64_t given_up = 0;
  std::string error;
  for (const workers::NotificationRow& row : answer->notifications) {
    if (row.attempts == 0) continue;
    ++(row.next_at.us == 0 ? given_up : failed);
    if (given_up == 0 || row.next_at.us == 0) error = row.error;
  }
  const auto open = static_cast<std::int64_t>(answer->notifications.size());
  std::string text = std::to_string(answer->delivered) + " delivered, " +
                     std::to_string(open - given_up) + " on their way";
  if (failed > 0) text += ", " + std::to_string(failed) + " of which are tried again";
  if (given_up > 0) text += ", " + std::to_string(given_up) + " given up";
  if (!error.empty()) text += "; the last error: " + error;
  const Health health = given_up > 0 ? Health::bad : failed > 0 ? Health::warning : Health::good;
  add({"notifications", health, text,
       health == Health::good
           ? ""
           : "steno notify ls lists them; mend what delivers, then steno notify retry --all"});
}

void Examination::examine_lost_worker(base::Duration uptime) {
  if (uptime < kWorkerStartMax) {
    return add({"workers", Health::unknown, "starting", "ask again in a moment"});
  }
  const std::string lock = worker_lock_of(config_);
  if (base::is_locked(lock).value_or(false)) {
    const std::string pid = std::to_string(base::lock_holder(lock));
    add({"workers", Health::bad, "process " + pid + " is a worker and has not registered",
         "if this lasts, it was started with another run folder: set run_folder to that folder and "
         "restart the server, or end the process and with it its agents"});
  } else {
    add({"workers", Health::bad, "none",
         "no session can run: see worker.log in " + found_.run_folder + ", and the server's log"});
  }
}

// What is slow is told; all of it is for who works on the server.
void Examination::examine_stage(const std::string& name, const workers::StageTime& time,
                                std::int64_t slow_us, const std::string& advice) {
  if (time.count == 0) return;
  const bool is_slow = time.p99_us > slow_us && !advice.empty();
  if (!is_slow && !is_verbose_) return;
  add({name, is_slow ? Health::bad : Health::good,
       "p50 " + std::to_string(time.p50_us) + " µs, p99 " + std::to_string(time.p99_us) +
           " µs, max " + std::to_string(time.max_us) + " µs of " + std::to_string(time.count),
       is_slow ? advice : ""});
}

void Examination::print_findings() const {
  if (config_.output == OutputFormat::jsonl) {
    for (const Finding& finding : findings_) print(workers::to_json(finding) + "\n");
    return;
  }
  if (config_.output == OutputFormat::json) {
    workers::JsonObject json;
    json.add("findings", findings_).add("status", status_);
    print(json.text() + "\n");
    return;
  }
  for (const Finding& finding : findings_) {
    const char* mark = finding.health == Health::good      ? "ok  "
                       : finding.health == Health::bad     ? "BAD "
                       : finding.health == Health::warning ? "WARN "
                                                           : "--  ";
    std::string line = mark + finding.subject;
    line.append(line.size() < kTextAt ? kTextAt - line.size() : 1, ' ');
    line += safe_line(finding.text);
    if (!finding.advice.empty()) {
      line += "\n" + std::string(kTextAt, ' ') + "→ " + safe_line(finding.advice);
    }
    print(line + "\n");
  }
}

}  // namespace

Outcome<int> doctor(const Config& config, const DoctorArguments& arguments) {
  if (arguments.shows_flight) return show_flight(config);
  return Examination(config, arguments.is_verbose).run();
}

}  // namespace steno
