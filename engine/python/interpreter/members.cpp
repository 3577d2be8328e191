// Adding members to types, and suggesting similar names.
#include "engine/python/interpreter/members.h"

#include "engine/base/text.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/text.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::python {
namespace {

void put(PyTypeObject* type, const char* name, PyObject* member) {
  Ref owned = checked(member);
  if (PyDict_SetItemString(type->tp_dict, name, owned.get()) < 0) throw PythonErrorSet();
  PyType_Modified(type);
}

// Edit distance with swaps of adjacent letters.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), row(b.size() + 1), older;
  for (size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (size_t i = 1; i <= a.size(); ++i) {
    older = std::exchange(before, row);
    row[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      row[k] = std::min({before[k] + 1, row[k - 1] + 1, before[k - 1] + (a[i - 1] != b[k - 1])});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) row[k] = std::min(row[k], older[k - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearest(PyObject* self, std::string_view wanted) {
  Ref names = checked(PyObject_Dir(reinterpret_cast<PyObject*>(Py_TYPE(self))));
  std::vector<std::pair<size_t, std::string>> near;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names.get()); ++i) {
    const std::string text = readable(PyList_GET_ITEM(names.get(), i));
    if (text.starts_with('_')) continue;
    const size_t far = distance(wanted, text);
    if (far <= 1 + wanted.size() / 4) near.emplace_back(far, text);
  }
  std::sort(near.begin(), near.end());
  std::string out;
  for (size_t i = 0; i < near.size() && i < 3; ++i) out += (i ? " or '" : "; did you mean '") + near[i].second + "'";
  return out.empty() ? out : out + "?";
}

// May be called while an exception is set, which _PyType_Lookup must not: it clears it, and finds nothing.
bool has_member(PyObject* self, PyObject* name) {
  const ExceptionSetAside exception;
  return _PyType_Lookup(Py_TYPE(self), name) != nullptr;
}

}  // namespace

void add_methods(PyTypeObject* type, PyMethodDef* methods) {
  for (PyMethodDef* m = methods; m->ml_name; ++m) {
    if (m->ml_flags & METH_STATIC)
      put(type, m->ml_name, PyStaticMethod_New(checked(PyCFunction_New(m, nullptr)).get()));
    else if (m->ml_flags & METH_CLASS) put(type, m->ml_name, PyDescr_NewClassMethod(type, m));
    else put(type, m->ml_name, PyDescr_NewMethod(type, m));
  }
}

void add_properties(PyTypeObject* type, PyGetSetDef* properties) {
  for (PyGetSetDef* p = properties; p->name; ++p) put(type, p->name, PyDescr_NewGetSet(type, p));
}

void allow_new_members(PyTypeObject* type) {
  type->tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE;
  PyType_Modified(type);
}

PyObject* explain_missing(PyObject* self, PyObject* name) {
  // Names with an underscore are often looked up by libraries to probe an object.
  if (!PyUnicode_Check(name) || PyUnicode_READ_CHAR(name, 0) == '_') return nullptr;
  if (has_member(self, name)) return nullptr;  // a property raised the error
  return guarded([&]() -> PyObject* {
    clear_only(PyExc_AttributeError);
    const std::string_view type = Py_TYPE(self)->tp_name;
    const std::string wanted = readable(name);
    const Ref error = checked(PyObject_CallFunction(
        PyExc_AttributeError, "N",
        text_object(str("'", type.substr(type.rfind('.') + 1), "' object has no attribute '", wanted, "'",
                        nearest(self, wanted)))
            .release()));
    // Setting the name keeps Python from adding its own suggestion.
    if (PyObject_SetAttrString(error.get(), "name", name) < 0) throw PythonErrorSet();
    PyErr_SetObject(PyExc_AttributeError, error.get());
    return nullptr;
  });
}

PyObject* get_member(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  return found || !PyErr_ExceptionMatches(PyExc_AttributeError) ? found : explain_missing(self, name);
}

}  // namespace footlight::python
