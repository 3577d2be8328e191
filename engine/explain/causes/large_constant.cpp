// large_constant: a graph holds an array of a megabyte or more as a constant, once per trace. Fix: an argument, or a
// variable that is made once.
#include "engine/explain/captured_name.h"
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/words.h"

#include "engine/base/constant_text.h"

#include <algorithm>
#include <charconv>

namespace footlight::explain {
namespace {

using session::TraceRecord;

constexpr uint64_t kLarge = 1'000'000;

uint64_t size_of(std::string_view dtype) {
  for (const auto& [name, bytes] : {std::pair<std::string_view, uint64_t>{"bool", 1}, {"int8", 1}, {"uint8", 1},
                                    {"int16", 2}, {"uint16", 2}, {"float16", 2}, {"half", 2}, {"bfloat16", 2},
                                    {"int32", 4}, {"uint32", 4}, {"float32", 4}, {"int64", 8}, {"uint64", 8},
                                    {"float64", 8}, {"complex64", 8}, {"complex128", 16}, {"string", 16}})
    if (dtype == name) return bytes;
  return 0;
}

// "float32 (600, 600)" -> 1440000
uint64_t bytes_of(std::string_view type) {
  const size_t space = type.find(' ');
  if (space == type.npos) return 0;
  uint64_t bytes = size_of(type.substr(0, space));
  for (size_t at = space; at < type.size();) {
    if (type[at] < '0' || type[at] > '9') {
      if (type[at] == '?' || type[at] == 'N') return 0;  // unknown
      ++at;
      continue;
    }
    uint64_t size = 0;
    const auto read = std::from_chars(type.data() + at, type.data() + type.size(), size);
    if (read.ec != std::errc() || __builtin_mul_overflow(bytes, size, &bytes)) return 0;
    at = static_cast<size_t>(read.ptr - type.data());
  }
  return bytes;
}

struct Large {
  Line line;
  std::string type, constant;
  uint64_t bytes = 0;
  std::set<TraceId> traces;
};

class Search {
 public:
  Search(const Evidence& evidence, const FunctionRun& run) : evidence_(evidence), run_(run) {}

  std::vector<Large> find() {
    for (const TraceRecord* t : run_.traces) {
      std::set<GraphId> seen;
      look_at(t->graph(), *t, seen, 0);
    }
    return std::move(found_);
  }

 private:
  void look_at(GraphId id, const TraceRecord& trace, std::set<GraphId>& seen, int depth) {
    const session::GraphRecord* graph = evidence_.graph(id);
    if (!graph || depth > kDeepestGraph || !seen.insert(id).second) return;
    for (const session::NodeRecord& node : graph->nodes) {
      for (const session::NodeFunction& f : node.functions)
        if (!evidence_.is_of_other(f.graph, run_.id)) look_at(f.graph, trace, seen, depth + 1);
      if ((node.op != "Const" && node.op != "constant") || node.outputs.size() != 1) continue;
      const uint64_t bytes = bytes_of(node.outputs[0]);
      if (bytes < kLarge || node.constant.ends_with(kAllEqual)) continue;  // tf.constant(0.5, shape=...)
      Line line = evidence_.line(node.source);
      if (!line) line = evidence_.definition(run_);
      auto known = std::ranges::find_if(
          found_, [&](const Large& l) { return l.line == line && l.type == node.outputs[0]; });
      if (known == found_.end()) known = found_.insert(known, {line, node.outputs[0], node.constant, bytes, {}});
      known->traces.insert(trace.id);
    }
  }

  const Evidence& evidence_;
  const FunctionRun& run_;
  std::vector<Large> found_;
};

std::string megabytes(uint64_t bytes) {
  const uint64_t tenths = (bytes + 50'000) / 100'000;
  return std::to_string(tenths / 10) + (tenths % 10 ? '.' + std::to_string(tenths % 10) : "") + " MB";
}

void find_large_constant(const Evidence& evidence, const FunctionRun& run, Findings& findings) {
  Outlines outlines(evidence);
  for (const Large& large : Search(evidence, run).find()) {
    Finding f;
    f.function = run.id;
    f.line = large.line;
    f.graphs = GraphRelation::kUnknown;
    f.example = *large.traces.begin();
    f.bytes = large.bytes;
    f.nodes = 1;
    f.cost_ns = run.tracing_ns();
    f.calls = evidence.calls_of(run.id);
    f.checked.why_not = "run again to see what it saves";
    f.title = "An array of " + megabytes(large.bytes) + " is a constant of the graph";
    const CapturedName captured = captured_name(evidence, outlines, large.line);
    f.path = captured.path;
    if (captured.made && captured.made != f.line) f.related.push_back({"value", captured.made});
    f.detail = (f.path.empty() ? "" : f.path + ": ") + large.type;
    if (large.traces.size() > 1) f.detail += ", in " + with_commas(large.traces.size()) + " traces";
    f.fix = "Pass the array as an argument";
    if (!is_jax(run))
      add_alternative(f, "Keep it in a tf.Variable that is made once, outside of the function", f.checked);
    findings.found.push_back(std::move(f));
  }
}

const Cause large_constant("large_constant", find_large_constant);

}  // namespace
}  // namespace footlight::explain
