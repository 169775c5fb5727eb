// The ids of sessions that imports open.
#pragma once

#include <cstring>
#include <string_view>

#include "eventlog/base/hash.hpp"
#include "eventlog/base/ids.hpp"

namespace workers {

// Returns an id that follows from what is imported, so that it is imported once. It is a UUIDv8.
inline base::SessionId imported_id(std::string_view agent, std::string_view store,
                                   std::string_view session, std::string_view part) {
  base::Blake2bStream all;
  for (const std::string_view text :
       {std::string_view("steno import"), agent, store, session, part})
    all.add(text);
  const base::Hash hash = all.finish();
  base::SessionId id;
  std::memcpy(id.bytes.data(), hash.data(), id.bytes.size());
  id.bytes[6] = static_cast<char>((id.bytes[6] & 0x0F) | 0x80);
  id.bytes[8] = static_cast<char>((id.bytes[8] & 0x3F) | 0x80);
  return id;
}

}  // namespace workers
