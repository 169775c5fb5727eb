// Reads timings, and finds when they are due. A cron line is followed from day to day: of a day
// that it names, all minutes that it names are looked at, since clocks can jump within a day.
#include "eventlog/domain/schedules/timing.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "eventlog/base/digits.hpp"
#include "eventlog/base/time_text.hpp"

namespace domain {
namespace {

using base::Duration;
using base::Time;
using std::chrono::days;
using std::chrono::minutes;

// 29 February of a certain weekday comes after 40 years at most.
constexpr int kDaysMax = 366 * 41;
constexpr std::chrono::hours kStepMax{24 * 366};

using Fault = tl::unexpected<std::string>;

std::string quoted(std::string_view text) {
  std::string words("'");
  return words.append(text).append("'");
}

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return low;
}

// Returns none for anything but a number of at most nine digits.
std::optional<int> number_of(std::string_view text) {
  const auto number = base::parse_digits(text);
  if (!number || text.size() > 9) return std::nullopt;
  return static_cast<int>(*number);
}

// Splits the text at each `at`; two in a row enclose an empty part.
std::vector<std::string_view> parts_of(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// ---- cron ----

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct FieldOf {
  std::string_view title;
  int least;
  int most;
  std::span<const std::string_view> names;  // the first one stands for `least`
};

std::string accepted(const FieldOf& field) {
  std::string text = std::to_string(field.least) + " to " + std::to_string(field.most);
  if (!field.names.empty()) {
    text += ", " + std::string(field.names.front()) + " to " + std::string(field.names.back());
  }
  return text + ", *, and of these lists (a,b), ranges (a-b) and steps (a-b/n)";
}

std::optional<int> value_of(const FieldOf& field, std::string_view text) {
  const std::string name = lower(text);
  const auto named = std::find(field.names.begin(), field.names.end(), name);
  if (named != field.names.end()) {
    return field.least + static_cast<int>(named - field.names.begin());
  }
  const auto number = number_of(text);
  if (!number || *number < field.least || *number > field.most) return std::nullopt;
  return number;
}

struct Range {
  int first = 0;
  int last = 0;
  int step = 1;
};

std::optional<Range> range_of(const FieldOf& field, std::string_view text) {
  Range range{field.least, field.most, 1};
  const std::size_t slash = text.find('/');
  const std::string_view bounds = text.substr(0, slash);
  if (slash != std::string_view::npos) {
    const auto step = number_of(text.substr(slash + 1));
    if (!step || *step == 0) return std::nullopt;
    range.step = *step;
  }
  if (bounds == "*") return range;
  const std::size_t dash = bounds.find('-');
  const auto first = value_of(field, bounds.substr(0, dash));
  if (!first) return std::nullopt;
  range.first = *first;
  if (dash != std::string_view::npos) {
    const auto last = value_of(field, bounds.substr(dash + 1));
    if (!last || *last < *first) return std::nullopt;
    range.last = *last;
  } else if (slash == std::string_view::npos) {
    range.last = *first;
  }
  return range;
}

// Adds the field's values to `values`; else returns what is wrong.
template <std::size_t N>
std::optional<std::string> read_values(const FieldOf& field, std::string_view text,
                                       std::bitset<N>& values) {
  for (const std::string_view part : parts_of(text, ',')) {
    const auto range = range_of(field, part);
    if (!range) {
      std::string fault = quoted(part);
      return fault.append(" is no ").append(field.title).append("; accepted are ") +
             accepted(field);
    }
    for (int value = range->first; value <= range->last; value += range->step) {
      values.set(static_cast<std::size_t>(value) % N);
    }
  }
  return std::nullopt;
}

std::string_view meant_by(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"@hourly", "0 * * * *"},  {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
      {"@weekly", "0 0 * * 0"},  {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"},
      {"@annually", "0 0 1 1 *"}};
  for (const auto& [word, line] : kShort) {
    if (text == word) return line;
  }
  return text;
}

// A line of a crontab has blanks or tabs between its fields.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view part : parts_of(text, ' ')) {
    for (const std::string_view word : parts_of(part, '\t')) {
      if (!word.empty()) words.push_back(word);
    }
  }
  return words;
}

base::Result<Timing, std::string> parse_cron(std::string_view text) {
  const std::vector<std::string_view> fields = words_of(meant_by(text));
  if (fields.size() != 5) {
    return Fault(
        "a cron line has five fields: minute, hour, day of the month, month and day of "
        "the week, as in '30 9 * * mon-fri'; " +
        quoted(text) + " has " + std::to_string(fields.size()));
  }
  CronLine line;
  auto fault = read_values({"minute", 0, 59, {}}, fields[0], line.minutes);
  if (!fault) fault = read_values({"hour", 0, 23, {}}, fields[1], line.hours);
  if (!fault) fault = read_values({"day of the month", 1, 31, {}}, fields[2], line.month_days);
  if (!fault) fault = read_values({"month", 1, 12, kMonths}, fields[3], line.months);
  if (!fault) fault = read_values({"day of the week", 0, 7, kWeekDays}, fields[4], line.week_days);
  if (fault) return Fault(*std::move(fault));
  line.is_each_hour = fields[1].starts_with('*');
  line.is_month_day_limited = !fields[2].starts_with('*');
  line.is_week_day_limited = !fields[4].starts_with('*');
  return Timing(line);
}

bool is_named(const CronLine& line, std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  if (!line.months.test(unsigned(date.month()))) return false;
  const bool is_month_day = line.month_days.test(unsigned(date.day()));
  const bool is_week_day = line.week_days.test(std::chrono::weekday(day).c_encoding());
  if (line.is_month_day_limited && line.is_week_day_limited) return is_month_day || is_week_day;
  return is_month_day && is_week_day;
}

// No clock is set by more, but for a zone that crosses the date line.
constexpr minutes kSetMost{3 * 60};

// Returns the earliest moment of the day behind `after`, at which the local clock shows `shown`;
// none: there is none. Local times far before `shown`, or far behind one that was found, are passed
// over.
std::optional<Time> due_on(const CronLine& line, std::chrono::sys_days day, const std::string& zone,
                           const TimeZones& zones, Time after, minutes shown) {
  std::optional<Time> due;
  std::optional<minutes> due_shown;
  for (std::size_t at = 0; at < line.hours.size() * line.minutes.size(); ++at) {
    if (!line.hours.test(at / 60) || !line.minutes.test(at % 60)) continue;
    const minutes local = minutes(day.time_since_epoch()) + minutes(static_cast<std::int64_t>(at));
    if (local + kSetMost < shown) continue;
    if (due_shown && local > *due_shown + kSetMost) break;
    const ShownAt moments = zones.moments(zone, local);
    if (moments.is_skipped && line.is_each_hour) continue;
    const auto consider = [&](Time moment) {
      if (moment <= after || (due && moment >= *due)) return;
      due = moment;
      due_shown = local;
    };
    consider(moments.first);
    if (moments.second && line.is_each_hour) consider(*moments.second);
  }
  return due;
}

std::optional<Time> next_of(const CronLine& line, const std::string& zone, const TimeZones& zones,
                            Time after) {
  const minutes shown = zones.local(zone, after);
  // Clocks that are set back at midnight show the end of the day before once more.
  auto day = std::chrono::floor<days>(std::chrono::sys_time<minutes>(shown)) - days(1);
  for (int i = 0; i < kDaysMax; ++i, day += days(1)) {
    if (!is_named(line, day)) continue;
    if (const auto due = due_on(line, day, zone, zones, after, shown)) return due;
  }
  return std::nullopt;
}

// ---- at and every ----

base::Result<Timing, std::string> parse_once(std::string_view text) {
  const auto time = base::parse_time_text(text);
  if (!time || text.find(':') == std::string_view::npos) {
    return Fault(quoted(text) +
                 " is no time; accepted are a date and a time, as '2026-12-01 09:00', in the "
                 "schedule's zone, or with a Z at the end in UTC");
  }
  return Timing(
      Once{std::chrono::floor<std::chrono::seconds>(Duration(time->us)), text.ends_with('Z')});
}

std::optional<Time> next_of(const Once& once, const std::string& zone, const TimeZones& zones,
                            Time after) {
  Time due{Duration(once.local).count()};
  if (!once.is_utc) {
    const auto local = std::chrono::floor<minutes>(once.local);
    const ShownAt shown = zones.moments(zone, local);
    due = shown.is_skipped ? shown.first : shown.first + (once.local - local);
  }
  return due > after ? std::optional(due) : std::nullopt;
}

base::Result<Timing, std::string> parse_steps(std::string_view text) {
  const auto fault = Fault(quoted(text) +
                           " is no time; accepted are s, m, h and d behind numbers, as '90s', "
                           "'1h30m' and '1d', up to 366d");
  std::chrono::seconds sum{0};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_not_of("0123456789");
    if (end == std::string_view::npos || end == 0 || end > 9) return fault;
    const auto count = number_of(rest.substr(0, end));
    const char unit = rest[end];
    rest.remove_prefix(end + 1);
    if (!count) return fault;
    if (unit == 's')
      sum += std::chrono::seconds(*count);
    else if (unit == 'm')
      sum += minutes(*count);
    else if (unit == 'h')
      sum += std::chrono::hours(*count);
    else if (unit == 'd')
      sum += days(*count);
    else
      return fault;
    if (sum > kStepMax) return fault;
  }
  if (sum.count() == 0) return fault;
  return Timing(Steps{sum});
}

std::optional<Time> next_of(const Steps& steps, Time after, Time added) {
  const std::int64_t passed = (after - added) / steps.step;
  return added + steps.step * (std::max<std::int64_t>(passed, 0) + 1);
}

}  // namespace

base::Result<Timing, std::string> parse_timing(ScheduleKind kind, std::string_view text) {
  if (kind == ScheduleKind::at) return parse_once(text);
  return kind == ScheduleKind::every ? parse_steps(text) : parse_cron(text);
}

std::optional<Time> next_due(const Timing& timing, const std::string& zone, const TimeZones& zones,
                             Time after, Time added) {
  if (const auto* once = std::get_if<Once>(&timing)) return next_of(*once, zone, zones, after);
  if (const auto* steps = std::get_if<Steps>(&timing)) return next_of(*steps, after, added);
  return next_of(std::get<CronLine>(timing), zone, zones, after);
}

}  // namespace domain
