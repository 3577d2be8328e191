// The inspector's contents for events: a call, an op, work on a device.
#include "app/models/inspector_writer.h"

namespace footlight::app {

void InspectorWriter::call() {
  if (!facts_ || !facts_->call) return;
  const session::CallRecord& c = *facts_->call;
  content_.title = QStringLiteral("Call %1").arg(count_text(facts_->call_position + 1));
  static const std::pair<const char*, const char*> outcomes[] = {
      {"Hit", "teal"}, {"Traced", "amber"}, {"Eager", "blue"}, {"Failed", "red"}};
  const auto& [word, tone] = outcomes[static_cast<size_t>(c.outcome) & 3];
  content_.tag = QLatin1String(word);
  content_.tag_tone = QLatin1String(tone);
  if (const auto* f = document_.function(c.function))
    link("Function", q(f->name), Selection::of_function(document_, f->id));
  if (const auto* t = document_.trace(c.trace)) {
    link("Trace", QStringLiteral("#%1  %2").arg(t->number).arg(q(t->signature)), Selection::of_trace(document_, t->id));
  }
  place("Source", document_.place(c.source));
  row("Start", duration_text(c.start_ns - document_.origin_ns()));
  row("Took", duration_text(c.end_ns - c.start_ns));
  row("Thread", QString::number(c.thread.value));
  if (facts_->ran.count)
    row("Op events", count_text(facts_->ran.count) + QStringLiteral("  ") + duration_text(facts_->ran.total));
  callers();
  source(document_.place(c.source));
  if (c.trace.valid()) {
    go("Show the graph", "graph", Selection::of_trace(document_, c.trace));
    go("Why it was traced", "retraces", Selection::of_trace(document_, c.trace));
  }
}

void InspectorWriter::event() {
  if (!facts_ || !facts_->op) return;
  const query::OpEventRow& e = *facts_->op;
  const OpInfo& op = document_.op(e.op);
  content_.title = q(op.name);
  const bool for_graph = !e.call.valid() && session::TracingSpans(document_.traces).contain(e.thread, e.start_ns);
  content_.tag = e.node.valid() ? QStringLiteral("Traced")
                 : for_graph    ? QStringLiteral("While tracing")
                                : QStringLiteral("Eager");
  content_.tag_tone = e.node.valid() ? QStringLiteral("violet") : QStringLiteral("blue");
  if (const session::NodeRecord* n = document_.node(s_.graph, e.node.value); n && e.node.valid()) {
    link("Node", q(n->name), Selection::of_node(document_, s_.graph, n->id));
  }
  const SourcePlace where = place_of(document_, s_);
  place("Source", where);
  if (facts_->call) {
    const auto* t = document_.trace(facts_->call->trace);
    link("Call", t ? QStringLiteral("of trace #%1").arg(t->number) : QStringLiteral("of a function"),
         Selection::of_call(document_, *facts_->call));
  }
  row("Start", duration_text(e.start_ns - document_.origin_ns()));
  // Work of a device continues after its launch.
  const bool on_device = e.device.value > 0;
  int64_t took = e.end_ns - e.start_ns, kernels = 0;
  for (const query::DeviceRow& d : facts_->caused)
    if (d.record.kind == "kernel") kernels += d.record.end_ns - d.record.start_ns;
  row(on_device ? "Launch took" : "Took", duration_text(took));
  if (on_device) took = kernels;
  if (on_device && kernels) row("Kernels took", duration_text(kernels));
  if (const session::SignatureRecord* on = document_.signature(e.signature)) {
    row_if("Inputs", q(on->inputs));
    row_if("Outputs", q(on->outputs));
    row("Bytes", bytes_text(on->input_bytes) + QStringLiteral(" in, ") + bytes_text(on->output_bytes) +
                     QStringLiteral(" out"));
    if (on->flops) row("FLOPs", count_text(on->flops));
    if (on->flops && took > 0) row("GFLOP/s", rate_text(on->flops, took));
  } else if (e.bytes) {
    row("Bytes", bytes_text(e.bytes));
  }
  if (e.device.value < document_.device_names.size()) row_if("On", q(document_.device_names[e.device.value]));
  row("Thread", QString::number(e.thread.value));
  bool first = true;
  for (const query::DeviceRow& d : facts_->caused) {
    link(first ? "Caused" : "", q(d.record.name), Selection::of_device(d.row));
    first = false;
  }
  if (!facts_->histogram.empty()) {
    content_.histogram = facts_->histogram;
    content_.histogram_title = QStringLiteral("All %1 in this run").arg(q(op.name));
    content_.histogram_tone = q(op.family);
    content_.histogram_least = facts_->op_sums.min;
    content_.histogram_most = facts_->op_sums.max;
  }
  source(where);
}

void InspectorWriter::device() {
  if (!facts_ || !facts_->device) return;
  const session::DeviceRecord& d = facts_->device->record;
  content_.title = q(d.name);
  content_.tag = q(d.kind);
  content_.tag_tone = QStringLiteral("grey");
  row("On", QStringLiteral("GPU %1, stream %2").arg(d.device).arg(d.stream));
  row("Start", duration_text(d.start_ns - document_.origin_ns()));
  row("Took", duration_text(d.end_ns - d.start_ns));
  if (d.bytes) row("Bytes", bytes_text(d.bytes));
  if (d.bytes && d.end_ns > d.start_ns)
    row("Rate", bytes_text(static_cast<uint64_t>(static_cast<double>(d.bytes) * 1e9 /
                                                 static_cast<double>(d.end_ns - d.start_ns))) +
                    QStringLiteral("/s"));
  for (const query::DeviceSum& sum : facts_->device_sums)
    row("All of this name", device_sum_text(sum));
  if (d.correlation) row("Correlation", QString::number(d.correlation));
  if (facts_->cause) {
    const query::OpEventRow& e = *facts_->cause;
    const Selection cause =
        Selection::of_event(document_, e, facts_->cause_call ? &*facts_->cause_call : nullptr);
    link("Caused by", q(document_.op(e.op).name), cause);
    row("After op", duration_text(d.start_ns - e.start_ns));
    source(place_of(document_, cause));
  }
}

}  // namespace footlight::app
