// Finds the op of each kernel by its number, chunk by chunk.
#include "engine/query/kernel_times.h"

#include "engine/session/readable_chunks.h"
#include "engine/session/run_times.h"

#include <algorithm>

namespace footlight::query {

void add_kernel_times(const session::Reader& reader, std::vector<DeviceOp>& ops, const Cancel& cancel) {
  if (ops.empty()) return;
  const int64_t first = std::ranges::min_element(ops, {}, &DeviceOp::start_ns)->start_ns;
  std::ranges::sort(ops, {}, &DeviceOp::id);
  // A kernel runs after its launch has begun.
  each_record(reader.device_events(), first, INT64_MAX, [&] { cancel.check(); }, [&](const session::DeviceRecord& d) {
    const bool is_possible =
        session::is_possible_time(d.start_ns) && session::is_possible_time(d.end_ns) && d.end_ns > d.start_ns;
    if (!d.op_event || d.kind != "kernel" || !is_possible) return;
    const auto op = std::ranges::lower_bound(ops, d.op_event, {}, &DeviceOp::id);
    if (op == ops.end() || op->id != d.op_event) return;
    op->kernel_ns = std::min(op->kernel_ns + d.end_ns - d.start_ns, session::kLatestTime);
  });
}

}  // namespace footlight::query
