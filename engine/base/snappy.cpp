// Reads a size, then literals and copies of earlier output, told apart by two bits.
#include "engine/base/snappy.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace footlight {
namespace {

// A number of `count` bytes off the front.
bool take_number(std::string_view& bytes, size_t count, size_t& number) {
  if (bytes.size() < count) return false;
  number = 0;
  for (size_t i = 0; i < count; ++i) number |= size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  bytes.remove_prefix(count);
  return true;
}

bool take_size(std::string_view& bytes, uint64_t& size) {
  size = 0;
  for (int shift = 0; shift < 35 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    size |= uint64_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

void put_literal(std::string& out, std::string_view bytes) {
  if (bytes.empty()) return;
  const size_t length = bytes.size() - 1;
  if (length < 60) out.push_back(static_cast<char>(length << 2));
  else {
    out.push_back(static_cast<char>(63 << 2));
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(length >> (8 * i)));
  }
  out += bytes;
}

}  // namespace

// Finds copies (at most 64 bytes, at most 65535 back) by the last place of the same four bytes.
std::string pack_snappy(std::string_view bytes) {
  constexpr size_t kLongest = 64, kFarthest = 65535;
  std::string out;
  uint64_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>(size | 0x80));
  out.push_back(static_cast<char>(size));
  std::vector<uint32_t> places(1 << 14);  // stores positions plus one
  size_t begin = 0, at = 0;
  while (at + 4 <= bytes.size()) {
    uint32_t four;
    std::memcpy(&four, bytes.data() + at, 4);
    uint32_t& place = places[four * 0x1e35a7bdu >> 18];
    const size_t before = place;
    place = static_cast<uint32_t>(at + 1);
    size_t length = 0;
    if (before && at - (before - 1) <= kFarthest)
      while (length < kLongest && at + length < bytes.size() && bytes[before - 1 + length] == bytes[at + length])
        ++length;
    if (length < 4) {
      ++at;
      continue;
    }
    put_literal(out, bytes.substr(begin, at - begin));
    const size_t offset = at - (before - 1);
    out.push_back(static_cast<char>((length - 1) << 2 | 2));
    out.push_back(static_cast<char>(offset));
    out.push_back(static_cast<char>(offset >> 8));
    begin = at += length;
  }
  put_literal(out, bytes.substr(begin));
  return out;
}

bool unpack_snappy(std::string_view bytes, size_t most, std::string& out) {
  out.clear();
  uint64_t size;
  // Three bytes of input give at most 64: a larger size is a lie, and no memory is allocated for it.
  if (!take_size(bytes, size) || size > most || size / 32 > bytes.size()) return false;
  out.reserve(size);
  while (!bytes.empty()) {
    const auto tag = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    size_t length, offset;
    if ((tag & 3) == 0) {
      length = tag >> 2;
      if (length >= 60 && !take_number(bytes, length - 59, length)) return false;
      if (length >= bytes.size() || length >= size - out.size()) return false;
      out.append(bytes.substr(0, ++length));
      bytes.remove_prefix(length);
      continue;
    }
    if ((tag & 3) == 1) {
      length = 4 + (tag >> 2 & 7);
      if (!take_number(bytes, 1, offset)) return false;
      offset |= static_cast<size_t>(tag >> 5) << 8;
    } else {
      length = 1 + (tag >> 2);
      if (!take_number(bytes, (tag & 3) == 2 ? 2 : 4, offset)) return false;
    }
    if (offset == 0 || offset > out.size() || length > size - out.size()) return false;
    for (; length; --length) out.push_back(out[out.size() - offset]);  // source and destination may overlap
  }
  return out.size() == size;
}

}  // namespace footlight
