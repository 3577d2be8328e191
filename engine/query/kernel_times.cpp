// Finds the op of each kernel by its number, chunk by chunk.
#include "engine/query/kernel_times.h"

#include "engine/base/errors.h"
#include "engine/session/run_times.h"

#include <algorithm>

namespace footlight::query {

void add_kernel_times(const session::Reader& reader, std::vector<DeviceOp>& ops, const Cancel& cancel) {
  if (ops.empty()) return;
  const int64_t first = std::ranges::min_element(ops, {}, &DeviceOp::start_ns)->start_ns;
  std::ranges::sort(ops, {}, &DeviceOp::id);
  const auto& index = reader.device_events().index();
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i].last_ns < first) continue;  // a kernel runs after its launch has begun
    cancel.check();
    try {
      for (const session::DeviceRecord& d : *reader.device_events().chunk(i)) {
        const bool is_possible =
            session::is_possible_time(d.start_ns) && session::is_possible_time(d.end_ns) && d.end_ns > d.start_ns;
        if (!d.op_event || d.kind != "kernel" || !is_possible) continue;
        const auto op = std::ranges::lower_bound(ops, d.op_event, {}, &DeviceOp::id);
        if (op == ops.end() || op->id != d.op_event) continue;
        op->kernel_ns = std::min(op->kernel_ns + d.end_ns - d.start_ns, session::kLatestTime);
      }
    } catch (const Error&) {
      // A damaged chunk: its kernels are missing from the sums.
    }
  }
}

}  // namespace footlight::query
