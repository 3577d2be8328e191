// The operators as the readable form calls them: ag__.if_stmt(cond, body, orelse, get_state, set_state, names, nouts),
// what footlight._ag, the namespace of that form, is made of.
#include "engine/python/autograph/operators.h"
#include "engine/base/text.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/runtime.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/trace/graph_builder.h"

namespace footlight::python {

namespace {

using namespace ag;

PyObject* if_operator(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *condition, *body, *orelse, *get_state, *set_state, *names;
  Py_ssize_t outputs;
  static const char* const parameters[] = {"cond", "body", "orelse", "get_state", "set_state", "symbol_names", "nouts",
                                           nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOOOOn:if_stmt", const_cast<char**>(parameters), &condition, &body,
                                   &orelse, &get_state, &set_state, &names, &outputs))
    return nullptr;
  return guarded([&]() -> PyObject* {
    run_if(condition, body, orelse, static_cast<size_t>(outputs), false,
           [&] { return State(names, get_state, set_state); });
    Py_RETURN_NONE;
  });
}

PyObject* while_operator(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *test, *body, *get_state, *set_state, *names, *options;
  static const char* const parameters[] = {"test", "body", "get_state", "set_state", "symbol_names", "opts", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOOOO:while_stmt", const_cast<char**>(parameters), &test, &body,
                                   &get_state, &set_state, &names, &options))
    return nullptr;
  return guarded([&]() -> PyObject* {
    run_while(test, body, options, [&] { return State(names, get_state, set_state); });
    Py_RETURN_NONE;
  });
}

PyObject* for_operator(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *values, *extra, *body, *get_state, *set_state, *names, *options;
  static const char* const parameters[] = {"iter_",     "extra_test",   "body", "get_state",
                                           "set_state", "symbol_names", "opts", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOOOOO:for_stmt", const_cast<char**>(parameters), &values, &extra,
                                   &body, &get_state, &set_state, &names, &options))
    return nullptr;
  return guarded([&]() -> PyObject* {
    run_for(values, extra, body, options, [&] { return State(names, get_state, set_state); });
    Py_RETURN_NONE;
  });
}

// converted_call(f, args, kwargs)
PyObject* call_operator(PyObject*, PyObject* args) {
  PyObject *function, *positional, *keywords;
  if (!PyArg_ParseTuple(args, "OO!O:converted_call", &function, &PyTuple_Type, &positional, &keywords)) return nullptr;
  return guarded([&]() -> PyObject* {
    std::vector<PyObject*> all{function};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(positional); ++i) all.push_back(PyTuple_GET_ITEM(positional, i));
    Ref names;
    if (keywords != Py_None && PyDict_Check(keywords) && PyDict_Size(keywords) > 0) {
      names = checked(PySequence_Tuple(keywords));
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.get()); ++i)
        all.push_back(find_item(keywords, PyTuple_GET_ITEM(names.get(), i)));
    }
    return converted_call(nullptr, all.data(), 1 + PyTuple_GET_SIZE(positional), names.get());
  });
}

// choice(condition, yes, no, what): a conditional expression, and the steps of `and` and `or`.
PyObject* choice_operator(PyObject*, PyObject* args) {
  PyObject *condition, *yes, *no;
  const char* what;
  if (!PyArg_ParseTuple(args, "OOOs:choice", &condition, &yes, &no, &what)) return nullptr;
  return guarded([&]() -> PyObject* {
    if (!is_tensor_like(condition) || !trace::tracing()) return call(truth(condition) ? yes : no).release();
    return staged_choice(
               condition_tensor(condition, what), [&] { return call(yes); }, [&] { return call(no); },
               str("'", what, "'"))
        .release();
  });
}

PyMethodDef methods[] = {
    {"ag_if_stmt", with_keywords(if_operator), METH_VARARGS | METH_KEYWORDS, "An if statement in functional form."},
    {"ag_while_stmt", with_keywords(while_operator), METH_VARARGS | METH_KEYWORDS,
     "A while statement in functional form."},
    {"ag_for_stmt", with_keywords(for_operator), METH_VARARGS | METH_KEYWORDS, "A for statement in functional form."},
    {"ag_converted_call", call_operator, METH_VARARGS, "f(*args, **kwargs), with f converted."},
    {"ag_choice", choice_operator, METH_VARARGS, "yes() or no(), as a condition says."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_autograph_operators(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
