// feed_deliveries_per_s, feed_level_deliveries_per_s: events a second that 8 subscribers receive
// over ipc, decode, and find to be the next ones. Each is a process of its own; the publisher is
// the product's, at the speed of the slowest one. First all follow all events, then each an eighth
// of the levels of 1,000 sessions.
#include <fmt/format.h>

#include "bus/feed_publisher.hpp"
#include "bus/zmq_sockets.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "tools/benchmarks/child_process.hpp"
#include "tools/benchmarks/feed_subscriber.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/session_history.hpp"
#include "tools/benchmarks/workbench.hpp"

namespace benchmarks {
namespace {

constexpr std::int64_t kSubscribers = 8;
constexpr std::int64_t kFlushEvents = 1024;  // the most events of one block of the log
constexpr Nanoseconds kFeedAnswerMax = std::chrono::seconds(60);

enum class Level { all, sessions };

base::Bytes any_facts(Workbench& bench) {
  SessionIdentity identity = SessionIdentity::any(bench.clock().wall(), bench.random());
  domain::RecordedEvent recorded;
  recorded.event = domain::OutputRecorded{base::TurnId::make(bench.clock().wall(), bench.random()),
                                          7, domain::OutputKind::text};
  domain::Envelope& e = recorded.envelope;
  e.stream = domain::session_stream(identity.agent, identity.id);
  e.version = {17};
  e.type = recorded.event.type();
  e.event = base::EventId::make(bench.clock().wall(), bench.random());
  e.command = base::CommandId::make(bench.clock().wall(), bench.random());
  e.actor_kind = domain::ActorKind::worker;
  e.actor = "worker";
  e.token = {1};
  e.report_sequence = 17;
  e.log_time = e.wall_time = bench.clock().wall();
  e.content = domain::ContentProof{{}, 101};
  return domain::encode_facts(recorded);
}

class Feed {
 public:
  Feed(Workbench& bench, bus::PublisherSocket& socket)
      : bench_(bench), publisher_(socket, options(bench)), facts_(any_facts(bench)) {
    for (std::int64_t i = 0; i < kFeedSessions; ++i) {
      levels_.push_back({std::string(bus::kAllLevel), "agent/bench/", feed_level(i)});
    }
  }

  std::size_t event_bytes() const { return facts_.size(); }

  base::Result<void> start_subscribers(const std::string& endpoint, Level level,
                                       const std::string& log) {
    for (std::int64_t i = 0; i < kSubscribers; ++i) {
      const std::string what = level == Level::all ? "all" : fmt::format("{}/{}", i, kSubscribers);
      auto started = ChildProcess::start(
          {bench_.program("steno-bench"), "--feed-subscriber", endpoint + "," + what}, log);
      if (!started) return tl::unexpected(started.error());
      subscribers_.push_back(std::move(*started));
    }
    // The publisher must answer the subscribers' probes meanwhile.
    for (const auto& subscriber : subscribers_) {
      const Nanoseconds end = now() + kFeedAnswerMax;
      for (;;) {
        publisher_.do_work(bench_.clock().boot());
        const auto line = subscriber->read_line(std::chrono::milliseconds(5));
        if (line) break;
        if (line.error().code != base::ErrorCode::timeout || now() > end) {
          return tl::unexpected(line.error());
        }
      }
    }
    return {};
  }

  // Runs until each subscriber has sent `reports` reports; `ahead` of them can be outstanding.
  // Publishes `published_of_report` events for each report.
  base::Result<LoadResult> run(std::int64_t reports, std::int64_t published_of_report,
                               std::int64_t ahead) {
    LoadResult result;
    const Nanoseconds begun = now();
    for (std::int64_t report = 0; report < reports; ++report) {
      publish(published_of_report);
      if (report < ahead) continue;
      if (auto ok = await_reports(1); !ok) return tl::unexpected(ok.error());
    }
    if (auto ok = await_reports(ahead); !ok) return tl::unexpected(ok.error());
    result.took = now() - begun;
    return result;
  }

 private:
  static bus::FeedPublisher::Options options(Workbench& bench) {
    bus::FeedPublisher::Options options;
    options.identity = feed_identity();
    options.incarnation = base::ServerId::make(bench.clock().wall(), bench.random());
    return options;
  }

  void publish(std::int64_t events) {
    for (std::int64_t i = 0; i < events; ++i) {
      ++last_;
      bus::FeedEvent event;
      event.position = {last_};
      event.facts.bytes = facts_;
      publisher_.publish(std::move(event),
                         levels_[static_cast<std::size_t>(last_ % kFeedSessions)]);
      if (last_ % kFlushEvents == 0) publisher_.do_work(bench_.clock().boot());
    }
    publisher_.do_work(bench_.clock().boot());
  }

  base::Result<void> await_reports(std::int64_t count) {
    for (const auto& subscriber : subscribers_) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (auto line = subscriber->read_line(kFeedAnswerMax); !line) {
          return tl::unexpected(line.error());
        }
      }
    }
    return {};
  }

  Workbench& bench_;
  bus::FeedPublisher publisher_;
  const base::Bytes facts_;
  std::vector<std::vector<std::string>> levels_;  // by session
  std::vector<std::unique_ptr<ChildProcess>> subscribers_;
  std::int64_t last_ = 0;
};

base::Result<Figure> measure(Workbench& bench, Level level, const std::string& row) {
  bench.progress(row);
  const std::string folder = bench.fresh_folder(row);
  const std::string endpoint = "ipc://" + folder + "/feed";
  auto socket = bus::bind_publisher(bench.context(), endpoint);
  if (!socket) return tl::unexpected(socket.error());
  Feed feed(bench, **socket);
  if (auto ok = feed.start_subscribers(endpoint, level, folder + "/errors"); !ok) {
    return tl::unexpected(ok.error());
  }
  // Each subscriber receives all published events, or an eighth of them.
  const bool is_all = level == Level::all;
  const std::int64_t report_every = is_all ? kFeedReportEvery : kFeedLevelReportEvery;
  const std::int64_t delivered = report_every * kSubscribers;
  const std::int64_t published = is_all ? report_every : delivered;
  // At most half of the 1,000 messages that a queue holds are in flight, because ZeroMQ tells the
  // writer about read messages only half a queue at a time.
  const std::int64_t ahead = is_all ? 8 : 2;
  const std::int64_t rounds = bench.is_quick() ? 3 : 20;
  const std::int64_t reports_of_round = is_all ? (bench.is_quick() ? 36 : 144) : 384;
  std::vector<double> rates;
  for (std::int64_t round = 0; round < rounds; ++round) {
    bench.progress(fmt::format("{} {}/{}", row, round + 1, rounds));
    const auto result = feed.run(reports_of_round, published, ahead);
    if (!result) return tl::unexpected(result.error());
    rates.push_back(static_cast<double>(reports_of_round * delivered) / seconds(result->took));
  }
  const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
  return Figure{
      median(rates),
      {fmt::format("{} ({} to {}), {} subscribers, {}", rate_text(median(rates)), rate_text(*low),
                   rate_text(*high), kSubscribers,
                   is_all ? "each of all events"
                          : fmt::format("each of {} of {} sessions' levels, one event a message",
                                        kFeedSessions / kSubscribers, kFeedSessions)),
       fmt::format("{} rounds of {} deliveries; events of {} B", rounds,
                   reports_of_round * delivered, feed.event_bytes())}};
}

}  // namespace

base::Result<Figure> measure_feed(Workbench& bench) {
  return measure(bench, Level::all, "feed_deliveries_per_s");
}

base::Result<Figure> measure_feed_levels(Workbench& bench) {
  return measure(bench, Level::sessions, "feed_level_deliveries_per_s");
}

}  // namespace benchmarks
