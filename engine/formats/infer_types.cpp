// Infers the dtypes and shapes of a node's outputs from its inputs. Those that a file states are used only if they
// agree; a shape that nothing confirms is marked, so that it is inferred again when the graph runs.
#include "engine/formats/import_nodes.h"

#include "engine/base/text.h"
#include "engine/graph/constant_of.h"
#include "engine/ops/branches.h"

#include <algorithm>

namespace footlight::formats {
namespace {

class NodeInference final : public Inference {
 public:
  NodeInference(const Graph& graph, Node& node, std::span<const Tensor> in)
      : Inference(*node.op, node.attrs, in), graph_(graph), node_(node) {
    output_dtypes = node.dtypes;
    output_shapes = node.shapes.own();
  }
  Tensor constant(size_t input) override { return constant_of(graph_, node_.inputs[input]); }

 private:
  const Graph& graph_;
  const Node& node_;
};

bool holds_others(DType dtype) { return dtype == DType::kVariant || dtype == DType::kResource; }

// What the attribute says, if it is there.
template <class T>
const T* said(const Node& node, int8_t attr) {
  const footlight::AttrValue* value =
      attr < 0 ? nullptr : node.attrs.find(node.op->attrs[static_cast<size_t>(attr)].key);
  return value ? std::get_if<T>(value) : nullptr;
}

[[noreturn]] void disagrees(const Node& node, int8_t attr) {
  fail(ErrorKind::kValue, "the attribute '", node.op->attrs[static_cast<size_t>(attr)].name,
       "' says something else than the inputs");
}

size_t length_of(const Node& node, const ArgSpec& spec, size_t lists) {
  if (!spec.list) return 1;
  if (lists == 1) return node.inputs.size() - (node.op->inputs.size() - 1);
  const auto* count = said<int64_t>(node, spec.count_attr);
  const auto* types = said<std::vector<DType>>(node, spec.type_attr);
  if (spec.count_attr >= 0 ? !count || *count < 0 : !types)
    fail(ErrorKind::kValue, "it does not say how many tensors its input '", spec.name, "' has");
  return spec.count_attr >= 0 ? static_cast<size_t>(*count) : types->size();
}

// The attributes that follow from the inputs ("T", "N") have to be as the file says.
void check_inferred(const Node& node, std::span<const Tensor> inputs) {
  const OpRow& row = *node.op;
  const auto lists = static_cast<size_t>(std::ranges::count_if(row.inputs, &ArgSpec::list));
  const size_t needed = row.inputs.size() - lists;
  if (lists ? inputs.size() < needed : inputs.size() != needed)
    fail(ErrorKind::kValue, "it has ", inputs.size(), " inputs, the op takes ", lists ? "at least " : "", needed);
  size_t at = 0;
  for (const ArgSpec& spec : row.inputs) {
    const size_t length = length_of(node, spec, lists);
    if (length > inputs.size() - at) fail(ErrorKind::kValue, "it has too few inputs for '", spec.name, "'");
    const auto part = inputs.subspan(at, length);
    if (spec.count_attr >= 0) {
      if (length == 0 && at == 0) fail(ErrorKind::kValue, "its input '", spec.name, "' has no tensors");
      const auto* count = said<int64_t>(node, spec.count_attr);
      if (count && *count != static_cast<int64_t>(length)) disagrees(node, spec.count_attr);
    }
    if (const auto* dtype = said<DType>(node, spec.type_attr))
      for (const Tensor& input : part)
        if (input.dtype() != *dtype)
          fail(ErrorKind::kValue, "its input '", spec.name, "' is ", name_of(input.dtype()), ", its attribute '",
               node.op->attrs[static_cast<size_t>(spec.type_attr)].name, "' says ", name_of(*dtype));
    if (const auto* dtypes = said<std::vector<DType>>(node, spec.type_attr))
      if (!std::ranges::equal(part, *dtypes, {}, &Tensor::dtype)) disagrees(node, spec.type_attr);
    at += length;
  }
  if (at != inputs.size()) fail(ErrorKind::kValue, "it has ", inputs.size(), " inputs, the op takes ", at);
}

void infer(Graph& graph, Node& node, std::span<const Tensor> inputs, const Limits& limits) {
  const OpRow& row = *node.op;
  const size_t count = output_count(row, inputs, node.attrs);
  if (count > limits.arguments)
    fail(ErrorKind::kValue, "it has ", count, " outputs: at most ", limits.arguments, " can be");
  node.dtypes.resize(count);
  node.shapes.own().resize(count);
  NodeInference inference(graph, node, inputs);
  infer_outputs(inference);
  if (std::ranges::find(node.dtypes, DType::kInvalid) != node.dtypes.end())
    fail(ErrorKind::kValue, "it does not say the dtype of its output");
  node.attrs = complete_attrs(row, inputs, node.attrs);
  // Nothing but the file says what a list of tensors or a variable will hold.
  node.shape_said = row.execution == Execution::kFakeParam ||
                    std::ranges::any_of(inputs, [](const Tensor& t) { return holds_others(t.dtype()); });
}

// A call's side of a function: the tensors that become its inputs.
class Call {
 public:
  Call(const Node& node, AttrName attr, std::span<const Tensor> given)
      : name_(attr.text()), graph_(node.attrs.get<GraphPtr>(attr)) {
    if (graph_->inputs.size() != given.size())
      fail(ErrorKind::kValue, "its ", name_, " '", graph_->name(), "' takes ", graph_->inputs.size(),
           " tensors, it gets ", given.size());
    for (size_t i = 0; i < given.size(); ++i) {
      const DType wanted = argument(i).dtypes[0];
      if (wanted != given[i].dtype())
        fail(ErrorKind::kValue, "input ", i, " of its ", name_, " '", graph_->name(), "' is ",
             footlight::name_of(wanted), ", it gets ", footlight::name_of(given[i].dtype()));
      admit(i, given[i].shape());
    }
  }

  size_t outputs() const { return graph_->outputs.size(); }
  DType dtype(size_t k) const { return from(k).dtypes[graph_->outputs[k].output]; }
  const Shape& shape(size_t k) const { return from(k).shapes[graph_->outputs[k].output]; }

  // A value of this shape arrives as input i. What the function's own body made of a narrower one is not certain
  // then.
  void admit(size_t i, const Shape& shape) {
    Node& placeholder = graph_->node(graph_->inputs[i]);
    if (!holds_others(placeholder.dtypes[0]) && !is_subshape(shape, placeholder.shapes[0]))
      placeholder.shape_said = true;
  }
  void want_outputs_like(const Call& other) const {
    bool same = outputs() == other.outputs();
    for (size_t k = 0; same && k < outputs(); ++k) same = dtype(k) == other.dtype(k);
    if (!same)
      fail(ErrorKind::kValue, "its ", other.name_, " '", other.graph_->name(), "' and its ", name_, " '",
           graph_->name(), "' do not give tensors of the same number and dtypes");
  }

 private:
  const Node& argument(size_t i) const { return graph_->node(graph_->inputs[i]); }
  const Node& from(size_t k) const { return graph_->node(graph_->outputs[k].node); }

  const std::string name_;
  GraphPtr graph_;
};

void add_output(Node& node, DType dtype, Shape shape) {
  node.dtypes.push_back(dtype);
  node.shapes.own().push_back(std::move(shape));
}

void loop(Node& node, std::span<const Tensor> inputs) {
  Call condition(node, AttrName("cond"), inputs), body(node, AttrName("body"), inputs);
  if (condition.outputs() != 1) fail(ErrorKind::kValue, "its cond gives ", condition.outputs(), " tensors, not one");
  if (body.outputs() != inputs.size())
    fail(ErrorKind::kValue, "its body gives ", body.outputs(), " tensors for ", inputs.size());
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (body.dtype(k) != inputs[k].dtype())
      fail(ErrorKind::kValue, "its body gives ", name_of(body.dtype(k)), " for tensor ", k, ", which is ",
           name_of(inputs[k].dtype()));
    condition.admit(k, body.shape(k));
    body.admit(k, body.shape(k));
    add_output(node, body.dtype(k), relax(inputs[k].shape(), body.shape(k)));
  }
}

void branches(Node& node, std::span<const Tensor> inputs) {
  if (inputs.empty()) fail(ErrorKind::kValue, "it has no input that says which branch runs");
  const std::vector<AttrName> names = branches_of(node.attrs);
  const Call first(node, names[0], inputs.subspan(1));
  std::vector<Shape> shapes;
  for (size_t k = 0; k < first.outputs(); ++k) shapes.push_back(first.shape(k));
  for (size_t i = 1; i < names.size(); ++i) {
    const Call other(node, names[i], inputs.subspan(1));
    first.want_outputs_like(other);
    for (size_t k = 0; k < shapes.size(); ++k) shapes[k] = relax(shapes[k], other.shape(k));
  }
  for (size_t k = 0; k < shapes.size(); ++k) add_output(node, first.dtype(k), shapes[k]);
}

void call(Node& node, std::span<const Tensor> inputs) {
  const Call function(node, AttrName("f"), inputs);
  for (size_t k = 0; k < function.outputs(); ++k) add_output(node, function.dtype(k), function.shape(k));
}

// Whether the attribute that lists the dtypes of the outputs, if there is one, does so.
void check_outputs(Node& node) {
  const footlight::AttrValue* listed = node.attrs.find("Tout"_attr);
  const auto* types = listed ? std::get_if<std::vector<DType>>(listed) : nullptr;
  if (types && *types != node.dtypes.to_vector())
    fail(ErrorKind::kValue, "the attribute 'Tout' says something else than the functions that it calls");
  if (!listed && node.op->execution != Execution::kWhile) node.attrs.set("Tout"_attr, node.dtypes.to_vector());
}

}  // namespace

void settle(Graph& graph, Node& node, Reading& reading) {
  std::vector<Tensor> inputs;
  inputs.reserve(node.inputs.size());
  for (Edge edge : node.inputs) inputs.push_back(graph.tensor(edge));
  check_inferred(node, inputs);
  switch (node.op->execution) {
    case Execution::kIf: branches(node, inputs); break;
    case Execution::kWhile: loop(node, inputs); break;
    case Execution::kCall: call(node, inputs); break;
    default: return infer(graph, node, inputs, reading.limits);
  }
  if (node.dtypes.size() > reading.limits.arguments)
    fail(ErrorKind::kValue, "it has ", node.dtypes.size(), " outputs: at most ", reading.limits.arguments, " can be");
  check_outputs(node);
  node.attrs = complete_attrs(*node.op, inputs, node.attrs);
}

}  // namespace footlight::formats
