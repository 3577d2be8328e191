// Numbers as the files of checkpoints and events store them: fixed ones little-endian, small ones in groups of 7 bits.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace footlight::formats {

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

inline void put_varint(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}
// Takes a number off the front; false where there is none.
inline bool take_varint(std::string_view& bytes, uint64_t& number) {
  number = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift == 63 && byte > 1) return false;
    number |= uint64_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

}  // namespace footlight::formats
