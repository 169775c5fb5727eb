// The table lists every row; the JSON only figures that count.
#include "tools/benchmarks/report.hpp"

#include <fmt/format.h>

#include <cmath>

namespace benchmarks {
namespace {

// Returns a number without separators: 5000000, 41.3, 1.234.
std::string number_text(double value) {
  if (std::abs(value) >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, std::abs(value) >= 10 ? 1 : 3);
}

bool is_met(const Row& row, double value) {
  return row.kind == GoalKind::at_most ? value <= row.goal : value >= row.goal;
}

std::string goal_text(const Row& row) {
  if (row.kind == GoalKind::none) return "";
  return fmt::format("{} {:.15g}", row.kind == GoalKind::at_most ? "<=" : ">=", row.goal);
}

std::string value_text(const Measured& measured) {
  if (!measured.figure) return "failed";
  return measured.figure->value ? number_text(*measured.figure->value) : "no peer";
}

std::string met_text(const Measured& measured) {
  if (!measured.figure || !measured.figure->value || measured.row.kind == GoalKind::none) return "";
  if (!measured.figure->void_because.empty()) {
    return "does not count: " + measured.figure->void_because;
  }
  return is_met(measured.row, *measured.figure->value) ? "met" : "not met";
}

}  // namespace

std::string table_text(const std::vector<Measured>& measured, const std::set<std::string>& absent) {
  std::string text = fmt::format("{:<28} {:>10} {:<9} {:>11}\n", "name", "value", "unit", "goal");
  for (const Measured& m : measured) {
    text += fmt::format("{:<28} {:>10} {:<9} {:>11}  {}\n", m.row.name, value_text(m), m.row.unit,
                        goal_text(m.row), met_text(m));
    if (!m.figure) {
      text += "    " + base::describe(m.figure.error()) + "\n";
      continue;
    }
    for (const std::string& line : m.figure->raw) text += "    " + line + "\n";
  }
  for (const std::string& peer : absent) text += "absent: " + peer + "\n";
  return text;
}

std::string json_text(const std::vector<Measured>& measured, const std::set<std::string>& absent,
                      const std::string& commit) {
  std::string figures;
  for (const Measured& m : measured) {
    if (!m.figure || !m.figure->value || !m.figure->void_because.empty()) continue;
    figures += fmt::format("{}\"{}\": {}", figures.empty() ? "" : ", ", m.row.name,
                           number_text(*m.figure->value));
  }
  std::string peers;
  for (const std::string& peer : absent) {
    peers += fmt::format("{}\"{}\"", peers.empty() ? "" : ", ", peer);
  }
  return fmt::format("{{\"commit\": \"{}\", \"figures\": {{{}}}, \"absent\": [{}]}}\n", commit,
                     figures, peers);
}

}  // namespace benchmarks
