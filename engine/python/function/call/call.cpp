// The steps of a call: bind, write the key, find or make the trace, run it, put the results together.
#include "engine/python/function/call/call.h"

#include "engine/base/clock.h"
#include "engine/base/recording.h"
#include "engine/python/calls/library.h"
#include "engine/python/function/call/binding.h"
#include "engine/python/function/call/captures.h"
#include "engine/python/function/call/failure.h"
#include "engine/python/function/call/key.h"
#include "engine/python/function/call/output.h"
#include "engine/python/function/call/signature.h"
#include "engine/python/function/function_object.h"
#include "engine/python/function/observed/state_watch.h"
#include "engine/python/function/tracing/collected.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/gil.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"

#include <algorithm>
#include <vector>

namespace footlight::python {

void write_key(FunctionCore& core, std::span<PyObject* const> values, CallKey& call) {
  const Device* device = this_thread.device;
  call.key.context(device ? 1 + (static_cast<uint64_t>(device->type) << 8 | device->index) : 0);
  if (core.self_number) call.key.numbered(keys::Token::kObject, core.self_number);
  for (PyObject* value : values) call.add(value);
}

namespace {

PyObject* call_eagerly(FunctionCore& core, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return guarded([&] {
    if (recording_structure() && !core.ready) core.prepare();
    const int64_t start = recording_structure() ? now_ns() : 0;
    return core.function
        .call_eagerly(start,
                      [&] {
                        const ActivityScope python(this_thread.activity, Activity::kPython);
                        return checked(PyObject_Vectorcall(core.python_function.get(), args, nargsf, kwnames));
                      })
        .release();
  });
}

// A recorded call of a trace that has read state of the program.
void note_call(const std::shared_ptr<TraceState>& state, int64_t start_ns) {
  if (this_thread.activity) return;
  state->note_call(start_ns);
  if (this_thread.builder) StateWatch::contains(state);
}

[[noreturn]] void refuse_specs(const FunctionCore& core) {
  fail(ErrorKind::kType, "a TensorSpec has no value to call '", core.name,
       "' with; use get_concrete_function()");
}

}  // namespace

void make_tensors(BoundArguments& bound) {
  for (Ref& value : bound.values) {
    PyObject* const o = value.get();
    if (o == Py_None || is_tensor(o) || is_spec(o) || PyTuple_Check(o) || PyDict_Check(o)) continue;
    value = checked(wrap(to_tensor(o)));
  }
}


PyObject* call_function(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  FunctionCore& core = core_of(self);
  if (functions_run_eagerly) [[unlikely]] return call_eagerly(core, args, nargsf, kwnames);
  return guarded([&]() -> PyObject* {
    const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    const int64_t start = recording_structure() ? now_ns() : 0;
    CallKey key;
    BoundArguments bound;
    PyObject* few[32];
    std::vector<PyObject*> many;
    std::span<PyObject* const> values(args, static_cast<size_t>(nargs));
    if (!core.ready) [[unlikely]] core.prepare();
    try {
      if (kwnames || !core.signature.plain || nargs != core.signature.positional ||
          core.options.input_signature || core.options.pure) {
        bind_arguments(core.signature, core.name, args, nargs, kwnames, bound);
        if (core.options.input_signature) apply_signature(core, bound);
        if (core.options.pure) make_tensors(bound);
        const size_t count = bound.values.size();
        if (count > std::size(few)) many.resize(count);
        PyObject** const all = count > std::size(few) ? many.data() : few;
        for (size_t i = 0; i < count; ++i) all[i] = bound.values[i].get();
        values = {all, count};
      }
      write_key(core, values, key);
      if (key.has_specs) [[unlikely]] refuse_specs(core);
    } catch (...) {
      if (start) core.function.note_refused(start);
      throw;
    }
    const CallArguments arguments(key, values);
    return core.function
        .call({key.key.words.data(), key.key.words.size()}, arguments, start,
              [&](trace::Trace& trace, CallId id) {
                auto& entry = static_cast<TraceEntry&>(trace);
                if (start && entry.state) note_call(entry.state, start);
                if (collected_graphs) [[unlikely]] collect_graph(entry);
                return run_entry(entry, arguments.tensors, id);
              })
        .release();
  });
}

Ref run_entry(TraceEntry& entry, std::span<const Tensor> arguments, CallId call_id) {
  if (!entry.replaced.empty()) [[unlikely]]
    return run_replaced(entry, arguments, call_id);
  constexpr size_t kFew = 8;
  const size_t count = entry.concrete->outputs();
  Tensor few[kFew];
  std::vector<Tensor> many;
  std::span<Tensor> outputs(few, std::min(count, kFew));
  if (count > kFew) {
    many.resize(count);
    outputs = many;
  }
  try {
    const WithoutGil without(entry.long_work && !this_thread.builder && !this_thread.recorders);
    entry.concrete->call(arguments, outputs, call_id);
  } catch (...) {
    explain_failure();
  }
  return result_of(entry, outputs);
}

}  // namespace footlight::python
