// Each line is written once for each trace, dimension and size.
#include "engine/python/types/size_reads.h"

#include "engine/base/error_words.h"
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/python/interpreter/ref.h"
#include "engine/python/interpreter/text.h"
#include "engine/session/writer.h"
#include "engine/trace/function_scope.h"

#include <set>
#include <tuple>

namespace footlight::python {
namespace {

struct Line {
  std::string file;
  int number = 0;
};

// The line that runs now; number 0 if it is a library's.
Line users_line() {
  PyFrameObject* const frame = PyEval_GetFrame();
  if (!frame) return {};
  const Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  std::string file = readable(reinterpret_cast<PyCodeObject*>(code.get())->co_filename);
  if (!is_users_file(file)) return {};
  return {std::move(file), PyFrame_GetLineNumber(frame)};
}

void record(const Line& line, int dimension, int64_t size) {
  session::Writer* const writer = session::active_writer();
  const TraceId trace = trace::current_trace();
  if (!writer || !trace.valid() || size == kUnknownDim) return;
  constexpr size_t kMaxReads = 256;
  thread_local TraceId last_trace;
  thread_local std::set<std::tuple<std::string, int, int, int64_t>> reads;  // of that trace
  if (last_trace != trace) reads.clear();
  last_trace = trace;
  if (reads.size() >= kMaxReads || !reads.emplace(line.file, line.number, dimension, size).second) return;
  session::ObservationRecord read;
  read.kind = session::ObservationKind::kSizeRead;
  read.trace = trace;
  read.path = str("shape[", dimension, "]");
  read.file = writer->file(line.file);
  read.line = line.number;
  read.note = std::to_string(size);
  writer->add(std::move(read));
}

bool is_recorded() { return recording_structure() && trace::tracing(); }

}  // namespace

void record_size_read(const Shape& shape, int dimension) {
  if (!is_recorded()) return;
  if (const Line line = users_line(); line.number > 0) record(line, dimension, shape[dimension]);
}

void record_size_reads(const Shape& shape) {
  if (!is_recorded()) return;
  const Line line = users_line();
  for (int d = 0; line.number > 0 && d < shape.rank(); ++d) record(line, d, shape[d]);
}

}  // namespace footlight::python
