// Registers the kernels that create stages.
#include "engine/data/stage_registry.h"

#include "engine/base/thread_context.h"

#include <algorithm>

namespace footlight::data {

StageRegistration* StageRegistration::first = nullptr;
KernelRegistration* KernelRegistration::first = nullptr;

namespace {

std::vector<MakeStage>& makers() {  // indexed by op id
  static std::vector<MakeStage> all(kMaxOps);
  return all;
}

void make_stage(KernelContext& context) {
  const StageContext making(context);
  Stage* stage = makers()[context.row.id.value](making);
  Tensor dataset = dataset_tensor(stage);
  stage->op = context.row.name;
  // A stage that a graph makes, as in a function of flat_map, stands where that function has it.
  stage->source = this_thread.node_source.code.valid() ? this_thread.node_source : current_source();
  stage->inputs.assign(context.inputs.begin(), context.inputs.end());
  stage->attrs = context.attrs;
  if (stage->types.empty()) {
    const AttrValue* types = context.attrs.find("output_types"_attr);
    if (!types) types = context.attrs.find("Toutput_types"_attr);
    if (types) stage->types = std::get<std::vector<DType>>(*types);
  }
  if (stage->shapes.empty()) stage->shapes = context.attrs.get_or("output_shapes"_attr, std::vector<Shape>());
  context.outputs[0] = std::move(dataset);
}

const Tensor& scalar_input(const KernelContext& context, size_t input, DType dtype) {
  const Tensor& tensor = context.inputs[input];
  if (tensor.dtype() != dtype || tensor.elements() != 1)
    invalid("input '", context.row.inputs[std::min(input, context.row.inputs.size() - 1)].name,
            "' must be a scalar of ", name_of(dtype), ", it is ", name_of(tensor.dtype()), " of shape ",
            tensor.shape().to_string(), " [Op:", context.row.name, "]");
  return tensor;
}

}  // namespace

bool makes_stage(const OpRow& row) { return makers()[row.id.value] != nullptr; }

int64_t StageContext::integer(size_t input) const {
  return *scalar_input(context_, input, DType::kInt64).data<int64_t>();
}
bool StageContext::flag(size_t input) const { return *scalar_input(context_, input, DType::kBool).data<bool>(); }
std::string StageContext::text(size_t input) const {
  return *scalar_input(context_, input, DType::kString).data<std::string>();
}
std::vector<std::string> StageContext::texts(size_t input) const {
  const Tensor& tensor = context_.inputs[input];
  const auto* at = tensor.data<std::string>();
  return {at, at + tensor.elements()};
}
size_t StageContext::list_size(const char* attr) const {
  return context_.attrs.get_or(AttrName(attr), std::vector<DType>()).size();
}

void init() {
  static const bool once = [] {
    for (const StageRegistration* maker = StageRegistration::first; maker; maker = maker->next) {
      makers()[find_row(maker->op)->id.value] = maker->make;
      register_kernel(DeviceType::kCpu, maker->op, kAllTypes, make_stage);
    }
    for (const KernelRegistration* own = KernelRegistration::first; own; own = own->next)
      register_kernel(DeviceType::kCpu, own->op, kAllTypes, own->kernel);
    return true;
  }();
  (void)once;
}

}  // namespace footlight::data
