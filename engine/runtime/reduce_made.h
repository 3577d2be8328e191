// Several reductions of elements that are made while they are reduced: block by block, in the order of the kernels.
#pragma once

#include "engine/compile/grouping.h"

#include <span>

namespace footlight::runtime {

inline constexpr size_t kReducedBlock = 16 << 10;  // bytes of a block

// What is reduced by one of them.
struct MadeRows {
  const std::byte* at = nullptr;
  int64_t stride = 0;  // from one row to the next, in elements
};

class Maker {
 public:
  virtual ~Maker() = default;
  // Rows of so many elements from index `begin` on, `stride` apart: of each reduction in its block, or elsewhere if
  // they are in memory anyway. Each element is asked for once, by any thread.
  virtual void make(int64_t begin, int64_t rows, int64_t stride, int64_t columns, std::byte (*blocks)[kReducedBlock],
                    MadeRows* made) const = 0;
};

struct MadeResult {
  const MadeReduction* by = nullptr;
  uint8_t size = 0;  // bytes of an element that it reduces
  void* out = nullptr;
};

// The elements are [outer, reduced, inner]. Where those that are reduced lie side by side, all are halved alike.
// `weight`: what making an element costs, in additions.
void reduce_made(std::span<const MadeResult> all, int64_t outer, int64_t reduced, int64_t inner, const Maker& maker,
                 int64_t weight);
// Whether that order leaves no work for a second thread.
bool reduces_in_one_thread(int64_t outer, int64_t reduced, int64_t inner, int64_t weight);

}  // namespace footlight::runtime
