// The cost of ops in a time range: the table of the timeline, and `footlight info --ops`.
#pragma once

#include "engine/query/cancel.h"
#include "engine/query/grouping.h"
#include "engine/query/sums.h"
#include "engine/session/reader.h"

#include <vector>

namespace footlight::query {

struct OpTotal {
  uint64_t key = 0;       // from Grouping
  session::OpNumber op;   // op of the first event
  SignatureId signature;  // signature, if grouped by shape
  Durations durations;    // of whole ops, also of those that an edge of the range cuts
  int64_t total_ns = 0;   // time within the range
  int64_t self_ns = 0;    // the same without the time of inner ops
  uint64_t bytes = 0, flops = 0;  // totals; bytes in and out
  int64_t kernel_ns = 0;  // time of its ops' kernels
  int64_t launch_ns = 0;  // time of the ops that have kernels

  // The divisor for FLOP/s: the time of its ops, with kernels in place of their launches.
  int64_t compute_ns() const { return durations.sums().total - launch_ns + kernel_ns; }
};

struct OpTotals {
  std::vector<OpTotal> rows;  // sorted by total time, descending
  uint64_t events = 0;
  uint64_t unreadable = 0;    // events in chunks that could not be read
  uint64_t unlisted = 0;      // events that belong to rows beyond kMaxTotalRows, and so to no row
  int64_t busy_ns = 0;        // time during which an op ran on any thread, other than those that take or make input
  int64_t python_ns = 0;      // of that, time during which one of them ran a Python function (tf.py_function)
  std::vector<int64_t> others_ns;  // time of each of `others`, during which no op ran and none of those before it
};

struct OpTotalsOptions {
  int64_t from = INT64_MIN, to = INT64_MAX;  // ops that overlap [from, to)
  GroupBy by = GroupBy::kOp;
  using Intervals = std::vector<std::pair<int64_t, int64_t>>;
  std::vector<Intervals> others = {};        // other work, by its times
  size_t input = SIZE_MAX;                   // index in `others` for ops that take an element of a pipeline
};

// A row takes some hundred bytes; a program has far fewer lines, a hostile file may have any number.
constexpr size_t kMaxTotalRows = 200'000;
// If there are more ops on devices, only the first ones are joined with their kernels.
constexpr size_t kMaxDeviceOps = 1 << 22;

OpTotals op_totals(const session::Reader& reader, const OpTotalsOptions& options, const Cancel& cancel);

}  // namespace footlight::query
