// Walks an event's fields beside those of a default one, and skips equal ones.
#include "tools/steno/text/facts_text.hpp"

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/all_events.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::cut_to_columns;
using workers::safe_line;

std::string fact(const std::string& value) {
  return cut_to_columns(safe_line(value), 40);
}
std::string fact(base::NanoUsd value) {
  return usd_text(value);
}
std::string fact(const std::optional<base::NanoUsd>& value) {
  return value ? fact(*value) : std::string();
}
std::string fact(base::Duration value) {
  return value.count() < 0 ? "never" : exact_duration_text(value);
}
std::string fact(base::Time value) {
  return short_time_text(value);
}
template <class Tag>
std::string fact(const base::Id<Tag>& value) {
  return short_id(value.text());
}
template <class Enum>
requires std::is_enum_v<Enum> std::string fact(Enum value) {
  return std::string(base::enum_name(value));
}
template <class T>
requires std::is_integral_v<T> std::string fact(T value) {
  return workers::to_json(value);
}
template <class Tag>
std::string fact(const base::StrongInteger<Tag>& value) {
  return std::to_string(value.value);
}
// Shows the first bytes only: such values are for programs to compare.
template <std::size_t N>
std::string fact(const std::array<char, N>& value) {
  constexpr std::size_t kShown = 8;
  return base::to_hex({value.data(), std::min(N, kShown)}) + (N > kShown ? "…" : "");
}
std::string fact(const base::RawValue& value) {
  return fact(workers::msgpack_to_json(value.encoded));
}
std::string fact(const domain::VersionRanges& ranges) {
  std::string text;
  for (const domain::VersionRange& range : ranges) {
    if (!text.empty()) text += ',';
    text += fact(range.first);
    if (range.last != range.first) text += '-' + fact(range.last);
  }
  return fact(text);
}
std::string fact(const domain::Spending& spent) {
  std::string text;
  for (const domain::ModelSpending& each : spent) {
    if (!text.empty()) text += ',';
    text += each.model + ':' + fact(each.cost);
  }
  return fact(text);
}
std::string fact(const std::vector<domain::FileFacts>& files) {
  return safe_line(domain::files_text(files));
}
std::string fact(const std::vector<domain::Payer>& payers) {
  std::string text;
  for (const domain::Payer& payer : payers) {
    if (!text.empty()) text += ',';
    text += fact(payer.lineage) + ':' + fact(payer.budget);
  }
  return text;
}
std::string fact(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    if (!text.empty()) text += ',';
    text += value;
  }
  return fact(text);
}
std::string fact(const std::vector<base::Position>& values) {
  std::string text;
  for (const base::Position value : values) {
    if (!text.empty()) text += ',';
    text += fact(value);
  }
  return text;
}
std::string fact(const std::map<std::string, std::string>& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    if (!text.empty()) text += ',';
    text += name + ':' + value;
  }
  return fact(text);
}
template <class Tag>
std::string fact(const std::vector<base::Id<Tag>>& values) {
  std::string text;
  for (const base::Id<Tag>& value : values) {
    if (!text.empty()) text += ',';
    text += short_id(value.text());
  }
  return text;
}

template <base::detail::HasFields T>
void add_facts(std::string& text, const T& value) {
  [[maybe_unused]] static const T kDefault{};  // GCC does not see the use in the lambda
  T::fields([&](const char* name, auto member) {
    const auto& field = base::value_of(value.*member);
    using Field = std::remove_cvref_t<decltype(field)>;
    if (field == base::value_of(kDefault.*member)) return;
    if constexpr (base::detail::HasFields<Field>) {
      add_facts(text, field);
    } else {
      if (!text.empty()) text += ' ';
      std::string_view shown = name;
      // A duration is shown with its unit, so the unit in its name is dropped.
      if (std::is_same_v<Field, base::Duration> && shown.ends_with("_us")) shown.remove_suffix(3);
      text += shown;
      text += '=';
      text += fact(field);
    }
  });
}

}  // namespace

std::string facts_text(const domain::Event& event) {
  std::string text;
  domain::visit([&](const auto& e) { add_facts(text, e); }, event);
  return text;
}

std::string short_id(std::string_view id_text) {
  constexpr std::size_t kShown = 6;
  return "…" + std::string(id_text.substr(id_text.size() - std::min(kShown, id_text.size())));
}

}  // namespace steno
