// Writing and reading bytes: varints, strings, a checksum. Reading checks every length and throws Error.
#pragma once

#include "engine/base/errors.h"
#include "engine/wire/varint.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace footlight::session {

[[noreturn]] inline void throw_broken(const std::string& what) {
  throw Error(ErrorKind::kDataLoss, "broken: " + what);
}

inline uint64_t zigzag(int64_t v) { return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63); }
inline int64_t unzigzag(uint64_t v) { return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1); }

class ByteWriter {
 public:
  std::string& bytes() { return bytes_; }
  size_t size() const { return bytes_.size(); }
  void u8(uint8_t v) { bytes_.push_back(static_cast<char>(v)); }
  void u32(uint32_t v) { raw(&v, sizeof v); }
  void u64(uint64_t v) { raw(&v, sizeof v); }
  void varint(uint64_t v) {
    wire::put_varint(bytes_, v);
  }
  void text(std::string_view s) {
    varint(s.size());
    bytes_.append(s);
  }
  void raw(const void* data, size_t size) { bytes_.append(static_cast<const char*>(data), size); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  bool done() const { return at_ == end_; }
  uint8_t u8() { return static_cast<uint8_t>(*take(1)); }
  uint32_t u32() { return fixed<uint32_t>(); }
  uint64_t u64() { return fixed<uint64_t>(); }
  uint64_t varint() {
    uint64_t v;
    const char* const end = wire::read_varint(at_, end_, v);
    if (!end) throw_broken(left() < wire::kMaxVarint ? "a number is cut off" : "a number is too long");
    at_ = end;
    return v;
  }
  std::string_view text() { return bytes(varint()); }
  std::string_view bytes(uint64_t size) {
    if (size > left()) throw_broken("a length runs over the end");
    return {take(static_cast<size_t>(size)), static_cast<size_t>(size)};
  }

 private:
  const char* take(size_t size) {
    if (size > left()) throw_broken("a value is cut off");
    const char* at = at_;
    at_ += size;
    return at;
  }
  template <class T>
  T fixed() {
    T v;
    std::memcpy(&v, take(sizeof v), sizeof v);
    return v;
  }
  const char* at_;
  const char* end_;
};

// Detects torn writes and flipped bits, not tampering.
inline uint64_t checksum(std::string_view bytes, uint64_t seed = 0) {
  uint64_t h = seed ^ (bytes.size() * 0x9E3779B97F4A7C15ull);
  size_t i = 0;
  const auto mix = [&h](uint64_t word) {
    h = (h ^ word) * 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
  };
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    mix(word);
  }
  uint64_t rest = 0;
  if (i < bytes.size()) std::memcpy(&rest, bytes.data() + i, bytes.size() - i);
  mix(rest);
  mix(0x27D4EB2F165667C5ull);
  return h;
}

}  // namespace footlight::session
