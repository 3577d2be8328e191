// Uses the processor's instruction if it has one, else eight tables at a time.
#include "engine/base/crc32c.h"

#include <array>
#include <cstring>

namespace footlight {
namespace {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
    tables[0][i] = crc;
  }
  for (uint32_t i = 0; i < 256; ++i)
    for (size_t t = 1; t < 8; ++t) tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 255];
  return tables;
}
constexpr Tables kTables = make_tables();

uint32_t by_tables(uint32_t crc, const char* data, size_t size) {
  for (; size >= 8; data += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    word ^= crc;
    crc = 0;
    for (size_t t = 0; t < 8; ++t) crc ^= kTables[7 - t][word >> (8 * t) & 255];
  }
  for (; size; ++data, --size) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*data)) & 255];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t by_instruction(uint32_t crc, const char* data, size_t size) {
  uint64_t wide = crc;
  for (; size >= 8; data += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (; size; ++data, --size) crc = __builtin_ia32_crc32qi(crc, static_cast<unsigned char>(*data));
  return crc;
}
const bool has_instruction = __builtin_cpu_supports("sse4.2");
#endif

}  // namespace

uint32_t extend_crc32c(uint32_t crc, std::string_view bytes) {
#if defined(__x86_64__)
  if (has_instruction) return ~by_instruction(~crc, bytes.data(), bytes.size());
#endif
  return ~by_tables(~crc, bytes.data(), bytes.size());
}

}  // namespace footlight
