// The points that follow from others are added: a subagent begins by a tool call.
#include "workers/hooks/hook.hpp"

#include <algorithm>

#include <re2/re2.h>

#include "eventlog/base/digits.hpp"

namespace workers {
namespace {

using domain::HookPoint;

constexpr std::int64_t kPatternBytesMax = 256 << 10;

std::optional<int> minute_of(std::string_view time) {
  if (time.size() != 5 || time[2] != ':') return std::nullopt;
  const auto hours = base::parse_digits(time.substr(0, 2));
  const auto minutes = base::parse_digits(time.substr(3));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return static_cast<int>(*hours * 60 + *minutes);
}

HookPattern compiled(const std::string& text, bool is_whole) {
  auto pattern = HookPattern::compile(text, is_whole);
  return pattern ? std::move(*pattern) : HookPattern();
}

}  // namespace

std::optional<QuietHours> parse_quiet_hours(std::string_view text) {
  if (text.size() != 11 || text[5] != '-') return std::nullopt;
  const auto from = minute_of(text.substr(0, 5));
  const auto until = minute_of(text.substr(6));
  if (!from || !until) return std::nullopt;
  return QuietHours{*from, *until};
}

bool Hook::has(HookPoint point) const {
  return std::find(points.begin(), points.end(), point) != points.end();
}

struct HookPattern::Compiled {
  Compiled(const std::string& text, const RE2::Options& options) : expression(text, options) {}
  RE2 expression;
};

HookPattern::HookPattern() = default;
HookPattern::~HookPattern() = default;
HookPattern::HookPattern(HookPattern&&) noexcept = default;
HookPattern& HookPattern::operator=(HookPattern&&) noexcept = default;

namespace {

RE2::Options options_of_patterns() {
  RE2::Options options;
  options.set_max_mem(kPatternBytesMax);
  options.set_log_errors(false);
  return options;
}

}  // namespace

std::optional<HookPattern> HookPattern::compile(const std::string& text, bool is_whole) {
  HookPattern pattern;
  pattern.is_whole_ = is_whole;
  if (text.empty()) return pattern;
  auto compiled = std::make_unique<const Compiled>(text, options_of_patterns());
  if (!compiled->expression.ok()) return std::nullopt;
  pattern.compiled_ = std::move(compiled);
  return pattern;
}

std::string HookPattern::fault_of(const std::string& text) {
  return RE2(text, options_of_patterns()).error();
}

bool HookPattern::matches(std::string_view text) const {
  if (compiled_ == nullptr) return true;
  const re2::StringPiece piece(text.data(), text.size());
  return is_whole_ ? RE2::FullMatch(piece, compiled_->expression)
                   : RE2::PartialMatch(piece, compiled_->expression);
}

std::string HookPattern::replaced(std::string text, std::string_view by) const {
  if (compiled_ == nullptr) return text;
  RE2::GlobalReplace(&text, compiled_->expression, re2::StringPiece(by.data(), by.size()));
  return text;
}

HookTable::HookTable(std::vector<Hook> hooks, Lacking lacking) : lacking_(std::move(lacking)) {
  entries_.reserve(hooks.size());
  for (Hook& hook : hooks) {
    HookPattern tool = compiled(hook.tool, true);
    HookPattern input = compiled(hook.input, false);
    HookPattern pattern = compiled(hook.pattern, false);
    entries_.push_back({std::move(hook), std::move(tool), std::move(input), std::move(pattern)});
  }
}

bool HookTable::has(HookPoint point) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.hook.has(point); });
}

std::vector<HookPoint> HookTable::points_of(std::string_view agent, std::string_view engine) const {
  std::vector<HookPoint> points;
  const auto add = [&](HookPoint point) {
    if (!offers(engine, point)) return;
    if (std::find(points.begin(), points.end(), point) == points.end()) points.push_back(point);
  };
  for (const Entry& entry : entries_) {
    const Hook& hook = entry.hook;
    const bool is_for = (hook.agent.empty() || hook.agent == agent) &&
                        (hook.engine.empty() || hook.engine == engine);
    if (!is_for) continue;
    for (const HookPoint point : hook.points) {
      if (point == HookPoint::subagent_start) {
        add(HookPoint::pre_tool_use);
      } else if (domain::is_step(point)) {
        add(point);
      }
    }
  }
  return points;
}

bool HookTable::offers(std::string_view engine, HookPoint point) const {
  const auto found = lacking_.find(engine);
  return found == lacking_.end() ||
         std::find(found->second.begin(), found->second.end(), point) == found->second.end();
}

std::map<std::string, std::string> HookTable::not_asked(const Hook& hook) const {
  std::map<std::string, std::string> all;
  for (const auto& [engine, lacking] : lacking_) {
    if (!hook.engine.empty() && hook.engine != engine) continue;
    std::string names;
    for (const HookPoint point : hook.points) {
      if (offers(engine, point)) continue;
      names += (names.empty() ? "" : ", ") + std::string(base::enum_name(point));
    }
    if (!names.empty()) all[engine] = std::move(names);
  }
  return all;
}

std::vector<domain::HookGap> HookTable::gaps() const {
  std::vector<domain::HookGap> all;
  for (const Entry& entry : entries_) {
    if (entry.hook.is_optional) continue;
    for (auto& [engine, points] : not_asked(entry.hook)) {
      all.push_back({entry.hook.name, entry.hook.agent, engine, points});
    }
  }
  return all;
}

const HookTable& no_hooks() {
  static const HookTable kNone;
  return kNone;
}

bool starts_subagent(std::string_view tool) {
  return tool == "Agent" || tool == "Task";
}

}  // namespace workers
