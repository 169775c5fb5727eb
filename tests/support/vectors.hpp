// Test vectors: facts of a public peer, in tests/vectors/<area>.json. A file that is missing or no
// list fails the test that reads it.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace support {

inline nlohmann::json read_vectors(const char* area) {
  std::ifstream file(std::string(STENO_SOURCE_DIR "/tests/vectors/") + area + ".json");
  return nlohmann::json::parse(file);
}

// What the product must answer: the ruled value where there is one.
inline const nlohmann::json& expected(const nlohmann::json& vector) {
  return vector.contains("expect_ruled") ? vector.at("expect_ruled") : vector.at("expect");
}

}  // namespace support
