// Counts iterations of comprehensions with a wrapped iterator; a trace's sums are recorded at its end.
#include "engine/python/autograph/comprehension_turns.h"

#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/python/autograph/unrolling.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/trace/function_scope.h"
#include "engine/trace/graph_builder.h"

#include <frameobject.h>

#include <algorithm>

namespace footlight::python::ag {

namespace {

constexpr int64_t kMinTurns = 100;  // fewer iterations are not noted: every short comprehension would have a note

struct Counted {
  PyObject_HEAD
  Ref iterator;
  Ref code;  // code of the comprehension's function
  TraceId trace;
  size_t start;    // nodes when it began
  int64_t turns;
};
PyTypeObject counted_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

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
  ComprehensionTurns::Turns& all = sums->of(counted.code.get());
  all.of_first += counted.turns;
  all.most = std::max(all.most, counted.turns);
  all.made_nodes |= nodes_so_far() > counted.start;
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

void destroy(PyObject* self) {
  add_to_sums(*reinterpret_cast<Counted*>(self));
  destroy_object<Counted>(self);
}

PyObject* next(PyObject* self) {
  auto* const counted = reinterpret_cast<Counted*>(self);
  PyObject* const iterator = counted->iterator.get();
  PyObject* const item = iterator ? Py_TYPE(iterator)->tp_iternext(iterator) : nullptr;
  counted->turns += item != nullptr;
  advanced = item ? Advanced{counted->code.get(), counted->trace} : Advanced();
  return item;
}

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
  if (!all.code) all.code = Ref::borrow(code), all.place = current_line();
  return new_object<Counted>(counted_type, std::move(iterator), Ref::borrow(code), trace::current_trace(),
                             nodes_so_far());
}

void forget_turns(PyObject* items) {
  if (Py_IS_TYPE(items, &counted_type)) reinterpret_cast<Counted*>(items)->turns = 0;
}

void count_further_items(PyObject* iterable) {
  if (!advanced.code || !recording_structure()) return;
  const bool tells = PyList_CheckExact(iterable) || PyTuple_CheckExact(iterable) || PyDict_CheckExact(iterable) ||
                     PyAnySet_CheckExact(iterable) || Py_IS_TYPE(iterable, &PyRange_Type);
  ComprehensionTurns* const sums = tells ? sums_of(advanced.trace) : nullptr;
  PyFrameObject* const frame = sums ? PyEval_GetFrame() : nullptr;
  if (!frame || !is_in_comprehension(frame)) return;
  ComprehensionTurns::Turns& all = sums->of(advanced.code);
  const UserLine place = current_line();
  if (place.file != all.place.file || place.line < all.place.line) return;  // another comprehension ran meanwhile
  const Py_ssize_t size = PyObject_Size(iterable);
  if (size < 0) return clear_only(PyExc_OverflowError);  // longer than any list
  int64_t& further = all.of_further[position_in(frame)];
  further = size > INT64_MAX - further ? INT64_MAX : further + size;
}

void init_comprehension_turns() {
  define_type<Counted>(counted_type, "footlight.autograph.Counted",
                       {.destroy = destroy,
                        .traverse = visit_members<&Counted::iterator, &Counted::code>,
                        .clear = clear_members<&Counted::iterator>,
                        .iterate = PyObject_SelfIter,
                        .next = next});
}

}  // namespace footlight::python::ag
