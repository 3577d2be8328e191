// How long programs waited for the elements of pipelines, and which stages worked meanwhile.
#pragma once

#include "engine/session/reader.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace footlight::explain {

struct PipelineStage {
  std::string name;        // "map"
  SourceRef source;        // where it was added
  int64_t work_ns = 0;     // of its threads, while the program waited
  size_t interleaved_by = SIZE_MAX;  // number of the interleave whose function makes its dataset; SIZE_MAX: none does
  uint64_t waits = 0;      // elements that the program waited for while this stage worked
  int64_t wait_ns = 0;     // how long it waited for these
  size_t up = 1;           // the stage that takes its elements is that many places before it
};

// One iteration over a pipeline.
struct PipelineSums {
  SourceRef source;          // of the iteration
  session::ThreadId thread;  // that took the elements
  uint64_t steps = 0;        // elements that it took
  uint64_t waits = 0;        // of these, elements that it had to wait for
  int64_t wait_ns = 0;
  uint64_t calls = 0;        // of traced functions, which that thread made meanwhile
  int64_t first_ns = 0, last_ns = 0;  // of the first request, of the last element's arrival
  std::vector<PipelineStage> stages;  // from the last one to the sources
  bool ahead = false;                 // the last one makes elements ahead, in a thread of its own
};

// Reads the spans of stages; `go_on` is called for every chunk, and throws to end it.
std::vector<PipelineSums> pipeline_sums(const session::Reader& reader, const std::function<void()>& go_on);

// The thread that took elements of a pipeline in that span, and for how much of it; none: it is no such span.
struct TakenInput {
  session::ThreadId thread;
  int64_t ns = 0;
};
TakenInput taken_input(const session::Reader& reader, const session::SpanRecord& span);

}  // namespace footlight::explain
