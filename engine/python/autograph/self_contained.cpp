// What a function reads from outside is looked up anew for every call, since a program may change it at any time.
#include "engine/python/autograph/self_contained.h"

#include "engine/python/autograph/runtime.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>
#include <unordered_set>

namespace footlight::python::ag {

namespace {

constexpr int kMost = 24;

// The values of containers are looked at, as long as these are few.
bool is_harmless(PyObject* o, int& left) {
  if (o == Py_None || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || PyUnicode_CheckExact(o) ||
      PyBytes_CheckExact(o) || PyComplex_CheckExact(o) || Py_IS_TYPE(o, &PyRange_Type))
    return true;
  if (--left < 0) return false;
  if (PyTuple_CheckExact(o) || PyList_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < Py_SIZE(o); ++i)
      if (--left < 0 || !is_harmless(PyTuple_CheckExact(o) ? PyTuple_GET_ITEM(o, i) : PyList_GET_ITEM(o, i), left))
        return false;
    return true;
  }
  if (!PyDict_CheckExact(o)) return false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);)
    if (--left < 0 || !is_harmless(key, left) || !is_harmless(value, left)) return false;
  return true;
}

// Builtins that make such values of such values and reach nothing else, and the module math.
bool is_harmless_builtin(PyObject* o) {
  static const auto& known = *[] {
    auto* made = new std::unordered_set<PyObject*>;
    const Ref module = checked(PyImport_ImportModule("builtins"));
    for (const char* name :
         {"abs",  "all",   "any",    "ascii", "bin",      "bool", "bytes", "callable",   "chr",    "complex",
          "dict", "divmod", "enumerate", "filter", "float", "format", "frozenset", "hash", "hex", "int",
          "isinstance", "issubclass", "iter", "len", "list", "map", "max", "min", "next", "oct",
          "ord",  "pow",   "range",  "repr",  "reversed", "round", "set", "slice", "sorted", "str",
          "sum",  "tuple", "zip"})
      made->insert(checked(PyObject_GetAttrString(module.get(), name)).release());
    made->insert(checked(PyImport_ImportModule("math")).release());
    return made;
  }();
  if (known.count(o)) return true;
  return PyExceptionClass_Check(o) && !(reinterpret_cast<PyTypeObject*>(o)->tp_flags & Py_TPFLAGS_HEAPTYPE);
}

class Search {
 public:
  explicit Search(FindContained find) : find_(find) {}

  bool call_of(PyObject* object) {
    if (!function(object)) return false;
    // What these functions and classes reach of one another may be more of them.
    for (int known = 0; types_count_ && known != seen_count_ + types_count_;) {
      known = seen_count_ + types_count_;
      for (int i = 0; i < types_count_; ++i)
        for (int k = 0; k < seen_count_; ++k)
          for (const Ref& name : seen_[k].contained->attributes)
            if (!member(_PyType_Lookup(types_[i], name.get()))) return false;
    }
    return true;
  }

 private:
  // A class whose objects are what their methods make of them. Its special methods run without being named; other
  // attributes are reached by their names alone.
  bool type(PyTypeObject* type) {
    if (std::find(types_, types_ + types_count_, type) != types_ + types_count_) return true;
    if (types_count_ >= kMost) return false;
    types_[types_count_++] = type;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
      PyObject* const base = PyTuple_GET_ITEM(type->tp_mro, i);
      if (base == reinterpret_cast<PyObject*>(&PyBaseObject_Type) || is_harmless_builtin(base)) continue;
      auto* const of = reinterpret_cast<PyTypeObject*>(base);
      if (!Py_IS_TYPE(base, &PyType_Type) || !(of->tp_flags & Py_TPFLAGS_HEAPTYPE)) return false;
      PyObject *key, *value;
      for (Py_ssize_t at = 0; PyDict_Next(of->tp_dict, &at, &key, &value);)
        if (PyUnicode_Check(key) && PyUnicode_GET_LENGTH(key) > 1 && PyUnicode_READ_CHAR(key, 0) == '_' &&
            PyUnicode_READ_CHAR(key, 1) == '_' && !PyDict_CheckExact(value) && !member(value))
          return false;
    }
    return true;
  }

  bool member(PyObject* value) {
    return !value || is_immutable(value) || (PyFunction_Check(value) && function(value)) ||
           Py_IS_TYPE(value, &PyMemberDescr_Type) || Py_IS_TYPE(value, &PyGetSetDescr_Type) ||
           Py_IS_TYPE(value, &PyMethodDescr_Type);  // slots, and what Python's exceptions have
  }

  bool function(PyObject* object) {
    if (std::any_of(seen_, seen_ + seen_count_, [&](const Seen& one) { return one.function == object; })) return true;
    auto* const function = reinterpret_cast<PyFunctionObject*>(object);
    if (function->func_closure) return false;
    const Contained* const contained = find_(object);
    if (!contained || !contained->yes) return false;
    if ((contained->raises && staged_blocks() > 0) || seen_count_ >= kMost) return false;
    int left = kMost;
    if ((function->func_defaults && !is_harmless(function->func_defaults, left)) ||
        (function->func_kwdefaults && !is_harmless(function->func_kwdefaults, left)))
      return false;
    seen_[seen_count_++] = {object, contained};
    for (const Ref& name : contained->globals) {
      if (++names_ > kMost) return false;
      PyObject* value = find_item(function->func_globals, name.get());
      if (!value) value = find_item(function->func_builtins, name.get());
      if (!value || !(is_immutable(value) || is_harmless_builtin(value) ||
                      (PyFunction_Check(value) && this->function(value)) ||
                      (PyType_Check(value) && type(reinterpret_cast<PyTypeObject*>(value)))))
        return false;
    }
    return true;
  }

  static bool is_immutable(PyObject* o) {
    int left = kMost;
    if (PyList_CheckExact(o) || PyDict_CheckExact(o)) return false;  // what is put into it would have to be watched
    return is_harmless(o, left);
  }

  FindContained find_;
  struct Seen {
    PyObject* function;  // borrowed
    const Contained* contained;
  };
  Seen seen_[kMost];
  PyTypeObject* types_[kMost];  // borrowed
  int seen_count_ = 0, types_count_ = 0, names_ = 0;
};

}  // namespace

Contained contained_of(const autograph::Node* function) {
  const autograph::SelfContained found = autograph::self_contained(function);
  Contained made;
  made.yes = found.yes;
  made.raises = found.raises;
  if (!found.yes) return made;
  const auto names = [](const std::vector<std::string>& texts, std::vector<Ref>& out) {
    for (const std::string& text : texts) out.push_back(checked(PyUnicode_InternFromString(text.c_str())));
  };
  names(found.globals, made.globals);
  names(found.attributes, made.attributes);
  return made;
}

bool meets_no_tensor(PyObject* function, PyObject* const* args, size_t count, FindContained find) {
  if (!trace::tracing()) return false;
  int left = kMost;
  for (size_t i = 0; i < count; ++i)
    if (!is_harmless(args[i], left)) return false;
  return Search(find).call_of(function);
}

}  // namespace footlight::python::ag
