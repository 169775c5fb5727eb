// Every round ends with nothing outstanding, so that subjects can take turns on one machine.
#include "tools/benchmarks/rate_subject.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kWarmUpOutstanding = 64;
constexpr Nanoseconds kSubjectWarmUp = std::chrono::milliseconds(300);

}  // namespace

base::Result<RateSubject> RateSubject::start(Workbench& bench, std::unique_ptr<StenoServer> server,
                                             StenoLoadOptions options) {
  auto load = StenoLoad::connect(bench, *server, std::move(options));
  if (!load) return tl::unexpected(load.error());
  RateSubject subject{std::move(server), std::move(*load)};
  if (auto ok = subject.run(kWarmUpOutstanding, kSubjectWarmUp); !ok)
    return tl::unexpected(ok.error());
  subject.rounds = {};
  return subject;
}

base::Result<void> RateSubject::run(std::size_t outstanding, Nanoseconds duration) {
  const auto result = run_closed_loop(*load, {outstanding, duration, kTurnCountMax});
  if (!result) return tl::unexpected(result.error());
  rounds.add(*result);
  return {};
}

base::Result<void> run_by_turns(RateSubject& subject, RateSubject& other, const RateTurns& turns) {
  for (int turn = 0; turn < turns.turns; ++turn) {
    if (auto ok = subject.run(turns.outstanding, turns.duration); !ok) return ok;
    if (auto ok = other.run(turns.outstanding, turns.duration); !ok) return ok;
  }
  if (auto ok = other.load->check_appended(); !ok) return ok;
  return subject.load->check_appended();
}

base::Result<std::string> open_loop_text(const std::string& what, RateSubject& subject,
                                         Nanoseconds duration) {
  const double half = subject.rounds.rate() / 2;
  const auto open = run_open_loop(*subject.load, {half, duration});
  if (!open) return tl::unexpected(open.error());
  if (auto ok = subject.load->check_appended(); !ok) return tl::unexpected(ok.error());
  return describe_open(what, half, *open);
}

}  // namespace benchmarks
