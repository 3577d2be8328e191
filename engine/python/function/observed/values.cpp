// Runs a call again node by node, as traced, with the program's state put back before and after.
#include "engine/python/function/observed/values.h"

#include "engine/base/activity.h"
#include "engine/base/device_pause.h"
#include "engine/base/text.h"
#include "engine/eager/tape.h"
#include "engine/python/calls/library.h"
#include "engine/python/function/function_object.h"
#include "engine/python/function/observed/chosen_call.h"
#include "engine/python/function/observed/suppress_side_effects.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/nest.h"
#include "engine/session/writer.h"
#include "engine/tensor/gpu.h"
#include "engine/tensor/statistics.h"
#include "engine/trace/function_recording.h"
#include "engine/trace/node_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_map>

namespace footlight::python {
namespace {

using session::CallValues;
using session::ValuesReason;

constexpr uint64_t kMaxBytesOfState = uint64_t{2} << 30;  // for variables
constexpr int kMaxFailedCalls = 3;                        // failed calls of a function that are run again

// What is known of a function while the program runs.
struct Watched {
  uint64_t calls = 0;
  int failed_calls = 0;
  bool nan_found = false, infinity_found = false;
};

struct Wanted {
  ChosenCall asked;        // none, if only NaN and infinity are searched for
  bool check = false;      // whether all calls are searched for NaN and infinity
  vectorcallfunc plain = nullptr;
  bool inside = false;     // a call is looked at: those that it makes are part of it
  std::unordered_map<uint32_t, Watched> functions = {};  // keyed by number
};
Wanted* wanted = nullptr;  // null: nothing is wanted

// While it lives, nothing is recorded.
class Unrecorded {
 public:
  Unrecorded() : level_(recording_level.exchange(RecordingLevel::kOff)) {}
  ~Unrecorded() {
    RecordingLevel ours = RecordingLevel::kOff;  // unless somebody has changed it meanwhile
    recording_level.compare_exchange_strong(ours, level_);
  }
  Unrecorded(const Unrecorded&) = delete;
  Unrecorded& operator=(const Unrecorded&) = delete;

 private:
  const RecordingLevel level_;
  const DevicesUnrecorded devices_{true};
};

class Inside {
 public:
  Inside() { wanted->inside = true; }
  ~Inside() { wanted->inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

bool same_bits(const Tensor& a, const Tensor& b) {
  if (!a || !b) return !a && !b;
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (!is_plain(a.dtype())) return true;  // of resources there is nothing to compare
  return a.bytes() == 0 || std::memcmp(gpu::on_host(a).raw(), gpu::on_host(b).raw(), a.bytes()) == 0;
}

// Whether a graph, or one that it calls, has it.
template <class Has>
bool any_node(const Graph& graph, Has&& has) {
  const auto in = [&](const Graph& g) {
    for (uint32_t i = 0; i < g.size(); ++i)
      if (has(*g.node(NodeId(i)).op)) return true;
    return false;
  };
  if (in(graph)) return true;
  for (const GraphPtr& inner : library_of(graph))
    if (in(*inner)) return true;
  return false;
}

bool calls_python(const OpRow& row) { return std::string_view(row.name).find("PyFunc") != std::string_view::npos; }

// Variables are put back and what is printed is dropped; other effects happen again.
bool acts_outside(const OpRow& row) {
  const std::string_view op = row.name;
  return op.find("Summary") != op.npos || op.starts_with("Write") || op.starts_with("Save") ||
         op.find("TableInsert") != op.npos || op.find("TableImport") != op.npos || op.find("Enqueue") != op.npos;
}

// What is known of a call before it is made.
struct CallBefore {
  FunctionId function;
  std::optional<BoundCall> call;
  std::optional<KeptProgram> state;
  std::string why_not;  // one of the two is missing
  trace::ElementWatch elements;
};

// Runs the call's graph as traced, and as usual; both from the same state.
void run_again(BoundCall& call, const KeptProgram& before, const trace::TakenElements& taken, CallValues& record) {
  const Graph& graph = *call.entry().concrete->graph();
  if (any_node(graph, calls_python)) record.notes.push_back("Python functions in the graph ran twice more");
  if (any_node(graph, acts_outside))
    record.notes.push_back("Files, summaries, tables and queues that it writes to were written to twice more");
  if (!taken.empty()) record.notes.push_back("What it took out of iterators was given to it again");
  std::vector<Tensor> whole(graph.outputs.size()), by_node(graph.outputs.size());
  trace::NodeValues values(taken, record.reason == ValuesReason::kAsked ? wanted->asked.count() : 1);
  try {
    const Unrecorded unrecorded;
    const HideTapes hidden;
    SuppressSideEffects quiet;
    before.put_back();
    {
      const compile::ProgramPtr program = trace::program_as_traced(graph);
      const trace::WatchNodes watching(values);
      runtime::run(*program, call.inputs(), by_node);
    }
    before.put_back();
    trace::ElementReplay replay(taken);
    const trace::WatchNodes replaying(replay);
    runtime::run(call.entry().concrete->program(), call.inputs(), whole);
    record.same_results = true;
    for (size_t i = 0; i < whole.size(); ++i) record.same_results &= same_bits(whole[i], by_node[i]);
    if (quiet.take_printed()) record.notes.push_back("What it printed was dropped");
  } catch (const Error& e) {
    record.error = e.message();
  } catch (const PythonErrorSet&) {
    record.error = exception_text();
  }
  runtime::take_failure();
  record.values = values.take();
}

// After the call, from the state before it; what the program goes on with is put back.
void run_and_put_back(BoundCall& call, const CallBefore& before, CallValues& record) {
  if (before.elements.is_cut)
    throw Error(ErrorKind::kResourceExhausted, "The call took more elements out of iterators than are kept, so it was "
                                               "not run again");
  const KeptProgram after(kMaxBytesOfState);
  try {
    run_again(call, *before.state, before.elements.taken, record);
  } catch (...) {
    quietly([&] { after.put_back(); });
    throw;
  }
  after.put_back();
}

// Records why, where it cannot: the program's own call has been made and is not to fail by this.
void record_values(CallBefore& before, uint64_t number, ValuesReason reason, bool only_not_finite = false) {
  session::Writer* const writer = recording_structure() ? session::active_writer() : nullptr;
  if (!writer) return;
  CallValues record;
  record.start_ns = now_ns();
  record.function = before.function;
  record.call = number;
  record.reason = reason;
  record.source = current_source();
  if (before.call) record.trace = before.call->entry().id;
  if (before.call && before.state) {
    try {
      run_and_put_back(*before.call, before, record);
    } catch (const Error& e) {
      record.error = e.message();
    } catch (const PythonErrorSet&) {
      record.error = exception_text();
    }
  } else {
    record.error = before.why_not;
  }
  record.end_ns = now_ns();
  const auto is_not_finite = [](const session::TensorValue& v) { return v.first_nan || v.first_infinity; };
  if (only_not_finite && std::ranges::none_of(record.values, is_not_finite)) return;
  if (session::active_writer() == writer) writer->add(std::move(record));
}

// A call that raised has no results; its nodes may have made a NaN before.
void record_failed_call(CallBefore& before, uint64_t number, bool asked, Watched& watched) {
  if (asked) return record_values(before, number, ValuesReason::kAsked);
  if (watched.nan_found || watched.failed_calls++ >= kMaxFailedCalls) return;
  record_values(before, number, ValuesReason::kFirstNan, true);
}

// --- all calls ----------------------------------------------------------------------------------------------------

void search(const Tensor& value, session::CheckedCall& row) {
  if (!value || !is_plain(value.dtype())) return;
  const Tensor here = gpu::on_host(value);
  const NonFinite found = non_finite_in(here);
  ++row.values;
  row.nan += found.nan;
  row.infinity += found.infinity;
}

// Results, and the variables that the trace reads or changes.
session::CheckedCall search_call(CallBefore& before, PyObject* result, uint64_t number) {
  session::CheckedCall row;
  row.function = before.function;
  row.call = number;
  row.time_ns = now_ns();
  std::vector<Ref> leaves;
  nest_flatten(result, leaves, true);
  for (const Ref& leaf : leaves) {
    if (!is_tensor(leaf.get())) continue;
    const Tensor& value = tensor_of(leaf.get());
    if (value.is_symbolic()) continue;
    search(value, row);
    if (std::isnan(row.result) && value && is_floating(value.dtype()) && value.elements() == 1)
      row.result = element_of(gpu::on_host(value), 0);
  }
  if (!before.call) return row;
  row.trace = before.call->entry().id;
  for (const Tensor& input : before.call->inputs())
    if (const Variable* const variable = variable_of(input)) search(variable->value_or_none(), row);
  return row;
}

// The call itself, after which it may run again from the state before it. Nothing of that may make it fail.
PyObject* call_and_search(const CallWords& words, bool asked) {
  const auto plain = [&] { return wanted->plain(words.function, words.args, words.nargsf, words.kwnames); };
  session::Writer* const writer = recording_structure() ? session::active_writer() : nullptr;
  if (!writer || (!asked && !wanted->check)) return plain();
  CallBefore before;
  before.function = core_of(words.function).function.id();
  Watched& watched = wanted->functions[before.function.value];
  const uint64_t number = ++watched.calls;
  const bool may_record = asked || !watched.nan_found;
  // The trace is made, and the arguments are bound, before the state is kept and before the call may change them.
  trace::Function& function = core_of(words.function).function;
  const int traces = function.tracing_count();
  const int64_t start_ns = now_ns();
  bool is_traced_ahead = false;
  try {
    before.call.emplace(words);
    is_traced_ahead = function.tracing_count() != traces;
    if (is_traced_ahead) {
      trace::note_traced_ahead(before.call->entry().id, start_ns);
      function.note_traced();
    }
    if (may_record) before.state.emplace(kMaxBytesOfState);
  } catch (const Error& e) {
    before.why_not = e.message();
  } catch (const PythonErrorSet&) {
    before.why_not = exception_text();
  }
  Ref result;
  {
    std::optional<trace::WatchNodes> watching;
    if (before.state) watching.emplace(before.elements);
    result = Ref::steal(plain());
    if (is_traced_ahead) function.definition().forget_hit();
  }
  const uint64_t shown = asked ? wanted->asked.number() : number;
  if (!result) {
    const Ref raised = take_exception();
    record_failed_call(before, shown, asked, watched);
    raise_again(raised);
    return nullptr;
  }
  if (asked) record_values(before, shown, ValuesReason::kAsked);
  if (!wanted->check) return result.release();
  session::CheckedCall row;
  try {
    row = search_call(before, result.get(), number);
  } catch (const Error&) {
    return result.release();  // a result of the program's own kind that cannot be taken apart
  } catch (const PythonErrorSet&) {
    exception_text();
    return result.release();
  }
  const bool first_nan = row.nan && !watched.nan_found, first_infinity = row.infinity && !watched.infinity_found;
  if (number <= session::CheckedCall::kEachUpTo || number % 100 == 0 || first_nan || first_infinity) writer->add(row);
  watched.nan_found |= row.nan > 0;
  watched.infinity_found |= row.infinity > 0;
  if (may_record && (first_nan || first_infinity))
    record_values(before, number, first_nan ? ValuesReason::kFirstNan : ValuesReason::kFirstInfinity);
  return result.release();
}

PyObject* values_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const CallWords words{self, args, nargsf, kwnames};
  if (this_thread.builder || wanted->inside || functions_run_eagerly || core_of(self).options.pure)
    return wanted->plain(self, args, nargsf, kwnames);
  return guarded([&]() -> PyObject* {
    const Inside inside;
    PyObject* const result = call_and_search(words, wanted->asked.arrives(core_of(self)));
    if (!result) throw PythonErrorSet();
    return result;
  });
}

}  // namespace

vectorcallfunc watched_by_values(vectorcallfunc plain) {
  if (!wanted) return plain;
  wanted->plain = plain;
  return values_call;
}

void init_values() {
  PyObject* const recorder = find_item(PyImport_GetModuleDict(), "footlight_recorder");
  if (!recorder) return;
  const Ref asked = optional_attribute(recorder, "wanted_values");
  if (!asked || asked.get() == Py_None) return;
  PyObject* name;
  unsigned long long call, last;
  int check;
  if (!PyArg_ParseTuple(asked.get(), "UKKp", &name, &call, &last, &check)) throw PythonErrorSet();
  watch_states();
  wanted = new Wanted{.asked = ChosenCall(readable(name), call, last), .check = check != 0};
}

}  // namespace footlight::python
