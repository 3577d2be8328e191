// Each line is written once for each trace, dimension and size.
#include "engine/python/types/size_reads.h"

#include "engine/base/error_words.h"
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/python/types/user_line.h"
#include "engine/session/writer.h"
#include "engine/trace/function_scope.h"

#include <tuple>

namespace footlight::python {
namespace {

void record(const UserLine& line, int dimension, int64_t size) {
  session::Writer* const writer = session::active_writer();
  const TraceId trace = trace::current_trace();
  if (!writer || !trace.valid() || size == kUnknownDim) return;
  constexpr size_t kMaxReads = 256;
  thread_local RecordedFacts<std::tuple<std::string, int, int, int64_t>> reads;
  if (!reads.add(trace, {line.file, line.line, dimension, size}, kMaxReads)) return;
  session::ObservationRecord read;
  read.kind = session::ObservationKind::kSizeRead;
  read.trace = trace;
  read.path = str("shape[", dimension, "]");
  read.file = writer->file(line.file);
  read.line = line.line;
  read.note = std::to_string(size);
  writer->add(std::move(read));
}

bool is_recorded() { return recording_structure() && trace::tracing(); }

}  // namespace

void record_size_read(const Shape& shape, int dimension) {
  if (!is_recorded()) return;
  if (const UserLine line = current_line(); is_users_file(line.file)) record(line, dimension, shape[dimension]);
}

void record_size_reads(const Shape& shape) {
  if (!is_recorded()) return;
  const UserLine line = current_line();
  if (!is_users_file(line.file)) return;
  for (int d = 0; d < shape.rank(); ++d) record(line, d, shape[d]);
}

}  // namespace footlight::python
