// The ops on datasets for Python: dataset_op("MapDataset", inputs, attributes).
#include "engine/base/clock.h"
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/data/function.h"
#include "engine/data/rebuild.h"
#include "engine/ops/builder.h"
#include "engine/ops/random_seeds.h"
#include "engine/python/calls/op_attributes.h"
#include "engine/python/data/module_init.h"
#include "engine/python/function/call/captures.h"
#include "engine/python/function/call/concrete.h"
#include "engine/python/function/call/failure.h"
#include "engine/python/function/observed/state_watch.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/variable_object.h"
#include "engine/runtime/executor.h"

namespace footlight::python {
namespace {

// How recordings refer to a function's calls.
struct Recorded {
  uint32_t recording = 0;  // the recording that knows the function; 0: none
  FunctionId function;
  TraceId trace;
  KeyId key;
  SourceRef source;        // where it was passed to a dataset
};

class TracedFunction final : public data::ElementFunction {
 public:
  TracedFunction(std::shared_ptr<trace::Concrete> concrete, const Recorded& recorded)
      : concrete_(std::move(concrete)), recorded_(recorded) {}
  void run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    if (recording_structure() && recorded_.recording == recording_number.load(std::memory_order_relaxed)) [[unlikely]]
      return run_recorded(inputs, outputs);
    run_in(this_thread.call, inputs, outputs);
  }
  Tensor with_new_streams() override {
    const GraphPtr graph = data::graph_with_new_streams(concrete_->graph());
    if (!graph) return {};
    return data::function_value(
        new TracedFunction(std::make_shared<trace::Concrete>(graph, concrete_->captures()), recorded_));
  }

 private:
  void run_in(CallId call, std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    try {
      runtime::run(concrete_->program(), inputs, outputs, call);
    } catch (...) {
      explain_failure();
    }
  }
  void run_recorded(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    CallEvent event;
    event.start_ns = now_ns();
    event.call = next_call_id();
    event.parent = this_thread.call;
    event.source = recorded_.source;
    event.function = recorded_.function;
    event.trace = recorded_.trace;
    event.key = recorded_.key;
    const auto record = [&](CallOutcome outcome) {
      event.end_ns = now_ns();
      event.outcome = outcome;
      record_call(event);
    };
    try {
      const runtime::CallScope inside(event.call);
      run_in(event.call, inputs, outputs);
    } catch (...) {
      record(CallOutcome::kFailed);
      throw;
    }
    record(CallOutcome::kHit);
  }

  const std::shared_ptr<trace::Concrete> concrete_;
  const Recorded recorded_;
};

Recorded recorded_of(PyObject* concrete, const TraceEntry& entry) {
  if (!recording_structure()) return {};
  return {recording_number.load(), concrete_function(concrete), entry.id, entry.key, current_source()};
}

void set_any_attribute(Attrs& attrs, const AttrSpec& spec, PyObject* value) {
  if (std::string_view(spec.type) != "func") return set_attribute(attrs, spec, value);
  const std::shared_ptr<TraceEntry> entry = concrete_entry(value);
  const GraphPtr& graph = entry->concrete->graph();
  // Replaced captures, and those asked for at each call, are taken when the pipeline is built.
  const auto called = entry->replaced.empty()
                          ? entry->concrete
                          : std::make_shared<trace::Concrete>(graph, captures_now(*entry));
  if (recording_structure() && entry->state) watch_elements(entry->state);
  attrs.set(AttrName(spec.name), graph);
  attrs.set(data::handed_in(spec.name),
            data::function_value(new TracedFunction(called, recorded_of(value, *entry))));
}

Tensor input_of(PyObject* value) { return is_variable(value) ? variable_handle(value) : to_tensor(value); }

PyObject* dataset_op(PyObject*, PyObject* args) {
  const char *op, *name = nullptr;
  PyObject *inputs, *given;
  if (!PyArg_ParseTuple(args, "sOO!|z:dataset_op", &op, &inputs, &PyDict_Type, &given, &name)) return nullptr;
  const OpRow* row = find_row(op);
  if (!row) fail(ErrorKind::kValue, "no op ", op);
  std::vector<Tensor> tensors;
  for (PyObject* input : Items(inputs)) tensors.push_back(input_of(input));
  Attrs attrs;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(given, &at, &key, &value);) {
    const std::string wanted(utf8(key));
    const AttrSpec* const spec = attribute_named(*row, wanted);
    if (!spec) fail(ErrorKind::kValue, op, " has no attribute ", wanted);
    set_any_attribute(attrs, *spec, value);
  }
  try {
    return wrap_all(apply_all(*row, tensors, attrs, name ? name : ""));
  } catch (const Error& e) {
    stay_out_of_the_end(e);
    throw;
  }
}

// dataset_seeds(seed): the two seeds of an op, by the rules of tf.random.set_seed.
PyObject* dataset_seeds(PyObject*, PyObject* seed) {
  std::optional<int64_t> own;
  if (seed != Py_None) {
    own = PyLong_AsLongLong(seed);
    if (*own == -1 && PyErr_Occurred()) throw PythonErrorSet();
  }
  const random::Seeds seeds = random::seeds_for_op(own);
  return Py_BuildValue("LL", static_cast<long long>(seeds.seed), static_cast<long long>(seeds.seed2));
}

PyObject* rebuild_dataset(PyObject*, PyObject* variant) { return wrap(data::rebuild_in_graph(to_tensor(variant))); }

PyMethodDef functions[] = {
    {"dataset_op", guard<dataset_op>, METH_VARARGS,
     "dataset_op(op, inputs, attributes, name=None)\n--\n\nThe outputs of an op on datasets, as a list."},
    {"rebuild_dataset", guard<rebuild_dataset>, METH_O,
     "rebuild_dataset(variant)\n--\n\nThe ops that made a dataset, in the graph being built."},
    {"dataset_seeds", guard<dataset_seeds>, METH_O, "dataset_seeds(seed)\n--\n\nThe seeds of an op."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_dataset_ops(PyObject* module) { if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet(); }

}  // namespace footlight::python
