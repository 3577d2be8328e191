// Counts iterations of comprehensions with a wrapped iterator; a trace's sums are recorded at its end.
#include "engine/python/autograph/comprehension_turns.h"

#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/python/interpreter/text.h"
#include "engine/trace/function_scope.h"
#include "engine/trace/graph_builder.h"

#include <frameobject.h>

#include <algorithm>

namespace footlight::python::ag {

namespace {

constexpr int64_t kMinTurns = 100;  // fewer iterations are not noted: every short comprehension would have a note

size_t nodes() {
  trace::GraphBuilder* builder = trace::tracing() ? trace::GraphBuilder::innermost() : nullptr;
  return builder ? builder->graph()->size() : 0;
}

struct Counted {
  PyObject_HEAD
  PyObject* iterator;
  PyObject* code;  // code of the comprehension's function
  TraceId trace;
  size_t start;    // nodes when it began
  int64_t turns;
};
PyTypeObject* counted_type = nullptr;

// The comprehension that got an item last, identified by what outlives its iterator.
struct Advanced {
  PyObject* code = nullptr;
  TraceId trace;
};
thread_local Advanced advanced;

ComprehensionTurns* sums_of(TraceId trace) {
  ComprehensionTurns* sums = ComprehensionTurns::innermost();
  while (sums && !sums->are_of(trace)) sums = sums->outer();
  return sums;
}

void add_to_sums(const Counted& counted) {
  ComprehensionTurns* const sums = counted.turns ? sums_of(counted.trace) : nullptr;
  if (!sums) return;
  ComprehensionTurns::Turns& all = sums->of(counted.code);
  all.of_first += counted.turns;
  all.most = std::max(all.most, counted.turns);
  all.made_nodes |= nodes() > counted.start;
}

// Where the running expression begins. Its instruction changes after some runs, when Python specializes it.
std::pair<int, int> position_in(PyFrameObject* frame) {
  const Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  int line = 0, column = 0, end_line = 0, end_column = 0;
  PyCode_Addr2Location(reinterpret_cast<PyCodeObject*>(code.get()), PyFrame_GetLasti(frame), &line, &column, &end_line,
                       &end_column);
  return {line, column};
}

// Whether a comprehension asks for items, or a lambda or another code object around one; unpacking may ask, too.
bool is_in_comprehension(PyFrameObject* frame) {
  const Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  return readable(reinterpret_cast<PyCodeObject*>(code.get())->co_name).starts_with('<');
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  const Ref type = Ref::steal(reinterpret_cast<PyObject*>(Py_TYPE(self)));  // instances of heap types own it
  auto* const counted = reinterpret_cast<Counted*>(self);
  add_to_sums(*counted);
  Py_CLEAR(counted->iterator);
  Py_CLEAR(counted->code);
  PyObject_GC_Del(self);
}
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<Counted*>(self)->iterator);
  Py_VISIT(reinterpret_cast<Counted*>(self)->code);
  Py_VISIT(Py_TYPE(self));
  return 0;
}
int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<Counted*>(self)->iterator);
  return 0;
}

PyObject* next(PyObject* self) {
  auto* const counted = reinterpret_cast<Counted*>(self);
  PyObject* const iterator = counted->iterator;
  PyObject* const item = iterator ? Py_TYPE(iterator)->tp_iternext(iterator) : nullptr;
  counted->turns += item != nullptr;
  advanced = item ? Advanced{counted->code, counted->trace} : Advanced();
  return item;
}

PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                       {Py_tp_iternext, reinterpret_cast<void*>(next)},
                       {0, nullptr}};
PyType_Spec spec = {"footlight.autograph.Counted", sizeof(Counted), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

ComprehensionTurns::ComprehensionTurns() : trace_(trace::current_trace()), outer_(innermost_) { innermost_ = this; }

ComprehensionTurns::~ComprehensionTurns() {
  innermost_ = outer_;
  try {
    for (const auto& [code, turns] : turns_) {
      int64_t all = turns.of_first;
      for (const auto& [position, further] : turns.of_further) all = std::max(all, further);
      if (turns.made_nodes && turns.most >= kMinTurns)
        record_at(turns.place, "comprehension", "python", str("unrolled, ", turns.most, " iterations added nodes"));
      else if (!turns.made_nodes && all >= kMinTurns)
        record_at(turns.place, "comprehension", "python", str("ran in Python, ", all, " iterations"));
    }
  } catch (const std::bad_alloc&) {
    // The recording goes without the notes.
  }
}

Ref counted_items(PyObject* function, PyObject* values) {
  ComprehensionTurns* const sums = ComprehensionTurns::innermost();
  if (!sums || !recording_structure() || !PyFunction_Check(function)) return Ref::borrow(values);
  Ref iterator = checked(PyObject_GetIter(values));
  PyObject* const code = PyFunction_GetCode(function);
  ComprehensionTurns::Turns& all = sums->of(code);
  if (!all.code) all.code = Ref::borrow(code), all.place = here();
  auto* made = PyObject_GC_New(Counted, counted_type);
  if (!made) throw PythonErrorSet();
  made->iterator = iterator.release();
  made->code = Py_NewRef(code);
  made->trace = trace::current_trace();
  made->start = nodes();
  made->turns = 0;
  PyObject_GC_Track(made);
  return Ref::steal(reinterpret_cast<PyObject*>(made));
}

void forget_turns(PyObject* items) {
  if (Py_IS_TYPE(items, counted_type)) reinterpret_cast<Counted*>(items)->turns = 0;
}

void count_further_items(PyObject* iterable) {
  if (!advanced.code || !recording_structure()) return;
  const bool tells = PyList_CheckExact(iterable) || PyTuple_CheckExact(iterable) || PyDict_CheckExact(iterable) ||
                     PyAnySet_CheckExact(iterable) || Py_IS_TYPE(iterable, &PyRange_Type);
  ComprehensionTurns* const sums = tells ? sums_of(advanced.trace) : nullptr;
  PyFrameObject* const frame = sums ? PyEval_GetFrame() : nullptr;
  if (!frame || !is_in_comprehension(frame)) return;
  ComprehensionTurns::Turns& all = sums->of(advanced.code);
  const UserLine place = here();
  if (place.file != all.place.file || place.line < all.place.line) return;  // another comprehension ran meanwhile
  const Py_ssize_t size = PyObject_Size(iterable);
  if (size < 0) return clear_only(PyExc_OverflowError);  // longer than any list
  int64_t& further = all.of_further[position_in(frame)];
  further = size > INT64_MAX - further ? INT64_MAX : further + size;
}

void init_comprehension_turns() {
  counted_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release());
}

}  // namespace footlight::python::ag
