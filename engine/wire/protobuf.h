// Protobuf's wire format without the library, which would cost every import 2.5 MB and some milliseconds for a handful
// of fields. Reading checks all bounds.
#pragma once

#include "engine/wire/varint.h"

#include <bit>

namespace footlight::wire {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Goes over the fields of a message in their order.
class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view bytes) : rest_(bytes) {}

  // The next field with its value; false at the end, or where the bytes are no message: then ok() is false.
  bool next() {
    if (!ok_ || rest_.empty()) return false;
    uint64_t key = 0;
    if (!(ok_ = take_varint(rest_, key)) || key >> 3 == 0 || key >> 3 > 0x1fffffff) return ok_ = false;
    field = static_cast<uint32_t>(key >> 3);
    type = static_cast<uint32_t>(key & 7);
    switch (type) {
      case kVarint: return ok_ = take_varint(rest_, number);
      case kFixed64: return ok_ = take(8);
      case kFixed32: return ok_ = take(4);
      case kBytes: {
        uint64_t size = 0;
        return ok_ = take_varint(rest_, size) && take(size);
      }
      default: return ok_ = false;  // groups are older than the messages that are read here
    }
  }
  bool ok() const { return ok_; }

  uint32_t field = 0, type = 0;
  uint64_t number = 0;     // of a varint
  std::string_view bytes;  // of all others

 private:
  bool take(uint64_t size) {
    if (size > rest_.size()) return false;
    bytes = rest_.substr(0, static_cast<size_t>(size));
    rest_.remove_prefix(static_cast<size_t>(size));
    return true;
  }
  std::string_view rest_;
  bool ok_ = true;
};

class ProtobufWriter {
 public:
  void number(uint32_t field, uint64_t value) {
    put_varint(bytes_, uint64_t{field} << 3 | kVarint);
    put_varint(bytes_, value);
  }
  void bytes(uint32_t field, std::string_view value) {
    put_varint(bytes_, uint64_t{field} << 3 | kBytes);
    put_varint(bytes_, value.size());
    bytes_ += value;
  }
  void message(uint32_t field, const ProtobufWriter& value) { bytes(field, value.bytes_); }
  void fixed64(uint32_t field, uint64_t value) {
    put_varint(bytes_, uint64_t{field} << 3 | kFixed64);
    put_fixed(bytes_, value);
  }
  void real(uint32_t field, double value) { fixed64(field, std::bit_cast<uint64_t>(value)); }

  const std::string& text() const { return bytes_; }
  std::string take() { return std::move(bytes_); }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

}  // namespace footlight::wire
