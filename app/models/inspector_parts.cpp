// Makes the groups.
#include "app/models/inspector_parts.h"

#include "app/models/graph_gradients.h"
#include "app/models/phases.h"
#include "app/models/text.h"

#include "engine/base/error_words.h"
#include "engine/explain/memory.h"
#include "engine/explain/nesting.h"
#include "engine/explain/stages.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <map>

namespace footlight::app {
namespace {

constexpr size_t kMaxFrames = 12;
constexpr size_t kMaxWays = 12;
constexpr size_t kMaxDeviceRows = 20;

InspectorRow text_row(const QString& label, const QString& value, int indent = 0) {
  InspectorRow row;
  row.label = label;
  row.value = value;
  row.indent = indent;
  return row;
}

// "5.4 ms, 104 us a run": the sum, and the mean of `count` runs. `each`: the word for one of them.
QString timed(int64_t ns, uint64_t count, const char* each) {
  const QString text = duration_text(ns);
  if (count < 2) return text;
  const QString mean = duration_text(ns / static_cast<int64_t>(count));
  return text + QStringLiteral(", %1 a %2").arg(mean, QLatin1String(each));
}

// The outermost traces of other functions that were made inside this one.
std::vector<const session::TraceRecord*> traces_inside(const Document& document, const session::TraceRecord& trace) {
  std::vector<const session::TraceRecord*> inside;
  for (const session::TraceRecord& t : document.traces)
    if (t.id != trace.id && explain::was_made_inside(t, trace) && !explain::was_made_inside(trace, t))
      inside.push_back(&t);
  std::erase_if(inside, [&, all = inside](const session::TraceRecord* t) {
    return std::ranges::any_of(all, [&](const auto* o) { return o != t && explain::was_made_inside(*t, *o); });
  });
  return inside;
}

class PhaseRows {
 public:
  PhaseRows(const Document& document, const session::TraceRecord& trace, std::vector<InspectorRow>& rows)
      : document_(document), trace_(trace), rows_(rows) {
    for (const session::TraceRecord* t : traces_inside(document, trace))
      inside_[deepest_phase_at(t->start_ns)].push_back(t);
  }

  // Adds a row for each name of a phase, with the sum of equal ones; those inside of it follow, indented.
  void add(const std::vector<int>& parents, int indent) {
    struct Sum { std::string name; int64_t ns = 0; std::vector<int> positions; };
    std::vector<Sum> sums;
    for (size_t i = 0; i < trace_.phases.size(); ++i) {
      const session::PhaseRecord& p = trace_.phases[i];
      if (std::find(parents.begin(), parents.end(), p.parent) == parents.end()) continue;
      auto at = std::find_if(sums.begin(), sums.end(), [&](const Sum& s) { return s.name == p.name; });
      if (at == sums.end()) at = sums.insert(sums.end(), {p.name, 0, {}});
      at->ns += std::max<int64_t>(0, p.end_ns - p.start_ns);
      at->positions.push_back(static_cast<int>(i));
    }
    for (const Sum& s : sums) {
      QString name = capitalized(phase_word(s.name));
      if (s.positions.size() > 1) name += QString::fromUtf8(" ×%1").arg(s.positions.size());
      int64_t inside = 0;
      for (const session::PhaseRecord& p : trace_.phases)
        if (std::ranges::find(s.positions, p.parent) != s.positions.end())
          inside += std::max<int64_t>(0, p.end_ns - p.start_ns);
      const std::vector<InspectorRow> others = traced_in(s.positions, indent + 1, inside);
      QString time = duration_text(s.ns);
      if (inside > 0)
        time += QStringLiteral(", %1 of it its own").arg(duration_text(std::max<int64_t>(0, s.ns - inside)));
      rows_.push_back(text_row(name, time, indent));
      rows_.insert(rows_.end(), others.begin(), others.end());
      if (indent < 2) add(s.positions, indent + 1);
    }
  }

 private:
  int deepest_phase_at(int64_t moment) const {
    int deepest = -1;
    for (size_t i = 0; i < trace_.phases.size(); ++i) {
      const session::PhaseRecord& p = trace_.phases[i];
      if (p.start_ns <= moment && moment < p.end_ns && p.parent >= deepest) deepest = static_cast<int>(i);
    }
    return deepest;
  }

  // A row for each other function that was traced in these phases; adds its time to `sum`.
  std::vector<InspectorRow> traced_in(const std::vector<int>& phases, int indent, int64_t& sum) const {
    std::map<FunctionId, std::vector<const session::TraceRecord*>> by_function;
    for (const int phase : phases)
      if (const auto at = inside_.find(phase); at != inside_.end())
        for (const session::TraceRecord* t : at->second) by_function[t->function].push_back(t);
    std::vector<InspectorRow> rows;
    for (const auto& [id, traces] : by_function) {
      const session::FunctionRecord* function = document_.function(id);
      const int64_t ns = session::tracing_time(traces);
      sum += ns;
      const QString name = function ? q(function->name) : QStringLiteral("another function");
      rows.push_back(text_row(QStringLiteral("Tracing of %1").arg(name), duration_text(ns), indent));
    }
    return rows;
  }

  const Document& document_;
  const session::TraceRecord& trace_;
  std::vector<InspectorRow>& rows_;
  std::map<int, std::vector<const session::TraceRecord*>> inside_;  // by the phase in which they were made
};

}  // namespace

void add_cost_rows(std::vector<InspectorRow>& rows, const query::LineSum& sum) {
  const uint64_t eager = sum.eager_runs, traced = sum.traced_runs;
  if (eager || traced) {
    QStringList ran;
    if (eager) ran << counted(eager, "time", "times") + QStringLiteral(", eager");
    if (traced) ran << counted(traced, "time", "times") + QStringLiteral(", in graphs");
    rows.push_back(text_row(QStringLiteral("Ran"), ran.join(QStringLiteral("; "))));
    rows.push_back(text_row(QStringLiteral("Ops"), count_text(sum.eager_ops + sum.traced_ops)));
  }
  if (sum.evaluated_ops)
    rows.push_back(text_row(QStringLiteral("While tracing"),
                            counted(sum.evaluated_ops, "op was", "ops were") + QStringLiteral(" evaluated")));
  if (sum.eager() || sum.traced_ns)
    rows.push_back(text_row(QStringLiteral("Time"), timed(sum.eager() + sum.traced_ns, eager + traced, "run")));
  const int64_t share = sum.eager() > 0 ? sum.python_ns * 100 / (sum.eager() + sum.traced_ns) : 0;
  if (sum.eager() > 0) rows.push_back(text_row(QStringLiteral("Python in it"), QStringLiteral("%1 %").arg(share)));
  if (sum.library_ns)
    rows.push_back(text_row(QStringLiteral("In libraries"), duration_text(sum.library_ns) + QStringLiteral(" in ") +
                                                                counted(sum.library_ops, "op", "ops")));
  if (sum.inside_ns)
    rows.push_back(text_row(QStringLiteral("Including what it calls"), duration_text(sum.traced_ns + sum.inside_ns)));
  if (sum.calls) rows.push_back(text_row(QStringLiteral("Outside of ops"), timed(sum.call_ns, sum.calls, "call")));
  const QString traces = counted(sum.traces, "trace", "traces") + QStringLiteral(", ") + duration_text(sum.tracing_ns);
  if (sum.traces) rows.push_back(text_row(QStringLiteral("Tracing"), traces));
}

InspectorGroup ways_group(const Document& document, SourcePlace place, TraceId shown) {
  InspectorGroup group{QStringLiteral("Branches taken"), {}, {}};
  const session::TraceRecord* trace = document.trace(shown);
  const auto all = ways_in(document, place.file, trace ? trace->function : FunctionId());
  const auto ways = all.find(place.line);
  if (ways == all.end()) return group;
  for (const Way& way : ways->second) {
    if (group.rows.size() >= kMaxWays) {
      group.rows.push_back(text_row({}, QStringLiteral("and %1 more").arg(count_text(ways->second.size() - kMaxWays))));
      break;
    }
    InspectorRow row = text_row(trace_numbers(document, way.traces), q(way.note));
    row.tone = fate_tone(way.fate);
    group.rows.push_back(row);
  }
  return group;
}

InspectorGroup phases_group(const Document& document, const session::TraceRecord& trace) {
  InspectorGroup group{QStringLiteral("Phases"), {}, {}};
  PhaseRows(document, trace, group.rows).add({-1}, 0);
  if (group.rows.empty()) return group;
  for (const PhaseTime& p : own_times({&trace}))
    if (p.word == unexplained_word()) group.rows.push_back(text_row(capitalized(p.word), duration_text(p.ns)));
  return group;
}

explain::LineOf line_in(const Document& document, const session::GraphRecord& graph) {
  const session::TraceRecord* trace = document.trace_of_graph(graph.id);
  const session::FunctionRecord* function = trace ? document.function(trace->function) : nullptr;
  return [&document, own = function ? function->file : session::FileId()](const session::NodeRecord& n) {
    const SourcePlace at = document.place(n.source);
    const session::FileRecord* file = at.file == own ? nullptr : document.file(at.file);
    return explain::NodeLine{file ? file_name(file->path).toStdString() : std::string(), at.line};
  };
}

InspectorGroup passes_group(const Document& document, const session::GraphRecord& graph) {
  InspectorGroup group{QStringLiteral("Passes"), {}, {}};
  const explain::LineOf line_of = line_in(document, graph);
  for (size_t pass = 0; pass < explain::pass_count(graph); ++pass) {
    const QString did = q(explain::what_pass_did(graph, pass, line_of));
    const qsizetype name = did.indexOf(QStringLiteral(": "));
    group.rows.push_back(text_row(capitalized(did.left(name)), capitalized(did.mid(name + 2))));
  }
  return group;
}

InspectorGroup passes_group(const Document& document, const session::GraphRecord& graph,
                            const session::NodeRecord& node) {
  InspectorGroup group{QStringLiteral("Passes"), {}, {}};
  if (graph.passes.empty()) return group;
  for (const explain::NodeStep& step : explain::steps_of(graph, node.id)) {
    InspectorRow row = text_row(capitalized(q(step.pass)), capitalized(q(step.words)));
    if (step.by && document.node(graph.id, *step.by)) {
      row.link = true;
      row.tone = QStringLiteral("blue");
      row.target = Selection::of_node(document, graph.id, *step.by);
    }
    group.rows.push_back(row);
  }
  if (group.rows.empty()) group.rows.push_back(text_row({}, QStringLiteral("No pass changed it")));
  if (const auto alone = explain::alone_step(graph, node.id))
    group.rows.push_back(text_row(capitalized(q(alone->pass)), capitalized(q(alone->words))));
  return group;
}

InspectorGroup memory_group(const session::GraphRecord& graph) {
  InspectorGroup group{QStringLiteral("Memory"), {}, {}};
  const std::string words = explain::words_of(explain::memory_total(graph));
  if (!words.empty()) group.rows.push_back(text_row({}, capitalized(q(words))));
  return group;
}

InspectorGroup memory_group(const session::GraphRecord& graph, const session::NodeRecord& node) {
  InspectorGroup group{QStringLiteral("Memory"), {}, {}};
  const std::vector<std::string> values = explain::memory_of(graph, node.id);
  for (size_t i = 0; i < values.size(); ++i)
    group.rows.push_back(text_row(values.size() > 1 ? QStringLiteral("Output %1").arg(i) : QString(),
                                  capitalized(q(values[i]))));
  return group;
}

QString device_sum_text(const query::DeviceSum& sum) {
  QString text = counted(sum.count, "time", "times") + QStringLiteral(", ") + duration_text(sum.total_ns);
  if (sum.count > 1)
    text += QStringLiteral(" in all, %1 each").arg(duration_text(sum.total_ns / static_cast<int64_t>(sum.count)));
  if (sum.bytes && sum.total_ns > 0)
    text += QStringLiteral(", %1/s").arg(bytes_text(static_cast<uint64_t>(
        std::min(9e18, static_cast<double>(sum.bytes) * 1e9 / static_cast<double>(sum.total_ns)))));
  return text;
}

InspectorGroup device_group(const std::vector<query::DeviceSum>& sums, bool on_device) {
  InspectorGroup group{on_device ? QStringLiteral("Kernels and copies") : QStringLiteral("Calls of the device's API"),
                       {}, {}};
  size_t left = 0;
  for (const query::DeviceSum& sum : sums) {
    if (sum.on_device != on_device || !sum.count) continue;
    if (group.rows.size() == kMaxDeviceRows) ++left;
    else group.rows.push_back(text_row(q(sum.name), device_sum_text(sum)));
  }
  if (left) group.rows.push_back(text_row({}, QStringLiteral("and %1 more").arg(count_text(left))));
  return group;
}

InspectorGroup callers_group(const Document& document, const std::vector<CallerFrame>& frames) {
  InspectorGroup group{QStringLiteral("Called from"), {}, {}};
  // The package that a frame belongs to; empty: the person's own.
  const auto library = [&](const CallerFrame& frame) -> std::string {
    const session::FileRecord* file = document.file(frame.place.file);
    if (!file || is_users_file(file->path)) return {};
    constexpr std::string_view kPackages = "-packages/";
    const size_t at = file->path.rfind(kPackages);
    if (at == file->path.npos) return "Python";
    const std::string rest = file->path.substr(at + kPackages.size());
    const std::string name = rest.substr(0, rest.find_first_of("/."));
    return name == "keras" ? "Keras" : name;
  };
  const auto row_of = [&](const CallerFrame& frame) {
    InspectorRow row = text_row(q(frame.name), document.place_text(frame.place));
    row.link = true;
    row.tone = QStringLiteral("blue");
    row.target = Selection::of_line(document, frame.place);
    return row;
  };
  for (size_t i = 0; i < frames.size();) {
    if (group.rows.size() == kMaxFrames) {
      group.rows.push_back(text_row({}, QStringLiteral("and %1 more").arg(count_text(frames.size() - i))));
      break;
    }
    size_t end = i;
    const std::string name = library(frames[i]);
    while (!name.empty() && end < frames.size() && library(frames[end]) == name) ++end;
    if (end - i < 2) {
      group.rows.push_back(row_of(frames[i++]));
      continue;
    }
    // Library frames between two lines of the user's become one row.
    InspectorRow folded = text_row(q(name), counted(end - i, "line", "lines"));
    for (; i < end; ++i) {
      folded.inner.push_back(row_of(frames[i]));
      folded.inner.back().indent = 1;
    }
    group.rows.push_back(std::move(folded));
  }
  return group;
}

InspectorGroup layers_group(const std::vector<LayerCost>& layers) {
  constexpr size_t kMaxLayers = 32;
  InspectorGroup group{QStringLiteral("Layers, time in all calls"), {}, {}};
  const auto timed = [](const query::Sums& sums) {
    return duration_text(sums.total) + QStringLiteral(" in ") + counted(sums.count, "op", "ops");
  };
  for (const LayerCost& layer : layers) {
    const bool is_layer = !layer.name.empty();
    if (!is_layer && !layer.total_ns()) continue;
    if (is_layer && group.rows.size() == kMaxLayers) {
      const size_t more = layers.size() - kMaxLayers - 1;  // the last one is no layer
      group.rows.push_back(text_row({}, QStringLiteral("and %1").arg(counted(more, "more layer", "more layers"))));
    }
    if (is_layer && group.rows.size() >= kMaxLayers) continue;
    const QString name = q(layer.name);
    InspectorRow row = text_row(is_layer ? name.section(QLatin1Char('/'), -1) : QStringLiteral("Not assigned"),
                                duration_text(layer.total_ns()));
    const auto add = [&](const char* label, const QString& value) {
      row.inner.push_back(text_row(QLatin1String(label), value));
      row.inner.back().indent = 1;
    };
    if (is_layer) {
      add("Scope", name);
      add("Forward", timed(layer.forward));
      if (layer.backward.count) add("Backward", timed(layer.backward));
    } else {
      // The graph does not tell whose gradients these are; the others are the loss, the optimizer and the input.
      if (layer.backward.count) add("Gradients", timed(layer.backward));
      if (layer.forward.count) add("Other nodes", timed(layer.forward));
    }
    if (layer.flops) add("FLOPs per run", flops_text(layer.flops));
    if (layer.parameters)
      add("Parameters", count_text(layer.parameters) + QStringLiteral("  ") + bytes_text(layer.parameter_bytes));
    if (layer.output_bytes) add("Bytes written per run", bytes_text(layer.output_bytes));
    group.rows.push_back(std::move(row));
  }
  return group;
}

GradientLinks gradient_links(const session::GraphRecord& graph, const session::NodeRecord& node) {
  const std::vector<size_t> forward = forward_ops(graph);
  GradientLinks links;
  for (size_t i = 0; i < forward.size(); ++i) {
    if (forward[i] >= graph.nodes.size()) continue;
    if (graph.nodes[forward[i]].id == node.id) links.gradients.push_back(graph.nodes[i].id);
    if (graph.nodes[i].id == node.id) links.forward.push_back(graph.nodes[forward[i]].id);
  }
  return links;
}

}  // namespace footlight::app
