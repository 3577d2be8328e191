// The size classes of host memory, and the count of what small blocks hold: for the allocator and the tensor bodies.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace footlight {

inline constexpr size_t kSmallLimit = 16 << 10;  // larger blocks go through the shared cache
inline constexpr size_t kSmallClasses = 28;

// 64, 128, 192, 256, 320, 384, 448, 512, then four classes per doubling.
constexpr size_t class_of(size_t bytes) {
  if (bytes <= 512) return (bytes + 63) / 64 - 1;
  const int log = std::bit_width(bytes - 1) - 1;  // 2^log < bytes <= 2^(log+1)
  const size_t quarter = (bytes - 1 - (size_t{1} << log)) >> (log - 2);
  return 8 + static_cast<size_t>(log - 9) * 4 + quarter;
}
static_assert(class_of(kSmallLimit) + 1 == kSmallClasses);
constexpr size_t class_size(size_t c) {
  if (c < 8) return (c + 1) * 64;
  const size_t log = 9 + (c - 8) / 4;
  return (size_t{1} << log) + ((c - 8) % 4 + 1) * (size_t{1} << (log - 2));
}

// Small memory cached by a retired body does not count as used.
void count_small_use(int64_t bytes);

}  // namespace footlight
