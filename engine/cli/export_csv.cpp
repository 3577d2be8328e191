// Tables of a session as CSV (RFC 4180): ids resolved to names and places, units in the names of columns.
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/cli/csv.h"
#include "engine/cli/export.h"
#include "engine/cli/text.h"
#include "engine/explain/stages.h"
#include "engine/query/device_sums.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <concepts>
#include <cstdio>
#include <map>
#include <memory>

namespace footlight::cli {
namespace {

using namespace session;

class Csv {
 public:
  Names names;

  Csv(const Export& what, std::initializer_list<const char*> header)
      : names(what.reader), what_(what), columns_(header.size()), origin_(what.reader.first_time()) {
    for (const char* const name : header) text(name);
    end_row();
  }

  Csv& text(std::string_view value) {
    begin_cell();
    append_csv_text(row_, value);
    return *this;
  }
  template <std::integral Int>
  Csv& number(Int value) {
    begin_cell();
    row_ += std::to_string(value);
    return *this;
  }
  Csv& number(double value) {
    char digits[40];
    begin_cell();
    row_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return *this;
  }
  // An id that is not set is an empty cell.
  template <class Tag, class Int>
  Csv& id(Id<Tag, Int> value) {
    return value.valid() ? number(value.value) : text("");
  }
  // Since the first event of the session, as in the other formats; unknown: an empty cell.
  Csv& time(int64_t ns) {
    if (ns <= 0) return text("");
    return number(static_cast<int64_t>(static_cast<uint64_t>(ns) - static_cast<uint64_t>(origin_)));
  }
  Csv& times(int64_t start_ns, int64_t end_ns) {
    return time(start_ns).number(static_cast<uint64_t>(std::max(start_ns, end_ns)) - static_cast<uint64_t>(start_ns));
  }
  Csv& place(SourceRef source, LocationId location = {}) { return text(names.place(source, location)); }
  Csv& trace(TraceId id) {
    const TraceRecord* record = what_.reader.trace(id);
    return record ? number(record->number) : text("");
  }
  Csv& node(GraphId graph, NodeId node) {
    const NodeRecord* record = names.node(graph, node);
    return graph_name(graph).text(record ? record->name : "");
  }
  Csv& graph_name(GraphId graph) {
    const GraphRecord* record = what_.reader.graph(graph);
    return text(record ? record->name : "");
  }

  void end_row() {
    FL_CHECK(cells_ == columns_);
    row_ += "\r\n";
    what_.out.write(row_);
    row_.clear();
    cells_ = 0;
  }

 private:
  void begin_cell() {
    if (cells_++) row_ += ',';
  }

  const Export& what_;
  size_t columns_, cells_ = 0;
  int64_t origin_;
  std::string row_;
};

// Calls write(chunk) for the chunks that can be read.
template <class Chunk, class Write>
void each_chunk(const Export& what, Write write) {
  const ChunkStore<Chunk>& store = what.reader.events<Chunk>();
  what.progress.expect(store.rows());
  uint64_t unreadable = 0;
  for (size_t n = 0; n < store.index().size(); ++n) {
    std::shared_ptr<const Chunk> chunk;
    try {
      chunk = store.chunk(n);
    } catch (const Error&) {
      unreadable += store.index()[n].count;
    }
    if (chunk) write(*chunk);
    what.progress.add(store.index()[n].count);
  }
  if (unreadable)
    std::fprintf(stderr, "footlight: %" PRIu64 " rows could not be read and are left out\n", unreadable);
}
template <class Record, class Write>
void each_event(const Export& what, Write write) {
  each_chunk<std::vector<Record>>(what, [&](const std::vector<Record>& rows) {
    for (const Record& row : rows) write(row);
  });
}

void write_ops(const Export& what) {
  Csv csv(what, {"start_ns", "duration_ns", "id", "op", "family", "thread", "device", "inputs", "outputs",
                 "input_bytes", "output_bytes", "flops", "call", "graph", "node", "source"});
  each_chunk<OpColumns>(what, [&](const OpColumns& ops) {
    for (size_t i = 0; i < ops.size(); ++i) {
      const OpNameRecord* op = what.reader.op_name(ops.op[i]);
      const SignatureRecord* ran_on = what.reader.signature(ops.signature[i]);
      const NodeRecord* node = csv.names.node(ops.graph[i], ops.node[i]);
      csv.times(ops.start_ns[i], ops.end_ns[i]).number(ops.id[i]).text(csv.names.op(ops.op[i]));
      csv.text(op ? op->family : "").text(csv.names.thread(ops.thread[i])).text(csv.names.device(ops.device[i]));
      if (ran_on) {
        csv.text(ran_on->inputs).text(ran_on->outputs).number(ran_on->input_bytes).number(ran_on->output_bytes);
        csv.number(ran_on->flops);
      } else {
        csv.text("").text("").text("").number(ops.bytes[i]).text("");
      }
      csv.id(ops.call[i]).node(ops.graph[i], ops.node[i]);
      if (node) csv.place(node->source, node->location);
      else csv.place(ops.source(i), ops.location[i]);
      csv.end_row();
    }
  });
}

void write_calls(const Export& what) {
  Csv csv(what, {"start_ns", "duration_ns", "id", "function", "trace", "outcome", "thread", "parent", "source"});
  each_event<CallRecord>(what, [&](const CallRecord& c) {
    csv.times(c.start_ns, c.end_ns).id(c.id).text(csv.names.function(c.function)).trace(c.trace);
    csv.text(word(c.outcome)).text(csv.names.thread(c.thread)).id(c.parent);
    csv.place(c.source, c.location).end_row();
  });
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) (out += out.empty() ? "" : "; ") += part;
  return out;
}

void write_traces(const Export& what) {
  Csv csv(what, {"function", "trace", "reason", "kind", "start_ns", "duration_ns", "signature", "why", "differing",
                 "captures", "cached", "graph", "nodes", "error", "source"});
  for (const TraceRecord& t : what.reader.contents().traces) {
    const GraphRecord* graph = what.reader.graph(t.graph());
    csv.text(csv.names.function(t.function)).number(t.number).text(word(t.reason));
    csv.text(word(t.kind)).times(t.start_ns, t.end_ns).text(t.signature).text(t.why);
    csv.text(joined(t.differing)).text(joined(t.captures)).number(t.cached).graph_name(t.graph());
    csv.number(graph ? graph->nodes.size() : 0).text(t.error).place(t.source, t.location).end_row();
  }
}

void write_phases(const Export& what) {
  Csv csv(what, {"function", "trace", "phase", "category", "part_of", "start_ns", "duration_ns"});
  for (const TraceRecord& t : what.reader.contents().traces)
    for (const PhaseRecord& p : t.phases) {
      const auto parent = static_cast<size_t>(p.parent);
      csv.text(csv.names.function(t.function)).number(t.number).text(p.name).text(p.category);
      csv.text(parent < t.phases.size() ? t.phases[parent].name : "").times(p.start_ns, p.end_ns).end_row();
    }
}

void write_keys(const Export& what) {
  Csv csv(what, {"function", "trace", "path", "parameter", "kind", "type", "shape", "value", "side", "role"});
  for (const TraceRecord& t : what.reader.contents().traces)
    for (const KeyLeaf& leaf : t.key) {
      csv.text(csv.names.function(t.function)).number(t.number).text(leaf.path).text(leaf.parameter).text(leaf.kind);
      csv.text(leaf.type).text(leaf.shape).text(leaf.value).text(word(leaf.side));
      csv.text(word(leaf.role)).end_row();
    }
}

void write_functions(const Export& what) {
  Csv csv(what, {"function", "kind", "options", "parameters", "traces", "file", "line"});
  const Contents& all = what.reader.contents();
  for (const FunctionRecord& f : all.functions) {
    csv.text(csv.names.function(f.id)).text(f.kind).text(f.options).text(joined(f.parameters));
    csv.number(std::count_if(all.traces.begin(), all.traces.end(), [&](const auto& t) { return t.function == f.id; }));
    csv.text(csv.names.path(f.file)).number(f.line).end_row();
  }
}

void write_graphs(const Export& what) {
  Csv csv(what, {"graph", "function", "trace", "stage", "nodes", "inputs", "outputs"});
  for (const GraphRecord& g : what.reader.contents().graphs) {
    const TraceRecord* trace = csv.names.trace_of(g.id);
    csv.text(g.name);
    if (trace) {
      const auto stage = std::find_if(trace->graphs.begin(), trace->graphs.end(),
                                      [&](const TraceGraph& of) { return of.graph == g.id; });
      csv.text(csv.names.function(trace->function)).number(trace->number).text(stage->stage);
    } else {
      csv.text("").text("").text("");
    }
    csv.number(g.nodes.size()).number(g.inputs.size()).number(g.outputs.size()).end_row();
  }
}

// What each pass did, and how many nodes there were after it.
void write_passes(const Export& what) {
  Csv csv(what, {"graph", "stage", "nodes", "replaced", "removed", "made", "alone", "did"});
  for (const GraphRecord& g : what.reader.contents().graphs) {
    const std::vector<std::string> stages = explain::stage_names(g);
    const TraceRecord* trace = csv.names.trace_of(g.id);
    const FunctionRecord* function = trace ? what.reader.function(trace->function) : nullptr;
    const explain::LineOf line_of = [&](const NodeRecord& n) {
      const Reader::SourcePlace at = what.reader.place(n.source);
      const FileRecord* file = function && at.file != function->file ? what.reader.file(at.file) : nullptr;
      return explain::NodeLine{file ? file->path.substr(file->path.rfind('/') + 1) : std::string(), at.line};
    };
    for (size_t pass = 0; pass < explain::pass_count(g); ++pass) {
      std::map<Fate, size_t> count;
      for (const GraphChange& change : g.changes)
        if (change.pass == pass) ++count[change.fate];
      const size_t made = count[Fate::kInserted], removed = count[Fate::kNothing];
      size_t replaced = 0;
      for (const auto& [fate, times] : count)
        if (fate != Fate::kInserted && fate != Fate::kNothing && fate != Fate::kFusedWith) replaced += times;
      csv.text(g.name).text(stages[pass + 1]).number(explain::graph_after(g, pass + 1).nodes.size());
      csv.number(replaced).number(removed).number(made).number(explain::alone_in(g, pass).size());
      csv.text(explain::what_pass_did(g, pass, line_of));
      csv.end_row();
    }
  }
}

// Where the values of a graph lie while it runs, in the order in which they are made.
void write_memory(const Export& what) {
  Csv csv(what, {"graph", "node", "output", "slot", "place", "bytes", "of_node", "made", "last"});
  for (const GraphRecord& g : what.reader.contents().graphs)
    for (const session::PlannedValue& v : g.memory) {
      csv.text(g.name).number(v.node).number(v.output).number(v.slot).text(word(v.place)).number(v.bytes);
      csv.number(v.of).number(v.made).number(v.last).end_row();
    }
}

void write_nodes(const Export& what) {
  Csv csv(what, {"graph", "node", "name", "op", "family", "outputs", "attributes", "constant", "source"});
  for (const GraphRecord& g : what.reader.contents().graphs)
    for (const NodeRecord& n : g.nodes) {
      csv.text(g.name).number(n.id).text(n.name).text(n.op).text(n.family).text(joined(n.outputs)).text(n.attributes);
      csv.text(n.constant).place(n.source, n.location).end_row();
    }
}

void write_edges(const Export& what) {
  Csv csv(what, {"graph", "from_node", "output", "to_node", "input"});
  for (const GraphRecord& g : what.reader.contents().graphs)
    for (const NodeRecord& n : g.nodes) {
      for (size_t i = 0; i < n.inputs.size(); ++i)
        csv.text(g.name).number(n.inputs[i].from).number(n.inputs[i].output).number(n.id).number(i).end_row();
      for (const uint32_t from : n.control_inputs)
        csv.text(g.name).number(from).text("").number(n.id).text("control").end_row();
    }
}

void write_device(const Export& what) {
  Csv csv(what, {"start_ns", "duration_ns", "kind", "name", "device", "stream", "context", "system_thread",
                 "correlation", "op_id", "call", "bytes", "graph", "node", "annotation"});
  each_event<DeviceRecord>(what, [&](const DeviceRecord& d) {
    csv.times(d.start_ns, d.end_ns).text(d.kind).text(d.name).number(d.device).number(d.stream).number(d.context);
    csv.number(d.thread).number(d.correlation);
    d.op_event ? csv.number(d.op_event) : csv.text("");
    csv.id(d.call).number(d.bytes).node(d.graph, d.node).text(d.annotation).end_row();
  });
}

std::string track_name(const Export& what, TrackId id) {
  const TrackRecord* track = what.reader.track(id);
  return track ? track->name : "";
}

void write_spans(const Export& what) {
  Csv csv(what, {"start_ns", "duration_ns", "track", "name", "category", "args", "source"});
  each_event<SpanRecord>(what, [&](const SpanRecord& s) {
    csv.times(s.start_ns, s.end_ns).text(track_name(what, s.track)).text(s.name).text(s.category).text(s.args);
    csv.place({}, s.location).end_row();
  });
}

void write_counters(const Export& what) {
  Csv csv(what, {"time_ns", "counter", "value"});
  each_event<CounterRecord>(what, [&](const CounterRecord& c) {
    csv.time(c.time_ns).text(track_name(what, c.track)).number(c.value).end_row();
  });
}

void write_waits(const Export& what) {
  Csv csv(what, {"start_ns", "duration_ns", "function", "thread", "source"});
  each_event<WaitRecord>(what, [&](const WaitRecord& w) {
    csv.times(w.start_ns, w.end_ns).text(csv.names.function(w.function)).text(csv.names.thread(w.thread));
    csv.place(w.source).end_row();
  });
}

void write_decisions(const Export& what) {
  Csv csv(what, {"function", "trace", "file", "line", "statement", "fate", "note"});
  for (const DecisionRecord& d : what.reader.contents().decisions) {
    const TraceRecord* trace = what.reader.trace(d.trace);
    csv.text(trace ? csv.names.function(trace->function) : "").trace(d.trace).text(csv.names.path(d.file));
    csv.number(d.line).text(d.kind).text(d.fate).text(d.note).end_row();
  }
}

void write_console(const Export& what) {
  Csv csv(what, {"time_ns", "stream", "text"});
  for (const ConsoleRecord& c : what.reader.contents().console)
    csv.time(c.time_ns).text(word(c.stream)).text(c.text).end_row();
}

void write_missing(const Export& what) {
  Csv csv(what, {"what", "why", "count"});
  for (const DroppedRecord& d : what.reader.contents().dropped) csv.text(d.what).text(d.why).number(d.count).end_row();
}

void write_kernels(const Export& what) {
  Csv csv(what, {"kind", "name", "count", "total_ns", "mean_ns", "least_ns", "most_ns", "bytes", "bytes_per_second"});
  for (const query::DeviceSum& sum : query::device_sums(what.reader, query::Cancel())) {
    csv.text(sum.kind).text(sum.name).number(sum.count).number(sum.total_ns);
    csv.number(sum.total_ns / static_cast<int64_t>(sum.count)).number(sum.least_ns).number(sum.most_ns);
    csv.number(sum.bytes);
    if (!sum.bytes || sum.total_ns <= 0) csv.text("");
    else csv.number(static_cast<double>(sum.bytes) * 1e9 / static_cast<double>(sum.total_ns));
    csv.end_row();
  }
}

void write_values(const Export& what) {
  Csv csv(what, {"function", "call", "graph", "node", "output", "dtype", "shape", "elements", "nan",
                 "positive_infinity", "negative_infinity", "zeros", "minimum", "maximum", "mean", "deviation", "runs"});
  const auto figure = [&](double v) { v == v ? csv.number(v) : csv.text(""); };
  for (const CallValues& call : what.reader.contents().values)
    for (const TensorValue& v : call.values) {
      csv.text(csv.names.function(call.function)).number(call.call).node(v.graph, v.node).number(v.output);
      csv.text(v.dtype).text(v.shape).number(v.elements).number(v.nan).number(v.positive_infinity);
      csv.number(v.negative_infinity).number(v.zeros);
      for (const double number : {v.minimum, v.maximum, v.mean, v.deviation}) figure(number);
      csv.number(v.runs).end_row();
    }
}

struct Table {
  const char* name;
  void (*write)(const Export& what);
};
constexpr Table kTables[] = {{"ops", write_ops},           {"calls", write_calls},       {"traces", write_traces},
                             {"phases", write_phases},     {"keys", write_keys},         {"functions", write_functions},
                             {"graphs", write_graphs},     {"nodes", write_nodes},       {"edges", write_edges},
                             {"device", write_device},     {"spans", write_spans},       {"counters", write_counters},
                             {"waits", write_waits},       {"decisions", write_decisions}, {"console", write_console},
                             {"missing", write_missing},   {"passes", write_passes},
                             {"memory", write_memory},     {"kernels", write_kernels},   {"values", write_values}};

}  // namespace

std::string csv_tables() {
  std::string out;
  for (const Table& table : kTables) (out += out.empty() ? "" : ", ") += table.name;
  return out;
}

void export_csv(const Export& what) {
  for (const Table& table : kTables)
    if (what.table == table.name) return table.write(what);
  invalid("export: there is no table '", what.table, "'; --table is one of: ", csv_tables());
}

}  // namespace footlight::cli
