// Puts comparisons together; parts add up by construction.
#include "tests/app/compare_fixture.h"

#include <cmath>

namespace footlight::app {
namespace {

using namespace explain;
constexpr double kUs = 1000;

Spread about(double mean, double by) { return {mean, mean - by, mean + by}; }

void add_part(Comparison& c, Part part, double eager_us, double traced_us, double by_us = 0.2) {
  part.eager = eager_us * kUs;
  part.traced = traced_us * kUs;
  part.difference = about(part.traced - part.eager, by_us * kUs);
  c.parts.push_back(std::move(part));
}

Part named(Part::Kind kind, const char* name) {
  Part part;
  part.kind = kind;
  part.name = name;
  return part;
}
Part of_share(Share share) {
  Part part = named(Part::Kind::kShare, name_of(share));
  part.share = share;
  return part;
}
Part of_group(Group group) {
  Part part = named(Part::Kind::kGroup, name_of(group));
  part.group = group;
  return part;
}
Lane lane_of(Lane::Kind kind, const char* name) {
  Lane lane;
  lane.kind = kind;
  lane.name = name;
  return lane;
}

Row row_at(int line, const char* eager, double eager_us, const char* nodes, double traced_us, Group group,
           const char* why, std::vector<session::NodeOrigin> origins) {
  Row row;
  row.at = {session::FileId(1), line};
  row.function = "train_step";
  row.eager_ops = eager;
  row.graph_nodes = nodes;
  row.eager_count = eager_us > 0 ? 1 + static_cast<uint64_t>(std::string(eager).find(',') != std::string::npos) : 0;
  row.traced_count = traced_us > 0 ? 1 : 0;
  row.eager = about(eager_us * kUs, 100);
  row.traced = about(traced_us * kUs, 100);
  row.difference = about((traced_us - eager_us) * kUs, 200);
  row.group = group;
  row.why = why;
  row.nodes = std::move(origins);
  row.eager_bytes = 6144;
  row.traced_bytes = traced_us > 0 ? 4096 : 0;
  row.flops = 8192;
  return row;
}

// One piece behind the other from `at` us on.
void add_piece(Lane& lane, double& at, double us, Share share, const char* label, int row) {
  Piece piece;
  piece.start = std::llround(at * kUs);
  piece.end = std::llround((at + us) * kUs);
  piece.share = share;
  piece.row = row;
  piece.label = label;
  lane.pieces.push_back(piece);
  at += us;
}

}  // namespace

Comparison made_comparison() {
  Comparison c;
  c.function = FunctionId(1);
  c.trace = TraceId(10);
  c.name = "train_step";
  c.call = 1;
  c.source = {CodeId(1), 17};
  c.eager.name = "eager";
  c.traced.name = "traced";
  c.pairs = 50;
  c.pairs_with_events = 10;
  c.warm_up = 3;
  c.stopped = "the difference is known within 2 %";
  c.tracing_ns = 6'100'000;
  c.worth_from = 255;
  c.eager.total = about(40 * kUs, 1500);
  c.traced.total = about(16 * kUs, 500);
  c.difference = about(-24 * kUs, 1600);

  c.rows.push_back(row_at(6, "MatMul", 9.4, "MatMul", 9.1, Group::kSame, "", {{GraphId(10), NodeId(3)}}));
  c.rows.push_back(row_at(6, "Relu, Sum", 7.8, "Relu", 1.8, Group::kFused, "pass fuse_elementwise, one \"kernel\"",
                          {{GraphId(10), NodeId(4)}}));
  c.rows.push_back(row_at(7, "Greater", 2.0, "", 0, Group::kFolded, "pass fold_constants", {}));
  c.rows.push_back(row_at(9, "Mul", 2.2, "mul", 1.6, Group::kSame, "", {{GraphId(10), NodeId(10)}}));
  c.rows.push_back(row_at(0, "", 0, "Identity", 0.3, Group::kOnlyTraced, "", {{GraphId(10), NodeId(11)}}));
  c.rows.back().at = {};

  add_part(c, of_share(Share::kPython), 14.0, 1.0, 0.9);
  add_part(c, of_share(Share::kDispatch), 4.6, 1.2);
  add_part(c, of_group(Group::kFolded), 2.0, 0);
  add_part(c, of_group(Group::kFused), 7.8, 1.8);
  add_part(c, of_group(Group::kSame), 11.6, 10.7);
  Part others = named(Part::Kind::kOthers, "small parts");
  for (Part part : {of_share(Share::kConversion), of_group(Group::kOnlyTraced), of_share(Share::kUnexplained)}) {
    part.eager = 0;
    part.traced = part.kind == Part::Kind::kGroup ? 300 : part.share == Share::kConversion ? 100 : 50;
    part.difference = about(part.traced, 40);
    others.traced += part.traced;
    others.joined.push_back(part);
  }
  others.difference = about(others.traced, 120);
  c.parts.push_back(others);
  // What is left of the totals: 0.85 us.
  add_part(c, named(Part::Kind::kCall, "call"), 0, 0.85);

  Lane eager = lane_of(Lane::Kind::kHost, "host");
  double at = 0;
  add_piece(eager, at, 5, Share::kPython, "Python", -1);
  add_piece(eager, at, 9.4, Share::kHostKernel, "MatMul", 0);
  add_piece(eager, at, 4, Share::kPython, "Python", -1);
  add_piece(eager, at, 3.9, Share::kHostKernel, "Relu", 1);
  add_piece(eager, at, 1.5, Share::kDispatch, "dispatch", -1);
  add_piece(eager, at, 3.9, Share::kHostKernel, "Sum", 1);
  add_piece(eager, at, 2.1, Share::kUnexplained, "unexplained", -1);
  add_piece(eager, at, 2.0, Share::kHostKernel, "Greater", 2);
  add_piece(eager, at, 6, Share::kPython, "Python", -1);
  add_piece(eager, at, 2.2, Share::kHostKernel, "Mul", 3);
  eager.pieces[3].gap = 4000;
  eager.pieces[3].gap_share = Share::kPython;
  eager.busy = 0.53;
  Lane traced = lane_of(Lane::Kind::kHost, "host");
  at = 0;
  add_piece(traced, at, 1.2, Share::kDispatch, "dispatch", -1);
  add_piece(traced, at, 9.1, Share::kHostKernel, "MatMul", 0);
  add_piece(traced, at, 1.8, Share::kHostKernel, "Relu", 1);
  add_piece(traced, at, 1.6, Share::kHostKernel, "Mul", 3);
  add_piece(traced, at, 0.3, Share::kHostKernel, "Identity", 4);
  add_piece(traced, at, 2.0, Share::kPython, "Python", -1);
  traced.busy = 0.8;
  c.eager.picture = {40'000, 7, {eager}};
  c.traced.picture = {16'000, 7, {traced}};
  c.eager.recorded = about(41 * kUs, 1000);
  c.traced.recorded = about(16.85 * kUs, 1000);
  return c;
}

Comparison made_device_comparison() {
  Comparison c = made_comparison();
  c.call = 5;
  c.trace = TraceId(11);
  c.simulated = true;
  c.device = "GPU 0: rehearsal";
  c.unexplained = 0.07;
  c.traced.unexplained = 0.07 * c.traced.total.mean;
  c.notes = {"prints; what the repetitions printed was dropped"};
  for (const bool traced : {false, true}) {
    Picture& picture = traced ? c.traced.picture : c.eager.picture;
    Lane calls = lane_of(Lane::Kind::kCalls, traced ? "CUDA API, 1 launch" : "CUDA API, 2 launches");
    Lane stream = lane_of(Lane::Kind::kStream, "stream 7");
    double call_at = traced ? 2 : 6, at = traced ? 4 : 8;
    add_piece(calls, call_at, 1.5, Share::kLaunch, "cudaLaunchKernel", 0);
    add_piece(stream, at, 5, Share::kDeviceKernel, "sgemm_64x32", 0);
    stream.pieces.back().gap = 4000;
    stream.pieces.back().gap_share = Share::kLaunch;
    stream.busy = traced ? 0.88 : 0.19;
    picture.lanes.push_back(calls);
    picture.lanes.push_back(stream);
  }
  return c;
}

session::ComparisonRecord repetitions() {
  session::ComparisonRecord record;
  record.function = FunctionId(1);
  record.trace = TraceId(10);
  record.call = 2;
  record.source = {CodeId(1), 17};
  record.stopped = "all pairs were run";
  int64_t now = 1'700'000'000'100'000'000;
  struct Step {
    Activity activity;
    int64_t ns;
    uint16_t op;
    uint32_t line, node;
  };
  const std::vector<Step> eager = {{Activity::kPython, 10'000, 0, 0, 0},
                                   {Activity::kKernel, 12'000, 0, 6, 0},
                                   {Activity::kKernel, 8'000, 1, 6, 0}};
  const std::vector<Step> traced = {{Activity::kDispatch, 1'000, 0, 0, 0},
                                    {Activity::kKernel, 9'000, 0, 0, 3},
                                    {Activity::kPython, 2'000, 0, 0, 0}};
  for (uint32_t pair = 0; pair < 8; ++pair) {
    for (const bool by_graph : {false, true}) {
      session::ComparisonRun run;
      run.pair = pair;
      run.traced = by_graph;
      run.with_events = pair % 2 == 0;
      run.start_ns = now;
      for (const Step& step : by_graph ? traced : eager) {
        session::ComparisonMark mark;
        mark.start_ns = now;
        mark.activity = step.activity;
        if (step.activity == Activity::kKernel) {
          mark.op = OpId(step.op);
          if (by_graph) mark.graph = GraphId(10), mark.node = NodeId(step.node);
          else mark.source = {CodeId(1), step.line};
        }
        if (run.with_events) run.marks.push_back(mark);
        now += step.ns;
      }
      run.end_ns = now;
      now += 1000;
      record.runs.push_back(std::move(run));
    }
  }
  return record;
}

Document compared_document() {
  Document d = sample_document();
  d.comparisons.push_back(std::make_shared<const Comparison>(made_comparison()));
  d.comparisons.push_back(std::make_shared<const Comparison>(made_device_comparison()));
  return d;
}

}  // namespace footlight::app
