// Calls from converted code: callees are converted too. Functions that are not to be converted.
#include "engine/base/recording.h"
#include "engine/python/autograph/callees.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/hooks.h"
#include "engine/python/autograph/lists.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/types.h"
#include "engine/trace/graph_builder.h"

#include <structmember.h>

#include <algorithm>
#include <array>

namespace footlight::python::ag {

namespace {

// The call of a builtin or an op, with the tensors of lists that have grown while tracing.
PyObject* with_tensors(PyObject* const* args, Py_ssize_t count, PyObject* names) {
  static PyObject* const stack = checked(PyObject_GetAttrString(
      checked(PyImport_ImportModule("footlight")).get(), "stack")).release();
  if (args[0] == stack && count == 2 && !names) return wrap(grown_values(args[1]));
  std::vector<Ref> held;
  std::vector<PyObject*> all(args, args + count + (names ? PyTuple_GET_SIZE(names) : 0));
  for (size_t i = 1; i < all.size(); ++i) {
    if (!is_grown(all[i])) continue;
    held.push_back(checked(wrap(grown_values(all[i]))));
    all[i] = held.back().get();
  }
  return converted_call(nullptr, all.data(), count, names);
}

// A bound method: the arguments with the object in front of them.
PyObject* call_bound(PyObject* method, PyObject* const* args, size_t count, PyObject* names) {
  constexpr size_t kMax = 8;
  const size_t all = count + static_cast<size_t>(names ? PyTuple_GET_SIZE(names) : 0);
  PyObject* few[kMax];
  std::vector<PyObject*> many(all >= kMax ? all + 1 : 0);
  PyObject** const call = all >= kMax ? many.data() : few;
  call[0] = PyMethod_GET_SELF(method);
  std::copy_n(args, all, call + 1);
  const Ref kept = Ref::borrow(method);
  return call_function(PyMethod_GET_FUNCTION(method), call, count + 1, names);
}

// The contents of a functools.partial, read at the offsets that its members give.
struct Partial {
  PyObject *function, *args, *keywords;  // borrowed; null: it is none, or one of a later Python

  explicit Partial(PyObject* object) : function(nullptr), args(nullptr), keywords(nullptr) {
    static const std::array<Py_ssize_t, 3> at = offsets();
    if (!PyObject_TypeCheck(object, type()) || std::ranges::count(at, 0)) return;
    const auto part = [&](size_t i) { return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + at[i]); };
    if (!PyTuple_CheckExact(part(1)) || !PyDict_CheckExact(part(2))) return;
    function = part(0), args = part(1), keywords = part(2);
  }

 private:
  static PyTypeObject* type() { return reinterpret_cast<PyTypeObject*>(partial_type()); }
  static std::array<Py_ssize_t, 3> offsets() {
    std::array<Py_ssize_t, 3> found{};
    constexpr const char* kNames[] = {"func", "args", "keywords"};
    for (size_t i = 0; i < found.size(); ++i) {
      PyObject* const member = find_item(type()->tp_dict, kNames[i]);
      if (member && Py_IS_TYPE(member, &PyMemberDescr_Type))
        found[i] = reinterpret_cast<PyMemberDescrObject*>(member)->d_member->offset;
    }
    return found;
  }
};

// Calls the function in a partial, with its arguments first. Throws. False: a keyword is given twice.
bool call_partial(const Partial& partial, PyObject* const* args, size_t count, PyObject* names, PyObject*& result) {
  std::vector<PyObject*> all;
  all.reserve(1 + static_cast<size_t>(Py_SIZE(partial.args) + PyDict_GET_SIZE(partial.keywords)) + count +
              static_cast<size_t>(names ? PyTuple_GET_SIZE(names) : 0));
  all.push_back(partial.function);
  all.insert(all.end(), &PyTuple_GET_ITEM(partial.args, 0), &PyTuple_GET_ITEM(partial.args, 0) + Py_SIZE(partial.args));
  all.insert(all.end(), args, args + count);
  const auto positional = static_cast<Py_ssize_t>(all.size());
  Ref all_names = Ref::borrow(names);
  if (PyDict_GET_SIZE(partial.keywords)) {
    const Py_ssize_t given = names ? PyTuple_GET_SIZE(names) : 0;
    all_names = checked(PyTuple_New(PyDict_GET_SIZE(partial.keywords) + given));
    PyObject *key, *value;
    Py_ssize_t i = 0;
    for (Py_ssize_t at = 0; PyDict_Next(partial.keywords, &at, &key, &value); ++i) {
      if (!PyUnicode_Check(key) || (given && PySequence_Contains(names, key) != 0)) return false;
      PyTuple_SET_ITEM(all_names.get(), i, Py_NewRef(key));
      all.push_back(value);
    }
    for (Py_ssize_t k = 0; k < given; ++k)
      PyTuple_SET_ITEM(all_names.get(), i + k, Py_NewRef(PyTuple_GET_ITEM(names, k)));
  }
  if (names) all.insert(all.end(), args + count, args + count + PyTuple_GET_SIZE(names));
  // A partial may be given other arguments while it runs.
  const Ref held = Ref::borrow(partial.args), function = Ref::borrow(partial.function);
  const Ref named = PyDict_GET_SIZE(partial.keywords) ? checked(PyDict_Copy(partial.keywords)) : Ref();
  result = converted_call(nullptr, all.data(), positional, all_names.get());
  return true;
}

// The function of its class that Python calls for the object. Borrowed; null: it is something else, or does not exist.
PyObject* call_method_of(PyObject* object) {
  static PyObject* const call = PyUnicode_InternFromString("__call__");
  PyObject* const method = _PyType_Lookup(Py_TYPE(object), call);
  return method && PyFunction_Check(method) ? method : nullptr;
}

}  // namespace

// converted_call(function, *args, **kwargs)
PyObject* converted_call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject* const function = args[0];
  const auto given = static_cast<size_t>(count - 1);
  if (autograph_hooks.converted_call && recording_structure())
    autograph_hooks.converted_call(function, args + 1, count - 1);
  if (conversion_is_off()) return PyObject_Vectorcall(function, args + 1, given, names);
  if (PyFunction_Check(function)) return call_function(function, args + 1, given, names);
  if (PyMethod_Check(function) && PyFunction_Check(PyMethod_GET_FUNCTION(function)))
    return call_bound(function, args + 1, given, names);
  const bool builtin = PyCFunction_Check(function) || PyType_Check(function);
  const Py_ssize_t all = count - 1 + (names ? PyTuple_GET_SIZE(names) : 0);
  const auto is_number = [](PyObject* o) {
    return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o);
  };
  if (builtin && (!trace::tracing() || !python_thread.prints_are_staged) &&
      std::all_of(args + 1, args + 1 + all, is_number))
    return PyObject_Vectorcall(function, args + 1, given, names);
  return guarded([&]() -> PyObject* {
    if (trace::tracing() && std::any_of(args + 1, args + 1 + all, is_grown)) return with_tensors(args, count, names);
    if (!builtin && !recording_structure()) {
      if (PyObject* const method = call_method_of(function))
        return call_function(method, args, static_cast<size_t>(count), names);
      const Partial partial(function);
      PyObject* result = nullptr;
      if (partial.function && call_partial(partial, args + 1, given, names, result)) return result;
    }
    if (builtin) {
      auto* const version = trace::tracing() ? call_tensor_builtin : call_eager_builtin;
      if (Ref result = version(function, args + 1, all, names)) return result.release();
      return PyObject_Vectorcall(function, args + 1, static_cast<size_t>(count - 1), names);
    }
    const Ref converted = Ref::steal(ag_convert(function));
    if (!converted) return nullptr;
    return PyObject_Vectorcall(converted.get(), args + 1, given, names);
  });
}

namespace {

// tf.autograph.do_not_convert: looks and binds like the function, and runs it with conversion off.
struct Unconverted {
  PyObject_HEAD
  Ref function;
  vectorcallfunc vectorcall;
  PyObject* weakrefs;
};
PyTypeObject unconverted_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* unconverted_vectorcall(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  const ConversionOff off;
  PyObject* const function = reinterpret_cast<Unconverted*>(self)->function.get();
  if (autograph_hooks.unconverted_call && recording_structure()) autograph_hooks.unconverted_call(function);
  return PyObject_Vectorcall(function, args, count, names);
}

PyObject* unconverted_bind(PyObject* self, PyObject* object, PyObject*) {
  return !object || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

PyObject* unconverted_attribute(PyObject* self, PyObject* name) {
  PyObject* function = reinterpret_cast<Unconverted*>(self)->function.get();
  if (PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0) return Py_NewRef(function);
  if (PyUnicode_CompareWithASCIIString(name, "__class__") == 0) return PyObject_GenericGetAttr(self, name);
  if (PyUnicode_CompareWithASCIIString(name, "autograph_info__") == 0) return PyDict_New();  // as on what is converted
  return PyObject_GetAttr(function, name);
}

}  // namespace

void init_unconverted() {
  define_type<Unconverted>(unconverted_type, "footlight.autograph.Unconverted",
                           {.traverse = visit_members<&Unconverted::function>,
                            .clear = clear_members<&Unconverted::function>,
                            .get_attribute = unconverted_attribute,
                            .bind = unconverted_bind});
}

bool is_unconverted(PyObject* o) { return Py_TYPE(o) == &unconverted_type; }

PyObject* unconverted(PyObject* function) {
  return guarded([&] {
    return new_object<Unconverted>(unconverted_type, Ref::borrow(function), unconverted_vectorcall).release();
  });
}

}  // namespace footlight::python::ag
