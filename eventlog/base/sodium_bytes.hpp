// Casts to the byte pointers of libsodium's functions. Included by the .cpp files that call it,
// never by a header.
#pragma once

namespace base {

inline const unsigned char* octets(const char* in) {
  return reinterpret_cast<const unsigned char*>(in);
}
inline unsigned char* octets(char* out) {
  return reinterpret_cast<unsigned char*>(out);
}

}  // namespace base
