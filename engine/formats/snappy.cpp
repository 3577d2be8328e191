// A size, then literals and copies of what was unpacked before, told apart by two bits.
#include "engine/formats/snappy.h"

#include "engine/formats/wire.h"

namespace footlight::formats {
namespace {

// A number of `count` bytes off the front.
bool take_number(std::string_view& bytes, size_t count, size_t& number) {
  if (bytes.size() < count) return false;
  number = 0;
  for (size_t i = 0; i < count; ++i) number |= size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  bytes.remove_prefix(count);
  return true;
}

}  // namespace

bool unpack_snappy(std::string_view bytes, size_t most, std::string& out) {
  out.clear();
  uint64_t size;
  // A tag of three bytes gives 64 at most: a larger size is a lie, for which no memory is taken.
  if (!take_varint(bytes, size) || size > most || size / 32 > bytes.size()) return false;
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
    for (; length; --length) out.push_back(out[out.size() - offset]);  // it may overlap what it makes
  }
  return out.size() == size;
}

}  // namespace footlight::formats
