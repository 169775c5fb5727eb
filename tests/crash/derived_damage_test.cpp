// Damage to any file below index/ and views/: a server starts, answers as before, and never appends
// to a stream at a version that the log already has. The log itself stays as it was.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "eventlog/log/stream_loader.hpp"
#include "eventlog/proof/verify.hpp"
#include "tests/crash/damage.hpp"
#include "tests/crash/require.hpp"
#include "tests/support/under_way.hpp"
#include "tests/support/history.hpp"
#include "tests/support/log_writer.hpp"
#include "tests/support/temp_folder.hpp"
#include "workers/server/derived_stores.hpp"

namespace {

namespace fs = std::filesystem;
using base::Position;
using crash::require;
using support::LogWriter;

// Damage to a fresh copy of the data folder.
struct Harmful {
  std::string what;
  std::function<bool(const std::string& folder)> does;  // false: no difference
};

// The server's answer to every question that it can be asked, by question.
using Answers = std::map<std::string, std::string>;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void copy_all(const std::string& from, const std::string& to) {
  fs::remove_all(to);
  fs::copy(from, to, fs::copy_options::recursive);
  fs::permissions(to, fs::perms::owner_all);
}

// A server's log and the rows derived from it, without sockets.
class Life {
 public:
  explicit Life(const std::string& root) : folder_{root} {}

  base::Result<void> open() {
    auto log = eventlog::open_log(folder_.root, eventlog::LogMode::read_write, random_);
    if (!log) return tl::unexpected(log.error());
    log_ = std::move(*log);
    for (auto [name, rows] :
         {std::pair{folder_.index(), &index_rows_}, std::pair{folder_.views(), &view_rows_}}) {
      auto opened = eventlog::open_derived_rows(name);
      if (!opened) return tl::unexpected(opened.error());
      if (!opened->damage.empty()) ++rebuilds_;
      *rows = std::move(opened->rows);
    }
    workers::DerivedStoresOptions options;
    options.on_rebuilt = [this](std::string_view, const base::Error&) { ++rebuilds_; };
    auto side =
        workers::open_derived_stores(*log_.store, log_.tail, *index_rows_, *view_rows_, options);
    if (!side) return tl::unexpected(side.error());
    side_ = std::move(*side);
    return {};
  }

  bus::Reply ask(std::string_view verb, const workers::QueryBody& body = {}) {
    workers::Query query;
    query.request.id = base::CommandId::make(base::Time{1}, random_);
    query.verb = verb;
    query.body = bus::to_body(body);
    query.durable = log_.store->tail();
    return side_->service->answer(query).reply;
  }

  Answers answers(const std::vector<std::string>& streams) {
    Answers all;
    const auto add = [&](const std::string& question, const bus::Reply& reply) {
      all[question] = reply.code + reply.text + reply.body.encoded;
    };
    add("list", ask(workers::kVerbList));
    add("stats", ask(workers::kVerbStats));
    add("digests", ask(workers::kVerbDigests));
    for (const std::string& stream : streams) {
      if (const auto ref = domain::parse_stream(stream); ref && ref->is<domain::SessionStream>()) {
        workers::QueryBody body;
        body.agent = ref->agent;
        body.reference = ref->id.text();
        add("show " + stream, ask(workers::kVerbShow, body));
        add("output " + stream, ask(workers::kVerbOutput, body));
      }
      all["load " + stream] = load(stream);
    }
    for (const auto& [stream, loaded] : side_->takeover.shared) {
      all["taken over " + stream] = std::to_string(loaded.version.value);
    }
    all["taken over"] = std::to_string(support::sessions_of(side_->takeover).size());
    return all;
  }

  // Brings the rows up to the log's end and flushes them to the disk.
  void write_rows() {
    static_cast<void>(ask(workers::kVerbStats));
    require(index_rows_->flush());
    require(view_rows_->flush());
  }

  // Saves snapshots, as a server does for streams that were used and then became idle.
  void keep(const std::vector<std::string>& streams) {
    for (const std::string& stream : streams) {
      const auto loaded =
          require(eventlog::load_stream(*log_.store, side_->index, side_->snapshots, stream));
      REQUIRE(eventlog::save_stream(side_->index, side_->snapshots, stream, loaded));
    }
  }

  eventlog::OpenedLog& log() { return log_; }
  base::Random& random() { return random_; }
  int rebuilds() const { return rebuilds_; }

 private:
  // A load that meets damage is refused; it succeeds once the rows are rebuilt.
  std::string load(const std::string& stream) {
    auto loaded = try_load(stream);
    if (!loaded && loaded.error().code == base::ErrorCode::rows_damaged) {
      static_cast<void>(ask(workers::kVerbStats));
      loaded = try_load(stream);
    }
    return loaded
               ? std::to_string(loaded->version.value) + " at " + std::to_string(loaded->last.value)
               : base::describe(loaded.error());
  }
  base::Result<eventlog::LoadedStream> try_load(const std::string& stream) {
    return eventlog::load_stream(*log_.store, side_->index, side_->snapshots, stream);
  }

  const eventlog::LogFolder folder_;
  base::SystemRandom random_;
  eventlog::OpenedLog log_;
  std::unique_ptr<eventlog::KeyValueStore> index_rows_;
  std::unique_ptr<eventlog::KeyValueStore> view_rows_;
  std::unique_ptr<workers::DerivedStores> side_;
  int rebuilds_ = 0;
};

class DerivedDamage {
 public:
  DerivedDamage() {
    support::History history(7, {250, 12, 8});
    const auto events = history.log().events();
    for (const auto& event : events) {
      const std::string& stream = event.envelope.stream;
      if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end()) {
        streams_.push_back(stream);
      }
    }
    write(events, 0, events.size() * 4 / 10);
    copy_all(copies_.now, copies_.long_before);
    write(events, events.size() * 4 / 10, events.size() * 8 / 10);
    copy_all(copies_.now, copies_.before);
    write(events, events.size() * 8 / 10, events.size());
    Life life(copies_.now);
    require(life.open());
    CHECK(life.rebuilds() == 0);
    expected_ = life.answers(streams_);
    end_ = life.log().tail;
  }

  std::vector<Harmful> harms() {
    std::vector<Harmful> all;
    for (const std::string& file : files()) {
      for (std::size_t harm = 0; harm < crash::kHarms; ++harm) {
        const crash::Damage damage{file, static_cast<crash::Harm>(harm)};
        all.push_back({crash::describe({damage}), [this, damage](const std::string& folder) {
                         return crash::inflict(damage, copies_, folder);
                       }});
      }
      if (file.find("MANIFEST") == std::string::npos) continue;
      for (const std::size_t end : crash::record_ends(read_file(fs::path(copies_.now) / file))) {
        all.push_back({file + " cut at " + std::to_string(end), [=](const std::string& folder) {
                         fs::resize_file(fs::path(folder) / file, end);
                         return true;
                       }});
      }
    }
    add_swaps(all);
    add_folders(all);
    return all;
  }

  // Returns the first promise that is broken under this harm; empty: none is.
  std::string complaint_about(const Harmful& harm) {
    const std::string folder = temporary_.file("damaged");
    copy_all(copies_.now, folder);
    if (!harm.does(folder)) return {};
    ++differences;
    {
      Life life(folder);
      if (const auto ok = life.open(); !ok) return "does not start: " + base::describe(ok.error());
      const Answers answers = life.answers(streams_);
      for (const auto& [question, answer] : expected_) {
        if (answers.at(question) == answer) continue;
        return "another answer to " + question + ": '" + answers.at(question) + "', not '" +
               answer + "'";
      }
      rebuilds += life.rebuilds() > 0;
      if (life.log().tail.hash != end_.hash) return "the log is another one";
      // The next start finds everything in order.
      life.write_rows();
    }
    Life again(folder);
    if (const auto ok = again.open(); !ok) return "does not start again: " + ok.error().text;
    if (again.rebuilds() > 0) return "is built anew once more";
    return again.answers(streams_) == expected_ ? "" : "answers differ after another start";
  }

  int differences = 0;
  int rebuilds = 0;  // how many of these led to a rebuild

 private:
  void write(const std::vector<domain::RecordedEvent>& events, std::size_t from,
             std::size_t through) {
    Life life(copies_.now);
    require(life.open());
    LogWriter writer(life.log(), life.random());
    for (std::size_t i = from; i < through; ++i) {
      const auto& event = events[i];
      if (event.envelope.position == Position{1}) continue;  // the writer has its own
      writer.set_now(event.envelope.log_time);
      writer.add(event.envelope.stream, event.event, event.envelope.content ? "words" : "");
      if (i % 5 == 0) writer.flush();
      // Several tables, so that the manifest has records.
      if (i % 60 == 0) life.write_rows();
    }
    writer.flush();
    life.write_rows();
    life.keep({streams_.begin(), streams_.begin() + 3});
  }

  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const char* rows : {"index", "views"}) {
      for (const auto& entry : fs::directory_iterator(fs::path(copies_.now) / rows)) {
        all.push_back(std::string(rows) + "/" + entry.path().filename().string());
      }
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  // Adds swaps: each file replaces the next one of its kind, in either folder.
  void add_swaps(std::vector<Harmful>& all) const {
    std::map<std::string, std::vector<std::string>> kinds;
    for (const std::string& file : files()) {
      const std::string name = fs::path(file).filename();
      kinds[name.substr(name.find_first_not_of("0123456789"), 5)].push_back(file);
    }
    for (const auto& [kind, members] : kinds) {
      for (std::size_t i = 0; i + 1 < members.size(); ++i) {
        const std::string one = members[i];
        const std::string other = members[i + 1];
        all.push_back({one + " and " + other + " swapped", [=](const std::string& folder) {
                         const fs::path a = fs::path(folder) / one;
                         const fs::path b = fs::path(folder) / other;
                         const std::string kept = read_file(a);
                         if (kept == read_file(b)) return false;
                         write_file(a, read_file(b));
                         write_file(b, kept);
                         return true;
                       }});
      }
    }
  }

  void add_folders(std::vector<Harmful>& all) const {
    for (const std::string rows : {"index", "views"}) {
      all.push_back({rows + " removed", [=](const std::string& folder) {
                       return fs::remove_all(fs::path(folder) / rows) > 0;
                     }});
      all.push_back({rows + " emptied", [=](const std::string& folder) {
                       fs::remove_all(fs::path(folder) / rows);
                       return fs::create_directory(fs::path(folder) / rows);
                     }});
      all.push_back({rows + " is a file", [=](const std::string& folder) {
                       fs::remove_all(fs::path(folder) / rows);
                       write_file(fs::path(folder) / rows, "not a folder");
                       return true;
                     }});
      for (const std::string& older : {copies_.before, copies_.long_before}) {
        all.push_back({rows + " of an older copy", [=](const std::string& folder) {
                         copy_all((fs::path(older) / rows).string(),
                                  (fs::path(folder) / rows).string());
                         return true;
                       }});
      }
    }
    all.push_back({"index and views swapped", [](const std::string& folder) {
                     fs::rename(fs::path(folder) / "index", fs::path(folder) / "other");
                     fs::rename(fs::path(folder) / "views", fs::path(folder) / "index");
                     fs::rename(fs::path(folder) / "other", fs::path(folder) / "views");
                     return true;
                   }});
  }

  support::TempFolder temporary_;
  crash::Copies copies_{temporary_.file("now"), temporary_.file("before"),
                        temporary_.file("long_before")};
  std::vector<std::string> streams_;
  Answers expected_;
  eventlog::LogTail end_;
};

TEST_CASE("whatever is done to derived files, a server answers as before",
          "[.crash][workers][C01][C02]") {
  DerivedDamage damage;
  std::vector<std::string> violations;
  const auto harms = damage.harms();
  for (const Harmful& harm : harms) {
    const std::string complaint = damage.complaint_about(harm);
    if (!complaint.empty()) violations.push_back(harm.what + ": " + complaint);
  }
  std::printf(
      "{\"campaign\":\"derived_damage\",\"damages\":%zu,\"differences\":%d,\"rebuilds\":%d,"
      "\"violations\":%zu}\n",
      harms.size(), damage.differences, damage.rebuilds, violations.size());
  std::fflush(stdout);
  for (const std::string& violation : violations) UNSCOPED_INFO(violation);
  CHECK(violations.empty());
  CHECK(damage.rebuilds > damage.differences / 10);
}

// The log is replaced by an older copy of itself, while the rows have seen more of it.
TEST_CASE("a log that is older than its rows is not written to", "[.crash][workers][C01]") {
  const std::string rows = GENERATE("index", "views");
  support::TempFolder temporary;
  const std::string now = temporary.file("now");
  const std::string before = temporary.file("before");
  const auto grow = [&] {
    Life life(now);
    require(life.open());
    LogWriter writer(life.log(), life.random());
    for (int i = 0; i < 10; ++i) {
      writer.append(domain::kServerStream, domain::ServerStarted{{}, i + 2, "test"});
    }
    life.write_rows();
  };
  grow();
  copy_all(now, before);
  grow();
  copy_all((fs::path(now) / rows).string(), (fs::path(before) / rows).string());
  for (int attempt = 0; attempt < 2; ++attempt) {
    Life life(before);
    const auto opened = life.open();
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == base::ErrorCode::damaged);
    CHECK_THAT(opened.error().text, Catch::Contains("events 12 to 21 are missing"));
    CHECK_THAT(opened.error().text, Catch::Contains("steno replay salvage"));
    CHECK(life.log().tail.position == Position{11});
  }
}

}  // namespace
