// The tape executor.
#include "engine/runtime/executor.h"

#include "engine/base/activity.h"
#include "engine/base/cancel.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/device_hooks.h"
#include "engine/ops/cost.h"
#include "engine/runtime/frame.h"
#include "engine/runtime/watch.h"
#include "engine/tensor/gpu.h"
#include "kernels/place.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace footlight::runtime {

void (*graph_runs)(const compile::Program& program) = nullptr;

namespace {

using compile::Instruction;
using compile::Operand;
using compile::Program;
using compile::Step;

thread_local Failure last_failure;

// At run time every input is known.
class RunInference final : public Inference {
 public:
  RunInference(const OpRow& r, const Attrs& a, std::span<const Tensor> in, std::span<DType> dtypes,
               std::span<Shape> shapes)
      : Inference(r, a, in) {
    output_dtypes = dtypes;
    output_shapes = shapes;
  }
  Tensor constant(size_t input) override { return gpu::on_host(inputs[input]); }
};

void allocate_inferred(const OpRow& row, const Attrs& attrs, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                       Device device = Device::cpu()) {
  constexpr size_t kFew = 4;
  DType few_dtypes[kFew];
  Shape few_shapes[kFew];
  std::vector<DType> many_dtypes;
  std::vector<Shape> many_shapes;
  std::span<DType> dtypes(few_dtypes, std::min(outputs.size(), kFew));
  std::span<Shape> shapes(few_shapes, std::min(outputs.size(), kFew));
  if (outputs.size() > kFew) {
    many_dtypes.resize(outputs.size());
    many_shapes.resize(outputs.size());
    dtypes = many_dtypes;
    shapes = many_shapes;
  }
  RunInference inference(row, attrs, inputs, dtypes, shapes);
  infer_outputs(inference);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (shapes[i].fully_known()) outputs[i] = Tensor::empty(dtypes[i], shapes[i], device);
}

bool truth(const Tensor& tensor) {
  if (tensor.dtype() != DType::kBool || tensor.elements() != 1)
    throw Error(ErrorKind::kInvalidArgument, "a condition must be a bool scalar, not " +
                                                 std::string(name_of(tensor.dtype())) + " of shape " +
                                                 tensor.shape().to_string());
  return *gpu::on_host(tensor).data<bool>();
}

int32_t number(const Tensor& tensor) {
  if (tensor.dtype() != DType::kInt32 || tensor.elements() != 1)
    throw Error(ErrorKind::kInvalidArgument, "the number of a branch must be an int32 scalar, not " +
                                                 std::string(name_of(tensor.dtype())) + " of shape " +
                                                 tensor.shape().to_string());
  return *gpu::on_host(tensor).data<int32_t>();
}

class Run {
 public:
  Run(const Program& program, std::span<const Tensor> inputs, CallId call)
      : program_(program),
        frame_(program.frame_size),
        call_(call),
        recording_(recording_ops()),
        devices_(device_access.copy != nullptr) {
    if (recording_ && program.recorded.load(std::memory_order_acquire) != recording_number.load()) [[unlikely]]
      introduce(program);
    bases_[Operand::kFrame] = frame_.slots();
    bases_[Operand::kInput] = inputs.data();
    bases_[Operand::kConstant] = program.constants.data();
    if (program.widest > kWide) {
      many_.resize(program.widest);
      gathered_ = many_.data();
    }
  }

  void run(std::span<Tensor> outputs) {
    const Instruction* at = program_.code.data();
    const Instruction* const end = at + program_.code.size();
    try {
      for (; at != end; ++at) {
        check_cancelled();
        step(*at);
      }
    } catch (...) {
      if (!last_failure.graph) {
        const optimize::Origin origin = program_.origin(*at);
        last_failure = {const_cast<Graph*>(origin.graph)->shared_from_this(), origin.node};
      }
      throw;
    }
    Tensor* const slots = frame_.slots();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Operand from = program_.results[i];
      outputs[i] = from.array() == Operand::kFrame ? slots[from.index()] : bases_[from.array()][from.index()];
    }
  }

 private:
  static constexpr uint32_t kWide = 16;

  // The recording must know the graph before events name its nodes.
  static void introduce(const Program& program) {
    const uint32_t recording = recording_number.load();
    if (graph_runs) graph_runs(program);
    program.recorded.store(recording, std::memory_order_release);
  }

  std::span<const Tensor> gather(const Instruction& in) {
    static_assert(sizeof(Tensor) == sizeof(TensorBody*));
    const Operand* operands = program_.operands.data() + in.first_input;
    for (uint32_t i = 0; i < in.inputs; ++i) gathered_[i] = bases_[operands[i].array()][operands[i].index()].body();
    return {reinterpret_cast<const Tensor*>(gathered_), in.inputs};
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
    Tensor* const slots = frame_.slots();
    const uint32_t* released = program_.released.data() + in.first_released;
    for (uint32_t i = 0; i < in.released; ++i) slots[released[i]] = Tensor();
  }

  template <bool kRecorded>
  void kernel(const Instruction& in) {
    ActivityLog* const log = kRecorded ? this_thread_activity : nullptr;
    const Node& node = program_.node(in);
    const std::span<const Tensor> inputs = gather(in);
    const std::span<Tensor> outputs(frame_.slots() + in.first_output, in.outputs);
    if (in.aliases) {
      const Doing running(log, Activity::kKernel);
      return alias(in, node, inputs, outputs[0]);
    }
    if (!in.kernel) no_kernel(DeviceType::kCpu, *node.op, node.dtypes.empty() ? DType::kFloat32 : node.dtypes[0]);
    if (in.reuse != Instruction::kNoReuse && !result_watch && take_over(in, outputs[0])) {
    } else if (in.static_outputs) {
      const Doing allocation(log, Activity::kAllocation);
      for (uint32_t i = 0; i < in.outputs; ++i) outputs[i] = Tensor::empty(node.dtypes[i], node.shapes[i]);
    } else {
      allocate_inferred(*node.op, node.attrs, inputs, outputs);
    }
    KernelContext context{*node.op, node.attrs, inputs, outputs};
    {
      const Doing running(log, Activity::kKernel);
      in.kernel(context);
    }
    if (result_watch) [[unlikely]] result_watch(*node.op, inputs, outputs, Device::cpu());
  }

  // A view with another shape.
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
  bool take_over(const Instruction& in, Tensor& output) {
    Tensor& input = frame_.slots()[program_.operands[in.first_input + in.reuse].index()];
    if (!input || !input.exclusive()) return false;
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
    Place place;
    {
      const DeviceWork work(recording_);
      const Node& node = program_.node(in);
      const OpRow& row = *node.op;
      const std::span<const Tensor> inputs = gather(in);
      const std::span<Tensor> outputs(frame_.slots() + in.first_output, in.outputs);
      if (recording_) on = input_hash(row, inputs);
      const DType dtype = dispatch_dtype(row, inputs, node.dtypes);
      place = place_of(row, inputs, dtype, in.placed ? &in.device : nullptr);
      if (!place.kernel) no_kernel(DeviceType::kCpu, row, dtype);
      std::vector<Tensor> moved;
      const std::span<const Tensor> here = move_inputs(row, inputs, place.device, moved) ? moved : inputs;
      allocate_inferred(row, node.attrs, here, outputs, place.device);
      KernelContext context{row, node.attrs, here, outputs, place.device, place.stream()};
      const bool host = place.device.type == DeviceType::kCpu;
      const Doing running(recording_ ? this_thread_activity : nullptr, host ? Activity::kKernel : Activity::kLaunch);
      place.kernel(context);
      if (result_watch) [[unlikely]] result_watch(row, inputs, outputs, place.device);
    }
    if (on) record(in, start, place.device, *on);
  }

  void recorded_kernel(const Instruction& in) {
    if (!last_end_) last_end_ = now_ns();
    const int64_t start = last_end_;
    const SignatureHash inputs = [&] {
      const Doing recording(this_thread_activity, Activity::kRecording);
      return input_hash(*program_.node(in).op, gather(in));
    }();
    kernel<true>(in);
    record(in, start, Device::cpu(), inputs);
  }

  void record(const Instruction& in, int64_t start, Device device, SignatureHash inputs) {
    ActivityLog* const log = this_thread_activity;
    const Doing recording(log, Activity::kRecording);
    OpEvent event;
    event.start_ns = start;
    const Node& node = program_.node(in);
    event.end_ns = last_end_ = now_ns();
    event.call = call_;
    const optimize::Origin origin = program_.origin(in);
    if (program_.has_origin(in)) event.set_node(origin.graph->id, origin.node);
    else event.set_source(node.source);
    event.signature = signature_of(*node.op, inputs, gather(in), {frame_.slots() + in.first_output, in.outputs});
    event.op = node.op->id;
    event.device = device.type == DeviceType::kGpu ? static_cast<uint8_t>(1 + device.index) : 0;
    if (log) log->add(event);
    else record_op(event);
  }

  void control(const Instruction& in) {
    const std::span<const Tensor> inputs = gather(in);
    const std::span<Tensor> outputs(frame_.slots() + in.first_output, in.outputs);
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
      case Step::kFake: {  // stands for the other branch's value: its elements are not read
        const Node& node = program_.node(in);
        if (node.op->execution == Execution::kPlaceholder)
          throw Error(ErrorKind::kInvalidArgument, "You must feed a value for placeholder tensor '" + node.name + "'");
        const DType dtype = node.dtypes[0];
        const bool one = dtype == DType::kResource || dtype == DType::kVariant;
        outputs[0] = Tensor::empty(dtype, one ? Shape() : Shape{0});
        break;
      }
      case Step::kKernel: break;
    }
  }

  void loop(const Instruction& in, std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    const Program& test = *program_.callees[static_cast<size_t>(in.callee)];
    const Program& body = *program_.callees[static_cast<size_t>(in.other)];
    std::copy(inputs.begin(), inputs.end(), outputs.begin());
    std::vector<Tensor> next(outputs.size());
    Tensor again;
    for (;;) {
      check_cancelled();
      runtime::run(test, outputs, {&again, 1}, call_);
      if (!truth(again)) return;
      runtime::run(body, outputs, next, call_);
      for (size_t i = 0; i < next.size(); ++i) outputs[i] = std::move(next[i]);
    }
  }

  const Program& program_;
  Frame frame_;
  const Tensor* bases_[3];
  TensorBody* few_[kWide];
  std::vector<TensorBody*> many_;
  TensorBody** gathered_ = few_;
  CallId call_;
  bool recording_;
  const bool devices_;  // there are devices, so each instruction is checked
  int64_t last_end_ = 0;
};

}  // namespace

void run(const Program& program, std::span<const Tensor> inputs, std::span<Tensor> outputs, CallId call) {
  FL_CHECK(inputs.size() == program.inputs && outputs.size() == program.results.size());
  const InCall scope(call);  // device events name the call that caused them
  Run(program, inputs, call).run(outputs);
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
