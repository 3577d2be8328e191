// Captures of a trace that were replaced, or whose values are asked for at each call.
#include "engine/python/function/call/captures.h"

#include "engine/base/text.h"
#include "engine/python/function/call/failure.h"
#include "engine/python/function/call/output.h"
#include "engine/python/function/call/rebuild.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"

#include <algorithm>

namespace footlight::python {
namespace {

// Values that the trace of a builder asks for at each call.
struct Asked {
  Ref key, value;             // value: its placeholder in the trace
  std::vector<Tensor> slots;  // what the builder captured in place of the tensors
  CapturedValue capture;
};
std::unordered_map<const trace::GraphBuilder*, std::vector<Asked>>& asked_by() {
  static auto& all = *new std::unordered_map<const trace::GraphBuilder*, std::vector<Asked>>;
  return all;
}

[[noreturn]] void cannot_cast(PyObject* value, const SpecValue& spec) {
  fail(ErrorKind::kType, "Can not cast ", repr_of(value), " to ", spec_text(spec),
       ", which the function captures at each call");
}

// The tensors of a spec, in the order in which those of a value are flattened.
std::vector<SpecValue> specs_in(PyObject* spec) {
  std::vector<SpecValue> specs;
  Rebuilder([&](PyObject* leaf) {
    specs.push_back(spec_of(leaf));
    return Ref::borrow(leaf);
  }).rebuild(spec);
  return specs;
}

std::vector<Tensor> tensors_of(PyObject* value, const std::vector<SpecValue>& specs) {
  std::vector<Ref> leaves;
  nest_flatten(value, leaves, true);
  if (leaves.size() != specs.size())
    fail(ErrorKind::kValue, "a function captures ", specs.size(), " tensors at each call, ", repr_of(value),
         " has ", leaves.size());
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < leaves.size(); ++i) {
    PyObject* const leaf = leaves[i].get();
    if (specs[i].dtype == DType::kResource && is_variable(leaf)) {
      tensors.push_back(variable_handle(leaf));
      continue;
    }
    tensors.push_back(is_variable(leaf) ? variable_value(leaf)
                      : is_tensor(leaf) ? tensor_of(leaf)
                                        : to_tensor(leaf, specs[i].dtype));
    if (tensors.back().dtype() != specs[i].dtype || !is_subshape(tensors.back().shape(), specs[i].shape))
      cannot_cast(leaf, specs[i]);
  }
  return tensors;
}

SpecValue placeholder_spec(const TraceEntry& entry, size_t capture) {
  const Graph& graph = *entry.concrete->graph();
  const Node& node = graph.node(graph.inputs.at(graph.parameters + capture));
  return {node.dtypes[0], node.dtypes[0] == DType::kResource ? Shape() : Shape::unknown_rank(), {}};
}

trace::GraphBuilder* function_builder() {
  trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
  while (builder && builder->kind() != trace::GraphBuilder::Kind::kFunction) builder = builder->outer();
  return builder;
}

// Implements graph.capture_call_time_value: returns the placeholder, in the trace being made, for a value that
// `closure` gives at each call.
Ref capture_at_call(PyObject* closure, PyObject* spec, PyObject* key) {
  trace::GraphBuilder* const builder = function_builder();
  if (!builder)
    fail(ErrorKind::kRuntime, "values are captured at each call by functions only, while they are traced");
  std::vector<Asked>& all = asked_by()[builder];
  for (const Asked& known : all)
    if (key != Py_None && are_equal(known.key.get(), key)) return known.value;
  Asked asked{Ref::borrow(key), {}, {}, {Ref::borrow(closure), Ref::borrow(spec)}};
  Rebuilder inner(
      [&](PyObject* leaf) {
        if (!is_spec(leaf))
          fail(ErrorKind::kType, "what is captured at each call is described by tf.TensorSpec, not by a ",
               Py_TYPE(leaf)->tp_name);
        const SpecValue& want = spec_of(leaf);
        Shape sizes;  // shape of a value that is never read
        for (int i = 0; want.shape.has_rank() && i < want.shape.rank(); ++i) sizes.append(0);
        asked.slots.push_back(Tensor::empty(want.dtype, sizes));
        Tensor tensor = builder->capture(asked.slots.back(), "at_call", {});
        builder->graph()->node(tensor.node()).shapes.own()[0] = want.shape;
        tensor.body()->shape = want.shape;
        return checked(wrap(tensor));
      },
      true);
  asked.value = inner.rebuild(spec);
  all.push_back(std::move(asked));
  return all.back().value;
}

PyObject* py_capture_at_call(PyObject*, PyObject* arguments) {
  PyObject *closure, *spec, *key;
  if (!PyArg_ParseTuple(arguments, "OOO:capture_at_call", &closure, &spec, &key)) return nullptr;
  return guarded([&] { return capture_at_call(closure, spec, key).release(); });
}
PyMethodDef capture_functions[] = {{"capture_at_call", py_capture_at_call, METH_VARARGS,
                                    "What stands in a trace for a value that a function gives at each call."},
                                   {nullptr, nullptr, 0, nullptr}};

// The captures as they are, one by one, so that some can be replaced.
void take_apart(TraceEntry& entry) {
  if (!entry.replaced.empty()) return;
  for (const Tensor& capture : entry.concrete->captures())
    entry.replaced.push_back({checked(wrap(capture)), {}});
}

size_t width(const CapturedValue& capture) { return capture.spec ? specs_in(capture.spec.get()).size() : 1; }

}  // namespace

CapturesAtCall::CapturesAtCall(trace::GraphBuilder& builder) : builder_(builder) {}
CapturesAtCall::~CapturesAtCall() { asked_by().erase(&builder_); }

void CapturesAtCall::finish(TraceEntry& entry) {
  const auto found = asked_by().find(&builder_);
  if (found == asked_by().end()) return;
  // Values that are asked for come last.
  std::vector<Tensor> ordered;
  const auto is_slot = [&](const Tensor& t) {
    return std::ranges::any_of(found->second, [&](const Asked& asked) {
      return std::ranges::any_of(asked.slots, [&](const Tensor& slot) { return slot.body() == t.body(); });
    });
  };
  for (const Tensor& capture : builder_.captures())
    if (!is_slot(capture)) {
      ordered.push_back(capture);
      entry.replaced.push_back({checked(wrap(capture)), {}});
    }
  for (Asked& asked : found->second) {
    ordered.insert(ordered.end(), asked.slots.begin(), asked.slots.end());
    entry.replaced.push_back(std::move(asked.capture));
  }
  builder_.order_captures(ordered);
}

std::vector<Tensor> captures_now(TraceEntry& entry) {
  if (entry.replaced.empty()) return entry.concrete->captures();
  std::vector<Tensor> tensors;
  const std::vector<CapturedValue> captures = entry.replaced;  // a closure may replace them
  for (const CapturedValue& capture : captures) {
    PyObject* const value = capture.value.get();
    const std::vector<SpecValue> specs =
        capture.spec ? specs_in(capture.spec.get()) : std::vector{placeholder_spec(entry, tensors.size())};
    const bool asks = !is_tensor(value) && !is_variable(value) && PyCallable_Check(value);
    const bool staged = asks && capture.spec && function_builder();
    const Ref now = staged ? capture_at_call(value, capture.spec.get(), value)
                    : asks ? checked(PyObject_CallNoArgs(value))
                           : capture.value;
    for (Tensor& tensor : tensors_of(now.get(), specs)) tensors.push_back(std::move(tensor));
  }
  if (tensors.size() != entry.concrete->captures().size())
    fail(ErrorKind::kValue, "the function has ", entry.concrete->captures().size(),
         " captures, it was given ", tensors.size());
  return tensors;
}

void set_captures(TraceEntry& entry, PyObject* values) {
  std::vector<CapturedValue> wanted;
  size_t count = 0;
  take_apart(entry);
  for (PyObject* value : Items(values, "the captures must be a sequence")) {
    if (!is_tensor(value) && !is_variable(value) && !PyCallable_Check(value))
      fail(ErrorKind::kType, "a capture must be a tensor or a function that gives one, not ", repr_of(value));
    const auto known = std::ranges::find_if(
        entry.replaced, [&](const CapturedValue& one) { return one.value.get() == value && one.spec; });
    wanted.push_back({Ref::borrow(value), known == entry.replaced.end() ? Ref() : known->spec});
    count += width(wanted.back());
  }
  if (count != entry.concrete->captures().size())
    fail(ErrorKind::kValue, "the function has ", entry.concrete->captures().size(),
         " captures, it was given ", count);
  entry.replaced = std::move(wanted);
}

void replace_capture(TraceEntry& entry, PyObject* captured, PyObject* closure, PyObject* spec) {
  take_apart(entry);
  const Tensor tensor = is_variable(captured) ? variable_handle(captured)
                        : is_tensor(captured) ? tensor_of(captured)
                                              : Tensor();
  size_t at = 0;
  for (CapturedValue& capture : entry.replaced) {
    if (tensor && is_tensor(capture.value.get()) &&
        tensor_of(capture.value.get()).tape_id() == tensor.tape_id()) {
      const std::vector<SpecValue> specs = specs_in(spec);
      const Graph& graph = *entry.concrete->graph();
      const Node& node = graph.node(graph.inputs[graph.parameters + at]);
      if (specs.size() != 1 || specs[0].dtype != node.dtypes[0] ||
          !is_subshape(specs[0].shape, node.shapes[0]))
        fail(ErrorKind::kValue, "Attempting to substitute closure with spec ", repr_of(spec),
             " that's incompatible with the original capture with spec ",
             spec_text({node.dtypes[0], node.shapes[0], {}}));
      capture = {Ref::borrow(closure), Ref::borrow(spec)};
      return;
    }
    at += width(capture);
  }
  fail(ErrorKind::kValue, "the function does not capture ", repr_of(captured));
}

trace::Concrete& with_open_captures(TraceEntry& entry) {
  if (!entry.open) {
    const GraphPtr graph = clone(*entry.concrete->graph());
    graph->parameters = graph->inputs.size();
    entry.open = std::make_shared<trace::Concrete>(graph, std::vector<Tensor>());
  }
  return *entry.open;
}

Ref run_replaced(TraceEntry& entry, std::span<const Tensor> arguments, CallId call) {
  std::vector<Tensor> inputs(arguments.begin(), arguments.end());
  for (Tensor& capture : captures_now(entry)) inputs.push_back(std::move(capture));
  std::vector<Tensor> outputs;
  try {
    outputs = with_open_captures(entry).call(inputs, call);
  } catch (...) {
    explain_failure();
  }
  return result_of(entry, outputs);
}

void init_captures(PyObject* module) {
  if (PyModule_AddFunctions(module, capture_functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
