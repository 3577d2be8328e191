// Draws the rows and writes them as a recorder would.
#include "tests/query/random_session.h"

#include "tests/session/records.h"

#include <algorithm>

namespace footlight::query {
namespace {
constexpr int64_t kStart = 1'700'000'000'000'000'000;

uint32_t below(std::mt19937& random, uint32_t n) { return static_cast<uint32_t>(random() % n); }

// Sets for each op how many open ops of the same kind enclose it, and the time taken by those directly inside it.
void note_nesting(std::vector<PlainOp>& ops) {
  std::vector<PlainOp*> by_start;
  for (PlainOp& op : ops) by_start.push_back(&op);
  std::stable_sort(by_start.begin(), by_start.end(), [](const PlainOp* a, const PlainOp* b) {
    return a->start != b->start ? a->start < b->start : a->end > b->end;
  });
  std::vector<PlainOp*> open;
  for (PlainOp* op : by_start) {
    while (!open.empty() && open.back()->end <= op->start) open.pop_back();
    const bool traced = op->node != UINT32_MAX;
    op->depth = static_cast<int>(std::count_if(open.begin(), open.end(),
                                               [&](const PlainOp* o) { return (o->node != UINT32_MAX) == traced; }));
    if (!open.empty()) open.back()->inner += op->end - op->start;
    open.push_back(op);
  }
}
}  // namespace

RandomSession::RandomSession(uint32_t seed, size_t wanted, int threads) {
  std::mt19937 random(seed);
  for (uint32_t t = 0; t < kTraces; ++t) {
    traces.push_back(trace_of(TraceId(t), FunctionId(t % kFunctions), 0, GraphId(100 + t)));
    session::GraphRecord graph;
    graph.id = GraphId(100 + t);
    for (uint32_t n = 0; n < kNodes; ++n)
      graph.nodes.push_back(node_of(n, "n" + std::to_string(n), "Op" + std::to_string(n % kOps), {},
                                    {CodeId(1), below(random, kLines)}));
    graphs.push_back(graph);
  }
  for (uint32_t s = 0; s < 4; ++s)
    signatures.push_back({SignatureId(s), OpId(0), "float32[2]", "float32[2]", 8 * s, 16, s * 100});
  threads_.resize(static_cast<size_t>(threads));
  for (int t = 0; t < threads; ++t) {
    int64_t now = kStart + below(random, 5000);
    size_t left = wanted / static_cast<size_t>(threads);
    while (left > 0) run(random, static_cast<uint16_t>(t), now, 0, {}, {}, left);
    note_nesting(threads_[static_cast<size_t>(t)]);
    ops.insert(ops.end(), threads_[static_cast<size_t>(t)].begin(), threads_[static_cast<size_t>(t)].end());
  }
  threads_.clear();
  std::stable_sort(ops.begin(), ops.end(), [](const PlainOp& a, const PlainOp& b) { return a.end < b.end; });
  std::stable_sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; });
  for (size_t i = 0; i < ops.size(); ++i) {
    ops[i].id = i * 3 + 1;
    if (below(random, 4)) continue;
    session::DeviceRecord d;
    d.kind = below(random, 3) ? "kernel" : below(random, 2) ? "memcpy" : "runtime";
    d.name = "kernel_" + std::to_string(ops[i].op);
    d.stream = below(random, 2);
    d.start_ns = ops[i].end + below(random, 300);
    d.end_ns = d.start_ns + 1 + below(random, 900);
    d.op_event = below(random, 10) ? ops[i].id : 0;
    device.push_back(d);
  }
}

void RandomSession::run(std::mt19937& random, uint16_t thread, int64_t& now, int depth, CallId call, TraceId trace,
                        size_t& left) {
  now += 1 + below(random, 40);
  if (depth < 4 && below(random, 6) == 0) {
    // A call, with some ops inside it.
    session::CallRecord c;
    c.id = CallId(calls.size() * 2 + 1);
    c.trace = TraceId(below(random, kTraces));
    c.function = FunctionId(c.trace.value % kFunctions);
    c.outcome = CallOutcome(below(random, 20) == 0 ? 3 : below(random, 8) == 0 ? 1 : below(random, 9) == 0 ? 2 : 0);
    if (c.outcome == CallOutcome::kFailed) c.trace = {};
    c.thread = session::ThreadId(thread);
    c.start_ns = now;
    c.source = {CodeId(1), below(random, kLines)};
    const size_t at = calls.size();
    calls.push_back(c);
    for (uint32_t n = 1 + below(random, 6); n > 0 && left > 0; --n)
      run(random, thread, now, depth + 1, c.id, c.trace, left);
    now += 1 + below(random, 20);
    calls[at].end_ns = now;
    return;
  }
  PlainOp op;
  op.thread = thread;
  op.op = static_cast<uint16_t>(below(random, kOps));
  op.signature = below(random, 5) ? SignatureId(below(random, 4)) : SignatureId();
  op.start = now;
  op.call = call;
  if (trace.valid() && below(random, 8)) {
    op.graph = GraphId(100 + trace.value);
    op.node = below(random, kNodes);
  } else {
    op.source = {below(random, 10) ? CodeId(1) : CodeId(), below(random, kLines)};
    if (!call.valid() && below(random, 30) == 0) op.call = CallId(2);  // a call without a record
  }
  if (left) --left;
  // Some contain many others, so that they begin several chunks before they end.
  if (depth < 4 && below(random, 12) == 0) {
    const uint32_t inside = below(random, 10) ? 1 + below(random, 8) : 200;
    for (uint32_t n = inside; n > 0 && left > 0; --n) run(random, thread, now, depth + 1, call, trace, left);
  }
  now += 1 + below(random, below(random, 20) ? 50 : 4000);
  op.end = now;
  threads_[thread].push_back(op);
}

void RandomSession::write_records(session::Writer& w) const {
  w.add(session::FileRecord{session::FileId(1), "/tmp/random.py", std::string(kLines, '\n')});
  // Two instructions per line.
  session::CodeRecord code{CodeId(1), session::FileId(1), "f", 1, {}};
  for (uint32_t offset = 0; offset < kLines; ++offset) code.lines.emplace_back(offset, 1 + offset / 2);
  w.add(code);
  for (uint32_t f = 0; f < kFunctions; ++f)
    w.add(session::FunctionRecord{FunctionId(f), "f" + std::to_string(f), session::FileId(1), 1, 1, {}});
  for (const auto& g : graphs) w.add(g);
  for (const auto& t : traces) w.add(t);
  for (const auto& s : signatures) w.add(s);
  for (uint32_t o = 0; o < kOps; ++o)
    w.add(session::OpNameRecord{OpId(static_cast<uint16_t>(o)), "Op" + std::to_string(o), "math"});
}

void RandomSession::write_rows(session::Writer& w, double from, double to) const {
  const auto part = [&](const auto& all) {
    const auto size = static_cast<double>(all.size());
    return std::pair(static_cast<size_t>(from * size), static_cast<size_t>(to * size));
  };
  session::OpColumns columns;
  const auto [first_op, last_op] = part(ops);
  for (size_t i = first_op; i < last_op; ++i) {
    const PlainOp& op = ops[i];
    OpEvent e = op_of(OpId(op.op), op.start, op.end, op.call);
    if (op.node == UINT32_MAX) e.set_source(op.source);
    else e.set_node(op.graph, NodeId(op.node));
    e.signature = op.signature;
    columns.append(op.thread, op.id, e);
  }
  if (columns.size()) w.add_rows(columns);
  const auto [first_call, last_call] = part(calls);
  w.add_rows(std::vector<session::CallRecord>(calls.begin() + static_cast<ptrdiff_t>(first_call),
                                              calls.begin() + static_cast<ptrdiff_t>(last_call)));
  const auto [first_device, last_device] = part(device);
  for (size_t i = first_device; i < last_device; ++i) w.add(device[i]);
}

void RandomSession::write(const std::string& path, int pieces, bool finish) const {
  auto w = session::Writer::create(path, {}, RecordingLevel::kOps);
  write_records(*w);
  for (int i = 0; i < pieces; ++i) {
    write_rows(*w, static_cast<double>(i) / pieces, static_cast<double>(i + 1) / pieces);
    w->flush();
  }
  if (finish) {
    w->finish({ops.empty() ? 0 : ops.back().end, 0, 0, "finished"});
  } else {
    w->close();
  }
}

}  // namespace footlight::query
