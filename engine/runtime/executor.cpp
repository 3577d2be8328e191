// Executes instructions: in order, or in sections whose tasks run on several threads.
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
#include "engine/runtime/allocate_outputs.h"
#include "engine/runtime/choose_executable.h"
#include "engine/runtime/condition.h"
#include "engine/runtime/frame.h"
#include "engine/runtime/fused_loop.h"
#include "engine/runtime/hooks.h"
#include "engine/runtime/op_events.h"
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

using compile::Executable;
using compile::Instruction;
using compile::Opcode;
using compile::Operand;
using compile::ParallelSchedule;
using compile::Program;
using fusion::FusedGroup;
using fusion::Spread;

// It holds a graph alive, so it cannot be part of ThreadContext.
thread_local Failure last_failure;

[[noreturn]] void fail_not_fed(const Node& placeholder) {
  const Shape& shape = placeholder.shapes[0];
  const bool any_shape = !shape.has_rank();
  fail(ErrorKind::kInvalidArgument, "You must feed a value for placeholder tensor '", placeholder.name, "' with dtype ",
       short_name(placeholder.dtypes[0]), any_shape ? "" : " and shape ", any_shape ? "" : shape.brackets());
}

// Whether this result of an earlier run can be overwritten: nobody else holds it, and it has the right type.
bool can_overwrite(const Tensor& t, DType dtype, const Shape& shape) {
  return t && t.dtype() == dtype && t.exclusive() && t.shape() == shape && t.device() == Device::cpu();
}

// Runs a program once or, for a loop, once per iteration in the same slots.
class Run {
 public:
  Run(const Program& program, const Executable& executable, CallId call)
      : Run(program, executable, call, recording_ops(), device_access.copy != nullptr) {
    if (recording_ && program.recorded.load(std::memory_order_acquire) != recording_number.load()) [[unlikely]]
      register_graph(program);
    slots_ = frame_.emplace(executable, devices_).slots();
    bases_[Operand::kFrame] = slots_;
    bases_[Operand::kConstant] = program.constants.data();
  }
  // Takes part in a run of another thread.
  explicit Run(const Run& whole)
      : Run(whole.program_, whole.executable_, whole.call_, whole.recording_, whole.devices_) {
    slots_ = whole.slots_;
    std::ranges::copy(whole.bases_, bases_);
  }

  // Runs the program once; `outputs` get the results.
  void run_once(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    bases_[Operand::kInput] = inputs.data();
    if (watch_) [[unlikely]] watch_->on_entry(program_, inputs);
    last_end_ = 0;  // time has passed: between two runs of a loop's condition its body runs
    const Instruction* const code = executable_.code.data();
    const Instruction* at = code;
    const Instruction* const end = at + executable_.code.size();
    try {
      if (&executable_ == &program_) [[likely]] {
        if (program_.schedule.state() == ParallelSchedule::State::kMeasuring && can_be_measured(inputs)) [[unlikely]]
          run_measured(at, end, inputs);
        else
          run_serially(at, end);
      } else {
        const bool trial = program_.schedule.on_trial();
        int64_t took = 0;
        for (const compile::Section& section : executable_.sections) {
          run_serially(at, code + section.first);
          const int64_t start = trial ? now_ns() : 0;
          run_section(section);
          if (trial) took += now_ns() - start;
          at = code + section.end;
        }
        run_serially(at, end);
        if (trial) program_.schedule.add_trial(took);
      }
    } catch (...) {
      if (!last_failure.graph) set_last_failure(*at);
      frame_->invalidate();
      throw;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Operand from = executable_.results[i];
      if (from.array() == Operand::kFrame && executable_.last_result[i])
        outputs[i] = std::move(slots_[from.index()]);
      else if (const Tensor& value = bases_[from.array()][from.index()]; outputs[i].body() != value.body())
        outputs[i] = value;  // unless an earlier iteration put the same tensor there
    }
  }

  // Gives back results of an iteration: the next one may overwrite their memory, if nobody else holds it by then.
  void recycle_outputs(std::span<Tensor> outputs) {
    for (size_t i = 0; i < outputs.size(); ++i)
      if (const Operand at = executable_.results[i]; at.array() == Operand::kFrame && executable_.last_result[i])
        slots_[at.index()] = std::move(outputs[i]);
  }

  // Whether the decision to run in parallel was taken after this run had begun.
  bool should_become_parallel() const {
    return &executable_ == &program_ && program_.schedule.state() == ParallelSchedule::State::kParallel &&
           can_run_steps_in_parallel();
  }

 private:
  static constexpr uint32_t kMaxInlineInputs = 32;

  Run(const Program& program, const Executable& executable, CallId call, bool recording, bool devices)
      : program_(program), executable_(executable), call_(call), recording_(recording), devices_(devices) {
    if (program.max_inputs > kMaxInlineInputs) {
      heap_inputs_.resize(program.max_inputs);
      inputs_ = heap_inputs_.data();
    }
  }

  bool can_be_measured(std::span<const Tensor> inputs) const {
    return can_run_steps_in_parallel() && !program_.schedule.is_too_small(elements_of(inputs));
  }

  void set_last_failure(const Instruction& at) const {
    const optimize::Origin origin = program_.origin(at);
    last_failure = {const_cast<Graph*>(origin.graph)->shared_from_this(), origin.node};
  }

  // Runs instructions in order. If one fails, `at` points to it.
  void run_serially(const Instruction*& at, const Instruction* end) {
    for (; at < end; ++at) {
      check_cancelled();
      if (at->opcode == Opcode::kFused) {
        if (try_fused(*at)) at += at->skip;
      } else {
        execute_and_release(*at);
      }
    }
  }

  // Runs serially and measures how long each step takes.
  void run_measured(const Instruction*& at, const Instruction* end, std::span<const Tensor> inputs) {
    std::vector<compile::Cost> costs(executable_.code.size());
    for (int64_t before = now_ns(); at < end;) {
      compile::Cost& cost = costs[static_cast<size_t>(at - executable_.code.data())];
      {
        const PoolTime pool;
        run_serially(at, at + 1 + at->skip);
        cost.pool_ns = pool.ns();
      }
      const int64_t now = now_ns();
      cost.ns = now - before;
      before = now;
    }
    program_.schedule.add_run(program_, costs, elements_of(inputs));
  }

  void run_section(const compile::Section& section) {
    TaskQueue tasks(section);
    const auto threads =
        static_cast<int64_t>(std::min(static_cast<size_t>(max_parallel_steps()), section.tasks.size()));
    parallel_for(threads, 1, [&](int64_t, int64_t) {  // a single range if the pool is busy
      const CallScope scope(call_);
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
    const Instruction* const code = executable_.code.data();
    const Instruction* at = code;
    last_end_ = 0;
    try {
      for (const uint32_t first : task.steps) {
        if (!tasks.should_run(first)) return;
        at = code + first;
        run_serially(at, at + 1 + at->skip);
      }
    } catch (...) {
      if (!last_failure.graph) set_last_failure(*at);
      tasks.set_failed(static_cast<uint32_t>(at - code), take_failure());
    }
  }

  // The recording must know the graph before events name its nodes.
  static void register_graph(const Program& program) {
    const uint32_t recording = recording_number.load();
    if (hooks.graph_runs) hooks.graph_runs(program);
    program.recorded.store(recording, std::memory_order_release);
  }

  std::span<const Tensor> gather(const Instruction& in) {
    static_assert(sizeof(Tensor) == sizeof(TensorBody*));
    const Operand* operands = executable_.operands.data() + in.first_input;
    for (uint32_t i = 0; i < in.inputs; ++i) inputs_[i] = bases_[operands[i].array()][operands[i].index()].body();
    return {reinterpret_cast<const Tensor*>(inputs_), in.inputs};
  }

  void execute_and_release(const Instruction& in) {
    if (watch_) [[unlikely]] return execute_watched(in);
    execute(in);
    release(in);
  }

  void execute(const Instruction& in) {
    if (in.opcode == Opcode::kKernel && devices_ && needs_device(in)) [[unlikely]] {
      run_device_kernel(in);
    } else if (in.opcode == Opcode::kKernel && !recording_) [[likely]] {
      run_kernel<false>(in);
    } else if (in.opcode == Opcode::kKernel) {
      run_recorded_kernel(in);
    } else {
      run_control_flow(in);
    }
  }

  // Holds the inputs, because a result may overwrite the slot of one.
  void execute_watched(const Instruction& in) {
    const std::span<const Tensor> read = gather(in);
    const std::vector<Tensor> inputs(read.begin(), read.end());
    const std::span<Tensor> outputs(slots_ + in.first_output, in.outputs);
    if (!watch_->supply(program_, in, outputs)) execute(in);
    watch_->on_result(program_, in, inputs, outputs);
    release(in);
  }

  void release(const Instruction& in) {
    const uint32_t* released = executable_.released.data() + in.first_released;
    for (uint32_t i = 0; i < in.released; ++i) slots_[released[i]] = Tensor();
  }

  // Runs a fused group. False if its nodes must run one by one: somebody watches them, an input is on a device, or the
  // shapes do not fit.
  bool try_fused(const Instruction& in) {
    const FusedGroup& group = executable_.groups[static_cast<size_t>(in.callee)];
    const std::span<const Tensor> inputs = gather(in);
    if (watches_every_node() || (devices_ && any_on_device(inputs))) [[unlikely]] return false;
    if (group.is_static) {
      run_fused(in, group, inputs, group.shape, group.known_spreads());
    } else {
      static thread_local Spread over[fusion::kMaxOutside];  // large, and fused loops do not nest
      Shape shape;
      if (!group.infer_shapes(inputs, shape, over)) return false;
      run_fused(in, group, inputs, shape, {over, group.num_outside});
    }
    release(in);
    return true;
  }

  void run_fused(const Instruction& in, const FusedGroup& group, std::span<const Tensor> inputs, const Shape& shape,
                 std::span<const Spread> over) {
    ActivityLog* const log = recording_ ? this_thread.activity : nullptr;
    if (recording_ && !last_end_) last_end_ = now_ns();
    constexpr size_t kMaxInlineResults = 2;
    Tensor on_stack[kMaxInlineResults];
    std::vector<Tensor> on_heap(group.results.size() > kMaxInlineResults ? group.results.size() : 0);
    Tensor* const fresh = on_heap.empty() ? on_stack : on_heap.data();
    void* to[fusion::kMaxSteps];
    const auto slot_of = [&](const FusedGroup::Result& result) { return (&in)[1 + result.member].first_output; };
    {
      const ActivityScope allocation(log, Activity::kAllocation);
      for (size_t k = 0; k < group.results.size(); ++k) {
        const FusedGroup::Result& result = group.results[k];
        const bool whole = group.values[result.value].level == fusion::Level::kWhole;
        const Shape reduced = whole ? Shape() : group.shape_of(group.values[result.value], shape);
        const Shape& own = whole ? shape : reduced;
        const Tensor* memory = &slots_[slot_of(result)];
        if (!can_overwrite(*memory, result.dtype, own)) {
          memory = &fresh[k];
          if (result.reuse != FusedGroup::kNoReuse && inputs[result.reuse].exclusive() &&
              inputs[result.reuse].shape() == own)
            fresh[k] = std::move(slots_[executable_.operands[in.first_input + result.reuse].index()]);
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
      record_fused_group({program_, executable_, in, group, inputs, shape, bases_, call_, last_end_});
      last_end_ = 0;  // the time of recording does not count as the next op's
    }
    for (size_t k = 0; k < group.results.size(); ++k)
      if (fresh[k]) slots_[slot_of(group.results[k])] = std::move(fresh[k]);
  }

  template <bool kRecorded>
  void run_kernel(const Instruction& in) {
    ActivityLog* const log = kRecorded ? this_thread.activity : nullptr;
    const Node& node = program_.node(in);
    const std::span<const Tensor> inputs = gather(in);
    const std::span<Tensor> outputs(slots_ + in.first_output, in.outputs);
    if (in.aliases) {
      const ActivityScope running(log, Activity::kKernel);
      return make_view(in, node, inputs, outputs[0]);
    }
    if (!in.kernel) no_kernel(DeviceType::kCpu, *node.op, node.dtypes.empty() ? DType::kFloat32 : node.dtypes[0]);
    Tensor before;  // the old tensor in the output's slot: if it is an input, it must live until the kernel is done
    const bool overwrites = in.static_outputs && in.outputs == 1 && !watches_every_node() &&
                            can_overwrite(outputs[0], node.dtypes[0], node.shapes[0]);
    const bool has_memory = overwrites || (in.reuse != Instruction::kNoReuse && !watches_every_node() &&
                                           reuse_input(in, node, inputs, outputs[0]));
    if (!has_memory) {
      const ActivityScope allocation(log, Activity::kAllocation);
      before = release_outputs(outputs);
      if (!in.static_outputs) allocate_outputs(*node.op, node.attrs, inputs, outputs);
      else for (uint32_t i = 0; i < in.outputs; ++i) outputs[i] = Tensor::empty(node.dtypes[i], node.shapes[i]);
    }
    KernelContext context{*node.op, node.attrs, inputs, outputs};
    {
      const ActivityScope running(log, Activity::kKernel);
      in.kernel(context);
    }
    if (result_watch) [[unlikely]] result_watch(*node.op, inputs, outputs, Device::cpu());
  }

  bool watches_every_node() const { return result_watch || (watch_ && watch_->every_node); }

  // Empties the slots. Returns the first tensor, which may be an input and must then live until the kernel is done.
  static Tensor release_outputs(std::span<Tensor> outputs) {
    if (outputs.empty()) return {};
    for (Tensor& output : outputs.subspan(1)) output = Tensor();
    return std::move(outputs[0]);
  }

  // Makes the output a view of the input with another shape.
  void make_view(const Instruction& in, const Node& node, std::span<const Tensor> inputs, Tensor& output) {
    if (in.static_outputs) {
      output = inputs[static_cast<size_t>(node.op->alias_input)].reshaped(node.shapes[0]);
      return;
    }
    DType dtype;
    Shape shape;
    RuntimeInference inference(*node.op, node.attrs, inputs, {&dtype, 1}, {&shape, 1});
    infer_outputs(inference);
    output = inputs[static_cast<size_t>(node.op->alias_input)].reshaped(shape);
  }

  // Reuses the memory of an input that dies here for the output, if nothing else holds it.
  bool reuse_input(const Instruction& in, const Node& node, std::span<const Tensor> inputs, Tensor& output) {
    Tensor& input = slots_[executable_.operands[in.first_input + in.reuse].index()];
    if (!input || !input.exclusive()) return false;
    if (!in.static_outputs) {
      DType dtype;
      Shape shape;
      RuntimeInference inference(*node.op, node.attrs, inputs, {&dtype, 1}, {&shape, 1});
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

  void run_device_kernel(const Instruction& in) {
    if (!last_end_) last_end_ = now_ns();
    const int64_t start = last_end_;
    std::optional<SignatureHash> inputs_hash;
    Placement place;
    {
      const DeviceWork work(recording_);
      const Node& node = program_.node(in);
      const OpRow& row = *node.op;
      const std::span<const Tensor> inputs = gather(in);
      const std::span<Tensor> outputs(slots_ + in.first_output, in.outputs);
      if (recording_) inputs_hash = input_hash(row, inputs);
      const DType dtype = dispatch_dtype(row, inputs, node.dtypes);
      place = place_of(row, inputs, dtype, in.placed ? &in.device : nullptr);
      if (!place.kernel) no_kernel(DeviceType::kCpu, row, dtype);
      std::vector<Tensor> moved;
      const std::span<const Tensor> here = move_inputs(row, inputs, place.device, moved) ? moved : inputs;
      const Tensor before = release_outputs(outputs);
      allocate_outputs(row, node.attrs, here, outputs, place.device);
      KernelContext context{row, node.attrs, here, outputs, place.device, place.stream()};
      const bool host = place.device.type == DeviceType::kCpu;
      const ActivityScope running(recording_ ? this_thread.activity : nullptr,
                                  host ? Activity::kKernel : Activity::kLaunch);
      place.kernel(context);
      if (result_watch) [[unlikely]] result_watch(row, inputs, outputs, place.device);
    }
    if (inputs_hash) record_event(in, start, place.device, *inputs_hash);
  }

  void run_recorded_kernel(const Instruction& in) {
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
    run_kernel<true>(in);
    running.reset();
    record_event(in, start, Device::cpu(), inputs);
  }

  void record_event(const Instruction& in, int64_t start, Device device, SignatureHash inputs) {
    ActivityLog* const log = this_thread.activity;
    const ActivityScope recording(log, Activity::kRecording);
    const int64_t end = last_end_ = now_ns();
    OpEvent event = event_of(program_, in, call_,
                             signature_of(*program_.node(in).op, inputs, gather(in),
                                          {slots_ + in.first_output, in.outputs}));
    event.start_ns = start;
    event.end_ns = end;
    event.device = device.type == DeviceType::kGpu ? static_cast<uint8_t>(1 + device.index) : 0;
    if (log) log->add(event);
    else record_op(event);
  }

  void run_control_flow(const Instruction& in) {
    const std::span<const Tensor> inputs = gather(in);
    const std::span<Tensor> outputs(slots_ + in.first_output, in.outputs);
    last_end_ = 0;
    switch (in.opcode) {
      case Opcode::kIf: {
        const int32_t taken = condition_value(inputs[0]) ? in.callee : in.other;
        runtime::run(*program_.callees[static_cast<size_t>(taken)], inputs.subspan(1), outputs, call_);
        break;
      }
      case Opcode::kCase: {
        const int32_t wanted = branch_number(inputs[0]);
        const int32_t last = in.other - 1;
        const int32_t taken = wanted < 0 || wanted > last - in.callee ? last : in.callee + wanted;
        const int32_t callee = program_.branches[static_cast<size_t>(taken)];
        runtime::run(*program_.callees[static_cast<size_t>(callee)], inputs.subspan(1), outputs, call_);
        break;
      }
      case Opcode::kCall:
        runtime::run(*program_.callees[static_cast<size_t>(in.callee)], inputs, outputs, call_);
        break;
      case Opcode::kWhile: run_loop(in, inputs, outputs); break;
      case Opcode::kNoValue: {  // a FakeParam: the value of a branch that did not run, whose elements nobody reads
        const Node& node = program_.node(in);
        if (node.op->execution == Execution::kPlaceholder)
          fail_not_fed(node);
        const DType dtype = node.dtypes[0];
        const bool is_scalar = dtype == DType::kResource || dtype == DType::kVariant;
        outputs[0] = Tensor::empty(dtype, is_scalar ? Shape() : Shape{0});
        break;
      }
      case Opcode::kKernel:
      case Opcode::kFused: break;
    }
  }

  void run_loop(const Instruction& in, std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    const Program& condition = *program_.callees[static_cast<size_t>(in.callee)];
    const Program& program = *program_.callees[static_cast<size_t>(in.other)];
    Run condition_run(condition, condition, call_);
    std::optional<Run> body;
    body.emplace(program, executable_for(program, inputs), call_);
    std::copy(inputs.begin(), inputs.end(), outputs.begin());
    std::vector<Tensor> next(outputs.size());
    Tensor should_continue;
    for (;;) {
      check_cancelled();
      condition_run.run_once(outputs, {&should_continue, 1});
      if (!condition_value(should_continue)) return;
      condition_run.recycle_outputs({&should_continue, 1});
      body->run_once(outputs, next);
      for (size_t i = 0; i < next.size(); ++i) std::swap(outputs[i], next[i]);
      body->recycle_outputs(next);
      if (body->should_become_parallel()) [[unlikely]] body.emplace(program, executable_for(program, outputs), call_);
    }
  }

  const Program& program_;
  const Executable& executable_;
  const Tensor* bases_[3] = {};
  TensorBody* inline_inputs_[kMaxInlineInputs];
  std::vector<TensorBody*> heap_inputs_;
  TensorBody** inputs_ = inline_inputs_;
  CallId call_;
  bool recording_;
  NodeWatch* const watch_ = this_thread.node_watch;
  const bool devices_;  // whether a device is in use, so that each instruction must look where its inputs are
  int64_t last_end_ = 0;  // when the op before ended, if nothing happened since; saves reading the clock
  std::optional<Frame> frame_;  // empty if this object takes part in a run of another thread
  Tensor* slots_ = nullptr;
};

}  // namespace

void run(const Program& program, std::span<const Tensor> inputs, std::span<Tensor> outputs, CallId call) {
  FL_CHECK(inputs.size() == program.inputs && outputs.size() == program.results.size());
  const CallScope scope(call);  // device events name the call that caused them
  Run(program, executable_for(program, inputs), call).run_once(inputs, outputs);
}

std::vector<Tensor> run_op(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs) {
  std::vector<Tensor> outputs(output_count(row, inputs, attrs));
  allocate_outputs(row, attrs, inputs, outputs);
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
