// Writes messages in protobuf's binary form, without protobuf: a handful of fields does not need the library.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace footlight::cli {

class ProtobufWriter {
 public:
  void number(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3);
    varint(value);
  }
  void bytes(uint32_t field, std::string_view value) {
    varint(uint64_t{field} << 3 | 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(uint32_t field, const ProtobufWriter& value) { bytes(field, value.bytes_); }
  void fixed64(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3 | 1);
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift);
  }
  void real(uint32_t field, double value) { fixed64(field, std::bit_cast<uint64_t>(value)); }

  const std::string& text() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace footlight::cli
