// Numbers in groups of seven bits, as protobuf, LevelDB's tables and recordings have them, and fixed ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace footlight::wire {

inline constexpr size_t kMaxVarint = 10;  // bytes

// Writes a number where kMaxVarint bytes are free, and says where it ends.
inline char* write_varint(char* at, uint64_t number) {
  for (; number >= 0x80; number >>= 7) *at++ = static_cast<char>(number | 0x80);
  *at++ = static_cast<char>(number);
  return at;
}
inline void put_varint(std::string& out, uint64_t number) {
  char bytes[kMaxVarint];
  out.append(bytes, write_varint(bytes, number));
}

// Where the number at `at` ends; null if it is cut off or longer than ten bytes. Bits above 64 are dropped, as protobuf
// and LevelDB do.
inline const char* read_varint(const char* at, const char* end, uint64_t& number) {
  if (at != end && static_cast<unsigned char>(*at) < 0x80) {  // most are small
    number = static_cast<unsigned char>(*at);
    return at + 1;
  }
  number = 0;
  for (int shift = 0; shift < 64 && at != end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    number |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return at;
  }
  return nullptr;
}
// Takes a number off the front; false where none can be read.
inline bool take_varint(std::string_view& bytes, uint64_t& number) {
  const char* const end = read_varint(bytes.data(), bytes.data() + bytes.size(), number);
  if (end) bytes.remove_prefix(static_cast<size_t>(end - bytes.data()));
  return end != nullptr;
}

template <class Number>
void put_fixed(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);  // little-endian machines only, as elsewhere
}
template <class Number>
Number fixed_at(const char* data) {
  Number number;
  std::memcpy(&number, data, sizeof number);
  return number;
}

}  // namespace footlight::wire
