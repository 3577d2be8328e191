// Reduction kernels in parts, by op and dtype, for elements that are computed while they are reduced and are never in
// memory all at once. Fused loops call them in the kernel's order, so the results are the same bit for bit.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// How a long row is split in two, each half of which is reduced by itself.
struct Halving {
  int64_t max_unsplit = 0;        // a longer row is split
  int64_t round_up = 0, unit = 1;  // half the length plus `round_up`, rounded down to a multiple of `unit`

  // The length of the first half; 0 if the row is not split.
  constexpr int64_t first_half_of(int64_t n) const { return n > max_unsplit ? (n / 2 + round_up) / unit * unit : 0; }
  bool operator==(const Halving&) const = default;
};

// Elements are joined into accumulators, which `finish` turns into results.
struct StreamedReduction {
  Halving halving;
  uint8_t accumulator_size = 0;  // in bytes
  // Initializes n accumulators.
  void (*start)(void* to, int64_t n) = nullptr;
  // Joins a row to one accumulator.
  void (*row)(const void* in, int64_t length, void* to) = nullptr;
  // Joins each of several rows, of `length` elements, to an accumulator of its own.
  void (*rows)(const void* in, int64_t rows, int64_t length, void* to) = nullptr;
  // Joins rows, `stride` elements apart, to as many accumulators as a row has columns. It adds four rows at a time, so
  // all calls but the last for the same accumulators must have a multiple of four rows.
  void (*columns)(const void* in, int64_t stride, int64_t rows, int64_t columns, void* to) = nullptr;
  // Joins rows of accumulators to `columns` accumulators.
  void (*join)(void* to, const void* more, int64_t rows, int64_t columns) = nullptr;
  void (*finish)(const void* from, int64_t n, int64_t reduced, void* out) = nullptr;
};

// How kernels divide what they reduce, for all dtypes.
namespace reduction_order {

// If everything, or the outer part, is reduced: the number of pieces of the outermost dimension that are reduced first,
// then their results. It does not depend on the number of cores. 1 if `total` is too small to be divided.
int64_t pieces_of(int64_t outer, int64_t total);
inline constexpr int64_t kMaxPieceAccumulators = 4096;  // with more results, nothing is divided into pieces

// Whether several short rows are treated as one of kWide columns, when rows are joined down the columns.
inline constexpr int64_t kWide = 64;
inline bool folds_rows(int64_t rows, int64_t columns) { return columns < kWide / 2 && rows * columns > 4 * kWide; }
// Whether many rows are reduced by halves, which makes the error of a sum smaller.
inline bool splits_rows(int64_t rows, int64_t columns) { return rows > 512 && columns <= 4096; }

}  // namespace reduction_order

// The parts of the host's kernel; null if it has none. `by` is the dtype of the input.
const StreamedReduction* streamed_reduction_for(OpId op, DType by);

// Sets the streamed form of the kernel that was registered last for these dtypes.
void register_streamed_reduction(std::string_view op, uint32_t dtypes, const StreamedReduction&);

}  // namespace footlight
