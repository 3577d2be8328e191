// Calls functions from converted code, through a table of the converted form of each function.
#include "engine/python/autograph/callees.h"

#include "engine/base/recording.h"
#include "engine/python/autograph/contained_loops.h"
#include "engine/python/autograph/conversions.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/runtime.h"

#include <array>
#include <memory>
#include <tuple>
#include <utility>

namespace footlight::python::ag {

CalleeCounts callee_counts;

namespace {

PyObject* as_object(PyFunctionObject* function) { return reinterpret_cast<PyObject*>(function); }
PyFunctionObject* as_function(PyObject* object) { return reinterpret_cast<PyFunctionObject*>(object); }

// A converted function for one call. Making a function costs as much as calling it, so those that nothing has kept are
// used again; meanwhile they hold nothing of the program's.
class Borrowed {
 public:
  Borrowed(PyFunctionObject* original, Entry::Form& form) : form_(form) {
    if (form.spares.empty()) {
      made_ = reinterpret_cast<PyFunctionObject*>(function_from(as_object(original), form).release());
      if (!made_) throw PythonErrorSet();
      PyObject_GC_UnTrack(made_);
      return;
    }
    Ref closure = closure_for(original, form);
    made_ = reinterpret_cast<PyFunctionObject*>(form.spares.back());
    form.spares.pop_back();
    made_->func_globals = Py_NewRef(original->func_globals);
    made_->func_builtins = Py_NewRef(original->func_builtins);
    Py_SETREF(made_->func_qualname, Py_NewRef(original->func_qualname));
    Py_SETREF(made_->func_name, Py_NewRef(original->func_name));
    made_->func_defaults = Py_XNewRef(original->func_defaults);
    made_->func_kwdefaults = Py_XNewRef(original->func_kwdefaults);
    made_->func_closure = closure.release();
  }
  ~Borrowed() {
    constexpr size_t kMaxSpares = 16;
    if (Py_REFCNT(made_) > 1 || made_->func_dict || made_->func_weakreflist || form_.spares.size() >= kMaxSpares) {
      drop_untracked(get());
      return;
    }
    form_.spares.push_back(get());  // first: what is dropped now may call this function
    PyObject** const fields[] = {&made_->func_globals,  &made_->func_builtins,    &made_->func_defaults,
                                 &made_->func_closure,  &made_->func_kwdefaults,  &made_->func_doc,
                                 &made_->func_module,   &made_->func_annotations};
    std::array<Ref, std::size(fields)> held;
    for (size_t i = 0; i < held.size(); ++i) held[i] = Ref::steal(std::exchange(*fields[i], nullptr));
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  PyObject* get() const { return as_object(made_); }

 private:
  Entry::Form& form_;
  PyFunctionObject* made_ = nullptr;
};

// Objects released during a search.
auto& still_asked = *new std::vector<std::unique_ptr<NoTensor>>;

// A function that was called while something is traced, and what is called in its place.
struct Callee {
  PyObject* function = nullptr;  // borrowed; its address may be another function's by now
  PyObject* code = nullptr;      // borrowed; its address is its own until an entry is dropped
  uint64_t dropped_entries = 0;
  Entry* entry = nullptr;
  uint32_t calls = 0;
  bool as_it_is = false;         // whether the function itself is called
  bool listed = false;           // whether it is in with_functions
  std::unique_ptr<NoTensor> asks;  // decides by arguments whether the function runs as written
  Ref made;                      // empty: it was not called often enough
  Ref alive;                     // a weak reference to the function, if one exists
  PyObject* emptied = nullptr;   // the converted function without its references, kept for reuse

  bool is_of(PyObject* f) const {
    return function == f && code == PyFunction_GET_CODE(f) && dropped_entries == ag::dropped_entries;
  }
  // A program may give a function other defaults.
  bool is_current(PyObject* f) const {
    const auto *original = as_function(f), *copy = as_function(made.get());
    return original->func_defaults == copy->func_defaults && original->func_kwdefaults == copy->func_kwdefaults;
  }
  void forget() {
    function = code = nullptr;
    calls = 0;
    if (asks && asks->is_busy()) still_asked.push_back(std::move(asks));
    // They are let go last: that may call functions.
    const auto held = std::tuple(std::move(alive), std::move(made), std::move(asks));
    if (std::get<1>(held)) ++callee_counts.emptied;
  }
};

constexpr size_t kCallees = 1024;  // two for each hash
auto& callees = *new std::array<Callee, kCallees>;
auto& with_functions = *new std::vector<uint16_t>;  // indexes of entries that hold a function
int tracing_now = 0;

size_t hash_of(const void* p) {
  return static_cast<size_t>((reinterpret_cast<uintptr_t>(p) >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

PyObject* function_is_gone(PyObject* number, PyObject* reference) {
  Callee& callee = callees[PyLong_AsSize_t(number)];
  if (callee.alive.get() == reference) callee.forget();
  Py_RETURN_NONE;
}
PyMethodDef gone_method = {"function_is_gone", function_is_gone, METH_O, nullptr};

// Releases the entry's function when the original dies, or at the end of tracing.
void watch(Callee& callee, PyObject* function) {
  const auto number = static_cast<uint16_t>(&callee - callees.data());
  if (!callee.emptied) {
    const Ref index = checked(PyLong_FromLong(number));
    callee.emptied = checked(PyCFunction_New(&gone_method, index.get())).release();
  }
  if (!callee.alive) callee.alive = checked(PyWeakref_NewRef(function, callee.emptied));
  if (!std::exchange(callee.listed, true)) with_functions.push_back(number);
}

// The one of a function, or the one that is to be it.
Callee& callee_at(PyObject* function) {
  Callee* const pair = &callees[hash_of(function) % (kCallees / 2) * 2];
  if (pair[0].is_of(function)) return pair[0];
  if (pair[1].is_of(function)) return pair[1];
  return pair[pair[0].calls > pair[1].calls];
}

// Null: nothing is known of the function's code.
Callee* known_callee(PyObject* function) {
  Callee& callee = callee_at(function);
  if (callee.is_of(function)) return &callee;
  PyObject* const code = PyFunction_GET_CODE(function);
  Entry* const entry = known_entry(code);
  if (!entry || !(entry->lean || entry->forms[true].tried) || note_wrapper(function)) return nullptr;
  callee.forget();  // it was called less often than its neighbour
  const Entry::Form& form = entry->forms[true];
  callee.function = function;
  callee.code = code;
  callee.dropped_entries = dropped_entries;
  callee.entry = entry;
  callee.as_it_is = entry->lean || !form.code || form.unchanged;
  if (callee.as_it_is || !entry->contained.yes || !tracing_now) return &callee;
  watch(callee, function);
  callee.asks = std::make_unique<NoTensor>(function, find_contained);
  return &callee;
}

void keep_converted(Callee& callee, PyObject* function) {
  Ref made = function_from(function, callee.entry->forms[true]);
  if (!made) throw PythonErrorSet();
  watch(callee, function);
  callee.made = std::move(made);
  ++callee_counts.made;
}

// The function to call: itself, or a converted function that is kept. Null: one is made for this call.
PyObject* in_place_of(PyObject* function, Callee& callee, PyObject* const* args, size_t all) {
  constexpr uint32_t kOften = 4;  // functions that are called less often are not watched
  if (callee.as_it_is) return function;
  if (callee.asks) {
    if (callee.asks->met_by(args, all)) return function;
    if (!callee.is_of(function)) return nullptr;  // looking at values has run code
    if (callee.asks && callee.asks->is_hopeless() && !callee.asks->is_busy()) callee.asks.reset();
  }
  if (callee.made && callee.is_current(function)) return callee.made.get();
  if (callee.made) {
    callee.forget();
    return nullptr;
  }
  if (++callee.calls <= kOften || !tracing_now) return nullptr;
  keep_converted(callee, function);
  return callee.made.get();
}

}  // namespace

const Contained* find_contained(PyObject* function) {
  PyObject* const code = PyFunction_GET_CODE(function);
  const Entry* known = known_entry(code);
  if (known && known->lean) return nullptr;
  const Entry::Form& form = form_of(reinterpret_cast<PyCodeObject*>(code), PyFunction_GET_GLOBALS(function), true);
  return form.code ? &entry_of(code).contained : nullptr;
}

KeepCallees::KeepCallees() { ++tracing_now; }
KeepCallees::~KeepCallees() {
  if (--tracing_now) return;
  forget_contained();
  const auto asked = std::exchange(still_asked, {});
  for (const uint16_t number : std::exchange(with_functions, {})) {
    callees[number].listed = false;
    callees[number].forget();
  }
}

PyObject* call_function(PyObject* function, PyObject* const* args, size_t count, PyObject* names) {
  if (!recording_structure() && !strict()) {
    const Callee& callee = callee_at(function);
    if (callee.is_of(function) && !callee.asks) {
      if (callee.as_it_is) return PyObject_Vectorcall(function, args, count, names);
      if (callee.made && callee.is_current(function)) {
        const Ref made = callee.made;
        return PyObject_Vectorcall(made.get(), args, count, names);
      }
    }
  }
  return guarded([&]() -> PyObject* {
    const size_t all = count + static_cast<size_t>(names ? PyTuple_GET_SIZE(names) : 0);
    // Otherwise the conversion itself reports what it refuses.
    Callee* const callee = recording_structure() || strict() ? nullptr : known_callee(function);
    if (!callee) {
      const Ref converted = Ref::steal(ag_convert(function));
      return converted ? PyObject_Vectorcall(converted.get(), args, count, names) : nullptr;
    }
    const Ref code = Ref::borrow(PyFunction_GET_CODE(function));  // the form is stored in its entry
    Entry* const entry = callee->entry;
    if (const Ref target = Ref::borrow(in_place_of(function, *callee, args, all)))
      return PyObject_Vectorcall(target.get(), args, count, names);
    const Borrowed converted(as_function(function), entry->forms[true]);
    return PyObject_Vectorcall(converted.get(), args, count, names);
  });
}

}  // namespace footlight::python::ag
