// Reductions of elements that a fused loop computes block by block while they are reduced, in the kernels' order.
#pragma once

#include "engine/fusion/grouping.h"

#include <span>

namespace footlight::runtime {

inline constexpr size_t kReducedBlock = 16 << 10;  // bytes of a block

// The rows that one reduction reads.
struct StreamedRows {
  const std::byte* at = nullptr;
  int64_t stride = 0;  // from one row to the next, in elements
};

class ElementSource {
 public:
  virtual ~ElementSource() = default;
  // Computes `rows` rows of `columns` elements from index `begin` on, `stride` apart, for each reduction: into its
  // block, unless they are in memory already. Any thread may call it, once for each element.
  virtual void compute(int64_t begin, int64_t rows, int64_t stride, int64_t columns, std::byte (*blocks)[kReducedBlock],
                       StreamedRows* rows_of) const = 0;
};

struct StreamedResult {
  const StreamedReduction* by = nullptr;
  uint8_t size = 0;  // bytes of an element that it reads
  void* out = nullptr;
};

// The elements are [outer, reduced, inner]. If inner is 1, all reductions halve their rows alike. `weight` is the cost
// of computing an element, in additions.
void reduce_streamed(std::span<const StreamedResult> all, int64_t outer, int64_t reduced, int64_t inner,
                     const ElementSource& source, int64_t weight);
// Whether the order of the reductions leaves no work for a second thread.
bool runs_on_one_thread(int64_t outer, int64_t reduced, int64_t inner, int64_t weight);

}  // namespace footlight::runtime
