// Costs of each line of the user's code: ops run one by one and the Python between them, ops of graphs, calls, traces.
// A line has only its own cost: that of its branches, loops and called graphs counts on their lines, and is summed
// separately.
#pragma once

#include "engine/query/cancel.h"
#include "engine/session/reader.h"

#include <map>
#include <utility>
#include <vector>

namespace footlight::query {

struct LineSum {
  uint64_t evaluated_ops = 0;  // ops that ran while their thread was tracing: their time is the trace's
  uint64_t eager_ops = 0, eager_runs = 0;
  int64_t eager_ns = 0;    // ops outside of calls, without ops inside them
  int64_t python_ns = 0;   // after such an op, up to the next op, call or trace of the thread, without waits for input
  uint64_t traced_ops = 0, traced_runs = 0;
  int64_t traced_ns = 0;   // ops of graphs
  uint64_t library_ops = 0;
  int64_t library_ns = 0;  // ops of graphs that a library made, called from this line; its own lines have them as well
  int64_t inside_ns = 0;   // ops of other lines in graphs that nodes of this line run: branches, bodies, functions
  uint64_t calls = 0;      // calls of traced functions on this line
  uint64_t own_calls = 0;  // without those of a library's functions, of which one run of a line may make several
  int64_t call_ns = 0;     // those calls, without their ops, their traces and the calls inside them
  uint64_t traces = 0;     // traces of the function defined on this line; of a library's function, those it let trace
  int64_t tracing_ns = 0;  // those traces, without traces inside them
  uint64_t nodes = 0;      // nodes in the graphs of the chosen traces
  uint64_t called_nodes = 0;  // nodes there that were made by what this line called, while the trace was made

  int64_t eager() const { return eager_ns + python_ns; }
  int64_t traced() const { return traced_ns + library_ns + call_ns; }
  int64_t time() const { return eager() + traced() + tracing_ns; }
  friend bool operator==(const LineSum&, const LineSum&) = default;
};

struct LineSums {
  std::map<std::pair<session::FileId, int>, LineSum> lines;
  LineSum nowhere;  // everything without a known line

  const LineSum* at(session::FileId file, int line) const {
    const auto it = lines.find({file, line});
    return it == lines.end() ? nullptr : &it->second;
  }
};

// Reads every chunk of ops and calls once. `traces`: whose nodes are counted.
LineSums line_sums(const session::Reader& reader, const std::vector<TraceId>& traces, const Cancel& cancel);

}  // namespace footlight::query
