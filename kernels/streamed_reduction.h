// The parts of reduction kernels, by op and dtype, for elements that are computed while they are reduced and are never
// in memory all at once. They join elements in the kernel's order, so the results are the same bit for bit.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// A row of more than `whole` elements is halved, and each half reduced by itself.
struct Halving {
  int64_t whole = 0, up = 0, unit = 1;  // the first half is a multiple of `unit`, after `up` was added

  constexpr int64_t half_of(int64_t n) const { return n > whole ? (n / 2 + up) / unit * unit : 0; }
  bool operator==(const Halving&) const = default;
};

// Elements are joined into accumulators of `wide` bytes, which `finish` turns into results.
struct StreamedReduction {
  Halving halving;
  uint8_t wide = 0;
  void (*start)(void* to, int64_t n) = nullptr;
  // A row by itself.
  void (*row)(const void* in, int64_t length, void* to) = nullptr;
  // Each row of `length` elements is joined to one accumulator.
  void (*rows)(const void* in, int64_t rows, int64_t length, void* to) = nullptr;
  // Rows of one length, `stride` elements apart, join as many accumulators as a row is long. Four rows are added at a
  // time, so all calls but the last for the same accumulators have a multiple of four.
  void (*columns)(const void* in, int64_t stride, int64_t rows, int64_t columns, void* to) = nullptr;
  void (*join)(void* to, const void* more, int64_t rows, int64_t columns) = nullptr;  // the same of accumulators
  void (*finish)(const void* from, int64_t n, int64_t reduced, void* out) = nullptr;
};

// How the kernel divides what it reduces, whatever the dtype.
namespace reduction_order {

// Everything, or the outer part, is reduced: so many chunks of the outermost dimension first, then their results, in an
// order independent of the cores. 1: it is too small for that, or its accumulators are too many.
int64_t pieces_of(int64_t outer, int64_t total);
inline constexpr int64_t kMaxPerPiece = 4096;

// Short rows to be joined down the columns: several are one, if there are enough.
inline constexpr int64_t kWide = 64;
inline bool widened(int64_t rows, int64_t columns) { return columns < kWide / 2 && rows * columns > 4 * kWide; }
// Many rows by halves, for the error of a sum.
inline bool halved(int64_t rows, int64_t columns) { return rows > 512 && columns <= 4096; }

}  // namespace reduction_order

// Null if the host's kernel has none. `by` is the dtype of the input.
const StreamedReduction* streamed_reduction_for(OpId op, DType by);

// Sets the streamed form of the kernel that was registered last for these dtypes.
void register_streamed_reduction(std::string_view op, uint32_t dtypes, const StreamedReduction&);

}  // namespace footlight
