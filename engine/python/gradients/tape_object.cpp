// tf.GradientTape on top of the engine's tape: nested sources and targets, variables by their handles.
#include "engine/base/text.h"
#include "engine/eager/tape.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/members.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/slices_object.h"
#include "engine/python/gradients/tape_arguments.h"
#include "engine/python/types/tensor_like.h"
#include "engine/python/types/variable_object.h"

#include <memory>

namespace footlight::python {
namespace {

struct PyTape {
  PyObject_HEAD
  std::unique_ptr<Tape, RecorderDeleter> tape;
  PyObject* weakrefs;
};
PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

Tape& of(PyObject* o) { return *reinterpret_cast<PyTape*>(o)->tape; }

// The result of stop_recording(): the tape is paused inside the `with`.
struct PyRest {
  PyObject_HEAD
  Ref tape;
  bool resting;
};
PyTypeObject rest_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* construct(PyTypeObject*, PyObject* args, PyObject* keywords) {
  int persistent = 0, watch = 1;
  parse_keywords(args, keywords, "|pp:GradientTape", {"persistent", "watch_accessed_variables"}, &persistent, &watch);
  std::unique_ptr<Tape, RecorderDeleter> tape(new Tape(persistent != 0, watch != 0));
  return new_object<PyTape>(type, std::move(tape)).release();
}
int traverse(PyObject* self, visitproc visit, void* arg) {
  int stopped = 0;
  of(self).each_own_gradient([&](const Backward& gradient) {
    PyObject* function = function_of(gradient);
    if (function && !stopped) stopped = visit(function, arg);
  });
  return stopped;
}
int clear(PyObject* self) {
  of(self).reset();
  return 0;
}

PyObject* enter(PyObject* self, PyObject*) {
  if (of(self).recording())
    fail(ErrorKind::kValue,
         "Tape is still recording. This can happen if you try to re-enter an already-active tape.");
  of(self).start();
  return Py_NewRef(self);
}
PyObject* leave(PyObject* self, PyObject*) {
  if (of(self).recording()) of(self).stop();
  Py_RETURN_NONE;
}

// The tensor or handle that the tape tracks.
Tensor watched(PyObject* o, const char* what) {
  if (is_tensor(o)) return tensor_of(o);
  if (is_variable(o)) return variable_handle(o);
  if (std::optional<Tensor> handle = handle_behind(o)) return std::move(*handle);
  fail(ErrorKind::kValue, "Passed in object ", what, " must be a Tensor or Variable, not ",
       Py_TYPE(o)->tp_name);
}

// Gradients flow through numbers with a fraction only: a tensor that is watched and has none is probably a slip.
void warn_of_dtype(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (is_floating(dtype) || is_complex(dtype) || dtype == DType::kResource || dtype == DType::kVariant) return;
  static int left = 5;
  if (left-- <= 0) return;
  const Ref logging = checked(PyImport_ImportModule("logging"));
  const Ref logger = checked(PyObject_CallMethod(logging.get(), "getLogger", "s", "tensorflow"));
  const std::string text =
      str("The dtype of the watched tensor must be floating (e.g. tf.float32), got ", name_of(dtype));
  checked(PyObject_CallMethod(logger.get(), "warning", "s", text.c_str()));
}
PyObject* watch(PyObject* self, PyObject* argument) {
  std::vector<Ref> leaves;
  nest_flatten(argument, leaves);
  for (const Ref& leaf : leaves) {
    std::vector<Ref> parts = {leaf};
    if (!is_tensor(leaf.get()) && !is_variable(leaf.get())) {
      parts.clear();
      nest_flatten(leaf.get(), parts, true);
    }
    for (const Ref& part : parts) {
      const Tensor tensor = watched(part.get(), "to watch");
      if (parts.size() == 1) warn_of_dtype(tensor);
      of(self).watch(tensor);
    }
  }
  Py_RETURN_NONE;
}

// A gradient given for a target must broadcast to its shape.
void check_fits(const Tensor& gradient, const Tensor& target, size_t i, size_t count) {
  if (!gradient || gradient.dtype() == DType::kResource || target.dtype() == DType::kResource) return;
  try {
    broadcast(gradient.shape(), target.shape());
  } catch (const Error&) {
    fail(ErrorKind::kInvalidArgument, "tf.GradientTape.gradient: argument `output_gradients`",
         count > 1 ? str("[", i, "]") : std::string(), " has shape ", gradient.shape().to_string(),
         ", which does not broadcast to its target of shape ", target.shape().to_string());
  }
}

template <After after>
PyObject* gradient(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *target, *sources, *outputs = Py_None, *unconnected = nullptr;
  parse_keywords(args, keywords, "OO|OO:gradient", {"target", "sources", "output_gradients", "unconnected_gradients"},
                 &target, &sources, &outputs, &unconnected);
  const Unconnected way = unconnected_from(unconnected);
  if (target == Py_None)
    fail(ErrorKind::kType, "GradientTape.gradient: argument `target` must be a tensor, a variable or a structure of "
         "them, got None");
  std::vector<Ref> target_leaves, source_leaves, output_leaves;
  nest_flatten(target, target_leaves);
  nest_flatten(sources, source_leaves);
  std::vector<Tensor> from, to, given;
  for (const Ref& t : target_leaves)
    if (t.get() != Py_None)
      from.push_back(is_variable(t.get()) ? variable_handle(t.get()) : to_tensor(flows_through(t.get()).get()));
  for (const Ref& s : source_leaves) to.push_back(watched(flows_through(s.get()).get(), "as a source"));
  if (outputs != Py_None) {
    nest_flatten(outputs, output_leaves);
    for (size_t i = 0; i < output_leaves.size(); ++i) {
      const Ref output = flows_through(output_leaves[i].get());
      PyObject* const o = output.get();
      given.push_back(o == Py_None ? Tensor()
                                   : gradient_from(o, i < from.size() ? from[i].dtype() : DType::kInvalid));
      if (i < from.size()) check_fits(given.back(), from[i], i, from.size());
    }
  }
  const std::vector<Tensor> results = of(self).gradient(from, to, given, way, after);
  std::vector<Ref> leaves;
  for (const Tensor& g : results)
    leaves.push_back(g ? in_form_of(source_leaves[leaves.size()].get(), checked(wrap_gradient(g)))
                       : Ref::borrow(Py_None));
  return nest_pack(sources, leaves).release();
}

PyObject* reset(PyObject* self, PyObject*) {
  of(self).reset();
  Py_RETURN_NONE;
}
PyObject* watched_variables(PyObject* self, PyObject*) {
  const std::vector<Tensor> all = of(self).variables_in_order();
  return tuple_of(all, [](const Tensor& handle) { return checked(variable_object(handle)); }).release();
}

PyObject* stop_recording(PyObject* self, PyObject*) {
  return new_object<PyRest>(rest_type, Ref::borrow(self)).release();
}
PyObject* rest_enter(PyObject* self, PyObject*) {
  auto* rest = reinterpret_cast<PyRest*>(self);
  if (!of(rest->tape.get()).recording())
    fail(ErrorKind::kRuntime, "Attempting to stop recording while not recording.");
  of(rest->tape.get()).stop();
  rest->resting = true;
  Py_RETURN_NONE;
}
PyObject* rest_leave(PyObject* self, PyObject*) {
  auto* rest = reinterpret_cast<PyRest*>(self);
  if (rest->resting && !of(rest->tape.get()).recording()) of(rest->tape.get()).start();
  rest->resting = false;
  Py_RETURN_NONE;
}
PyMethodDef rest_methods[] = {{"__enter__", guard<rest_enter>, METH_NOARGS, nullptr},
                              {"__exit__", guard<rest_leave>, METH_VARARGS, nullptr},
                              {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"_recording", [](PyObject* s, void*) { return PyBool_FromLong(of(s).recording()); }, nullptr, nullptr, nullptr},
    {"_persistent", [](PyObject* s, void*) { return PyBool_FromLong(of(s).persistent()); }, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"__enter__", guard<enter>, METH_NOARGS, nullptr},
    {"__exit__", guard<leave>, METH_VARARGS, nullptr},
    {"watch", guard<watch>, METH_O, "watch($self, tensor)\n--\n\nWatches a tensor, or all tensors of a structure."},
    {"gradient", as_method(guard<gradient<After::kForget>>), METH_VARARGS | METH_KEYWORDS,
     "gradient($self, target, sources, output_gradients=None, unconnected_gradients='none')\n--\n\n"
     "Gradients of the targets' sum, in the structure of the sources."},
    {"_gradient_and_keep", as_method(guard<gradient<After::kKeep>>), METH_VARARGS | METH_KEYWORDS,
     "Like gradient(), but may be called again even if the tape is not persistent."},
    {"reset", guard<reset>, METH_NOARGS, "reset($self)\n--\n\nForgets everything."},
    {"stop_recording", guard<stop_recording>, METH_NOARGS,
     "stop_recording($self)\n--\n\nA context manager in which nothing is recorded."},
    {"watched_variables", guard<watched_variables>, METH_NOARGS,
     "watched_variables($self)\n--\n\nThe variables that were read, in order."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

Unconnected unconnected_from(PyObject* o) {
  if (!o || o == Py_None) return Unconnected::kNone;
  const Ref value = PyUnicode_Check(o) ? Ref::borrow(o) : optional_attribute(o, "value");
  const std::string text = value && PyUnicode_Check(value.get()) ? readable(value.get()) : "";
  if (text == "none") return Unconnected::kNone;
  if (text == "zero") return Unconnected::kZero;
  fail(ErrorKind::kValue, "Unknown value for unconnected_gradients: '", text,
       "'; it must be tf.UnconnectedGradients.NONE or .ZERO");
}

Ref flows_through(PyObject* o) {
  if (is_tensor(o) || is_variable(o) || o == Py_None) return Ref::borrow(o);
  const Ref flat = has_attribute(o, "with_flat_values") ? optional_attribute(o, "flat_values") : Ref();
  return flat ? flat : Ref::borrow(o);
}

Ref in_form_of(PyObject* source, Ref gradient) {
  if (is_tensor(source) || is_variable(source) || !has_attribute(source, "with_flat_values")) return gradient;
  return checked(PyObject_CallMethod(source, "with_flat_values", "O", gradient.get()));
}

void init_tape() {
  define_type<PyTape>(type, "footlight.GradientTape",
                      {.doc = "GradientTape(persistent=False, watch_accessed_variables=True)\n--\n\n"
                              R"(Records the operations inside a `with`, for gradients afterwards.

  >>> x = tf.Variable(3.0)
  >>> with tf.GradientTape() as tape:
  ...     y = x * x
  >>> print(tape.gradient(y, x))
  tf.Tensor(6.0, shape=(), dtype=float32)

A tape records what depends on trainable variables and on tensors that watch() names.

Args:
  persistent: whether gradient() may be called several times; else the first call ends the tape.
  watch_accessed_variables: whether trainable variables that are read are watched.)",
                       .construct = guard<construct>,
                       .traverse = traverse,
                       .clear = clear,
                       .get_attribute = get_member,
                       .properties = properties,
                       .methods = methods});
  define_type<PyRest>(rest_type, "footlight.TapeAtRest",
                      {.traverse = visit_members<&PyRest::tape>, .methods = rest_methods});
  publish("GradientTape", reinterpret_cast<PyObject*>(&type));
  publish("autodiff.GradientTape", reinterpret_cast<PyObject*>(&type));
}

}  // namespace footlight::python
