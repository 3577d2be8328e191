// CRC-32C (Castagnoli), the checksum of TensorFlow's files, and the form in which they store it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace footlight {

// The checksum of what gave `crc` so far, followed by `bytes`.
uint32_t extend_crc32c(uint32_t crc, std::string_view bytes);
inline uint32_t crc32c(std::string_view bytes) { return extend_crc32c(0, bytes); }

// A checksum of data that holds checksums is weak: stored ones are rotated and moved.
inline uint32_t masked_crc32c(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
inline uint32_t unmasked_crc32c(uint32_t stored) {
  const uint32_t rotated = stored - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace footlight
