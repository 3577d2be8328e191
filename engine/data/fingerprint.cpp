// Computes a number for how a dataset was made: equal for two that are written alike, whatever the names in their
// functions. Datasets with one fingerprint give the same elements, if their ops do.
#include "engine/base/hash128.h"
#include "engine/data/stage_registry.h"
#include "engine/graph/graph.h"

#include <type_traits>

namespace footlight::data {
namespace {

class Printing {
 public:
  void stage(const Stage& stage) {
    hash_.add(stage.op ? stage.op : "");
    for (const Tensor& input : stage.inputs) tensor(input);
    attributes(stage.attrs);
  }
  uint64_t result() const { return hash_.result().low; }

 private:
  template <class T>
  void number(T value) {
    uint64_t bits = 0;
    static_assert(sizeof value <= sizeof bits);
    std::memcpy(&bits, &value, sizeof value);
    hash_.add(bits);
  }
  void shape(const Shape& shape) { hash_.add(shape.to_string()); }

  void tensor(const Tensor& tensor) {
    hash_.add(name_of(tensor.dtype()));
    shape(tensor.shape());
    if (tensor.dtype() == DType::kString) {
      for (int64_t i = 0; i < tensor.elements(); ++i) hash_.add(tensor.data<std::string>()[i]);
    } else if (tensor.dtype() == DType::kVariant || tensor.dtype() == DType::kResource) {
      for (int64_t i = 0; i < tensor.elements(); ++i) object(tensor.data<Resource*>()[i]);
    } else {
      hash_.add(std::string_view(static_cast<const char*>(tensor.raw()), tensor.bytes()));
    }
  }
  // Variables and tables are told apart by address. A placeholder for a part of a stage adds nothing.
  void object(Resource* object) {
    if (const auto* below = dynamic_cast<const Stage*>(object)) stage(*below);
    else if (object && !dynamic_cast<const StageResource*>(object))
      hash_.add(reinterpret_cast<uint64_t>(object));
  }

  void attributes(const Attrs& attrs) {
    for (const auto& [name, value] : attrs) {
      // Attributes with such names belong to one application; metadata and names are for readers only.
      if (name.text().starts_with('_') || name.text() == "metadata") continue;
      hash_.add(name.text());
      std::visit([this](const auto& v) { attribute(v); }, value);
    }
  }
  void attribute(const std::string& text) { hash_.add(text); }
  void attribute(const Shape& value) { shape(value); }
  void attribute(const Tensor& value) { tensor(value); }
  void attribute(const GraphPtr& value) { graph(*value); }
  void attribute(DType value) { hash_.add(name_of(value)); }
  template <class T> requires std::is_arithmetic_v<T>
  void attribute(T value) { number(value); }
  template <class T>
  void attribute(const std::vector<T>& values) {
    hash_.add(values.size());
    for (const T& value : values) attribute(value);
  }

  void graph(const Graph& graph) {
    hash_.add(graph.size());
    for (size_t i = 0; i < graph.size(); ++i) {
      const Node& node = graph.node(NodeId(static_cast<uint32_t>(i)));
      hash_.add(node.op->name);
      for (const Edge& input : node.inputs) edge(input);
      for (const NodeId before : node.control_inputs) hash_.add(before.value);
      attributes(node.attrs);
      for (const DType dtype : node.dtypes) attribute(dtype);
    }
    for (const NodeId input : graph.inputs) hash_.add(input.value);
    for (const Edge& output : graph.outputs) edge(output);
  }
  void edge(const Edge& edge) {
    hash_.add(edge.node.value);
    hash_.add(edge.output);
  }

  Hasher128 hash_;
};

const KernelRegistration fingerprint("DatasetFingerprint", [](KernelContext& context) {
  Printing print;
  print.stage(*StageContext(context).dataset(0));
  context.outputs[0] = Tensor::scalar(print.result());
});

}  // namespace
}  // namespace footlight::data
