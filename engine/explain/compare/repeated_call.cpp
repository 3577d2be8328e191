// Compares the ops of the recorded call with those of its repetitions, and the time of Python that the graph calls.
#include "engine/explain/compare/repeated_call.h"

#include "engine/explain/compare/recorded_read.h"
#include "engine/explain/compare/text.h"
#include "engine/explain/engines.h"
#include "engine/explain/fingerprint.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace footlight::explain {
namespace {

using session::CallRecord;

// Times that differ by less count as the same: the recorded call may have been the first, with cold caches.
constexpr double kOtherFactor = 2;
constexpr double kOtherShare = 0.25;  // of the call
constexpr double kOtherNs = 100'000;
constexpr size_t kMaxNames = 4;

bool calls_python(std::string_view op) { return op.starts_with("EagerPyFunc") || op.starts_with("PyFunc"); }

// All graphs that a trace runs: its own and those that nodes call; and the Python functions that these call.
struct Called {
  std::set<GraphId> graphs;
  std::vector<std::string> functions;  // "Env.step (train.py:18)", in the order of nodes

  Called(const session::Reader& reader, const session::TraceRecord& trace) {
    std::vector<GraphId> open{trace.graph()};
    while (!open.empty()) {
      const GraphId id = open.back();
      open.pop_back();
      const session::GraphRecord* graph = reader.graph(id);
      if (!graph || !graphs.insert(id).second) continue;
      for (const session::NodeRecord& node : graph->nodes) {
        for (const session::NodeFunction& f : node.functions) open.push_back(f.graph);
        if (calls_python(node.op)) add_function(reader, node);
      }
    }
  }

 private:
  void add_function(const session::Reader& reader, const session::NodeRecord& node) {
    std::string name = "a function";
    for (const AttributeText& a : compared_attributes(node.attributes)) {
      if (a.name != "python_function") continue;
      if (a.value.starts_with("gradient of ")) return;  // its function is a node as well
      name = a.value.substr(0, a.value.rfind(" #"));
    }
    const session::Reader::SourcePlace place = reader.place(node.source);
    if (const session::FileRecord* file = reader.file(place.file))
      name += " (" + std::filesystem::path(file->path).filename().string() + ":" + std::to_string(place.line) + ")";
    if (std::ranges::find(functions, name) == functions.end()) functions.push_back(std::move(name));
  }
};

std::string first_names(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMaxNames); ++i)
    text += (!i ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  if (names.size() > kMaxNames) text += " and " + with_commas(names.size() - kMaxNames) + " more";
  return text;
}

// The program's own call, which ended before the first repetition began.
std::optional<CallRecord> recorded_call(const session::Reader& reader, const session::ComparisonRecord& record) {
  std::optional<CallRecord> found;
  each_record(reader.calls(), [] {}, [&](const CallRecord& call) {
    if (call.function != record.function || !is_sane(call.start_ns, call.end_ns)) return;
    if (record.start_ns && call.end_ns > record.start_ns) return;
    if (!found || call.end_ns > found->end_ns) found = call;
  });
  if (found && (found->trace != record.trace || found->outcome == CallOutcome::kFailed)) found.reset();
  return found;
}

struct Work {
  uint64_t ops = 0;       // nodes that ran
  int64_t python_ns = 0;  // in Python functions that the graph called
};

Work work_of(const session::Reader& reader, const CallRecord& call, const std::set<GraphId>& graphs) {
  Work work;
  each_chunk(reader.op_events(), call.start_ns, call.end_ns + 1, [] {}, [&](const session::OpColumns& e) {
    for (size_t i = 0; i < e.size(); ++i) {
      if (e.call[i] != call.id || !e.node[i].valid() || !graphs.contains(e.graph[i])) continue;
      ++work.ops;
      const session::OpNameRecord* op = reader.op_name(e.op[i]);
      if (op && calls_python(op->name) && is_sane(e.start_ns[i], e.end_ns[i]))
        work.python_ns += e.end_ns[i] - e.start_ns[i];
    }
  });
  return work;
}

// Eager ops that a Python function runs in a repetition have marks of their own, so the function's time is counted from
// its first mark to its last.
Work work_of(const session::Reader& reader, const Run& run, const std::set<GraphId>& graphs) {
  Work work;
  std::vector<std::pair<int64_t, int64_t>> spans(run.ops.size(), {INT64_MAX, INT64_MIN});
  for (const Interval& one : run.host) {
    if (one.what < 0) continue;
    auto& [from, to] = spans[static_cast<size_t>(one.what)];
    from = std::min(from, one.start);
    to = std::max(to, one.end);
  }
  for (size_t i = 0; i < run.ops.size(); ++i) {
    if (!run.ops[i].node.node.valid() || !graphs.contains(run.ops[i].node.graph)) continue;
    ++work.ops;
    const session::OpNameRecord* op = reader.op_name(run.ops[i].op);
    if (op && calls_python(op->name) && spans[i].first < spans[i].second)
      work.python_ns += spans[i].second - spans[i].first;
  }
  return work;
}

bool are_all_kept(const session::Reader& reader) {
  return std::ranges::none_of(reader.contents().dropped,
                              [](const session::DroppedRecord& d) { return d.count && d.what.starts_with("op"); });
}

std::string from_to(uint64_t least, uint64_t most) {
  return least == most ? with_commas(least) : with_commas(least) + " to " + with_commas(most);
}

std::string ops_text(uint64_t count) { return with_commas(count) + (count == 1 ? " op" : " ops"); }

// "3 to 40": the least and most ops of a repetition; empty if all run equally many.
std::string varying_ops(const std::vector<Run>& runs) {
  uint64_t least = UINT64_MAX, most = 0;
  for (const Run& run : runs) {
    if (run.record->lost) continue;
    least = std::min<uint64_t>(least, run.ops.size());
    most = std::max<uint64_t>(most, run.ops.size());
  }
  return least < most ? from_to(least, most) : "";
}

bool are_other_times(double call, double repetition, double whole) {
  const double low = std::min(call, repetition), high = std::max(call, repetition);
  return high >= kOtherFactor * low && high - low >= std::max(kOtherNs, kOtherShare * whole);
}

// Says how repetitions differ from the recorded call; empty: they do the same work.
std::string difference(const Comparison& c, const session::Reader& reader, const session::ComparisonRecord& record,
                       const Called& called, const std::vector<Run>& traced) {
  const std::optional<CallRecord> call = recorded_call(reader, record);
  if (!call) return {};
  const std::string name = "Call " + with_commas(record.call);
  const double repetition = c.traced.total.mean;
  const auto took = [&](double in_call, double in_repetition) {
    return " took " + time_text(in_call) + ", a " + c.traced.name + " repetition " + time_text(in_repetition);
  };
  if (reader.contents().level == RecordingLevel::kOps && are_all_kept(reader)) {
    const Work recorded = work_of(reader, *call, called.graphs);
    uint64_t least = UINT64_MAX, most = 0;
    std::vector<int64_t> python;  // of each repetition: on a busy machine some take far longer
    for (const Run& run : traced) {
      if (run.record->lost) continue;
      const Work work = work_of(reader, run, called.graphs);
      least = std::min(least, work.ops);
      most = std::max(most, work.ops);
      python.push_back(work.python_ns);
    }
    // Another engine's ops inside of a compiled call may not be recorded.
    if (!python.empty() && recorded.ops > 0) {
      if (least != recorded.ops || most != recorded.ops)
        return name + " ran " + ops_text(recorded.ops) + ", a " + c.traced.name + " repetition " +
               from_to(least, most);
      const double whole = std::max(static_cast<double>(call->end_ns - call->start_ns), repetition);
      std::ranges::nth_element(python, python.begin() + static_cast<ptrdiff_t>(python.size() / 2));
      const auto in_call = static_cast<double>(recorded.python_ns);
      const auto in_repetition = static_cast<double>(python[python.size() / 2]);
      if (are_other_times(in_call, in_repetition, whole))
        return "Its Python in call " + with_commas(record.call) + took(in_call, in_repetition);
      return {};
    }
  }
  // A call that traced, or a first one that compiled, took that time for something else.
  const double whole = static_cast<double>(call->end_ns - call->start_ns);
  if (called.functions.empty() || call->outcome != CallOutcome::kHit || c.pairs == 0) return {};
  return are_other_times(whole, repetition, std::max(whole, repetition)) ? name + took(whole, repetition) : "";
}

}  // namespace

void check_repetitions(Comparison& c, const session::Reader& reader, const session::ComparisonRecord& record,
                       const std::vector<Run>& eager, const std::vector<Run>& traced) {
  const session::TraceRecord* trace = reader.trace(record.trace);
  if (!trace || !trace->graph().valid()) return;
  const Called called(reader, *trace);
  const std::string functions = first_names(called.functions);
  std::string found = difference(c, reader, record, called, traced);
  for (const auto& [side, runs] : {std::pair{&c.eager, &eager}, {&c.traced, &traced}}) {
    const std::string ops = found.empty() ? varying_ops(*runs) : "";
    // The ops of a compiled call are those that TensorFlow's profiler saw, which misses some on a busy machine.
    if (!ops.empty() && side == &c.traced && has_tensorflow(reader.contents().processes))
      c.notes.push_back("TensorFlow's profiler saw " + ops + " ops in " + side->name +
                        " repetitions: the time of those that it missed is part of dispatch");
    else if (!ops.empty()) found = "Repetitions ran " + ops + " ops each (" + side->name + ")";
  }
  if (found.empty()) {
    if (!functions.empty())
      c.notes.push_back("The graph calls Python: " + functions +
                        ". Every repetition calls it too, and what that changes is not put back");
    return;
  }
  c.other_work = found + ": the repetitions are not that call. " +
                 (functions.empty() ? "Something that is not put back decides what there is to do."
                                    : "The graph calls Python, whose state is not put back: " + functions + ".");
}

}  // namespace footlight::explain
