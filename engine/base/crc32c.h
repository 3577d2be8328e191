// CRC-32C (Castagnoli), the checksum of TensorFlow's files, and the form in which they store it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace footlight {

// Continues the checksum `crc` over `bytes`.
uint32_t extend_crc32c(uint32_t crc, std::string_view bytes);
inline uint32_t crc32c(std::string_view bytes) { return extend_crc32c(0, bytes); }

// Stored checksums are rotated and moved, because a checksum of data that holds checksums is weak.
inline uint32_t masked_crc32c(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
inline uint32_t unmasked_crc32c(uint32_t stored) {
  const uint32_t rotated = stored - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace footlight
