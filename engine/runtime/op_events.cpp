// Divides the time of a fused loop among its nodes by their estimated costs.
#include "engine/runtime/op_events.h"

#include "engine/base/activity.h"
#include "engine/base/clock.h"
#include "engine/base/thread_context.h"

#include <utility>
#include <vector>

namespace footlight::runtime {

using compile::Instruction;
using compile::Operand;
using compile::Program;
using fusion::FusedGroup;

OpEvent event_of(const Program& program, const Instruction& in, CallId call, SignatureId signature) {
  OpEvent event;
  event.call = call;
  const optimize::Origin origin = program.origin(in);
  if (program.has_origin(in)) event.set_node(origin.graph->id, origin.node);
  else event.set_source(program.node(in).source);
  event.signature = signature;
  event.op = program.node(in).op->id;
  return event;
}

void record_fused_group(const FusedRun& run) {
  const FusedGroup& group = run.group;
  const Instruction* const members = &run.instruction + 1;
  ActivityLog* const log = this_thread.activity;
  const ActivityScope recording(log, Activity::kRecording);
  const int64_t total_ns = now_ns() - run.start_ns;
  ActivityLog::Kernel kernel;
  if (log) {
    const OpEvent event = event_of(run.program, members[0], run.call, {});
    kernel = {&run.instruction, event.graph().value, event.node().value,
              input_hash(*run.program.node(members[0]).op, run.inputs).value()};
    if (log->add_parts(kernel)) return;
  }
  const auto tile_value = [&](uint16_t value) {  // a tensor of the value's type, without elements
    const FusedGroup::Value& v = group.values[value];
    return Tensor::within(v.dtype, group.shape_of(v, run.shape), Device::cpu(), {}, nullptr);
  };
  std::vector<OpEvent> events;
  std::vector<uint32_t> weights;
  std::vector<Tensor> read;
  uint64_t total_cost = 0, before = 0, until = 0;
  for (const FusedGroup::Step& step : group.steps) total_cost += group.cost_of(step, run.shape);
  const auto time_at = [&](uint64_t cost) {
    return run.start_ns + static_cast<int64_t>(static_cast<uint64_t>(total_ns) * cost / total_cost);
  };
  for (size_t s = 0; s < group.steps.size(); ++s) {
    const FusedGroup::Step& step = group.steps[s];
    const bool is_last_of_node = s + 1 == group.steps.size() || group.steps[s + 1].member != step.member;
    until += group.cost_of(step, run.shape);
    const Instruction& member = members[step.member];
    const bool repeats = step.kind == FusedGroup::Step::Kind::kRepeat;  // prepares an input of the next step
    for (uint8_t k = read.empty() ? uint8_t{0} : uint8_t{1}; !repeats && k < step.inputs; ++k) {
      const uint16_t v = group.is_repeated(step.in[k]) ? group.steps[step.in[k] - group.num_outside].in[0] : step.in[k];
      read.push_back(v < group.num_outside ? run.inputs[v] : tile_value(v));
    }
    if (!is_last_of_node) continue;
    if (step.kind == FusedGroup::Step::Kind::kReduce) {
      const Operand axes = run.executable.operands[member.first_input + 1];
      read.push_back(run.arrays[axes.array()][axes.index()]);
    }
    const Tensor output = tile_value(step.out);
    OpEvent& event = events.emplace_back(
        event_of(run.program, member, run.call, signature_of(*run.program.node(member).op, read, {&output, 1})));
    event.start_ns = time_at(before);
    event.end_ns = time_at(until);
    weights.push_back(static_cast<uint32_t>(until - before));
    before = until;
    read.clear();
  }
  if (log) {
    log->describe(kernel, {std::move(events), std::move(weights)});
    log->add_parts(kernel);
    return;
  }
  for (const OpEvent& event : events) record_op(event);
}

}  // namespace footlight::runtime
