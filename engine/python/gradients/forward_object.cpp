// tf.autodiff.ForwardAccumulator on top of the engine's: nested primals and tangents, variables by their handles.
#include "engine/eager/forward.h"

#include "engine/ops/functions.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/members.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/nest.h"
#include "engine/python/gradients/tape_arguments.h"
#include "engine/python/types/variable_object.h"

#include <memory>

namespace footlight::python {
namespace {

struct PyForward {
  PyObject_HEAD
  std::unique_ptr<ForwardAccumulator, RecorderDeleter> accumulator;
};
PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

ForwardAccumulator& of(PyObject* o) { return *reinterpret_cast<PyForward*>(o)->accumulator; }

DType dtype_of(PyObject* o) { return is_variable(o) ? variable_dtype(o) : tensor_of(o).dtype(); }
const Shape& shape_of_value(PyObject* o) { return is_variable(o) ? variable_shape(o) : tensor_of(o).shape(); }

void watch(ForwardAccumulator& accumulator, PyObject* primals, PyObject* tangents) {
  nest_assert_same(primals, tangents, false);
  std::vector<Ref> from, along;
  nest_flatten(primals, from);
  nest_flatten(tangents, along);
  for (size_t i = 0; i < from.size(); ++i) {
    PyObject* primal = from[i].get();
    if (!is_tensor(primal) && !is_variable(primal))
      fail(ErrorKind::kValue, "a primal must be a Tensor or Variable, not ", Py_TYPE(primal)->tp_name);
    for (size_t k = 0; k < i; ++k)
      if (from[k].get() == primal)
        fail(ErrorKind::kValue, "A tensor was specified as a primal multiple times: its tangents would add up; give it "
             "one tangent");
    const Tensor tangent = to_tensor(along[i].get(), dtype_of(primal));
    if (!compatible(tangent.shape(), shape_of_value(primal)))
      fail(ErrorKind::kValue, "a tangent of shape ", tangent.shape().to_string(), " for a primal of shape ",
           shape_of_value(primal).to_string(), ": they must be the same");
    accumulator.watch(is_variable(primal) ? variable_handle(primal) : tensor_of(primal), tangent);
  }
}

PyObject* construct(PyTypeObject*, PyObject* args, PyObject* keywords) {
  PyObject *primals, *tangents;
  parse_keywords(args, keywords, "OO:ForwardAccumulator", {"primals", "tangents"}, &primals, &tangents);
  std::unique_ptr<ForwardAccumulator, RecorderDeleter> accumulator(new ForwardAccumulator());
  watch(*accumulator, primals, tangents);
  return new_object<PyForward>(type, std::move(accumulator)).release();
}

PyObject* enter(PyObject* self, PyObject*) {
  if (of(self).recording()) fail(ErrorKind::kValue, "Accumulator is already recording.");
  of(self).start();
  return Py_NewRef(self);
}
PyObject* leave(PyObject* self, PyObject*) {
  of(self).stop();
  Py_RETURN_NONE;
}

PyObject* jvp(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *values, *unconnected = nullptr;
  parse_keywords(args, keywords, "O|O:jvp", {"primals", "unconnected_gradients"}, &values, &unconnected);
  const Unconnected way = unconnected_from(unconnected);
  std::vector<Ref> leaves;
  nest_flatten(values, leaves);
  for (Ref& leaf : leaves) {
    PyObject* o = leaf.get();
    if (o == Py_None) continue;
    const bool variable = is_variable(o);
    const Tensor value = variable ? variable_handle(o) : to_tensor(o);
    Tensor tangent = of(self).tangent_of(value);
    if (!tangent && way == Unconnected::kZero) tangent = ops::zeros_like(variable ? variable_value(o) : value);
    leaf = tangent ? checked(wrap(tangent)) : Ref::borrow(Py_None);
  }
  return nest_pack(values, leaves).release();
}

PyMethodDef methods[] = {
    {"__enter__", guard<enter>, METH_NOARGS, nullptr},
    {"__exit__", guard<leave>, METH_VARARGS, nullptr},
    {"jvp", as_method(guard<jvp>), METH_VARARGS | METH_KEYWORDS,
     "jvp(primals, unconnected_gradients=UnconnectedGradients.NONE)\n--\n\nThe tangents of values that were computed "
     "inside, for the given tangents of the primals."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_forward() {
  define_type<PyForward>(type, "footlight.autodiff.ForwardAccumulator",
                         {.doc = "ForwardAccumulator(primals, tangents)\n--\n\nComputes, with what is computed inside "
                                 "a `with`, the derivative "
                                 "in one direction.",
                          .construct = guard<construct>,
                          .get_attribute = get_member,
                          .methods = methods});
  publish("autodiff.ForwardAccumulator", reinterpret_cast<PyObject*>(&type));
}

}  // namespace footlight::python
