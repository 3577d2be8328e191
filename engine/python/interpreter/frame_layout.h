// The innermost interpreter frame of this thread: its code object and current instruction. CPython's
// frames are internal and differ by version; the parts that are used are mirrored here and nowhere else.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#if PY_VERSION_HEX < 0x030C0000
#include <opcode.h>
#endif

#include <cstdint>

static_assert(PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030E0000,
              "frames are known for Python 3.11 to 3.13");

namespace footlight::python {

using CodeUnit = uint16_t;  // one instruction word; the name is private in CPython 3.13

#if PY_VERSION_HEX < 0x030C0000  // 3.11
struct InterpreterFrame {
  void* function;
  PyObject *globals, *builtins, *locals;
  PyObject* code;
  void* frame_object;
  InterpreterFrame* previous;
  const CodeUnit* instruction;
  int stack_top;
  bool is_entry;
  char owner;
};
inline PyThreadState* thread_state() { return _PyThreadState_UncheckedGet(); }
inline InterpreterFrame* top_frame(PyThreadState* ts) {
  return reinterpret_cast<InterpreterFrame*>(ts->cframe->current_frame);
}
#else  // 3.12, 3.13: equal except for names; in 3.13 the executable of a C frame may be None
struct InterpreterFrame {
  PyObject* code;
  InterpreterFrame* previous;
  PyObject *function, *globals, *builtins, *locals;
  void* frame_object;
  const CodeUnit* instruction;
  int stack_top;
  uint16_t return_offset;
  char owner;
};
#if PY_VERSION_HEX < 0x030D0000
inline PyThreadState* thread_state() { return _PyThreadState_UncheckedGet(); }
inline InterpreterFrame* top_frame(PyThreadState* ts) {
  return reinterpret_cast<InterpreterFrame*>(ts->cframe->current_frame);
}
#else
inline PyThreadState* thread_state() { return PyThreadState_GetUnchecked(); }
inline InterpreterFrame* top_frame(PyThreadState* ts) {
  return reinterpret_cast<InterpreterFrame*>(ts->current_frame);
}
#endif
#endif

// Frames of C code between Python ones (since 3.12): they have no source position.
constexpr char kOwnedByC = 3;

inline bool has_code(const InterpreterFrame* f) {
  return f->owner != kOwnedByC && f->code && PyCode_Check(f->code);
}

// Bytes from the start of the code, as dis and co_lines() count.
inline uint32_t offset_of(const InterpreterFrame* f) {
  const auto* code = reinterpret_cast<PyCodeObject*>(f->code);
  const auto* start = reinterpret_cast<const CodeUnit*>(code->co_code_adaptive);
  auto at = f->instruction - start;
#if PY_VERSION_HEX < 0x030C0000
  // A call is two instructions, PRECALL and CALL; which one calls C code depends on how often it ran. Say the first.
  const int op = at < 2 ? 0 : *f->instruction & 0xff;
  if (op == CALL || op == CALL_ADAPTIVE || op == CALL_PY_EXACT_ARGS || op == CALL_PY_WITH_DEFAULTS) at -= 2;
#endif
  return at < 0 ? 0 : static_cast<uint32_t>(at) * sizeof(CodeUnit);
}

// Where a local variable, cell or free variable is in frames of this code; -1: there is none of that name.
inline int place_of_local(const InterpreterFrame* f, PyObject* name) {
  const auto* code = reinterpret_cast<PyCodeObject*>(f->code);
  for (int i = 0; i < code->co_nlocalsplus; ++i)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(code->co_localsplusnames, i), name) == 0) return i;
  return -1;
}
// It is a comprehension's (since 3.12), where the function itself means a global by that name.
inline bool is_of_comprehension(const InterpreterFrame* f, int place) {
  constexpr int kHidden = 0x10;
  const auto* code = reinterpret_cast<PyCodeObject*>(f->code);
  return PyBytes_AS_STRING(code->co_localspluskinds)[place] & kHidden;
}
// Its value; borrowed. Null: it has none.
inline PyObject* local_at(const InterpreterFrame* f, int place) {
  PyObject* const value = reinterpret_cast<PyObject* const*>(f + 1)[place];
  return value && PyCell_Check(value) ? PyCell_GET(value) : value;
}
// The value of the local of that name, or null.
// PyFrame_GetLocals() would copy all of them into the frame, which keeps them alive until it ends.
inline PyObject* local_of(const InterpreterFrame* f, PyObject* name) {
  const int place = place_of_local(f, name);
  return place < 0 ? nullptr : local_at(f, place);
}

// The cell of a variable that functions inside use too; borrowed. Null: there is none of that name.
inline PyObject* cell_of(const InterpreterFrame* f, PyObject* name) {
  const auto* code = reinterpret_cast<PyCodeObject*>(f->code);
  auto* const values = reinterpret_cast<PyObject* const*>(f + 1);
  for (int i = 0; i < code->co_nlocalsplus; ++i) {
    PyObject* const known = PyTuple_GET_ITEM(code->co_localsplusnames, i);
    if (known != name && PyUnicode_Compare(known, name) != 0) continue;
    return values[i] && PyCell_Check(values[i]) ? values[i] : nullptr;
  }
  return nullptr;
}

// How many nested calls of C code, as of passes over syntax trees, this thread may still make.
inline int& calls_left(PyThreadState* ts) {
#if PY_VERSION_HEX < 0x030C0000
  return ts->recursion_remaining;
#else
  return ts->c_recursion_remaining;
#endif
}

// This thread's own state, or null when it runs without the GIL. (3.11 keeps one current state for all
// threads.)
inline PyThreadState* own_thread_state() {
  PyThreadState* ts = thread_state();
  return ts && ts->thread_id == pthread_self() ? ts : nullptr;
}

#if PY_VERSION_HEX < 0x030C0000
inline Py_ssize_t request_code_slot(freefunc drop = nullptr) { return _PyEval_RequestCodeExtraIndex(drop); }
inline int get_code_slot(PyObject* code, Py_ssize_t slot, void** value) {
  return _PyCode_GetExtra(code, slot, value);
}
inline int set_code_slot(PyObject* code, Py_ssize_t slot, void* value) {
  return _PyCode_SetExtra(code, slot, value);
}
#else
inline Py_ssize_t request_code_slot(freefunc drop = nullptr) {
  return PyUnstable_Eval_RequestCodeExtraIndex(drop);
}
inline int get_code_slot(PyObject* code, Py_ssize_t slot, void** value) {
  return PyUnstable_Code_GetExtra(code, slot, value);
}
inline int set_code_slot(PyObject* code, Py_ssize_t slot, void* value) {
  return PyUnstable_Code_SetExtra(code, slot, value);
}
#endif

}  // namespace footlight::python
