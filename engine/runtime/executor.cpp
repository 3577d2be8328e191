// Executes the instructions of a tape.
#include "engine/runtime/executor.h"

#include "engine/base/activity.h"
#include "engine/base/cancel.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/device_hooks.h"
#include "engine/base/running_node.h"
#include "engine/base/step_parallelism.h"
#include "engine/base/thread_pool.h"
#include "engine/jit/jit_loop.h"
#include "engine/ops/cost.h"
#include "engine/runtime/choose_tape.h"
#include "engine/runtime/decide.h"
#include "engine/runtime/frame.h"
#include "engine/runtime/fused_loop.h"
#include "engine/runtime/hooks.h"
#include "engine/runtime/inferred.h"
#include "engine/runtime/task_queue.h"
#include "engine/runtime/watch.h"
#include "engine/tensor/gpu.h"
#include "kernels/place.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace footlight::runtime {

constinit Hooks hooks;

namespace {

using fusion::FusedGroup;
using compile::Instruction;
using compile::ParallelSchedule;
using compile::Operand;
using compile::Program;
using fusion::Spread;
using compile::Step;
using compile::Tape;

// It holds a graph alive, so it cannot be part of ThreadContext.
thread_local Failure last_failure;

[[noreturn]] void not_fed(const Node& placeholder) {
  const Shape& shape = placeholder.shapes[0];
  const bool any = !shape.has_rank();
  fail(ErrorKind::kInvalidArgument, "You must feed a value for placeholder tensor '", placeholder.name, "' with dtype ",
       short_name(placeholder.dtypes[0]), any ? "" : " and shape ", any ? "" : shape.brackets());
}

// Whether a result's host memory can be written again: nobody else holds it, and it has the right size.
bool serves(const Tensor& t, DType dtype, const Shape& shape) {
  return t && t.dtype() == dtype && t.exclusive() && t.shape() == shape && t.device() == Device::cpu();
}

// Runs a program once or, for a loop, once per iteration in the same slots.
class Run {
 public:
  Run(const Program& program, const Tape& tape, CallId call)
      : Run(program, tape, call, recording_ops(), device_access.copy != nullptr) {
    if (recording_ && program.recorded.load(std::memory_order_acquire) != recording_number.load()) [[unlikely]]
      record_graph(program);
    slots_ = frame_.emplace(tape, devices_).slots();
    bases_[Operand::kFrame] = slots_;
    bases_[Operand::kConstant] = program.constants.data();
  }
  // Joins a run on another thread.
  explicit Run(const Run& whole) : Run(whole.program_, whole.tape_, whole.call_, whole.recording_, whole.devices_) {
    slots_ = whole.slots_;
    std::ranges::copy(whole.bases_, bases_);
  }

  // Runs the program once; `outputs` get the results.
  void turn(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    bases_[Operand::kInput] = inputs.data();
    if (watch_) [[unlikely]] watch_->entered(program_, inputs);
    last_end_ = 0;  // between two runs of a loop's condition its body runs
    const Instruction* const code = tape_.code.data();
    const Instruction* at = code;
    const Instruction* const end = at + tape_.code.size();
    try {
      if (&tape_ == &program_) [[likely]] {
        if (program_.schedule.state() == ParallelSchedule::State::kMeasuring && may_be_measured(inputs)) [[unlikely]]
          measured(at, end, inputs);
        else
          straight(at, end);
      } else {
        const bool trial = program_.schedule.on_trial();
        int64_t took = 0;
        for (const compile::Section& section : tape_.sections) {
          straight(at, code + section.first);
          const int64_t start = trial ? now_ns() : 0;
          side_by_side(section);
          if (trial) took += now_ns() - start;
          at = code + section.end;
        }
        straight(at, end);
        if (trial) program_.schedule.add_trial(took);
      }
    } catch (...) {
      if (!last_failure.graph) note_failure(*at);
      frame_->spoilt();
      throw;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Operand from = tape_.results[i];
      if (from.array() == Operand::kFrame && tape_.last_result[i])
        outputs[i] = std::move(slots_[from.index()]);
      else if (const Tensor& value = bases_[from.array()][from.index()]; outputs[i].body() != value.body())
        outputs[i] = value;  // otherwise an earlier iteration passed it on
    }
  }

  // Called after an iteration: the next may write results to this memory, if nobody else holds it by then.
  void leave(std::span<Tensor> outputs) {
    for (size_t i = 0; i < outputs.size(); ++i)
      if (const Operand at = tape_.results[i]; at.array() == Operand::kFrame && tape_.last_result[i])
        slots_[at.index()] = std::move(outputs[i]);
  }

  // Whether, since the run began, another tape was found to be better.
  bool outdated() const {
    return &tape_ == &program_ && program_.schedule.state() == ParallelSchedule::State::kParallel && may_run_beside();
  }

 private:
  static constexpr uint32_t kWide = 32;

  Run(const Program& program, const Tape& tape, CallId call, bool recording, bool devices)
      : program_(program), tape_(tape), call_(call), recording_(recording), devices_(devices) {
    if (program.widest > kWide) {
      many_.resize(program.widest);
      gathered_ = many_.data();
    }
  }

  bool may_be_measured(std::span<const Tensor> inputs) const {
    return may_run_beside() && !program_.schedule.too_small(elements_of(inputs));
  }

  void note_failure(const Instruction& at) const {
    const optimize::Origin origin = program_.origin(at);
    last_failure = {const_cast<Graph*>(origin.graph)->shared_from_this(), origin.node};
  }

  // Runs instructions in order. If one fails, `at` points to it.
  void straight(const Instruction*& at, const Instruction* end) {
    for (; at < end; ++at) {
      check_cancelled();
      if (at->step == Step::kFused) {
        if (fused(*at)) at += at->skip;
      } else {
        step_and_release(*at);
      }
    }
  }

  // Measures how long each step takes.
  void measured(const Instruction*& at, const Instruction* end, std::span<const Tensor> inputs) {
    std::vector<compile::Cost> costs(tape_.code.size());
    for (int64_t before = now_ns(); at < end;) {
      compile::Cost& cost = costs[static_cast<size_t>(at - tape_.code.data())];
      {
        const PoolTime pool;
        straight(at, at + 1 + at->skip);
        cost.pool_ns = pool.ns();
      }
      const int64_t now = now_ns();
      cost.ns = now - before;
      before = now;
    }
    program_.schedule.add_run(program_, costs, elements_of(inputs));
  }

  void side_by_side(const compile::Section& section) {
    TaskQueue tasks(section);
    const auto threads =
        static_cast<int64_t>(std::min(static_cast<size_t>(max_parallel_steps()), section.tasks.size()));
    parallel_for(threads, 1, [&](int64_t, int64_t) {  // one range for all where the pool is busy
      const InCall scope(call_);
      Run part(*this);
      tasks.work([&](const compile::Task& task) { part.run_task(task, tasks); },
                 [&](uint32_t slot) { slots_[slot] = Tensor(); });
    });
    last_end_ = 0;  // the previous step of this thread ended long ago
    for (const uint32_t slot : section.released) slots_[slot] = Tensor();
    if (!tasks.error()) return;
    last_failure = tasks.take_failure();
    std::rethrow_exception(tasks.error());
  }

  void run_task(const compile::Task& task, TaskQueue& tasks) {
    const Instruction* const code = tape_.code.data();
    const Instruction* at = code;
    last_end_ = 0;
    try {
      for (const uint32_t first : task.steps) {
        if (!tasks.wanted(first)) return;
        at = code + first;
        straight(at, at + 1 + at->skip);
      }
    } catch (...) {
      if (!last_failure.graph) note_failure(*at);
      tasks.failed(static_cast<uint32_t>(at - code), take_failure());
    }
  }

  // The recording must know the graph before events name its nodes.
  static void record_graph(const Program& program) {
    const uint32_t recording = recording_number.load();
    if (hooks.graph_runs) hooks.graph_runs(program);
    program.recorded.store(recording, std::memory_order_release);
  }

  std::span<const Tensor> gather(const Instruction& in) {
    static_assert(sizeof(Tensor) == sizeof(TensorBody*));
    const Operand* operands = tape_.operands.data() + in.first_input;
    for (uint32_t i = 0; i < in.inputs; ++i) gathered_[i] = bases_[operands[i].array()][operands[i].index()].body();
    return {reinterpret_cast<const Tensor*>(gathered_), in.inputs};
  }

  void step_and_release(const Instruction& in) {
    if (watch_) [[unlikely]] return watched_step(in);
    step(in);
    release(in);
  }

  void step(const Instruction& in) {
    if (in.step == Step::kKernel && devices_ && needs_device(in)) [[unlikely]] {
      device_kernel(in);
    } else if (in.step == Step::kKernel && !recording_) [[likely]] {
      kernel<false>(in);
    } else if (in.step == Step::kKernel) {
      recorded_kernel(in);
    } else {
      control(in);
    }
  }

  // Holds the inputs, because a result may overwrite the slot of one.
  void watched_step(const Instruction& in) {
    const std::span<const Tensor> read = gather(in);
    const std::vector<Tensor> inputs(read.begin(), read.end());
    const std::span<Tensor> outputs(slots_ + in.first_output, in.outputs);
    if (!watch_->supply(program_, in, outputs)) step(in);
    watch_->ran(program_, in, inputs, outputs);
    release(in);
  }

  void release(const Instruction& in) {
    const uint32_t* released = tape_.released.data() + in.first_released;
    for (uint32_t i = 0; i < in.released; ++i) slots_[released[i]] = Tensor();
  }

  // False if nodes must run one by one: somebody watches each of them, or their shapes do not fit.
  bool fused(const Instruction& in) {
    const FusedGroup& group = tape_.groups[static_cast<size_t>(in.callee)];
    const std::span<const Tensor> inputs = gather(in);
    if (watched() || (devices_ && any_on_device(inputs))) [[unlikely]] return false;
    if (group.is_static) {
      run_fused(in, group, inputs, group.shape, group.known_spreads());
    } else {
      static thread_local Spread over[fusion::kMaxOutside];  // large, and fused loops do not nest
      Shape shape;
      if (!group.infer_shapes(inputs, shape, over)) return false;
      run_fused(in, group, inputs, shape, {over, group.outside});
    }
    release(in);
    return true;
  }

  void run_fused(const Instruction& in, const FusedGroup& group, std::span<const Tensor> inputs, const Shape& shape,
            std::span<const Spread> over) {
    ActivityLog* const log = recording_ ? this_thread.activity : nullptr;
    if (recording_ && !last_end_) last_end_ = now_ns();
    constexpr size_t kFew = 2;
    Tensor few[kFew];
    std::vector<Tensor> many(group.results.size() > kFew ? group.results.size() : 0);
    Tensor* const fresh = many.empty() ? few : many.data();
    void* to[fusion::kMaxSteps];
    const auto slot_of = [&](const FusedGroup::Result& result) { return (&in)[1 + result.member].first_output; };
    {
      const ActivityScope allocation(log, Activity::kAllocation);
      for (size_t k = 0; k < group.results.size(); ++k) {
        const FusedGroup::Result& result = group.results[k];
        const bool whole = group.values[result.value].level == fusion::Level::kWhole;
        const Shape left = whole ? Shape() : group.shape_of(group.values[result.value], shape);
        const Shape& own = whole ? shape : left;
        const Tensor* memory = &slots_[slot_of(result)];
        if (!serves(*memory, result.dtype, own)) {
          memory = &fresh[k];
          if (result.reuse != FusedGroup::kNoReuse && inputs[result.reuse].exclusive() &&
              inputs[result.reuse].shape() == own)
            fresh[k] = std::move(slots_[tape_.operands[in.first_input + result.reuse].index()]);
          else
            fresh[k] = Tensor::empty(result.dtype, own);
        }
        to[k] = memory->raw();
      }
    }
    const int64_t compile_before = this_thread.jit_compile_ns;
    {
      const ActivityScope running(log, Activity::kKernel);
      run_fused_loop(group, inputs, over, shape, {to, group.results.size()});
    }
    if (recording_) [[unlikely]] {
      last_end_ += this_thread.jit_compile_ns - compile_before;  // compiling is not part of the ops' time
      record_group(in, group, inputs, shape);
    }
    for (size_t k = 0; k < group.results.size(); ++k)
      if (fresh[k]) slots_[slot_of(group.results[k])] = std::move(fresh[k]);
  }

  // Records an event for each node, as if they had run one after the other, each for its share of the time.
  void record_group(const Instruction& in, const FusedGroup& group, std::span<const Tensor> inputs,
                    const Shape& shape) {
    ActivityLog* const log = this_thread.activity;
    const ActivityScope recording(log, Activity::kRecording);
    const int64_t start = last_end_, all = now_ns() - start;
    last_end_ = 0;  // the time of recording does not count as the next op's
    ActivityLog::Kernel kernel;
    if (log) {
      const Instruction& first = (&in)[1];
      const OpEvent event = event_of(first, {});
      kernel = {&in, event.graph().value, event.node().value, input_hash(*program_.node(first).op, inputs).value()};
      if (log->add_parts(kernel)) return;
    }
    const auto inside = [&](uint16_t value) {  // it was in a tile
      const FusedGroup::Value& v = group.values[value];
      return Tensor::within(v.dtype, group.shape_of(v, shape), Device::cpu(), {}, nullptr);
    };
    std::vector<OpEvent> events;
    std::vector<uint32_t> weights;
    std::vector<Tensor> read;
    uint64_t whole = 0, before = 0, until = 0;
    for (const FusedGroup::Step& step : group.steps) whole += group.cost_of(step, shape);
    for (size_t s = 0; s < group.steps.size(); ++s) {
      const FusedGroup::Step& step = group.steps[s];
      const bool last = s + 1 == group.steps.size() || group.steps[s + 1].member != step.member;
      until += group.cost_of(step, shape);
      const Instruction& member = (&in)[1 + step.member];
      const bool repeats = step.kind == FusedGroup::Step::Kind::kRepeat;  // an input of the next step
      for (uint8_t k = read.empty() ? uint8_t{0} : uint8_t{1}; !repeats && k < step.inputs; ++k) {
        const uint16_t v = group.repeated(step.in[k]) ? group.steps[step.in[k] - group.outside].in[0] : step.in[k];
        read.push_back(v < group.outside ? inputs[v] : inside(v));
      }
      if (!last) continue;
      if (step.kind == FusedGroup::Step::Kind::kReduce) {
        const Operand axes = tape_.operands[member.first_input + 1];
        read.push_back(bases_[axes.array()][axes.index()]);
      }
      const Tensor made = inside(step.out);
      OpEvent& event = events.emplace_back(event_of(member, signature_of(*program_.node(member).op, read, {&made, 1})));
      event.start_ns = start + static_cast<int64_t>(static_cast<uint64_t>(all) * before / whole);
      event.end_ns = start + static_cast<int64_t>(static_cast<uint64_t>(all) * until / whole);
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

  template <bool kRecorded>
  void kernel(const Instruction& in) {
    ActivityLog* const log = kRecorded ? this_thread.activity : nullptr;
    const Node& node = program_.node(in);
    const std::span<const Tensor> inputs = gather(in);
    const std::span<Tensor> outputs(slots_ + in.first_output, in.outputs);
    if (in.aliases) {
      const ActivityScope running(log, Activity::kKernel);
      return alias(in, node, inputs, outputs[0]);
    }
    if (!in.kernel) no_kernel(DeviceType::kCpu, *node.op, node.dtypes.empty() ? DType::kFloat32 : node.dtypes[0]);
    Tensor before;  // the old tensor in the output's slot: if it is an input, it must live until the kernel is done
    if (in.static_outputs && in.outputs == 1 && !watched() && serves(outputs[0], node.dtypes[0], node.shapes[0])) {
    } else if (in.reuse != Instruction::kNoReuse && !watched() && take_over(in, node, inputs, outputs[0])) {
    } else {
      const ActivityScope allocation(log, Activity::kAllocation);
      before = clear(outputs);
      if (!in.static_outputs) allocate_inferred(*node.op, node.attrs, inputs, outputs);
      else for (uint32_t i = 0; i < in.outputs; ++i) outputs[i] = Tensor::empty(node.dtypes[i], node.shapes[i]);
    }
    KernelContext context{*node.op, node.attrs, inputs, outputs};
    {
      const ActivityScope running(log, Activity::kKernel);
      in.kernel(context);
    }
    if (result_watch) [[unlikely]] result_watch(*node.op, inputs, outputs, Device::cpu());
  }

  bool watched() const { return result_watch || (watch_ && watch_->every_node); }

  static Tensor clear(std::span<Tensor> outputs) {
    if (outputs.empty()) return {};
    for (Tensor& output : outputs.subspan(1)) output = Tensor();
    return std::move(outputs[0]);
  }

  // Makes the output a view of the input with another shape.
  void alias(const Instruction& in, const Node& node, std::span<const Tensor> inputs, Tensor& output) {
    if (in.static_outputs) {
      output = inputs[static_cast<size_t>(node.op->alias_input)].reshaped(node.shapes[0]);
      return;
    }
    DType dtype;
    Shape shape;
    RunInference inference(*node.op, node.attrs, inputs, {&dtype, 1}, {&shape, 1});
    infer_outputs(inference);
    output = inputs[static_cast<size_t>(node.op->alias_input)].reshaped(shape);
  }

  // Reuses the memory of an input that dies here for the output, if nothing else holds it.
  bool take_over(const Instruction& in, const Node& node, std::span<const Tensor> inputs, Tensor& output) {
    Tensor& input = slots_[tape_.operands[in.first_input + in.reuse].index()];
    if (!input || !input.exclusive()) return false;
    if (!in.static_outputs) {
      DType dtype;
      Shape shape;
      RunInference inference(*node.op, node.attrs, inputs, {&dtype, 1}, {&shape, 1});
      infer_outputs(inference);
      if (dtype != input.dtype() || !(shape == input.shape())) return false;
    }
    output = std::move(input);
    return true;
  }

  // Whether the instruction runs on a device or has inputs there.
  bool needs_device(const Instruction& in) {
    return (in.placed && in.device.type != DeviceType::kCpu) || any_on_device(gather(in));
  }

  void device_kernel(const Instruction& in) {
    if (!last_end_) last_end_ = now_ns();
    const int64_t start = last_end_;
    std::optional<SignatureHash> on;
    Placement place;
    {
      const DeviceWork work(recording_);
      const Node& node = program_.node(in);
      const OpRow& row = *node.op;
      const std::span<const Tensor> inputs = gather(in);
      const std::span<Tensor> outputs(slots_ + in.first_output, in.outputs);
      if (recording_) on = input_hash(row, inputs);
      const DType dtype = dispatch_dtype(row, inputs, node.dtypes);
      place = place_of(row, inputs, dtype, in.placed ? &in.device : nullptr);
      if (!place.kernel) no_kernel(DeviceType::kCpu, row, dtype);
      std::vector<Tensor> moved;
      const std::span<const Tensor> here = move_inputs(row, inputs, place.device, moved) ? moved : inputs;
      const Tensor before = clear(outputs);
      allocate_inferred(row, node.attrs, here, outputs, place.device);
      KernelContext context{row, node.attrs, here, outputs, place.device, place.stream()};
      const bool host = place.device.type == DeviceType::kCpu;
      const ActivityScope running(recording_ ? this_thread.activity : nullptr,
                                  host ? Activity::kKernel : Activity::kLaunch);
      place.kernel(context);
      if (result_watch) [[unlikely]] result_watch(row, inputs, outputs, place.device);
    }
    if (on) record(in, start, place.device, *on);
  }

  void recorded_kernel(const Instruction& in) {
    if (!last_end_) last_end_ = now_ns();
    const int64_t start = last_end_;
    const SignatureHash inputs = [&] {
      const ActivityScope recording(this_thread.activity, Activity::kRecording);
      return input_hash(*program_.node(in).op, gather(in));
    }();
    std::optional<RunningNode> running;
    if (const Node& node = program_.node(in); node.dtypes.size() == 1 && node.dtypes[0] == DType::kVariant) {
      const optimize::Origin origin = program_.origin(in);
      running.emplace(program_.has_origin(in) ? origin.graph->node(origin.node).source : node.source);
    }
    kernel<true>(in);
    running.reset();
    record(in, start, Device::cpu(), inputs);
  }

  void record(const Instruction& in, int64_t start, Device device, SignatureHash inputs) {
    ActivityLog* const log = this_thread.activity;
    const ActivityScope recording(log, Activity::kRecording);
    const int64_t end = last_end_ = now_ns();
    OpEvent event = event_of(in, signature_of(*program_.node(in).op, inputs, gather(in),
                                              {slots_ + in.first_output, in.outputs}));
    event.start_ns = start;
    event.end_ns = end;
    event.device = device.type == DeviceType::kGpu ? static_cast<uint8_t>(1 + device.index) : 0;
    if (log) log->add(event);
    else record_op(event);
  }

  OpEvent event_of(const Instruction& in, SignatureId signature) const {
    OpEvent event;
    event.call = call_;
    const optimize::Origin origin = program_.origin(in);
    if (program_.has_origin(in)) event.set_node(origin.graph->id, origin.node);
    else event.set_source(program_.node(in).source);
    event.signature = signature;
    event.op = program_.node(in).op->id;
    return event;
  }

  void control(const Instruction& in) {
    const std::span<const Tensor> inputs = gather(in);
    const std::span<Tensor> outputs(slots_ + in.first_output, in.outputs);
    last_end_ = 0;
    switch (in.step) {
      case Step::kIf: {
        const int32_t taken = truth(inputs[0]) ? in.callee : in.other;
        runtime::run(*program_.callees[static_cast<size_t>(taken)], inputs.subspan(1), outputs, call_);
        break;
      }
      case Step::kCase: {
        const int32_t asked = number(inputs[0]);
        const int32_t last = in.other - 1;
        const int32_t taken = asked < 0 || asked > last - in.callee ? last : in.callee + asked;
        const int32_t callee = program_.branches[static_cast<size_t>(taken)];
        runtime::run(*program_.callees[static_cast<size_t>(callee)], inputs.subspan(1), outputs, call_);
        break;
      }
      case Step::kCall:
        runtime::run(*program_.callees[static_cast<size_t>(in.callee)], inputs, outputs, call_);
        break;
      case Step::kWhile: loop(in, inputs, outputs); break;
      case Step::kFake: {  // stands for the value of the branch that did not run: nobody reads its elements
        const Node& node = program_.node(in);
        if (node.op->execution == Execution::kPlaceholder)
          not_fed(node);
        const DType dtype = node.dtypes[0];
        const bool one = dtype == DType::kResource || dtype == DType::kVariant;
        outputs[0] = Tensor::empty(dtype, one ? Shape() : Shape{0});
        break;
      }
      case Step::kKernel:
      case Step::kFused: break;
    }
  }

  void loop(const Instruction& in, std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    const Program& condition = *program_.callees[static_cast<size_t>(in.callee)];
    const Program& program = *program_.callees[static_cast<size_t>(in.other)];
    Run test(condition, condition, call_);
    std::optional<Run> body;
    body.emplace(program, tape_for(program, inputs), call_);
    std::copy(inputs.begin(), inputs.end(), outputs.begin());
    std::vector<Tensor> next(outputs.size());
    Tensor again;
    for (;;) {
      check_cancelled();
      test.turn(outputs, {&again, 1});
      if (!truth(again)) return;
      test.leave({&again, 1});
      body->turn(outputs, next);
      for (size_t i = 0; i < next.size(); ++i) std::swap(outputs[i], next[i]);
      body->leave(next);
      if (body->outdated()) [[unlikely]] body.emplace(program, tape_for(program, outputs), call_);
    }
  }

  const Program& program_;
  const Tape& tape_;
  const Tensor* bases_[3] = {};
  TensorBody* few_[kWide];
  std::vector<TensorBody*> many_;
  TensorBody** gathered_ = few_;
  CallId call_;
  bool recording_;
  NodeWatch* const watch_ = this_thread.node_watch;
  const bool devices_;  // whether devices exist, so that each instruction is checked
  int64_t last_end_ = 0;
  std::optional<Frame> frame_;  // empty if this run is a part of another
  Tensor* slots_ = nullptr;
};

}  // namespace

void run(const Program& program, std::span<const Tensor> inputs, std::span<Tensor> outputs, CallId call) {
  FL_CHECK(inputs.size() == program.inputs && outputs.size() == program.results.size());
  const InCall scope(call);  // device events name the call that caused them
  Run(program, tape_for(program, inputs), call).turn(inputs, outputs);
}

std::vector<Tensor> run_op(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs) {
  std::vector<Tensor> outputs(output_count(row, inputs, attrs));
  allocate_inferred(row, attrs, inputs, outputs);
  const DType output = !outputs.empty() && outputs[0] ? outputs[0].dtype() : DType::kFloat32;
  const DType dtype = dispatch_dtype(row, inputs, {&output, 1});
  const Kernel kernel = kernel_for(DeviceType::kCpu, row.id, dtype);
  if (!kernel) no_kernel(DeviceType::kCpu, row, dtype);
  KernelContext context{row, attrs, inputs, outputs};
  kernel(context);
  if (result_watch) [[unlikely]] result_watch(row, inputs, outputs, Device::cpu());
  return outputs;
}

Failure take_failure() { return std::exchange(last_failure, {}); }

}  // namespace footlight::runtime
