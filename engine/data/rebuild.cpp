// Goes from a dataset down to its sources and applies the op of each stage to its rebuilt inputs.
#include "engine/data/rebuild.h"

#include "engine/data/stage_registry.h"
#include "engine/ops/builder.h"

#include <unordered_map>

namespace footlight::data {
namespace {

class Rebuilding {
 public:
  // The tensor of the new graph for an input of a stage, or for the last stage.
  Tensor made(const Tensor& tensor) {
    if (tensor.is_symbolic()) return tensor;
    if (tensor.dtype() == DType::kResource || tensor.dtype() == DType::kVariant)
      return tensor.elements() == 1 ? object(tensor) : tensor;
    return apply("Const"_op, {}, {{"value"_attr, tensor}, {"dtype"_attr, tensor.dtype()}});
  }

 private:
  // Variables and tables are captured as they are.
  Tensor object(const Tensor& tensor) {
    const Resource* const object = tensor.data<Resource*>()[0];
    const auto* const stage = dynamic_cast<const Stage*>(object);
    const auto* const stand_in = dynamic_cast<const StageResource*>(object);
    if (!stand_in && (!stage || !stage->op)) return tensor;
    if (const auto found = done_.find(object); found != done_.end()) return found->second;
    const Tensor result = stage ? applied(*stage) : apply_all(*find_row(stand_in->op), {}, {})[0];
    return done_.emplace(object, result).first->second;
  }

  Tensor applied(const Stage& stage) {
    if (stage.attrs.find("_generator"_attr))
      fail(ErrorKind::kFailedPrecondition, "a dataset over a Python generator cannot be saved: the generator is of "
           "this process only. Save the elements with dataset.save(path), and use tf.data.Dataset.load(path)");
    std::vector<Tensor> inputs;
    for (const Tensor& input : stage.inputs) inputs.push_back(made(input));
    Attrs attrs;
    for (const auto& [name, value] : stage.attrs)
      if (!is_handed_in(name)) attrs.set(name, value);
    return apply_all(*find_row(stage.op), inputs, attrs)[0];
  }

  std::unordered_map<const Resource*, Tensor> done_;
};

}  // namespace

Tensor rebuild_in_graph(const Tensor& dataset) {
  if (!this_thread.builder)
    fail(ErrorKind::kRuntime, "a dataset is made again in a graph only: call this in a tf.function");
  return Rebuilding().made(dataset);
}

}  // namespace footlight::data
