// The cost of recording: an op and a call with some work, with recording off, at level structure, at level ops,
// compared with the same work alone. Prints ns per event and the ratio to the budget of 60 ns above the
// op.
#include "engine/base/clock.h"
#include "engine/eager/execute.h"
#include "engine/ops/cost.h"
#include "engine/record/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace footlight;

namespace {

volatile uint32_t sink = 1;

// About the cost of a small op: 300 ns of arithmetic that cannot be skipped.
inline void work() {
  uint32_t x = sink;
  for (int i = 0; i < 100; ++i) x = x * 2654435761u + 12345u;
  sink = x;
}

// The op's inputs: their shapes are hashed at every event.
struct Operands {
  const OpRow* row = find_row("MatMul");
  Tensor in[2] = {Tensor::empty(DType::kFloat32, Shape{4, 4}), Tensor::empty(DType::kFloat32, Shape{4, 4})};
};
const Operands& operands() {
  static const Operands made;
  return made;
}

SourceRef somewhere() { return {CodeId(1), 24}; }

void bare() { work(); }

// As eager code does: the clock is read where the op begins and where it ends.
void with_op_event() {
  if (!recording_ops()) return work();
  OpEvent e;
  e.set_source(current_source());
  e.op = OpId(7);
  e.start_ns = now_ns();
  work();
  e.end_ns = now_ns();
  e.signature = signature_of(*operands().row, operands().in, {operands().in, 1});
  record_op(e);
}

// As an executor does: the end of one step is the start of the next.
int64_t previous_end = 0;
void with_adjacent_event() {
  if (!recording_ops()) return work();
  OpEvent e;
  e.op = OpId(7);
  e.call = CallId(3);
  e.set_node(GraphId(1), NodeId(9));
  e.start_ns = previous_end;
  const SignatureHash inputs = input_hash(*operands().row, operands().in);
  work();
  e.end_ns = previous_end = now_ns();
  e.signature = signature_of(*operands().row, inputs, operands().in, {operands().in, 1});
  record_op(e);
}

void with_call() {
  if (!recording_structure()) return work();
  CallEvent e;
  e.call = next_call_id();
  e.function = FunctionId(1);
  e.trace = TraceId(1);
  e.source = current_source();
  e.start_ns = now_ns();
  work();
  e.end_ns = now_ns();
  record_call(e);
}

constexpr int kRounds = 801, kEvents = 500;  // short rounds: most of them are not interrupted

template <class Body>
double once(Body body) {
  const int64_t start = now_ns();
  for (int i = 0; i < kEvents; ++i) body();
  return static_cast<double>(now_ns() - start) / kEvents;
}

double lower_quartile(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 4), v.end());
  return v[v.size() / 4];
}

// The bare loop alternates with the other one in every round, so that disturbances affect both.
template <class Body>
double over_bare(Body body) {
  std::vector<double> without, with;
  for (int i = 0; i < kRounds; ++i) {
    without.push_back(once(bare));
    with.push_back(once(body));
  }
  return lower_quartile(with) - lower_quartile(without);
}

void row(const char* what, double ns) {
  std::printf("%-58s %7.1f ns   %5.2fx the budget of 60 ns\n", what, ns, ns / 60);
}

}  // namespace

int main() {
  const char* base = std::getenv("TMPDIR");
  const std::string path = std::string(base ? base : "/tmp") + "/event_cost_" + std::to_string(getpid()) + ".footlight";
  front_end_hooks.source = somewhere;
  eager::init();
  row("op, recording off, over the op", over_bare(with_op_event));
  row("call, recording off, over the call", over_bare(with_call));
  record::start_recording(path, {}, RecordingLevel::kStructure);
  row("op, level structure, over the op", over_bare(with_op_event));
  row("call, level structure, over the call", over_bare(with_call));
  record::set_level(RecordingLevel::kOps);
  row("eager op, level ops, over the op", over_bare(with_op_event));
  previous_end = now_ns();
  row("op of a traced call, level ops, over the op", over_bare(with_adjacent_event));
  record::stop_recording({});
  unlink(path.c_str());
  std::vector<double> clock;
  for (int i = 0; i < kRounds; ++i) clock.push_back(once([] { sink = static_cast<uint32_t>(now_ns()); }));
  std::printf("%-58s %7.1f ns\n", "of that, one clock read", lower_quartile(clock));
  return 0;
}
