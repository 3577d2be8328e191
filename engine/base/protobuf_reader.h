// Reads protobuf's wire format without the library: fields in their order, bounds checked.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace footlight {

class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view bytes) : rest_(bytes) {}
  enum Type : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  // The next field with its value; false at the end, or where the bytes are no message: then ok() is false.
  bool next() {
    if (!ok_ || rest_.empty()) return false;
    uint64_t key = 0;
    if (!(ok_ = take_varint(key)) || key >> 3 == 0 || key >> 3 > 0x1fffffff) return ok_ = false;
    field = static_cast<uint32_t>(key >> 3);
    type = static_cast<uint32_t>(key & 7);
    switch (type) {
      case kVarint: return ok_ = take_varint(number);
      case kFixed64: return ok_ = take(8);
      case kFixed32: return ok_ = take(4);
      case kBytes: {
        uint64_t size = 0;
        return ok_ = take_varint(size) && take(size);
      }
      default: return ok_ = false;  // groups are older than the messages that are read here
    }
  }
  bool ok() const { return ok_; }

  uint32_t field = 0, type = 0;
  uint64_t number = 0;     // of a varint
  std::string_view bytes;  // of all others

  // Takes a number off the front.
  static bool take_varint(std::string_view& from, uint64_t& out) {
    out = 0;
    for (int shift = 0; shift < 70 && !from.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(from.front());
      from.remove_prefix(1);
      if (shift < 64) out |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return true;
    }
    return false;
  }
  template <class Number>
  static Number fixed(std::string_view from) {
    Number number;
    std::memcpy(&number, from.data(), sizeof number);
    return number;
  }

 private:
  bool take_varint(uint64_t& out) { return take_varint(rest_, out); }
  bool take(uint64_t size) {
    if (size > rest_.size()) return false;
    bytes = rest_.substr(0, static_cast<size_t>(size));
    rest_.remove_prefix(static_cast<size_t>(size));
    return true;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace footlight
