// Reads what functions name from their sources.
#include "engine/python/function/observed/watched_body.h"

#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/runtime.h"
#include "engine/python/autograph/source.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/frame_layout.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/weak.h"

namespace footlight::python {

using autograph::OutsideAccess;

static void drop_body(void* body) { delete static_cast<SharedBody*>(body); }

SharedBody body_of(PyObject* function) {
  static const Py_ssize_t slot = request_code_slot(drop_body);
  PyObject* object = PyFunction_GET_CODE(function);
  void* known = nullptr;
  if (slot < 0 || get_code_slot(object, slot, &known) < 0) throw PythonErrorSet();
  if (known) return *static_cast<SharedBody*>(known);
  auto* code = reinterpret_cast<PyCodeObject*>(object);
  auto made = std::make_shared<WatchedBody>();
  bool any = false;
  if (!ag_is_library(object) && !ag_is_converted_code(object)) {
    PyObject* globals = PyFunction_GET_GLOBALS(function);
    const FoundSource source = find_source(code, globals);
    autograph::Tree tree;
    autograph::Node* node = source.node ? read_ast(source.node, tree, source.options) : nullptr;
    if (node) {
      made->outside = autograph::outside_of(node);
      made->filename = Ref::borrow(code->co_filename);
      made->file = readable(code->co_filename);
      const Ref free = checked(PyCode_GetFreevars(code));
      for (const OutsideAccess& access : made->outside.accesses) {
        made->names.push_back(names_of(access.path));
        int cell = -1;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(free.get()) && cell < 0; ++i)
          if (PyUnicode_Compare(PyTuple_GET_ITEM(free.get(), i), made->names.back().root.get()) == 0)
            cell = static_cast<int>(i);
        made->cells.push_back(cell);
      }
      any = true;
    }
    clear_only(PyExc_Exception);
  }
  auto kept = std::make_unique<SharedBody>(any ? std::move(made) : nullptr);
  if (set_code_slot(object, slot, kept.get()) < 0) throw PythonErrorSet();
  return *kept.release();
}

Ref function_behind(PyObject* callable, std::vector<PyObject*>& first) {
  const Ref wrapped = ag::is_unconverted(callable) ? optional_attribute(callable, "__wrapped__") : Ref();
  if (wrapped) callable = wrapped.get();
  if (PyMethod_Check(callable)) {
    first.push_back(PyMethod_GET_SELF(callable));
    callable = PyMethod_GET_FUNCTION(callable);
  }
  if (PyFunction_Check(callable)) return Ref::borrow(callable);
  if (PyType_Check(callable) || PyCFunction_Check(callable) || PyModule_Check(callable)) return {};
  static PyObject* const name = PyUnicode_InternFromString("__call__");
  PyObject* method = _PyType_Lookup(Py_TYPE(callable), name);
  if (!method || !PyFunction_Check(method)) return {};
  first.push_back(callable);
  return Ref::borrow(method);
}

Ref start_of(PyObject* function, const WatchedBody& body, size_t access, const void** holder) {
  const int cell = body.cells[access];
  if (cell >= 0) {
    PyObject* closure = PyFunction_GET_CLOSURE(function);
    if (!closure || cell >= PyTuple_GET_SIZE(closure)) return {};
    PyObject* one = PyTuple_GET_ITEM(closure, cell);
    *holder = one;
    return Ref::borrow(PyCell_GET(one));
  }
  PyObject* globals = PyFunction_GET_GLOBALS(function);
  *holder = globals;
  return Ref::borrow(find_item(globals, body.names[access].root.get()));
}

Spot WatchedEntry::now() const {
  if (parameter) {
    const Ref object = PyWeakref_Check(start.get()) ? weak_target(start.get()) : start;
    return walk(object, object.get(), made().path, body->names[access], steps);
  }
  const void* from = nullptr;
  const Ref value = start_of(function.get(), *body, access, &from);
  return walk(value, from, made().path, body->names[access], steps);
}

std::string WatchedEntry::last() const {
  return steps ? made().path.steps[steps - 1].key : made().path.root;
}

std::string WatchedEntry::path() const {
  autograph::OutsidePath path = made().path;
  path.steps.resize(steps);
  if (parameter && top && path.root != "self") path.root = "args[" + std::to_string(path.parameter) + "]";
  if (parameter) return path.text();
  return (body->cells[access] >= 0 ? "closure " : "global ") + path.text();
}

CalledFunction function_called(const WatchedEntry& entry) {
  const Ref value = entry.now().value;
  if (!value) return {};
  if (PyMethod_Check(value.get()))
    return {Ref::borrow(PyMethod_GET_FUNCTION(value.get())), Ref::borrow(PyMethod_GET_SELF(value.get()))};
  if (!PyFunction_Check(value.get())) return {};
  Ref owner;
  if (entry.steps) {                     // found on the class of the object
    WatchedEntry object = entry;
    --object.steps;
    owner = object.now().value;
    if (owner && (PyModule_Check(owner.get()) || PyType_Check(owner.get()))) owner = {};
  }
  return {value, std::move(owner)};
}

}  // namespace footlight::python
