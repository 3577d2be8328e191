// CRC-32C, and the masked form of it that TFRecord files have.
#pragma once

#include <cstddef>
#include <cstdint>

namespace footlight::data {

uint32_t crc32c(const char* bytes, size_t count);
inline uint32_t masked_crc32c(const char* bytes, size_t count) {
  const uint32_t crc = crc32c(bytes, count);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace footlight::data
