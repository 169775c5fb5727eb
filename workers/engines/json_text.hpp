// Reads an agent's JSON piece by piece. A value stays its own source text until it is asked for, so
// that what is recorded verbatim is verbatim, and a number or an escape that nobody needs cannot
// make a whole line unreadable (agents written in JavaScript do send lone surrogates).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eventlog/base/bytes.hpp"

namespace engines {

class JsonObject;

// A value of an object that was read. Valid while its JsonLine is. Asked for another kind than it
// is, it answers with that kind's empty value.
class JsonValue {
 public:
  JsonValue() = default;  // stands for a field that is not there
  explicit JsonValue(base::ByteView source) : source_(source) {}

  base::ByteView source() const { return source_; }
  bool is_null() const { return source_.empty() || source_ == "null"; }
  bool is_text() const { return source_.starts_with('"'); }
  bool is_true() const { return source_ == "true"; }
  // An escape that stands for no character (a lone surrogate) is read as U+FFFD.
  std::string text() const;
  // Fractions are cut off; what is negative becomes 0, what is too big for the log its limit.
  std::int64_t count() const;
  // The same in units of 1e-9, rounded to the nearest.
  std::int64_t billionths() const;
  JsonObject object() const;
  std::vector<JsonValue> items() const;

 private:
  base::ByteView source_;
};

class JsonObject {
 public:
  // The first field of that name.
  JsonValue operator[](std::string_view key) const;

 private:
  friend class JsonLine;
  friend class JsonValue;
  std::vector<std::pair<std::string, JsonValue>> fields_;
};

// Owns a copy of the line.
class JsonLine {
 public:
  explicit JsonLine(base::ByteView line);
  // Nothing if the line is not one JSON object. Nested values are only checked when read.
  std::optional<JsonObject> object() const;

 private:
  std::string padded_;
  std::size_t size_;
};

}  // namespace engines
