// With the processor's instruction where it has one, else eight bytes at a time by tables.
#include "engine/data/checksum.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace footlight::data {
namespace {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >> 1) ^ 0x82f63b78u : crc >> 1;
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < 8; ++t)
    for (size_t i = 0; i < 256; ++i) tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 255];
  return tables;
}
constexpr Tables kTables = make_tables();

uint32_t by_tables(uint32_t crc, const char* bytes, size_t count) {
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    word ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][word >> (8 * k) & 255];
  }
  for (; count; ++bytes, --count) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*bytes)) & 255];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t by_instruction(uint32_t crc, const char* bytes, size_t count) {
  uint64_t wide = crc;
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (; count; ++bytes, --count) crc = _mm_crc32_u8(crc, static_cast<unsigned char>(*bytes));
  return crc;
}
const bool has_instruction = __builtin_cpu_supports("sse4.2");
#endif

}  // namespace

uint32_t crc32c(const char* bytes, size_t count) {
#if defined(__x86_64__)
  if (has_instruction) return ~by_instruction(~0u, bytes, count);
#endif
  return ~by_tables(~0u, bytes, count);
}

}  // namespace footlight::data
