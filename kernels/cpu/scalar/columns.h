// Distributes columns among threads that each go through all rows. Each thread gets one share, because it reads all
// rows again.
#pragma once

#include "engine/base/thread_pool.h"

#include <algorithm>
#include <cstdint>

namespace footlight::FL_ISA {

inline int64_t columns_at_once(int64_t rows, int64_t columns) {
  constexpr int64_t kMinElements = 1 << 15, kLine = 16;
  if (rows * columns < kMinElements) return columns;
  return std::max<int64_t>(kLine, (columns + pool_size() - 1) / pool_size());
}

}  // namespace footlight::FL_ISA
