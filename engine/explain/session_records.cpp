// Reads the calls and the ops, which are stored in chunks.
#include "engine/explain/session_records.h"

#include "engine/explain/call_counts.h"
#include "engine/session/readable_chunks.h"
#include "engine/session/run_times.h"

namespace footlight::explain {

SessionRecords::SessionRecords(const session::Reader& reader, const std::function<void()>& go_on)
    : calls_(reader.all_calls()),
      records_{reader.contents().functions, reader.contents().traces, reader.contents().graphs, calls_,
               reader.contents().keys, reader.contents().files, reader.contents().codes,
               reader.contents().observations, reader.contents().decisions, reader.contents().generated, &eager_,
               reader.contents().end && reader.contents().end->exit_code != 0} {
  EagerOps ops;
  const session::TracingSpans tracing(reader.contents().traces);
  each_chunk(reader.op_events(), go_on, [&](const session::OpColumns& chunk) {
    ops.add(chunk, tracing, reader.contents().op_names);
  });
  eager_ = ops.sums();
  pipelines_ = pipeline_sums(reader, go_on);
  records_.pipelines = pipelines_;
  counts_.served = served_calls(reader, go_on);
  for (const session::CallRecord& call : calls_) {
    ++counts_.of_function[call.function];
    ++counts_.of_trace[call.trace];
  }
  records_.counts = &counts_;
  if (reader.contents().processes.size() > 1) {
    late_ranks_ = query::late_beyond_chance(reader, query::find_late_ranks(reader, query::Cancel().with(go_on)));
    records_.late_ranks = &late_ranks_;
  }
  const session::Contents& c = reader.contents();
  records_.run_ns = session::run_time(c.run, c.end, reader.first_time(), reader.last_time());
  records_.values = reader.contents().values;
  records_.checked_calls = reader.contents().checked_calls;
}

}  // namespace footlight::explain
