// Code objects by id: the id sits in a slot of the code object itself, so taking a position is two loads and
// no hashing.
#include "engine/python/interpreter/source.h"

#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/ops/row.h"
#include "engine/python/interpreter/frame_layout.h"
#include "engine/python/interpreter/gil.h"
#include "engine/python/interpreter/module.h"
#include "engine/session/writer.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace footlight::python {
namespace {

struct Known {
  session::CodeRecord record;
  std::string path;
};
std::mutex mutex;
std::deque<Known> known;  // by CodeId
Py_ssize_t slot = -1;
std::string package;  // "/.../python/footlight/"

constexpr uintptr_t kOurs = 1;  // a slot's value: 0 never seen, 1 our own, else id + 2

void add_to_session(const Known& k) {
  session::Writer* w = session::active_writer();
  if (!w || !recording_structure()) return;
  session::CodeRecord r = k.record;
  r.file = w->file(k.path);
  w->add_code(std::move(r));
}

std::string text(PyObject* o) {
  const char* s = o && PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
  if (!s) PyErr_Clear();
  return s ? s : "";
}

std::vector<std::pair<uint32_t, uint32_t>> lines_of(PyObject* code) {
  std::vector<std::pair<uint32_t, uint32_t>> lines;
  Ref ranges = Ref::steal(PyObject_CallMethod(code, "co_lines", nullptr));
  Ref iterator = Ref::steal(ranges ? PyObject_GetIter(ranges.get()) : nullptr);
  while (iterator) {
    Ref range = Ref::steal(PyIter_Next(iterator.get()));
    if (!range) break;
    PyObject* line = PyTuple_GET_ITEM(range.get(), 2);
    const auto start = static_cast<uint32_t>(PyLong_AsUnsignedLong(PyTuple_GET_ITEM(range.get(), 0)));
    const uint32_t number = line == Py_None ? 0 : static_cast<uint32_t>(PyLong_AsUnsignedLong(line));
    if (lines.empty() || lines.back().second != number) lines.emplace_back(start, number);
  }
  PyErr_Clear();
  return lines;
}

// Remembers a code object; called with the GIL and perhaps with an exception set, which stays.
uintptr_t meet(PyObject* code) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const auto* c = reinterpret_cast<PyCodeObject*>(code);
  uintptr_t mark = kOurs;
  std::string path = text(c->co_filename);
  if (!is_own_file(path.c_str())) {
    Known k;
    k.path = std::move(path);
    k.record.qualname = text(c->co_qualname);
    k.record.first_line = c->co_firstlineno;
    k.record.lines = lines_of(code);
    std::lock_guard lock(mutex);
    k.record.id = CodeId(static_cast<uint32_t>(known.size()));
    mark = k.record.id.value + 2;
    known.push_back(std::move(k));
    add_to_session(known.back());
  }
  if (set_code_slot(code, slot, reinterpret_cast<void*>(mark)) < 0) PyErr_Clear();
  PyErr_Restore(type, value, traceback);
  return mark;
}

uintptr_t mark_of(PyObject* code) {
  void* value = nullptr;
  if (get_code_slot(code, slot, &value) < 0) PyErr_Clear();
  const auto mark = reinterpret_cast<uintptr_t>(value);
  return mark ? mark : meet(code);
}

}  // namespace

bool is_own_file(const char* path) { return !package.empty() && std::string_view(path).starts_with(package); }

SourceRef python_source() {
  PyThreadState* ts = own_thread_state();
  if (!ts) return source_without_gil;
  for (InterpreterFrame* f = top_frame(ts); f; f = f->previous) {
    if (!has_code(f)) continue;
    const uintptr_t mark = mark_of(f->code);
    if (mark != kOurs) return {CodeId(static_cast<uint32_t>(mark - 2)), offset_of(f)};
  }
  return {};
}

CodeId code_id(PyObject* code) {
  const uintptr_t mark = mark_of(code);
  return mark == kOurs ? CodeId() : CodeId(static_cast<uint32_t>(mark - 2));
}

SourcePlace place_of(SourceRef source) {
  std::lock_guard lock(mutex);
  if (!source.code.valid() || source.code.value >= known.size()) return {};
  const Known& k = known[source.code.value];
  const auto& lines = k.record.lines;
  auto at = std::upper_bound(lines.begin(), lines.end(), source.offset,
                             [](uint32_t o, const auto& l) { return o < l.first; });
  const int line = at == lines.begin() ? k.record.first_line : static_cast<int>(std::prev(at)->second);
  return {k.path, line ? line : k.record.first_line, k.record.qualname};
}

std::string place_text(SourceRef source) {
  const SourcePlace p = place_of(source);
  return p.file.empty() ? "" : str(p.file, ":", p.line, ", in ", p.function);
}

void record_all_known_codes() {
  std::lock_guard lock(mutex);
  for (const Known& k : known) add_to_session(k);
}

void record_op_names() {
  session::Writer* w = session::active_writer();
  if (!w) return;
  for (const OpRow* row : all_rows()) w->add_op_name({row->id, row->name, std::string(name_of(row->family))});
}

void init_source(PyObject*) {
  slot = request_code_slot();
  if (slot < 0) fail(ErrorKind::kRuntime, "Python gave out all its code slots");
  Ref file = Ref::steal(PyObject_GetAttrString(namespace_of(""), "__file__"));
  PyErr_Clear();
  package = text(file.get());
  package.resize(package.rfind('/') == std::string::npos ? 0 : package.rfind('/') + 1);
  source_provider = python_source;
}

}  // namespace footlight::python
