// Reductions of elements that a fused loop computes block by block while they are reduced, in the kernels' order.
#pragma once

#include "engine/fusion/grouping.h"

#include <span>

namespace footlight::runtime {

inline constexpr size_t kReducedBlock = 16 << 10;    // bytes of a block
inline constexpr int64_t kParallelWork = 1 << 15;    // additions from which a second thread is worth starting

// The rows that one reduction reads.
struct StreamedRows {
  const std::byte* at = nullptr;
  int64_t stride = 0;  // from one row to the next, in elements
};

// Computes the elements that are reduced.
class ElementSource {
 public:
  virtual ~ElementSource() = default;
  // Computes `rows` rows of `columns` elements, `stride` apart, from index `begin` on, for each reduction: into its
  // block, unless they are in memory already. `rows_of` gets where they are. Any thread may call it, once for each
  // element.
  virtual void compute(int64_t begin, int64_t rows, int64_t stride, int64_t columns, std::byte (*blocks)[kReducedBlock],
                       StreamedRows* rows_of) const = 0;
};

// A reduction and the memory of its result.
struct StreamedResult {
  const StreamedReduction* reduction = nullptr;
  uint8_t element_size = 0;  // bytes of an element that it reads
  void* out = nullptr;
};

// The elements are [outer, reduced, inner]. If inner is 1, all reductions halve their rows alike. `weight` is the cost
// of computing an element, in additions.
void reduce_streamed(std::span<const StreamedResult> all, int64_t outer, int64_t reduced, int64_t inner,
                     const ElementSource& source, int64_t weight);
// Whether the order of the reductions leaves no work for a second thread, so that the caller may compute the elements
// in parallel before.
bool runs_on_one_thread(int64_t outer, int64_t reduced, int64_t inner, int64_t weight);

}  // namespace footlight::runtime
