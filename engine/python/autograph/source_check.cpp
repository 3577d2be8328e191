// Compiles files that were edited while the process ran, and compares code objects.
#include "engine/python/autograph/source_check.h"

#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"

#include <marshal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::python {
namespace {

// Compares texts in any order: since 3.13 a class keeps the names of its attributes in the order of a set.
bool same_set_of_texts(PyObject* a, PyObject* b) {
  const Py_ssize_t size = PyTuple_GET_SIZE(a);
  if (size != PyTuple_GET_SIZE(b)) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (!PyUnicode_Check(PyTuple_GET_ITEM(a, i))) return false;
    const int found = PySequence_Contains(b, PyTuple_GET_ITEM(a, i));
    if (found < 0) throw PythonErrorSet();
    if (!found) return false;
  }
  return true;
}

bool same_code(PyCodeObject* a, PyCodeObject* b);

// Equal is not enough: 1, 1.0 and True are, and so are 0.0 and -0.0. Marshalled they differ.
bool same_constant(PyObject* a, PyObject* b, bool of_class) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyCode_Check(a)) {
    auto *of_a = reinterpret_cast<PyCodeObject*>(a), *of_b = reinterpret_cast<PyCodeObject*>(b);
    return are_equal(of_a->co_name, of_b->co_name) && same_code(of_a, of_b);
  }
  if (of_class && PyTuple_Check(a) && same_set_of_texts(a, b)) return true;
  constexpr int kWithoutReferences = 2;
  const Ref bytes_a = Ref::steal(PyMarshal_WriteObjectToString(a, kWithoutReferences));
  const Ref bytes_b = bytes_a ? Ref::steal(PyMarshal_WriteObjectToString(b, kWithoutReferences)) : Ref();
  if (bytes_b) return are_equal(bytes_a.get(), bytes_b.get());
  clear_only(PyExc_ValueError);  // no source has such a constant: somebody put it into the code
  return false;
}

bool same_code(PyCodeObject* a, PyCodeObject* b) {
  constexpr int kFlags = CO_VARARGS | CO_VARKEYWORDS | CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
  if (a->co_argcount != b->co_argcount || a->co_posonlyargcount != b->co_posonlyargcount ||
      a->co_kwonlyargcount != b->co_kwonlyargcount || (a->co_flags & kFlags) != (b->co_flags & kFlags))
    return false;
  const Ref code_a = checked(PyCode_GetCode(a)), code_b = checked(PyCode_GetCode(b));
  if (!are_equal(code_a.get(), code_b.get()) || !are_equal(a->co_names, b->co_names) ||
      !are_equal(a->co_localsplusnames, b->co_localsplusnames) ||
      !are_equal(a->co_localspluskinds, b->co_localspluskinds) ||
      !are_equal(a->co_exceptiontable, b->co_exceptiontable))
    return false;
  const Py_ssize_t size = PyTuple_GET_SIZE(a->co_consts);
  if (size != PyTuple_GET_SIZE(b->co_consts)) return false;
  static PyObject* const attributes = PyUnicode_InternFromString("__static_attributes__");
  const bool of_class = PySequence_Contains(a->co_names, attributes) == 1;
  for (Py_ssize_t i = 0; i < size; ++i)
    if (!same_constant(PyTuple_GET_ITEM(a->co_consts, i), PyTuple_GET_ITEM(b->co_consts, i), of_class)) return false;
  return true;
}

int64_t process_began_ns = 0;  // by the clock of file times

int64_t nanoseconds(const timespec& t) { return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

// Whether Python's own loaders made the module from a file that may have changed since. Programs can set the
// modification time of a file, but not st_ctim.
bool may_have_changed(PyCodeObject* code, PyObject* globals) {
  const Ref path = Ref::steal(PyUnicode_EncodeFSDefault(code->co_filename));
  if (!path) {
    clear_only(PyExc_UnicodeError);
    return false;
  }
  struct stat s;
  constexpr int64_t kSlack = 2'000'000'000;  // file systems round
  if (stat(PyBytes_AS_STRING(path.get()), &s) != 0 || nanoseconds(s.st_ctim) < process_began_ns - kSlack) return false;
  PyObject* const loader = PyDict_Check(globals) ? find_item(globals, "__loader__") : nullptr;
  if (!loader || loader == Py_None || PyType_Check(loader)) return true;
  return std::string_view(Py_TYPE(loader)->tp_name) == "SourceFileLoader" ||
         std::string_view(Py_TYPE(loader)->tp_name) == "SourcelessFileLoader";
}

// The files that were compiled, the last few of them.
struct Compiled {
  Ref lines, module;  // no module: the file is no longer valid Python
};

PyObject* compiled(PyCodeObject* code, const Ref& lines) {
  static std::vector<Compiled>& files = *new std::vector<Compiled>;
  for (const Compiled& file : files)
    if (file.lines.get() == lines.get()) return file.module.get();
  std::string text;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(lines.get()); ++i) text += utf8(PyList_GET_ITEM(lines.get(), i));
  PyCompilerFlags flags{};
  flags.cf_flags = PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE;
  flags.cf_feature_version = PY_MINOR_VERSION;
  Ref module;
  {
    const NoWarnings quiet;
    module = Ref::steal(Py_CompileStringObject(text.c_str(), code->co_filename, Py_file_input, &flags, -1));
  }
  if (!module) clear_only(PyExc_Exception);
  if (files.size() == 8) files.erase(files.begin());
  files.push_back({lines, std::move(module)});
  return files.back().module.get();
}

// Whether a code object like this one is in `module`, under its name and on its line.
bool holds(PyObject* module, PyCodeObject* code) {
  PyObject* const constants = reinterpret_cast<PyCodeObject*>(module)->co_consts;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); ++i) {
    PyObject* const one = PyTuple_GET_ITEM(constants, i);
    if (!PyCode_Check(one)) continue;
    auto* const made = reinterpret_cast<PyCodeObject*>(one);
    if (made->co_firstlineno == code->co_firstlineno && are_equal(made->co_qualname, code->co_qualname) &&
        same_code(made, code))
      return true;
    if (holds(one, code)) return true;
  }
  return false;
}

}  // namespace

NoWarnings::NoWarnings() {
  const Ref module = checked(PyImport_ImportModule("warnings"));
  const Ref filters = optional_attribute(module.get(), "filters");
  Ref ignore = checked(Py_BuildValue("(sOOOi)", "ignore", Py_None, PyExc_Warning, Py_None, 0));
  if (!filters || !PyList_Check(filters.get())) return;
  if (PyList_Insert(filters.get(), 0, ignore.get()) < 0) throw PythonErrorSet();
  filters_ = Ref::borrow(filters.get());
  ignore_ = std::move(ignore);
}

NoWarnings::~NoWarnings() {
  if (filters_ && PyList_GET_SIZE(filters_.get()) > 0 && PyList_GET_ITEM(filters_.get(), 0) == ignore_.get())
    PyList_SetSlice(filters_.get(), 0, 1, nullptr);
}

bool source_is_of(PyCodeObject* code, PyObject* globals, const Ref& lines) {
  if (!may_have_changed(code, globals)) return true;
  PyObject* const module = compiled(code, lines);
  if (!module) return false;
  auto* const whole = reinterpret_cast<PyCodeObject*>(module);
  return holds(module, code) || (are_equal(whole->co_qualname, code->co_qualname) && same_code(whole, code));
}

void init_source_check() {
  timespec now{}, since_boot{};
  clock_gettime(CLOCK_REALTIME, &now);
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  process_began_ns = nanoseconds(now);
  // The 22nd field of its line is when the process began, in ticks since the machine did.
  char line[1024] = "";
  if (std::FILE* file = std::fopen("/proc/self/stat", "re")) {
    line[std::fread(line, 1, sizeof line - 1, file)] = 0;
    std::fclose(file);
  }
  const char* const after_name = std::strrchr(line, ')');
  unsigned long long began = 0;
  constexpr const char* kFields =
      " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu";
  if (!after_name || std::sscanf(after_name + 1, kFields, &began) != 1) return;
  process_began_ns -= nanoseconds(since_boot) - static_cast<int64_t>(began) * (1'000'000'000 / sysconf(_SC_CLK_TCK));
}

}  // namespace footlight::python
