// One overload for each type of value. A limit of 0, or "never", is one below 0 in a spec.
#include "workers/text/setting_text.hpp"

#include <algorithm>

#include "eventlog/base/check.hpp"
#include "eventlog/base/digits.hpp"
#include "eventlog/base/usd_text.hpp"
#include "eventlog/domain/spec_check.hpp"
#include "workers/text/amounts.hpp"

namespace workers {
namespace {

using domain::SpecSetting;
using domain::SpecText;

constexpr std::string_view kNever = "never";
constexpr std::string_view kAllSources = "all";
constexpr std::string_view kNone = "none";

bool read(const SpecSetting& setting, std::string_view text, std::string& into) {
  if (setting.text == SpecText::sources) {
    into = text == kAllSources ? std::string_view() : text;
    return !text.empty() && domain::is_setting_sources(into);
  }
  into = text;
  if (setting.text == SpecText::file) {
    into = text == kNone ? std::string_view() : text;
    return !text.empty();
  }
  // A folder can have any name.
  if (setting.text == SpecText::path) return !text.empty();
  return is_one_line(text) && (setting.text == SpecText::plain || !text.empty());
}

bool read(const SpecSetting&, std::string_view text, base::Duration& into) {
  const auto duration = parse_duration(text);
  const bool is_length = duration && duration->count() > 0;
  if (is_length || text == kNever) into = is_length ? *duration : base::Duration{-1};
  return is_length || text == kNever;
}

bool read(const SpecSetting& setting, std::string_view text, std::int64_t& into) {
  const auto number = base::parse_digits(text);
  if (!number || *number > setting.most) return false;
  into = *number == 0 ? -1 : *number;
  return true;
}

bool read(const SpecSetting&, std::string_view text, base::NanoUsd& into) {
  const auto amount = base::parse_usd(text);
  if (amount) into = *amount;
  return amount.has_value();
}

bool read(const SpecSetting&, std::string_view text, bool& into) {
  into = text == "true";
  return text == "true" || text == "false";
}

template <class Enum>
requires std::is_enum_v<Enum>
bool read(const SpecSetting& setting, std::string_view text, Enum& into) {
  const auto value = base::parse_enum<Enum>(text);
  // A policy of "none" is one that is left out.
  const bool is_said = setting.initial == text || text != "none";
  if (value && is_said) into = *value;
  return value && is_said;
}

std::string written(const SpecSetting& setting, const std::string& value) {
  if (!value.empty()) return value;
  if (setting.text == SpecText::file) return std::string(kNone);
  return setting.text == SpecText::sources ? std::string(kAllSources) : value;
}
std::string written(const SpecSetting&, base::Duration value) {
  return value.count() <= 0 ? std::string(kNever) : exact_duration_text(value);
}
std::string written(const SpecSetting&, std::int64_t value) {
  return std::to_string(std::max<std::int64_t>(value, 0));
}
std::string written(const SpecSetting&, base::NanoUsd value) {
  return base::exact_usd_text(value);
}
std::string written(const SpecSetting&, bool value) {
  return value ? "true" : "false";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string written(const SpecSetting&, Enum value) {
  return std::string(base::enum_name(value));
}

}  // namespace

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

bool set_setting(const SpecSetting& setting, std::string_view text, domain::SessionSpec& spec) {
  return std::visit(
      [&]<class Member>(Member member) {
        if constexpr (std::same_as<Member, std::int64_t domain::UseLimits::*>) {
          return read(setting, text, spec.use_limits.edit().*member);
        } else if constexpr (std::same_as<Member,
                                          base::Sparse<std::string> domain::SessionSpec::*>) {
          return read(setting, text, (spec.*member).edit());
        } else {
          return read(setting, text, spec.*member);
        }
      },
      setting.member);
}

std::string setting_text(const SpecSetting& setting, const domain::SessionSpec& spec) {
  return std::visit(
      [&]<class Member>(Member member) {
        if constexpr (std::same_as<Member, std::int64_t domain::UseLimits::*>) {
          return written(setting, (*spec.use_limits).*member);
        } else if constexpr (std::same_as<Member,
                                          base::Sparse<std::string> domain::SessionSpec::*>) {
          return written(setting, *(spec.*member));
        } else {
          return written(setting, spec.*member);
        }
      },
      setting.member);
}

domain::SessionSpec initial_spec() {
  domain::SessionSpec spec;
  for (const SpecSetting& setting : domain::spec_settings()) {
    // A limit that is left out is none.
    const bool is_left_out =
        setting.initial.empty() || (setting.is_limit() && setting.initial == "0");
    if (!is_left_out) CHECK(set_setting(setting, setting.initial, spec));
  }
  return spec;
}

}  // namespace workers
