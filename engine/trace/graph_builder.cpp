// Adds nodes while tracing: names as TensorFlow gives them, captures, and the order of effects.
#include "engine/trace/graph_builder.h"

#include "engine/base/text.h"
#include "engine/graph/constant_of.h"
#include "engine/tensor/gpu.h"
#include "engine/tensor/variable.h"
#include "engine/trace/call_sites.h"
#include "engine/trace/derivative.h"
#include "engine/trace/hooks.h"
#include "engine/trace/outer_controls.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace footlight::trace {
namespace {

const AttrName kValue{"value"};

constexpr int64_t kMaxKnown = 16;  // elements of a captured value from which a shape may follow
constexpr uint32_t kElsewhere = UINT32_MAX;  // stands for effects that are on no resource

// The inference of a node that is being added, for infer_outputs.
class NodeInference final : public Inference {
 public:
  NodeInference(GraphBuilder& builder, const OpRow& r, const Attrs& a, std::span<const Tensor> in,
                std::span<DType> dtypes, std::span<Shape> shapes)
      : Inference(r, a, in), builder_(builder) {
    output_dtypes = dtypes;
    output_shapes = shapes;
  }
  Tensor constant(size_t input) override { return builder_.constant_value(inputs[input]); }

 private:
  GraphBuilder& builder_;
};

// Copies arrays: a constant of a graph must not change with the array it was made from.
Tensor frozen(const Tensor& value) {
  if (value.device() != Device::cpu()) return gpu::on_host(value);
  if (!value.body()->buffer || value.exclusive()) return value;
  Tensor copy = Tensor::empty(value.dtype(), value.shape());
  if (is_plain(value.dtype()))
    std::memcpy(copy.raw(), value.raw(), value.bytes());
  else if (value.dtype() == DType::kString)
    std::copy_n(value.data<std::string>(), value.elements(), copy.data<std::string>());
  else
    return value;
  return copy;
}

[[noreturn]] void cannot_capture(const Tensor& outside) {
  if (!outside.is_symbolic())
    fail(ErrorKind::kRuntime, outside.dtype() == DType::kResource ? "A variable" : "An eager tensor of shape ",
         outside.dtype() == DType::kResource ? "" : outside.shape().to_string(),
         " was used in a tf.Graph, which holds no values from outside: use tf.constant inside of it, feed a "
         "placeholder, or build a function with tf.function or tf.compat.v1.wrap_function");
  fail(ErrorKind::kValue, "The tensor '", outside.graph()->node(outside.node()).name, ":", outside.output(),
       "' must be from the same graph as the op that uses it, but belongs to the graph '", outside.graph()->name(),
       "'");
}

std::string_view argument_name(const OpRow& row, size_t input) {
  return row.inputs[std::min(input, row.inputs.size() - 1)].node_name;
}

// Identifies a captured value: by the variable, by a symbolic tensor's node output, otherwise by id.
std::pair<const void*, uint64_t> identity_of(const Tensor& value) {
  if (value.is_symbolic()) return {value.graph(), uint64_t{value.node().value} << 32 | value.output()};
  if (value.dtype() == DType::kResource) return {value.resource_object(), 0};
  return {nullptr, value.id()};
}

}  // namespace

bool same_value(const Tensor& a, const Tensor& b) { return identity_of(a) == identity_of(b); }

GraphBuilder::GraphBuilder(std::string name, Kind kind)
    : graph_(std::make_shared<Graph>(std::move(name))), kind_(kind), outer_(innermost()) {
  if (outer_) graph_seed = outer_->graph_seed;
  if (outer_ && (kind == Kind::kBranch || kind == Kind::kCondition || kind == Kind::kBody))
    graph_->marks = {outer_->graph_->marks.groups, outer_->graph_->marks.device, {}, outer_->graph_->marks.added};
}

GraphBuilder::GraphBuilder(GraphPtr graph)
    : as_written(!graph->is_function), graph_(std::move(graph)),
      kind_(as_written ? Kind::kGraph : Kind::kFunction), outer_(innermost()) {
  if (as_written) {
    own_seed = graph_seed = &graph_->seed;
    return;
  }
  if (outer_) graph_seed = outer_->graph_seed;
  own_seed->unseeded_random_ops = static_cast<int64_t>(graph_->size());
}

GraphBuilder* GraphBuilder::innermost() { return static_cast<GraphBuilder*>(this_thread.builder); }

NodeId GraphBuilder::add_placeholder(DType dtype, const Shape& shape, std::string full_name,
                                     std::string_view user_name) {
  Node node;
  node.op = &"Placeholder"_op.row();
  node.name = std::move(full_name);
  node.attrs.set("dtype"_attr, dtype);
  node.attrs.set("shape"_attr, shape);
  if (!user_name.empty() && kind_ != Kind::kGradient)
    node.attrs.set("_user_specified_name"_attr, std::string(user_name));
  node.dtypes = {dtype};
  node.shapes = {shape};
  note_place(node);
  const NodeId id = graph_->add_named(std::move(node));
  graph_->inputs.push_back(id);
  return id;
}

Tensor GraphBuilder::parameter(DType dtype, const Shape& shape, std::string_view name, std::string_view user_name,
                               Resource* stands_for) {
  FL_CHECK(captures_.empty());
  const NodeId id = add_placeholder(dtype, shape, graph_->unique_name(name), user_name);
  ++graph_->parameters;
  Tensor tensor = graph_->tensor({id, 0});
  if (stands_for) tensor.stands_for(stands_for);
  return tensor;
}

Tensor GraphBuilder::capture(const Tensor& outside, std::string_view name, std::string_view user_name) {
  Resource* resource = outside.dtype() == DType::kResource ? outside.resource_object() : nullptr;
  if (kind_ == Kind::kGraph) {
    if (resource && !outside.is_symbolic() && variable_of(outside)) return variable_node(outside);
    cannot_capture(outside);
  }
  if (outside.is_symbolic()) {
    bool around = false;
    for (GraphBuilder* b = this; b && !around; b = b->outer_)
      around = (b != this && b->graph_.get() == outside.graph()) || b->source == outside.graph();
    if (!around) throw_leaked(outside);
  }
  auto [at, fresh] = captured_.try_emplace(identity_of(outside), captures_.size());
  if (fresh) {
    std::string full = kind_ == Kind::kBody ? std::string(name) + "_0" : std::string(name);
    add_placeholder(outside.dtype(), outside.shape(), graph_->unique_full_name(full), user_name);
    captures_.push_back(outside);
  }
  Tensor tensor = graph_->tensor({graph_->inputs[graph_->parameters + at->second], 0});
  if (resource) tensor.stands_for(resource);
  return tensor;
}

// The node that creates a variable in TensorFlow's graphs; here it gives the program's variable.
Tensor GraphBuilder::variable_node(const Tensor& handle) {
  const Variable& variable = *variable_of(handle);
  auto [at, fresh] = captured_.try_emplace(identity_of(handle), 0);
  if (fresh) {
    size_t id = 0;
    for (; id < graph_->size(); ++id) {  // nodes of an earlier time that the graph was entered
      const AttrValue* held = graph_->node(NodeId{static_cast<uint32_t>(id)}).attrs.find("_held"_attr);
      if (held && std::get<Tensor>(*held).resource_object() == &variable) break;
    }
    if (id == graph_->size()) {
      Node node;
      node.op = &"VarHandleOp"_op.row();
      node.name = graph_->unique_full_name(variable.name());
      node.attrs.set("dtype"_attr, variable.dtype());
      node.attrs.set("shape"_attr, variable.shape());
      node.attrs.set("shared_name"_attr, node.name);
      node.attrs.set("_held"_attr, handle);
      node.dtypes = {DType::kResource};
      node.shapes = {Shape{}};
      note_place(node);
      id = graph_->add_named(std::move(node)).value;
    }
    at->second = id;
  }
  Tensor tensor = graph_->tensor({NodeId{static_cast<uint32_t>(at->second)}, 0});
  tensor.stands_for(handle.resource_object());
  return tensor;
}

Tensor GraphBuilder::constant_node(const Tensor& value, std::string_view name) {
  Node node;
  node.op = &"Const"_op.row();
  node.name = graph_->unique_full_name(name);
  node.attrs.set("dtype"_attr, value.dtype());
  node.attrs.set(kValue, frozen(value));
  node.dtypes = {value.dtype()};
  node.shapes = {value.shape()};
  node.device = device;
  note_place(node);
  mark(node);
  return graph_->tensor({graph_->add_named(std::move(node)), 0});
}

void GraphBuilder::mark(Node& node) const {
  const Graph::Marks& marks = graph_->marks;
  if (!marks.any()) [[likely]] return;
  if (!marks.groups.empty()) node.attrs.set("_class"_attr, marks.groups);
  if (!marks.device.empty()) node.device = marks.device;
  const auto gradient = marks.gradients.find(std::string_view(node.op->name));
  if (gradient != marks.gradients.end()) node.attrs.set("_gradient_op_type"_attr, gradient->second);
}

Tensor GraphBuilder::bring_in(const Tensor& value, const std::string& scope, std::string_view argument) {
  if (value.is_symbolic()) {
    if (value.graph() == graph_.get()) return value;
    if (std::ranges::find(source_originals, value.graph()) != source_originals.end())
      return bring_in(source->tensor({value.node(), value.output()}), scope, argument);
    const std::string& name = value.graph()->node(value.node()).name;
    return capture(value, scope + '/' + name, name);
  }
  std::string full = scope + '/';
  full += argument;
  if (value.body()->python_number && value.dtype() != DType::kResource) return constant_node(value, full);
  return capture(value, full, argument);
}

Tensor GraphBuilder::as_own(const Tensor& value) {
  if (!value.is_symbolic() && value.body()->python_number && value.dtype() != DType::kResource)
    return constant_node(value, graph_->name_scope + "Const");
  std::string scope = graph_->name_scope;
  if (!scope.empty()) scope.pop_back();
  return bring_in(value, scope.empty() ? "capture" : scope, "input");
}

Tensor GraphBuilder::as_captured(const Tensor& value) {
  if (value.is_symbolic() && value.graph() == graph_.get()) return value;
  return capture(value, "capture/input", value.is_symbolic() ? std::string_view() : "input");
}

void GraphBuilder::add_unused_input(const Tensor& like, std::string_view full_name) {
  captures_.push_back(like);
  add_placeholder(like.dtype(), like.shape(), graph_->unique_full_name(full_name), {});
}

void GraphBuilder::order_captures(std::span<const Tensor> wanted) {
  FL_CHECK(wanted.size() == captures_.size());
  std::vector<NodeId> inputs(graph_->inputs.begin(),
                             graph_->inputs.begin() + static_cast<ptrdiff_t>(graph_->parameters));
  for (const Tensor& value : wanted)
    for (size_t i = 0; i < captures_.size(); ++i)
      if (same_value(captures_[i], value)) {
        inputs.push_back(graph_->inputs[graph_->parameters + i]);
        break;
      }
  FL_CHECK(inputs.size() == graph_->inputs.size());
  graph_->inputs = std::move(inputs);
  captures_.assign(wanted.begin(), wanted.end());
  captured_.clear();  // the trace is finished, so nothing more is captured
}

NodeId GraphBuilder::add(const OpRow& row, std::span<const Tensor> given, const Attrs& attrs, std::string_view name) {
  Node node;
  node.op = &row;
  node.name = graph_->unique_name(name.empty() ? std::string_view(row.name) : name);
  std::vector<Tensor> inputs;
  inputs.reserve(given.size());
  node.inputs.reserve(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    inputs.push_back(bring_in(given[i], node.name, row.inputs.empty() ? std::string_view() : argument_name(row, i)));
    node.inputs.push_back({inputs[i].node(), inputs[i].output()});
  }
  const size_t count = output_count(row, inputs, attrs);
  node.dtypes.resize(count);
  std::vector<Shape> shapes(count);
  NodeInference inference(*this, row, attrs, inputs, node.dtypes, shapes);
  try {
    infer_outputs(inference);
  } catch (const Error& error) {
    // An op that would fail when it runs fails here before anything runs: with TypeError and ValueError, as in
    // TensorFlow. Dtypes are inferred before shapes.
    if (error.kind() != ErrorKind::kInvalidArgument) throw;
    const bool settled = node.dtypes.empty() || node.dtypes[0] != DType::kInvalid;
    throw Error(settled ? ErrorKind::kValue : ErrorKind::kType, error.message());
  }
  node.shapes = graph_->shared(std::move(shapes));
  node.attrs = complete_attrs(row, inputs, attrs);
  if (const AttrValue* value = node.attrs.find(kValue))
    if (const Tensor* tensor = std::get_if<Tensor>(value)) node.attrs.set(kValue, frozen(*tensor));
  note_place(node);
  node.device = device;
  node.control_inputs = control_scope;
  if (NodeAttrs& last = last_attrs_[&row]; !node.attrs.share(last)) last = node.attrs;
  mark(node);
  const NodeId id = graph_->add_named(std::move(node));
  if (row.stateful()) order_effects(id, nullptr);
  return id;
}

std::vector<Tensor> GraphBuilder::outputs_of(NodeId id) {
  std::vector<Tensor> outputs;
  const uint32_t count = static_cast<uint32_t>(graph_->node(id).dtypes.size());
  for (uint32_t i = 0; i < count; ++i) outputs.push_back(graph_->tensor({id, i}));
  return outputs;
}

std::vector<Tensor> GraphBuilder::emit(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs,
                                       std::string_view name) {
  return outputs_of(add(row, inputs, attrs, name));
}

Tensor GraphBuilder::emit_one(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs,
                              std::string_view name) {
  const NodeId id = add(row, inputs, attrs, name);
  return graph_->node(id).dtypes.empty() ? Tensor() : graph_->tensor({id, 0});
}

// An input is read-only if all graphs of the node only read it.
std::vector<bool> GraphBuilder::note_read_only(Attrs& attrs, size_t inputs) {
  std::vector<bool> read_only(inputs, false);
  bool first = true;
  for (const auto& [attr, value] : attrs) {
    const GraphPtr* callee = std::get_if<GraphPtr>(&value);
    if (!callee) continue;
    const std::vector<bool> reads = read_only_inputs(**callee);
    // The last inputs are those of the graph too. A graph may have more before them: the parts of an element.
    for (size_t i = 1; i <= std::min(inputs, reads.size()); ++i)
      read_only[inputs - i] = reads[reads.size() - i] && (first || read_only[inputs - i]);
    first = false;
  }
  std::vector<int64_t> indices;
  for (size_t i = 0; i < read_only.size(); ++i)
    if (read_only[i]) indices.push_back(static_cast<int64_t>(i));
  attrs.set("_read_only_resource_inputs"_attr, std::move(indices));
  return read_only;
}

NodeId GraphBuilder::adopt(Node node) {
  if (!node.source.code.valid()) note_place(node);
  if (node.device.empty()) node.device = device;
  for (const NodeId control : control_scope)
    if (std::ranges::find(node.control_inputs, control) == node.control_inputs.end())
      node.control_inputs.push_back(control);
  const bool calls = std::ranges::any_of(
      node.attrs, [](const auto& attr) { return std::holds_alternative<GraphPtr>(attr.second); });
  std::vector<bool> read_only;
  if (calls) {
    Attrs attrs = node.attrs;
    read_only = note_read_only(attrs, node.inputs.size());
    node.attrs = std::move(attrs);
  }
  const bool stateful = node.op->stateful();
  const NodeId id = graph_->add_named(std::move(node));
  if (stateful) order_effects(id, calls ? &read_only : nullptr);
  return id;
}

std::vector<Tensor> GraphBuilder::add_known(const OpRow& row, std::span<const Tensor> given, Attrs attrs,
                                            std::vector<DType> dtypes, std::vector<Shape> shapes, std::string_view name,
                                            bool name_is_unique) {
  Node node;
  node.op = &row;
  node.name = name_is_unique ? std::string(name) : graph_->unique_name(name);
  for (size_t i = 0; i < given.size(); ++i) {
    const Tensor in = bring_in(given[i], node.name, row.inputs[std::min(i, row.inputs.size() - 1)].name);
    node.inputs.push_back({in.node(), in.output()});
  }
  const std::vector<bool> read_only = note_read_only(attrs, given.size());
  node.control_inputs = control_inputs_of(*this, attrs);
  node.attrs = std::move(attrs);
  node.dtypes = std::move(dtypes);
  node.shapes = graph_->shared(std::move(shapes));
  note_place(node);
  node.device = device;
  mark(node);
  const NodeId id = graph_->add_named(std::move(node));
  if (row.stateful()) order_effects(id, &read_only);
  return outputs_of(id);
}

Tensor GraphBuilder::constant_value(const Tensor& tensor) {
  if (!tensor.is_symbolic()) return gpu::on_host(tensor);
  const GraphBuilder* at = this;
  while (at && at->graph_.get() != tensor.graph()) at = at->outer_;
  // The value of a captured input, if it is known outside: a value, or a constant of the enclosing graph.
  const auto captured = [at](NodeId node) -> Tensor {
    const auto& inputs = at->graph_->inputs;
    const auto found = std::find(inputs.begin() + static_cast<ptrdiff_t>(at->graph_->parameters), inputs.end(), node);
    const auto k = static_cast<size_t>(found - inputs.begin()) - at->graph_->parameters;
    if (found == inputs.end() || k >= at->captures_.size()) return {};
    const Tensor& outside = at->captures_[k];
    if (!is_plain(outside.dtype()) || !outside.shape().fully_known() || outside.elements() > kMaxKnown) return {};
    if (outside.is_symbolic()) return at->outer_ ? at->outer_->constant_value(outside) : Tensor();
    return outside.device() == Device::cpu() ? outside : Tensor();
  };
  return constant_of(*tensor.graph(), {tensor.node(), tensor.output()}, at ? KnownInput(captured) : nullptr);
}

void GraphBuilder::order_effects(NodeId id, const std::vector<bool>* read_only) {
  Node& node = graph_->node(id);
  stateful_ = true;
  const bool draws = node.op->family == OpFamily::kRandom && node.op->effect == Effect::kOther;
  if (!draws) must_run_.push_back(id);  // an unused random number need not be drawn
  const bool only_reads = node.op->effect == Effect::kReads;
  if (as_written) {  // nothing is ordered, but last_write may ask for later writes
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Edge edge = node.inputs[i];
      if (graph_->node(edge.node).dtypes[edge.output] == DType::kResource && !only_reads &&
          !(read_only && (*read_only)[i]))
        resources_[edge.node.value].last_write = id;
    }
    return;
  }
  std::vector<NodeId> controls;
  const auto use = [&](uint32_t what, bool reads) {
    ResourceUse& uses = resources_[what];
    if (uses.last_write.valid()) controls.push_back(uses.last_write);
    if (reads) {
      uses.reads.push_back(id);
    } else {
      controls.insert(controls.end(), uses.reads.begin(), uses.reads.end());
      uses.reads.clear();
      uses.last_write = id;
    }
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Edge edge = node.inputs[i];
    if (graph_->node(edge.node).dtypes[edge.output] != DType::kResource) continue;
    use(edge.node.value, only_reads || (read_only && (*read_only)[i]));
  }
  // Prints, checks and queries of the machine keep their order.
  if (affects_elsewhere(*graph_, node)) use(kElsewhere, only_reads);
  for (NodeId control : controls) {
    if (std::ranges::find(node.control_inputs, control) != node.control_inputs.end()) continue;
    node.control_inputs.push_back(control);
    ordered_.push_back({control, id});
  }
}

NodeId GraphBuilder::last_write(const Tensor& handle) {
  const auto at = resources_.find(as_own(handle).node().value);
  return at == resources_.end() ? NodeId() : at->second.last_write;
}

Tensor GraphBuilder::mark_output(const Tensor& output) {
  const bool python_value = !output.is_symbolic() && output.body()->python_number;
  const Tensor own = python_value ? as_own(output) : output;
  if (as_written && own.is_symbolic() && own.graph() == graph_.get()) return own;
  return emit_one("Identity"_op.row(), {&own, 1}, {}, {});
}

void GraphBuilder::finish(std::span<const Tensor> outputs) {
  std::vector<Tensor> marked;
  for (const Tensor& output : outputs) marked.push_back(mark_output(output));
  finish_marked(std::move(marked));
}

void GraphBuilder::finish_marked(std::vector<Tensor> marked) {
  if (as_written) graph_->control_outputs = must_run_;
  remove_implied(*graph_, ordered_);
  ordered_.clear();
  if (!must_run_.empty() && !as_written) {
    graph_->control_outputs = must_run_;
    if (!marked.empty()) {
      Node node;
      node.op = &"NoOp"_op.row();
      node.control_inputs = must_run_;  // all of them, as in TensorFlow
      note_place(node);
      const NodeId done = graph_->add(std::move(node));
      for (const Tensor& output : marked) graph_->node(output.node()).control_inputs.push_back(done);
    }
  }
  for (const Tensor& output : marked) graph_->outputs.push_back({output.node(), output.output()});
  if (!as_written) graph_->marks.added = nullptr;  // which is the language's, and the graph may end on any thread
  graph_->trim();
}

std::string GraphBuilder::enter_scope(std::string_view name) {
  std::string before = graph_->name_scope;
  if (!name.empty()) graph_->name_scope = name.back() == '/' ? std::string(name) : graph_->unique_name(name) + '/';
  return before;
}

constinit Hooks hooks;

void throw_leaked(const Tensor& tensor) {
  const Graph& graph = *tensor.graph();
  if (hooks.leaked_use) hooks.leaked_use(graph);
  const Node& node = graph.node(tensor.node());
  const std::string& name = node.name;
  const std::string place = hooks.place_line ? hooks.place_line(node.source) : std::string();
  throw Error(ErrorKind::kInaccessibleTensor,
              "the symbolic tensor '" + name + ":" + std::to_string(tensor.output()) + "' (" +
                  std::string(name_of(tensor.dtype())) + ", shape " + tensor.shape().to_string() +
                  ") is out of scope: it belongs to the trace of " +
                  (graph.made_by.empty() ? graph.name() : graph.made_by) +
                  " and cannot be used outside of it: return it from the function instead of storing it" +
                  (place.empty() ? "" : "; it was made here:" + place));
}

std::vector<bool> read_only_inputs(const Graph& graph) {
  std::vector<bool> result(graph.inputs.size(), false);
  std::unordered_map<uint32_t, size_t> handles;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (graph.node(graph.inputs[i]).dtypes[0] != DType::kResource) continue;
    handles.emplace(graph.inputs[i].value, i);
    result[i] = true;
  }
  if (handles.empty()) return result;
  for (uint32_t n = 0; n < graph.size(); ++n) {
    const Node& node = graph.node(NodeId(n));
    const bool passes_on = node.op->effect == Effect::kNone && node.op->alias == Alias::kSame;
    if (passes_on || node.op->effect == Effect::kReads) continue;
    const AttrValue* attr = node.attrs.find("_read_only_resource_inputs"_attr);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      auto at = handles.find(node.inputs[i].node.value);
      if (at == handles.end()) continue;
      const auto* indices = attr ? std::get_if<std::vector<int64_t>>(attr) : nullptr;
      if (!indices || std::ranges::find(*indices, static_cast<int64_t>(i)) == indices->end())
        result[at->second] = false;
    }
  }
  return result;
}

bool has_effects(const Graph& graph) {
  for (uint32_t n = 0; n < graph.size(); ++n)
    if (graph.node(NodeId(n)).op->stateful()) return true;
  return false;
}

}  // namespace footlight::trace
