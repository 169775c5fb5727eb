// Draws faults by weight from a seed. As text, a schedule has one word-separated line for each
// setting and fault, which people can edit.
#include "tests/simulation/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>

#include "eventlog/base/random.hpp"
#include "tests/simulation/named_commands.hpp"

namespace simulation {
namespace {

constexpr Duration kFaultsUntil = std::chrono::seconds(6);
constexpr std::size_t kKindsMin = 3;  // kinds of faults in every world

// The weight of each kind in the draw, and its longest duration.
struct Weight {
  FaultKind kind;
  unsigned weight;
  Duration length_max;
};

constexpr Duration ms(std::int64_t count) {
  return std::chrono::milliseconds(count);
}

constexpr Weight kWeights[] = {
    {FaultKind::kill_server, 6, ms(2000)},  {FaultKind::kill_server_syncing, 12, ms(2000)},
    {FaultKind::kill_worker, 8, ms(3000)},  {FaultKind::kill_keeper, 5, ms(0)},
    {FaultKind::kill_agent, 5, ms(0)},      {FaultKind::lose_power, 6, ms(2000)},
    {FaultKind::stop_server, 5, ms(3000)},  {FaultKind::stop_worker, 6, ms(4000)},
    {FaultKind::stop_agent, 4, ms(2000)},   {FaultKind::stop_subscriber, 4, ms(3000)},
    {FaultKind::restart_client, 6, ms(0)},  {FaultKind::cut_link, 10, ms(4000)},
    {FaultKind::trouble_bus, 14, ms(4000)}, {FaultKind::fail_write, 2, ms(0)},
    {FaultKind::tear_write, 2, ms(0)},      {FaultKind::fail_sync, 3, ms(0)},
    {FaultKind::fail_head, 2, ms(0)},       {FaultKind::fail_rows, 2, ms(0)},
    {FaultKind::fill_disk, 2, ms(2000)},    {FaultKind::jump_clock, 5, ms(0)},
    {FaultKind::drift_clock, 5, ms(5000)},  {FaultKind::leave_worker, 6, ms(3000)},
};

bool is_crash(FaultKind kind) {
  return kind == FaultKind::kill_server || kind == FaultKind::kill_server_syncing ||
         kind == FaultKind::kill_worker || kind == FaultKind::lose_power;
}

const Weight& draw(base::Random& random) {
  unsigned sum = 0;
  for (const Weight& weight : kWeights) sum += weight.weight;
  auto at = random.below(sum);
  for (const Weight& weight : kWeights) {
    if (at < weight.weight) return weight;
    at -= weight.weight;
  }
  return kWeights[0];
}

Fault make_fault(base::Random& random) {
  const Weight& weight = draw(random);
  Fault fault{weight.kind, Duration{random.below(kFaultsUntil.count())}, Duration{0},
              static_cast<std::int64_t>(random.below(1'000'000))};
  if (weight.length_max.count() > 0) {
    fault.length = Duration{random.below(static_cast<std::uint64_t>(weight.length_max.count()))};
  }
  return fault;
}

bool is_earlier(const Fault& a, const Fault& b) {
  return a.at < b.at;
}

std::string seconds_text(Duration duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%06lld",
                static_cast<long long>(duration.count() / 1000000),
                static_cast<long long>(duration.count() % 1000000));
  return text;
}

// Returns the words of one line.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

// Reads "1.234567", with or without a plus.
bool read_seconds(std::string_view text, Duration& duration) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto dot = text.find('.');
  std::int64_t whole = 0;
  std::int64_t micro = 0;
  if (dot == text.npos || text.size() != dot + 7) return false;
  if (!read_number(text.substr(0, dot), whole) || !read_number(text.substr(dot + 1), micro)) {
    return false;
  }
  duration = Duration{whole * 1'000'000 + micro};
  return true;
}

bool read_fault(const std::vector<std::string_view>& words, Fault& fault) {
  if (words.size() != 6 || words[2] != "for" || words[4] != "choice") return false;
  const auto kind = base::parse_enum<FaultKind>(words[1]);
  if (!kind) return false;
  fault.kind = *kind;
  return read_seconds(words[0], fault.at) && read_seconds(words[3], fault.length) &&
         read_number(words[5], fault.choice);
}

struct Setting {
  std::string_view name;
  std::int64_t Schedule::*value;
  std::int64_t least;
  std::int64_t most;
};

constexpr Setting kSettings[] = {
    {"clients", &Schedule::clients, 1, 100},
    {"commands", &Schedule::commands, 0, 1'000'000},
    {"queue_max", &Schedule::queue_max, 1, 1'000'000},
    {"streams_max", &Schedule::streams_max, 1, 1'000'000},
    {"inbox_max", &Schedule::inbox_max, 1, 1'000'000},
    {"events_min", &Schedule::events_min, 0, 1'000'000},
};

// Reads "percent EraseContent 12".
bool read_share(const std::vector<std::string_view>& words, Schedule& schedule) {
  std::int64_t percent = 0;
  if (words.size() != 3 || words[0] != "percent" || !read_number(words[2], percent)) return false;
  const auto& types = named_commands();
  if (std::find(types.begin(), types.end(), words[1]) == types.end()) return false;
  if (percent > 0) schedule.shares[std::string(words[1])] = percent;
  return percent <= 100;
}

// Reads any setting but the seed.
bool read_setting(const std::vector<std::string_view>& words, Schedule& schedule) {
  std::int64_t number = 0;
  if (words.size() != 2 || !read_number(words[1], number)) return false;
  if (words[0] == "lying_locks") {
    schedule.has_lying_locks = number == 1;
    return number <= 1;
  }
  for (const Setting& setting : kSettings) {
    if (words[0] != setting.name) continue;
    schedule.*setting.value = number;
    return number >= setting.least && number <= setting.most;
  }
  return false;
}

}  // namespace

std::string_view name_of(FaultKind kind) {
  return base::enum_name(kind);
}

std::string describe(const Fault& fault) {
  std::string text = "+";
  text += seconds_text(fault.at) + " ";
  text += name_of(fault.kind);
  text += " for " + seconds_text(fault.length) + " choice " + std::to_string(fault.choice);
  return text;
}

Schedule make_schedule(std::uint64_t seed) {
  base::SeededRandom random(seed);
  Schedule schedule;
  schedule.seed = seed;
  if (random.chance(20)) schedule.queue_max = 12 + static_cast<std::int64_t>(random.below(20));
  if (random.chance(40)) schedule.streams_max = 4;
  schedule.has_lying_locks = random.chance(70);
  const std::size_t count = 5 + random.below(10);
  bool has_crash = false;
  std::set<FaultKind> kinds;
  while (schedule.faults.size() < count || !has_crash || kinds.size() < kKindsMin) {
    const Fault fault = make_fault(random);
    has_crash |= is_crash(fault.kind);
    kinds.insert(fault.kind);
    schedule.faults.push_back(fault);
  }
  std::stable_sort(schedule.faults.begin(), schedule.faults.end(), is_earlier);
  if (random.chance(15)) schedule.inbox_max = 1 + static_cast<std::int64_t>(random.below(3));
  for (const std::string& type : named_commands()) {
    if (random.chance(50)) schedule.shares[type] = 4 + static_cast<std::int64_t>(random.below(12));
  }
  return schedule;
}

std::string to_text(const Schedule& schedule) {
  std::string text;
  const auto add = [&](const std::string& name, auto value) {
    text += name + " " + std::to_string(value) + "\n";
  };
  add("seed", schedule.seed);
  add("clients", schedule.clients);
  add("commands", schedule.commands);
  add("queue_max", schedule.queue_max);
  add("streams_max", schedule.streams_max);
  add("inbox_max", schedule.inbox_max);
  add("events_min", schedule.events_min);
  add("lying_locks", schedule.has_lying_locks ? 1 : 0);
  for (const auto& [type, percent] : schedule.shares) add("percent " + type, percent);
  for (const Fault& fault : schedule.faults) text += describe(fault) + "\n";
  return text;
}

base::Result<Schedule> parse_schedule(std::string_view text) {
  Schedule schedule;
  int number = 0;
  bool has_seed = false;
  while (!text.empty()) {
    ++number;
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    Fault fault;
    if (read_fault(words, fault)) {
      schedule.faults.push_back(fault);
    } else if (words.size() == 2 && words[0] == "seed" && read_number(words[1], schedule.seed)) {
      has_seed = true;
    } else if (!read_share(words, schedule) && !read_setting(words, schedule)) {
      return base::failure(base::ErrorCode::invalid,
                           "neither a number within its bounds ('clients 3') nor a fault "
                           "('+1.234567 kill_server for 0.500000 choice 7')",
                           "line " + std::to_string(number) + ": " + std::string(line));
    }
  }
  if (!has_seed) {
    return base::failure(base::ErrorCode::invalid,
                         "no schedule: a line such as 'seed 7' is missing");
  }
  std::stable_sort(schedule.faults.begin(), schedule.faults.end(), is_earlier);
  return schedule;
}

}  // namespace simulation
