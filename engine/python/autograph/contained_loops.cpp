// Finds the values that a loop uses in the calling frame, by the names in its code.
#include "engine/python/autograph/contained_loops.h"

#include "engine/base/recording.h"
#include "engine/python/autograph/conversions.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/strict.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/frame_layout.h"
#include "engine/python/interpreter/text.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace footlight::python::ag {

ContainedCounts contained_counts;

namespace {

// A loop in some code.
struct Loop {
  Ref needs;                 // its address is its own as long as it is held
  PyObject* code = nullptr;  // owner of the variables in `places`; borrowed, only compared
  Contained contained;
  std::vector<int> places;   // of its names in frames of the code; -1: a global
  std::unique_ptr<NoTensor> asks;
};
auto& loops = *new std::array<Loop, 512>;
bool any_asks = false;

std::vector<Ref> words(std::string_view text) {
  std::vector<Ref> found;
  for (size_t end; (end = text.find(' ')) != text.npos; text.remove_prefix(end + 1)) {
    PyObject* word = checked(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(end))).release();
    PyUnicode_InternInPlace(&word);
    found.push_back(Ref::steal(word));
  }
  return found;
}

void begin(Loop& loop, PyObject* needs, const InterpreterFrame* frame) {
  const Loop old = std::exchange(loop, {});
  loop.needs = Ref::borrow(needs);
  loop.code = frame->code;
  std::array<std::string_view, 4> parts;
  std::string_view text = utf8(needs);
  for (std::string_view& part : parts) {
    const size_t end = text.find('|');
    part = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  loop.contained = {true, parts[3] == "raises", words(parts[0]), words(parts[1]), words(parts[2])};
  for (const Ref& name : loop.contained.globals) {
    const int place = place_of_local(frame, name.get());
    loop.places.push_back(place >= 0 && is_of_comprehension(frame, place) ? -1 : place);
  }
}

// The present values of its names, without those that have no value yet and Python's own functions. False: a name that
// must be Python's own is something else.
bool values_of(const Loop& loop, const InterpreterFrame* frame, std::vector<Ref>& values) {
  for (size_t i = 0; i < loop.places.size(); ++i) {
    PyObject* const name = loop.contained.globals[i].get();
    PyObject* value = nullptr;
    if (loop.places[i] >= 0) value = local_at(frame, loop.places[i]);
    else if (!(value = find_item(frame->globals, name)) && PyDict_Check(frame->builtins))
      value = find_item(frame->builtins, name);
    if (value && is_harmless_builtin(value, name)) continue;
    const auto is_it = [&](const Ref& one) { return one.get() == name; };
    if (std::ranges::any_of(loop.contained.builtins, is_it)) return false;
    if (value) values.push_back(Ref::borrow(value));
  }
  return true;
}

// Null if the frame has no such loop.
Loop* loop_at(PyObject* needs, const InterpreterFrame*& frame) {
  frame = top_frame(thread_state());
  while (frame && !has_code(frame)) frame = frame->previous;
  FL_CHECK(frame != nullptr);
  Loop& loop = loops[(reinterpret_cast<uintptr_t>(needs) >> 4) % loops.size()];
  if (loop.asks && loop.asks->is_busy()) return nullptr;
  if (loop.needs.get() != needs || loop.code != frame->code) begin(loop, needs, frame);
  return &loop;
}

bool is_number(PyObject* o) {
  return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || o == Py_None || PyUnicode_CheckExact(o) ||
         PyComplex_CheckExact(o) || PyBytes_CheckExact(o);
}

}  // namespace

void forget_contained() {
  if (!std::exchange(any_asks, false)) return;
  for (Loop& loop : loops) {
    if (!loop.asks || !loop.asks->is_busy()) loop.asks.reset();
    else any_asks = true;
  }
}

PyObject* contained(PyObject*, PyObject* needs) {
  if (!trace::tracing() || recording_structure() || conversion_is_off() || strict()) Py_RETURN_FALSE;
  return guarded([&]() -> PyObject* {
    const InterpreterFrame* frame = nullptr;
    Loop* const known = loop_at(needs, frame);
    if (!known || (known->asks && known->asks->is_hopeless())) Py_RETURN_FALSE;
    Loop& loop = *known;
    ++contained_counts.asked;
    std::vector<Ref> held;
    if (!values_of(loop, frame, held)) Py_RETURN_FALSE;
    std::vector<PyObject*> values;
    for (const Ref& one : held) values.push_back(one.get());
    if (!loop.asks) loop.asks = std::make_unique<NoTensor>(loop.contained, find_contained);
    any_asks = true;
    const bool yes = loop.asks->met_by(values.data(), values.size());
    contained_counts.written += yes;
    return PyBool_FromLong(yes);
  });
}

PyObject* numbers(PyObject*, PyObject* needs) {
  if (recording_structure() || strict()) Py_RETURN_FALSE;
  return guarded([&]() -> PyObject* {
    const InterpreterFrame* frame = nullptr;
    const Loop* const loop = loop_at(needs, frame);
    if (!loop) Py_RETURN_FALSE;
    const std::vector<Ref>& builtins = loop->contained.builtins;
    const size_t variables = loop->places.size() - builtins.size();  // they stand before these
    for (size_t i = 0; i < variables; ++i) {
      if (loop->places[i] < 0) Py_RETURN_FALSE;
      PyObject* const value = local_at(frame, loop->places[i]);
      if (value && !is_number(value)) Py_RETURN_FALSE;
    }
    for (size_t i = 0; i < builtins.size(); ++i) {
      PyObject* const name = builtins[i].get();
      if (loop->places[variables + i] >= 0) Py_RETURN_FALSE;
      PyObject* value = find_item(frame->globals, name);
      if (!value && PyDict_Check(frame->builtins)) value = find_item(frame->builtins, name);
      if (!value || !is_harmless_builtin(value, name)) Py_RETURN_FALSE;
    }
    Py_RETURN_TRUE;
  });
}

}  // namespace footlight::python::ag
