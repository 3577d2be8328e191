// Reads frames and code objects of CPython, and registers the latter.
#include "engine/python/recorder/code_objects.h"

#include "engine/base/call_stack.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/frame_layout.h"
#include "engine/python/interpreter/text.h"
#include "engine/record/sources.h"

#include <utility>
#include <vector>

namespace footlight::python {
namespace {

Py_ssize_t slot = -1;

// A slot's value: 0 never seen, 1 our own, else made of the id and whether the code is a library's (is_library_file).
constexpr uintptr_t kOurs = 1;
uintptr_t mark_for(CodeId id, bool of_library) { return (uintptr_t{id.value} << 1 | (of_library ? 1 : 0)) + 2; }
CodeId code_of_mark(uintptr_t mark) { return CodeId(static_cast<uint32_t>((mark - 2) >> 1)); }
bool of_library(uintptr_t mark) { return (mark & 1) != 0; }

std::vector<session::CodeLine> lines_of(PyObject* code) {
  std::vector<session::CodeLine> lines;
  const Ref ranges = checked(PyObject_CallMethod(code, "co_lines", nullptr));
  const Ref iterator = checked(PyObject_GetIter(ranges.get()));
  while (const Ref range = Ref::steal(PyIter_Next(iterator.get()))) {
    PyObject* line = PyTuple_GET_ITEM(range.get(), 2);
    const auto start = static_cast<uint32_t>(PyLong_AsUnsignedLong(PyTuple_GET_ITEM(range.get(), 0)));
    const uint32_t number = line == Py_None ? 0 : static_cast<uint32_t>(PyLong_AsUnsignedLong(line));
    if (lines.empty() || lines.back().line != number) lines.push_back({start, number});
  }
  if (PyErr_Occurred()) throw PythonErrorSet();
  return lines;
}

// CPython calls this with the slot's value when a code object is freed.
void drop_mark(void* value) {
  const auto mark = reinterpret_cast<uintptr_t>(value);
  if (mark > kOurs) record::retire_code(code_of_mark(mark));
}

// What CPython runs around an __init__ that it calls without C code (since 3.12): constant memory, in which no mark can
// be kept. No instruction of it is ever traced.
bool is_of_interpreter([[maybe_unused]] const PyCodeObject* code) {
#if PY_VERSION_HEX < 0x030C0000
  return false;
#else
  return code->_co_firsttraceable >= Py_SIZE(code);
#endif
}

// Registers a code object. May be called with an exception set, which is kept.
uintptr_t register_code(PyObject* code) {
  const auto* c = reinterpret_cast<PyCodeObject*>(code);
  if (is_of_interpreter(c)) return kOurs;
  const ExceptionSetAside aside;
  uintptr_t mark = kOurs;
  try {
    std::string path = readable(c->co_filename);
    if (!record::is_own_file(path)) {
      session::CodeRecord record;
      record.qualname = readable(c->co_qualname);
      record.first_line = c->co_firstlineno;
      record.lines = lines_of(code);
      const bool library = record::is_library_file(path);
      mark = mark_for(record::register_code(std::move(path), std::move(record)), library);
    }
    if (set_code_slot(code, slot, reinterpret_cast<void*>(mark)) < 0) throw PythonErrorSet();
  } catch (const PythonErrorSet&) {
    report_unraisable(code);  // out of memory: this position has no source, the next look-up tries again
  }
  return mark;
}

uintptr_t mark_of(PyObject* code) {
  void* value = nullptr;
  get_code_slot(code, slot, &value);  // fails for what is no code object alone
  const auto mark = reinterpret_cast<uintptr_t>(value);
  return mark ? mark : register_code(code);
}

}  // namespace

SourceRef python_source() {
  PyThreadState* ts = own_thread_state();
  if (!ts) return this_thread.source_without_interpreter;
  for (InterpreterFrame* f = top_frame(ts); f; f = f->previous) {
    if (!has_code(f)) continue;
    const uintptr_t mark = mark_of(f->code);
    if (mark != kOurs) return {code_of_mark(mark), offset_of(f)};
  }
  return {};
}

OpPlaces python_op_places() {
  PyThreadState* ts = own_thread_state();
  if (!ts) return {this_thread.source_without_interpreter, {}};
  OpPlaces places;
  for (InterpreterFrame* f = top_frame(ts); f; f = f->previous) {
    if (!has_code(f)) continue;
    const uintptr_t mark = mark_of(f->code);
    if (mark == kOurs) continue;
    const SourceRef here{code_of_mark(mark), offset_of(f)};
    const bool is_innermost = !places.source.code.valid();
    if (is_innermost) places.source = here;
    if (of_library(mark)) continue;
    if (!is_innermost) places.caller = here;
    break;
  }
  return places;
}

SourceRef python_caller() {
  const OpPlaces places = python_op_places();
  return places.caller.code.valid() ? places.caller : places.source;
}

size_t python_stack(std::span<SourceRef> frames) {
  PyThreadState* ts = own_thread_state();
  size_t count = 0;
  for (InterpreterFrame* f = ts ? top_frame(ts) : nullptr; f && count <= frames.size(); f = f->previous) {
    if (!has_code(f)) continue;
    const uintptr_t mark = mark_of(f->code);
    if (mark == kOurs) continue;
    if (count < frames.size()) frames[count] = {code_of_mark(mark), offset_of(f)};
    ++count;
  }
  return count;
}

CodeId code_id(PyObject* code) {
  const uintptr_t mark = mark_of(code);
  return mark == kOurs ? CodeId() : code_of_mark(mark);
}

void init_code_objects() {
  slot = request_code_slot(drop_mark);
  if (slot < 0) throw Error(ErrorKind::kRuntime, "all of Python's code slots are in use");
  front_end_hooks.source = python_source;
  front_end_hooks.op_places = python_op_places;
  front_end_hooks.stack = python_stack;
  front_end_hooks.caller = python_caller;
}

}  // namespace footlight::python
