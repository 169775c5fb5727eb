// Two zones whose rules a test knows: "UTC", and "Test/Saving", whose clock is one hour ahead, and
// two from a spring to an autumn.
#pragma once

#include "eventlog/domain/time_zones.hpp"

namespace support {

class FixedTimeZones final : public domain::TimeZones {
 public:
  static constexpr auto kZone = "Test/Saving";

  // The clock of "Test/Saving" is set forward at `spring`, and back at `autumn`.
  FixedTimeZones(base::Time spring, base::Time autumn) : spring_(spring), autumn_(autumn) {}

  bool has(const std::string& zone) const override { return zone == "UTC" || zone == kZone; }

  std::chrono::minutes local(const std::string& zone, base::Time at) const override {
    return std::chrono::floor<std::chrono::minutes>(base::Duration(at.us)) + offset(zone, at);
  }

  domain::ShownAt moments(const std::string& zone, std::chrono::minutes local) const override {
    if (zone == "UTC") return {time_of(local), std::nullopt, false};
    const base::Time by_summer = time_of(local - kSummer);
    const base::Time by_winter = time_of(local - kWinter);
    const bool is_summer = offset(zone, by_summer) == kSummer;
    const bool is_winter = offset(zone, by_winter) == kWinter;
    if (is_summer && is_winter) return {by_summer, by_winter, false};
    if (is_summer) return {by_summer, std::nullopt, false};
    if (is_winter) return {by_winter, std::nullopt, false};
    return {spring_, std::nullopt, true};
  }

 private:
  static constexpr std::chrono::minutes kWinter{60};
  static constexpr std::chrono::minutes kSummer{120};

  static base::Time time_of(std::chrono::minutes utc) { return {base::Duration(utc).count()}; }
  std::chrono::minutes offset(const std::string& zone, base::Time at) const {
    if (zone == "UTC") return std::chrono::minutes{0};
    return at >= spring_ && at < autumn_ ? kSummer : kWinter;
  }

  base::Time spring_;
  base::Time autumn_;
};

}  // namespace support
