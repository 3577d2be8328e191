// Runs one eager op: checks, output memory, kernel, then the tape and the recorder.
#include "engine/eager/execute.h"

#include "engine/base/activity.h"
#include "engine/base/clock.h"
#include "engine/base/device_hooks.h"
#include "engine/eager/tape_threads.h"
#include "engine/ops/builder.h"
#include "engine/ops/cost.h"
#include "engine/ops/infer.h"
#include "engine/runtime/watch.h"
#include "kernels/place.h"

namespace footlight::eager {

const Attrs no_attrs;

// A string has a destructor, so it cannot be part of ThreadContext.
std::string& name_scope() {
  static thread_local std::string scope;
  return scope;
}

namespace {

class EagerInference final : public Inference {
 public:
  EagerInference(const OpRow& row, const Attrs& attrs, std::span<const Tensor> inputs)
      : Inference(row, attrs, inputs) {}
  Tensor constant(size_t input) override {
    const Tensor& t = inputs[input];
    return t.device().type == DeviceType::kCpu ? t : device_access.copy(t, Device::cpu());
  }
};

void record(const OpRow& row, std::span<const Tensor> inputs, std::span<const Tensor> outputs, Device device,
            int64_t start) {
  ActivityLog* const log = this_thread.activity;
  const ActivityScope recording(log, Activity::kRecording);
  OpEvent event{};
  event.start_ns = start;
  event.end_ns = now_ns();
  if (front_end_hooks.op_places) {
    const OpPlaces places = front_end_hooks.op_places();
    event.set_source(places.source);
    event.caller = places.caller;
  }
  event.signature = signature_of(row, inputs, outputs);
  event.op = row.id;
  event.device = device.type == DeviceType::kGpu ? static_cast<uint8_t>(1 + device.index) : 0;
  if (log) log->add(event);
  else record_op(event);
}

[[noreturn]] void symbolic_in_eager(const OpRow& row, const Tensor& t) {
  if (ops::hooks.leaked) ops::hooks.leaked(t);
  fail(ErrorKind::kInaccessibleTensor, "a symbolic tensor of shape ", t.shape().to_string(), " and dtype ",
       name_of(t.dtype()), " is used outside of the function whose trace made it [Op:", row.name,
       "]. Return it from the function, or compute with it inside");
}

void run(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs, std::span<DType> dtypes,
         std::span<Shape> shapes, std::span<Tensor> outputs) {
  for (const Tensor& t : inputs) {
    FL_CHECK(t);
    if (t.is_symbolic()) [[unlikely]] symbolic_in_eager(row, t);
  }
  EagerInference inference(row, attrs, inputs);
  inference.output_dtypes = dtypes;
  inference.output_shapes = shapes;
  infer_outputs(inference);
  const DType by = dispatch_dtype(row, inputs, dtypes);
  const Placement place = place_of(row, inputs, by, this_thread.device);
  const Device device = place.device;
  if (!place.kernel) [[unlikely]] no_kernel(device.type, row, by);
  const bool recorded = recording_ops();
  const int64_t start = recorded ? now_ns() : 0;
  ActivityLog* const log = recorded ? this_thread.activity : nullptr;
  {
    // Copies to the op's device belong to the op, as its kernel does.
    const DeviceWork work(recorded && (device.type != DeviceType::kCpu || any_on_device(inputs)));
    std::vector<Tensor> moved;
    std::span<const Tensor> here = inputs;
    if (device_access.copy && move_inputs(row, inputs, device, moved)) here = moved;
    {
      const ActivityScope allocation(log, Activity::kAllocation);
      for (size_t i = 0; i < outputs.size(); ++i)
        if (shapes[i].fully_known() && dtypes[i] != DType::kInvalid)
          outputs[i] = Tensor::empty(dtypes[i], shapes[i], device);
    }
    KernelContext context{row, attrs, here, outputs, device, place.stream()};
    const ActivityScope kernel(log, device.type == DeviceType::kCpu ? Activity::kKernel : Activity::kLaunch);
    place.kernel(context);
  }
  make_own(outputs);
  if (recorded) [[unlikely]] record(row, inputs, outputs, device, start);
  if (result_watch) [[unlikely]] result_watch(row, inputs, outputs, device);
  show_recorders(row, attrs, inputs, outputs);
}

// Finds shapes that need no inference; false: they have to be inferred.
bool quick_shape(const Tensor& x, const Tensor& y, const Shape*& shape) {
  if (x.shape() == y.shape() || y.shape().rank() == 0) shape = &x.shape();
  else if (x.shape().rank() == 0) shape = &y.shape();
  else return false;
  return true;
}

// Whether both are on the host, of one dtype, and no other device is requested.
bool plain_pair(const Tensor& x, const Tensor& y) {
  return x.dtype() == y.dtype() && !x.is_symbolic() && !y.is_symbolic() && x.device() == Device::cpu() &&
         y.device() == Device::cpu() && !this_thread.device;
}

// The same as quick(), with marks for each part.
[[gnu::noinline]] Tensor quick_recorded(const OpRow& row, Kernel kernel, std::span<const Tensor> inputs, DType dtype,
                                        const Shape& shape) {
  ActivityLog* const log = this_thread.activity;
  Tensor out;
  {
    const ActivityScope allocation(log, Activity::kAllocation);
    out = Tensor::empty(dtype, shape);
  }
  KernelContext context{row, no_attrs, inputs, {&out, 1}};
  const int64_t start = now_ns();
  {
    const ActivityScope running(log, Activity::kKernel);
    kernel(context);
  }
  record(row, inputs, {&out, 1}, Device::cpu(), start);
  return out;
}

Tensor quick(const OpRow& row, Kernel kernel, std::span<const Tensor> inputs, DType dtype, const Shape& shape) {
  Tensor out;
  if (recording_ops()) [[unlikely]] {
    out = quick_recorded(row, kernel, inputs, dtype, shape);
  } else {
    out = Tensor::empty(dtype, shape);
    KernelContext context{row, no_attrs, inputs, {&out, 1}};
    kernel(context);
  }
  if (result_watch) [[unlikely]] result_watch(row, inputs, {&out, 1}, Device::cpu());
  show_recorders(row, no_attrs, inputs, {&out, 1});
  return out;
}

class EagerBuilder final : public Builder {
 public:
  std::vector<Tensor> emit(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs,
                           std::string_view) override {
    return execute(row, inputs, attrs);
  }
  Tensor emit_one(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs, std::string_view) override {
    if (attrs.empty()) {
      if (inputs.size() == 2) return binary(row, inputs[0], inputs[1]);
      if (inputs.size() == 1) return unary(row, inputs[0]);
    }
    return execute1(row, inputs, attrs);
  }
  Tensor constant_value(const Tensor& t) override { return t; }
  bool is_graph() const override { return false; }
};

}  // namespace

void make_own(std::span<Tensor> outputs) {
  for (Tensor& output : outputs)
    if (output && output.dtype() != DType::kResource &&
        output.body()->refs.load(std::memory_order_relaxed) > 1)
      output = output.alias();
}

Tensor unary(const OpRow& row, const Tensor& x) {
  const Borrowed inputs(x);
  if (row.fast == FastPath::kUnary && !x.is_symbolic() && x.device() == Device::cpu() && !this_thread.device) {
    if (Kernel kernel = kernel_for(DeviceType::kCpu, row.id, x.dtype()))
      return quick(row, kernel, inputs, x.dtype(), x.shape());
  }
  return execute1(row, inputs);
}

Tensor binary(const OpRow& row, const Tensor& x, const Tensor& y) {
  const Borrowed inputs(x, y);
  if (row.fast == FastPath::kProduct && plain_pair(x, y) && x.shape().rank() == 2 && y.shape().rank() == 2 &&
      x.shape()[1] == y.shape()[0]) {
    if (Kernel kernel = kernel_for(DeviceType::kCpu, row.id, x.dtype()))
      return quick(row, kernel, inputs, x.dtype(), Shape{x.shape()[0], y.shape()[1]});
  }
  if ((row.fast == FastPath::kBinary || row.fast == FastPath::kCompare) && plain_pair(x, y)) {
    const Shape* shape;
    Kernel kernel = kernel_for(DeviceType::kCpu, row.id, x.dtype());
    if (kernel && quick_shape(x, y, shape))
      return quick(row, kernel, inputs, row.fast == FastPath::kCompare ? DType::kBool : x.dtype(), *shape);
  }
  return execute1(row, inputs);
}

Tensor execute1(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs) {
  FL_CHECK(row.outputs == 1 || output_count(row, inputs, attrs) == 1);
  DType dtype = DType::kInvalid;
  Shape shape;
  Tensor out;
  run(row, inputs, attrs, {&dtype, 1}, {&shape, 1}, {&out, 1});
  return out;
}

std::vector<Tensor> execute(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs) {
  const size_t count = output_count(row, inputs, attrs);
  std::vector<DType> dtypes(count, DType::kInvalid);
  std::vector<Shape> shapes(count);
  std::vector<Tensor> outputs(count);
  run(row, inputs, attrs, dtypes, shapes, outputs);
  return outputs;
}

void init() {
  init_cpu_kernels();
  static EagerBuilder builder;
  ops::hooks.eager_builder = &builder;
  ops::hooks.op_applied = record_applied;
  ops::hooks.recorders_watch = recorders_watch;
}

}  // namespace footlight::eager
