// The operators as the readable form calls them: ag__.if_stmt(cond, body, orelse, get_state, set_state, names, nouts).
// footlight._autograph.ag is the namespace of that form.
#include "engine/python/autograph/operators.h"
#include "engine/base/text.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/runtime.h"
#include "engine/python/interpreter/arguments.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/trace/graph_builder.h"

namespace footlight::python {

namespace {

using namespace ag;

PyObject* if_operator(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *condition, *body, *orelse, *get_state, *set_state, *names;
  Py_ssize_t outputs;
  parse_keywords(args, keywords, "OOOOOOn:if_stmt",
                 {"cond", "body", "orelse", "get_state", "set_state", "symbol_names", "nouts"}, &condition, &body,
                 &orelse, &get_state, &set_state, &names, &outputs);
  run_if(condition, body, orelse, static_cast<size_t>(outputs), false,
         [&] { return State(names, get_state, set_state); });
  Py_RETURN_NONE;
}

PyObject* while_operator(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *test, *body, *get_state, *set_state, *names, *options;
  parse_keywords(args, keywords, "OOOOOO:while_stmt",
                 {"test", "body", "get_state", "set_state", "symbol_names", "opts"}, &test, &body, &get_state,
                 &set_state, &names, &options);
  run_while(test, body, options, [&] { return State(names, get_state, set_state); });
  Py_RETURN_NONE;
}

PyObject* for_operator(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *values, *extra, *body, *get_state, *set_state, *names, *options;
  parse_keywords(args, keywords, "OOOOOOO:for_stmt",
                 {"iter_", "extra_test", "body", "get_state", "set_state", "symbol_names", "opts"}, &values, &extra,
                 &body, &get_state, &set_state, &names, &options);
  run_for(values, extra, body, options, [&] { return State(names, get_state, set_state); });
  Py_RETURN_NONE;
}

// (f, args, kwargs)
template <class Call>
PyObject* spread(PyObject* args, Call&& make) {
  PyObject *function, *positional, *keywords;
  if (!PyArg_ParseTuple(args, "OO!O", &function, &PyTuple_Type, &positional, &keywords)) return nullptr;
  return guarded([&]() -> PyObject* {
    std::vector<PyObject*> all{function};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(positional); ++i) all.push_back(PyTuple_GET_ITEM(positional, i));
    Ref names;
    if (keywords != Py_None && PyDict_Check(keywords) && PyDict_Size(keywords) > 0) {
      names = checked(PySequence_Tuple(keywords));
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.get()); ++i)
        all.push_back(find_item(keywords, PyTuple_GET_ITEM(names.get(), i)));
    }
    return make(all, 1 + PyTuple_GET_SIZE(positional), names.get());
  });
}

PyObject* call_operator(PyObject*, PyObject* args) {
  return spread(args, [](const std::vector<PyObject*>& all, Py_ssize_t count, PyObject* names) {
    return converted_call(nullptr, all.data(), count, names);
  });
}

// A builtin, in its version for tensors outside of a trace too.
PyObject* builtin_operator(PyObject*, PyObject* args) {
  return spread(args, [](const std::vector<PyObject*>& all, Py_ssize_t count, PyObject* names) {
    Ref result = call_tensor_builtin(all[0], all.data() + 1, static_cast<Py_ssize_t>(all.size()) - 1, names);
    return result ? result.release() : converted_call(nullptr, all.data(), count, names);
  });
}

// choice(condition, yes, no, what): a conditional expression, and the steps of `and` and `or`.
PyObject* choice_operator(PyObject*, PyObject* args) {
  PyObject *condition, *yes, *no;
  const char* what;
  if (!PyArg_ParseTuple(args, "OOOs:choice", &condition, &yes, &no, &what)) return nullptr;
  if (!is_tensor_like(condition) || !trace::tracing()) return call(is_true(condition) ? yes : no).release();
  return staged_choice(
             condition_tensor(condition, what), [&] { return call(yes); }, [&] { return call(no); },
             str("'", what, "'"))
      .release();
}

// Whether the code that runs is converted: 0 unknown, 1 yes, 2 no.
PyObject* status(PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    if (conversion_is_off()) return PyLong_FromLong(2);
    Ref frame = Ref::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
    while (frame) {
      auto* const at = reinterpret_cast<PyFrameObject*>(frame.get());
      if (ag_is_converted_code(Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(at))).get()))
        return PyLong_FromLong(1);
      frame = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
    }
    return PyLong_FromLong(0);
  });
}

// Switches conversion off (1) or on (0) for this thread; whether it was off, to switch back.
PyObject* switch_off(PyObject*, PyObject* depth) {
  const long wanted = PyLong_AsLong(depth);
  if (wanted == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return PyLong_FromLong(exchange_off_depth(static_cast<int>(wanted)));
}

PyObject* is_generated(PyObject*, PyObject* code) {
  return PyBool_FromLong(PyCode_Check(code) && ag_is_converted_code(code));
}

PyObject* is_converted(PyObject*, PyObject* callable) { return PyBool_FromLong(ag_is_converted(callable)); }

PyMethodDef methods[] = {
    {"ag_if_stmt", as_method(guard<if_operator>), METH_VARARGS | METH_KEYWORDS, "An if statement in functional form."},
    {"ag_while_stmt", as_method(guard<while_operator>), METH_VARARGS | METH_KEYWORDS,
     "A while statement in functional form."},
    {"ag_for_stmt", as_method(guard<for_operator>), METH_VARARGS | METH_KEYWORDS,
     "A for statement in functional form."},
    {"ag_converted_call", call_operator, METH_VARARGS, "f(*args, **kwargs), with f converted."},
    {"ag_builtin", builtin_operator, METH_VARARGS, "f(*args, **kwargs), where f is a builtin."},
    {"ag_status", status, METH_NOARGS, "Whether the code that runs is converted: 0 unknown, 1 yes, 2 no."},
    {"ag_switch_off", guard<switch_off>, METH_O, "Switches conversion off or on; how it was before."},
    {"ag_is_generated", guard<is_generated>, METH_O, "Whether a code object was made by a conversion."},
    {"ag_is_converted", guard<is_converted>, METH_O, "Whether a function was made by a conversion."},
    {"ag_choice", guard<choice_operator>, METH_VARARGS, "yes() or no(), as a condition says."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_autograph_operators(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
