// Observations about a program that no graph shows: state that a trace read and that changed afterwards, effects that
// happened only while tracing, lines that computed an argument.
#pragma once

#include "engine/session/records/ids.h"

namespace footlight::session {

enum class ObservationKind : uint8_t {
  kValueLine,       // `path` of an argument, in calls at `line`, was computed at the lines with role "value"
  kStateChanged,    // a trace has read `path` at `line`; a later call that it served found other values
  kSideEffect,      // the body changed `path` at `line` while it was traced, and later calls did not
  kRandomRead,      // the body read `path` (random, numpy.random, a clock) at `line` while it was traced
  kTensorLeak,      // a symbolic tensor was kept in `path` at `line`; the lines with role "use" used it
  kPythonCall,      // a py_function at `line` ran `count` times inside traced calls
  kSizeRead,        // the body took `path` ("shape[1]") of a tensor as a number at `line`: the note says which
};
constexpr const char* kObservationKinds[] = {"value line",  "state changed", "side effect",
                                             "random read", "tensor leak",   "python call", "size read"};
constexpr std::span<const char* const> enumerators(ObservationKind) { return kObservationKinds; }

// The note of a changed state that has the value again which the trace has read.
inline constexpr const char* kCameBack = "came back";
// The note of the last change of a place that is recorded: what happens to it afterwards is not.
inline constexpr const char* kLastWatched = "later changes are not recorded";

struct ObservedLine {
  std::string role;
  FileId file;
  int line = 0;

  static void describe(auto& f) {
    f.column("role", &ObservedLine::role, "value, change, use, read, call");
    f.column("file", &ObservedLine::file, "where the line is");
    f.column("line", &ObservedLine::line, "from 1");
  }
};

struct ObservationRecord {
  ObservationKind kind = ObservationKind::kValueLine;
  FunctionId function;
  TraceId trace;
  int64_t time_ns = 0;
  std::string path;
  FileId file;
  int line = 0;
  uint64_t count = 0;
  std::string note = {};
  std::vector<ObservedLine> lines = {};
  std::vector<std::string> values = {};
  int64_t spent_ns = 0;
  ObservationId id = {};  // none: the writer assigns one
  int64_t busy_ns = 0;

  static constexpr TableNote kTable{"observation", "What a program did around its traces that no graph shows.", 3};
  static void describe(auto& f) {
    using R = ObservationRecord;
    f.id("id", &R::id, "number of the observation");
    f.column("kind", &R::kind, "what was seen");
    f.column("function", &R::function, "that was traced");
    f.column("trace", &R::trace, "the trace that it concerns, if it is one");
    f.column("time_ns", &R::time_ns, "when it was seen; 0: at no moment", {.unit = "ns"});
    f.column("path", &R::path, "args[1].shape[0], global RATE, closure rate, self.scale, numpy.random");
    f.column("file", &R::file, "where the line is");
    f.column("line", &R::line, "the line that the kind names; 0: unknown");
    f.column("count", &R::count, "how often; of a changed state: calls since it was last looked at, with this one");
    f.column("spent_ns", &R::spent_ns, "the time that took in all", {.unit = "ns", .since = 3});
    f.column("busy_ns", &R::busy_ns, "the part of that time in which its thread computed and did not wait",
             {.unit = "ns", .since = 3});
    f.column("note", &R::note, "more about it, in words");
    f.list("observation_line", &R::lines, "Other lines that have to do with what was seen.", {.since = 3});
    f.list("observation_value", &R::values, "Values that were seen, in order.", {.since = 3});
  }
};

}  // namespace footlight::session
