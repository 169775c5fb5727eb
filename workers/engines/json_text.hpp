// Reads an agent's JSON piece by piece. A value stays its own source text until it is asked for, so
// that a verbatim record is verbatim. A number or an escape that nobody needs cannot make a whole
// line unreadable (agents written in JavaScript do send lone surrogates).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eventlog/base/bytes.hpp"

namespace engines {

class JsonObject;

// A value of an object that was read. Valid while its JsonLine is. Asked for a kind that it is not,
// it returns that kind's empty value.
class JsonValue {
 public:
  JsonValue() = default;  // stands for a missing field
  explicit JsonValue(base::ByteView source) : source_(source) {}

  base::ByteView source() const { return source_; }
  // Returns the source as every reader of JSON takes it: an escape that stands for no character (a
  // lone surrogate) is that of U+FFFD.
  base::Bytes clean_source() const;
  bool is_null() const { return source_.empty() || source_ == "null"; }
  bool is_text() const { return source_.starts_with('"'); }
  bool is_true() const { return source_ == "true"; }
  // Reads an escape that stands for no character (a lone surrogate) as U+FFFD.
  std::string text() const;
  // Cuts off fractions; a negative number becomes 0, one beyond the log's limit that limit.
  std::int64_t count() const;
  // The same in units of 1e-9, rounded to the nearest.
  std::int64_t billionths() const;
  // A number out of a double's range is infinite, or 0.
  double number() const;
  JsonObject object() const;
  std::vector<JsonValue> items() const;

 private:
  base::ByteView source_;
};

class JsonObject {
 public:
  // Returns the first field of that name, or a value that stands for a missing one.
  JsonValue operator[](std::string_view key) const;
  // In the order of the line.
  const std::vector<std::pair<std::string, JsonValue>>& fields() const { return fields_; }

 private:
  friend class JsonLine;
  friend class JsonValue;
  std::vector<std::pair<std::string, JsonValue>> fields_;
};

// Owns a copy of the line.
class JsonLine {
 public:
  explicit JsonLine(base::ByteView line);
  // Returns none if the line is not one JSON object. Nested values are checked only when read.
  std::optional<JsonObject> object() const;
  // Returns the copy, into which the sources of all values point.
  base::ByteView text() const { return base::ByteView(padded_).substr(0, size_); }

 private:
  std::string padded_;
  std::size_t size_;
};

}  // namespace engines
