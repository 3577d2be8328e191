// tf.Tensor: the Python object, eager and symbolic alike. calls/operators.cpp and calls/subscript.cpp put its operators
// in.
#include "engine/base/text.h"
#include "engine/graph/graph.h"
#include "engine/ops/builder.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/types/array_memory.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/format.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/interpreter/members.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/reference_object.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/tensor_like.h"
#include "engine/python/types/tensor_members.h"
#include "engine/tensor/gpu.h"

#include <cstring>
#include <new>
#include <unordered_map>

namespace footlight::python {
namespace {

PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

// Objects that were given back: taking one is a third of the cost of asking Python's allocator.
constexpr int kKept = 128;
PyTensor* kept[kKept];
int kept_count = 0;

// The object of each symbolic tensor that has one: who asks for an output of a node twice gets the same
// object, as long as somebody holds it.
struct Output {
  const Graph* graph;
  uint32_t node, output;
  bool operator==(const Output&) const = default;
};
struct HashOfOutput {
  size_t operator()(const Output& o) const {
    return (reinterpret_cast<uintptr_t>(o.graph) >> 4) * 31 + o.node * size_t{1099511628211} + o.output;
  }
};
std::unordered_map<Output, PyTensor*, HashOfOutput>& symbols() {
  static auto& all = *new std::unordered_map<Output, PyTensor*, HashOfOutput>;
  return all;
}
Output output_of(const Tensor& t) { return {t.graph(), t.node().value, t.output()}; }

void destroy(PyObject* self) {
  auto* t = reinterpret_cast<PyTensor*>(self);
  if (t->tensor.is_symbolic()) symbols().erase(output_of(t->tensor));
  if (t->weakrefs) PyObject_ClearWeakRefs(self);
  Py_CLEAR(t->dict);
  t->tensor.~Tensor();
  if (kept_count < kKept)
    kept[kept_count++] = t;
  else
    PyObject_Free(self);
}

std::string text_of(const Tensor& t, bool repr) {
  if (t.dtype() == DType::kResource || t.dtype() == DType::kVariant) return "<unprintable>";
  const Tensor host = on_host(t);
  std::string text = repr ? array_repr(host) : array_str(host);
  return text.find('\n') == std::string::npos ? text : "\n" + text;
}

PyObject* to_unicode(std::string_view s) { return text_object(s).release(); }

PyObject* repr(PyObject* self) {
  const Tensor& t = tensor_of(self);
  if (t.is_symbolic())
    return to_unicode(str("<tf.Tensor '", symbolic_name(t), "' shape=", t.shape().to_string(),
                          " dtype=", name_of(t.dtype()), ">"));
  return to_unicode(str("<tf.Tensor: shape=", t.shape().to_string(), ", dtype=", name_of(t.dtype()),
                        ", numpy=", text_of(t, true), ">"));
}

PyObject* to_str(PyObject* self) {
  const Tensor& t = tensor_of(self);
  if (t.is_symbolic())
    return to_unicode(str("Tensor(\"", symbolic_name(t), "\", ",
                          t.shape().has_rank() ? "shape=" + t.shape().to_string() + ", " : "",
                          "dtype=", name_of(t.dtype()),
                          t.device() == Device::cpu() ? "" : ", device=" + full_name(t.device()), ")"));
  return to_unicode(str("tf.Tensor(", text_of(t, false), ", shape=", t.shape().to_string(),
                        ", dtype=", name_of(t.dtype()), ")"));
}

Py_hash_t hash(PyObject* o) {
  const Tensor& t = tensor_of(o);
  if (is_graph_element(t))
    return static_cast<Py_hash_t>((reinterpret_cast<uintptr_t>(t.graph()) >> 4) + t.node().value * 31 + t.output());
  PyErr_SetString(PyExc_TypeError, "Tensor is unhashable. Instead, use tensor.ref() as the key.");
  return -1;
}

// In TensorFlow's words, as scripts print them; why, and what to do, is a note below.
[[noreturn]] void symbolic_has_no_value(const Tensor& t) {
  const Ref error = checked(
      PyObject_CallFunction(PyExc_AttributeError, "s", "'SymbolicTensor' object has no attribute 'numpy'"));
  const std::string note = str("'", symbolic_name(t),
                               "' has no value yet while its function is being traced; print it with tf.print, or "
                               "return it from the function");
  checked(PyObject_CallMethod(error.get(), "add_note", "s", note.c_str()));
  PyErr_SetObject(PyExc_AttributeError, error.get());
  throw PythonErrorSet();
}

PyObject* iterate(PyObject* self) {
  const Tensor& t = tensor_of(self);
  if (t.is_symbolic())
    fail(ErrorKind::kOperatorNotAllowedInGraph, "Iterating over a symbolic `tf.Tensor` is not allowed: '",
         symbolic_name(t), "' has no value while the function is being traced. AutoGraph did not convert "
         "this code (it turns "
         "`for` statements of a tf.function into tf.while_loop). Decorate the function with @tf.function, "
         "or use tf.map_fn.");
  if (t.shape().rank() == 0) fail(ErrorKind::kType, "Cannot iterate over a scalar tensor.");
  return PySeqIter_New(self);
}

PyObject* get_shape_property(PyObject* self, void*) {
  return shape_object(tensor_of(self).shape());
}
PyObject* get_dtype(PyObject* self, void*) { return Py_NewRef(dtype_object(tensor_of(self).dtype())); }
PyObject* get_ndim(PyObject* self, void*) {
  const Shape& s = tensor_of(self).shape();
  if (!s.has_rank()) Py_RETURN_NONE;
  return PyLong_FromLong(s.rank());
}
PyObject* get_device(PyObject* self, void*) {
  const Tensor& t = tensor_of(self);
  if (t.is_symbolic()) return to_unicode(t.graph()->node(t.node()).device.text());
  return to_unicode(full_name(t.device()));
}
PyObject* get_name(PyObject* self, void*) {
  const Tensor& t = tensor_of(self);
  if (!t.is_symbolic())
    fail(ErrorKind::kAttribute, "Tensor.name is undefined when eager execution is enabled.");
  return to_unicode(symbolic_name(t));
}
template <Ref (*Make)(const Tensor&)>
PyObject* get_of_graph(PyObject* self, void* what) {
  const Tensor& t = tensor_of(self);
  if (!t.is_symbolic())
    fail(ErrorKind::kAttribute, "Tensor.", static_cast<const char*>(what),
         " is undefined when eager execution is enabled.");
  return Make(t).release();
}
PyObject* get_value_index(PyObject* self, void*) {
  if (!tensor_of(self).is_symbolic())
    fail(ErrorKind::kAttribute, "Tensor.value_index is undefined when eager execution is enabled.");
  return PyLong_FromUnsignedLong(tensor_of(self).output());
}

PyObject* numpy(PyObject* self, PyObject*) { return numpy_value(tensor_of(self)).release(); }
PyMethodDef numpy_method = {
    "numpy", guard<numpy>, METH_NOARGS,
    "numpy()\n--\n\nA NumPy array (of rank 0: a NumPy scalar) with a copy of the value."};
PyObject* get_numpy(PyObject* self, void*) {
  if (tensor_of(self).is_symbolic()) symbolic_has_no_value(tensor_of(self));
  return PyCFunction_New(&numpy_method, self);
}

PyObject* array(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *dtype = Py_None, *copy = Py_None;
  parse_keywords(args, keywords, "|OO:__array__", {"dtype", "copy"}, &dtype, &copy);
  const Tensor& t = tensor_of(self);
  if (t.is_symbolic())
    fail(ErrorKind::kNotImplemented, "Cannot convert the symbolic tensor '", symbolic_name(t),
         "' to a NumPy array: it has no value while the function is being traced. Use a tf function "
         "instead of the NumPy one, or tf.numpy_function.");
  Ref value = numpy_value(t);
  Ref module = import_numpy();
  return checked(PyObject_CallMethod(module.get(), "asarray", "OO", value.get(), dtype)).release();
}

PyObject* get_shape(PyObject* self, PyObject*) { return get_shape_property(self, nullptr); }
PyObject* set_shape(PyObject* self, PyObject* wanted) {
  const Tensor& t = tensor_of(self);
  const Shape s = shape_from_object(wanted);
  if (!compatible(t.shape(), s))
    fail(ErrorKind::kValue, t.is_symbolic() ? "Tensor '" + symbolic_name(t) + "'" : "Tensor", "'s shape ",
         t.shape().to_string(), " is not compatible with supplied shape ", s.to_string());
  if (t.is_symbolic()) {
    // Everybody who holds this output sees what is now known of it.
    const Shape known = merge(t.shape(), s);
    t.body()->shape = known;
    Node& node = t.graph()->node(t.node());
    node.shape_said = node.shape_said || !(node.shapes[t.output()] == known);
    node.shapes.own()[t.output()] = known;
  }
  Py_RETURN_NONE;
}

PyObject* ref(PyObject* self, PyObject*) { return reference_to(self); }
PyObject* same(PyObject* self, PyObject*) { return Py_NewRef(self); }

PyObject* to_device(PyObject* self, Device device) {
  return guarded([&] { return wrap(copied_to(tensor_of(self), device)); });
}
PyObject* cpu(PyObject* self, PyObject*) { return to_device(self, Device::cpu()); }
PyObject* gpu(PyObject* self, PyObject* args, PyObject* keywords) {
  int index = 0;
  parse_keywords(args, keywords, "|i:gpu", {"gpu_index"}, &index);
  if (index < 0 || index > 255) {
    PyErr_Format(PyExc_ValueError, "there is no GPU %d", index);
    return nullptr;
  }
  return to_device(self, Device::gpu(static_cast<uint8_t>(index)));
}

PyObject* format(PyObject* self, PyObject* spec) {
  const Tensor& t = tensor_of(self);
  if (!PyUnicode_Check(spec))
    fail(ErrorKind::kType, "__format__() argument must be str, not ", Py_TYPE(spec)->tp_name);
  const bool plain = PyUnicode_GetLength(spec) == 0;
  if (t.is_symbolic()) {
    if (!plain)
      fail(ErrorKind::kType, "unsupported format string for the symbolic tensor '", symbolic_name(t),
           "': it has no value while its function is being traced");
    return to_str(self);
  }
  const Tensor host = on_host(t);
  if (plain) return to_unicode(array_str(host));
  if (host.shape().rank() > 0)
    fail(ErrorKind::kType, "unsupported format string for a tensor of shape ", host.shape().to_string());
  Ref value = python_value(host);
  return PyObject_Format(value.get(), spec);
}

// A pickled tensor: its elements' bytes, as they lie in memory.
PyObject* from_bytes(PyObject*, PyObject* args) {
  PyObject *bytes, *dtype, *dims;
  if (!PyArg_ParseTuple(args, "SOO:tensor_from_bytes", &bytes, &dtype, &dims)) return nullptr;
  const DType d = dtype_from_object(dtype);
  const Shape shape = shape_from_object(dims);
  if (!in_set(d, kPlainTypes) || !shape.fully_known())
    fail(ErrorKind::kValue, "tensor_from_bytes: no bytes make a tensor of ", name_of(d), " and shape ",
         shape.to_string());
  Tensor t = Tensor::empty(d, shape);
  const auto size = static_cast<size_t>(t.elements()) * size_of(d);
  if (static_cast<size_t>(PyBytes_GET_SIZE(bytes)) != size)
    fail(ErrorKind::kValue, "tensor_from_bytes: got ", PyBytes_GET_SIZE(bytes), " bytes, but shape ",
         shape.to_string(), " of ", name_of(d), " takes ", size);
  if (size) std::memcpy(t.raw(), PyBytes_AS_STRING(bytes), size);
  return wrap(std::move(t));
}
PyMethodDef from_bytes_method = {"tensor_from_bytes", guard<from_bytes>, METH_VARARGS,
                                 "tensor_from_bytes(bytes, dtype, shape)\n--\n\nA pickled tensor again."};
PyObject* from_bytes_function = nullptr;

PyObject* reduce(PyObject* self, PyObject*) {
  const Tensor& t = tensor_of(self);
  if (t.is_symbolic()) fail(ErrorKind::kType, "A symbolic tensor cannot be pickled");
  Ref shape = checked(shape_object(t.shape()));
  if (in_set(t.dtype(), kPlainTypes)) {
    const Tensor host = on_host(t);
    Ref bytes = checked(PyBytes_FromStringAndSize(
        static_cast<const char*>(host.raw()),
        static_cast<Py_ssize_t>(host.elements()) * static_cast<Py_ssize_t>(size_of(host.dtype()))));
    return Py_BuildValue("O(OOO)", from_bytes_function, bytes.get(), dtype_object(t.dtype()), shape.get());
  }
  Ref constant = checked(PyObject_GetAttrString(namespace_of(""), "constant"));
  Ref value = python_value(on_host(t));
  return Py_BuildValue("O(OOO)", constant.get(), value.get(), dtype_object(t.dtype()), shape.get());
}

PyObject* round_error(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_AttributeError, "a tensor has no __round__: use tf.round(x)");
  return nullptr;
}

// Names that NumPy's arrays have and tensors have not: say what to write instead.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError) || PyUnicode_READ_CHAR(name, 0) == '_') return found;
  {
    Ref missing = take_exception();
    PyObject* const late = guarded([&] { return late_member(self, name).release(); });
    if (late || PyErr_Occurred()) return late;
    raise_again(std::move(missing));
  }
  static const std::pair<const char*, const char*> instead[] = {
      {"astype", "tf.cast(x, dtype)"},  {"reshape", "tf.reshape(x, shape)"},
      {"T", "tf.transpose(x)"},         {"transpose", "tf.transpose(x)"},
      {"ravel", "tf.reshape(x, [-1])"}, {"clip", "tf.clip_by_value(x, low, high)"},
      {"size", "tf.size(x)"},           {"tolist", "x.numpy().tolist()"},
      {"sum", "tf.reduce_sum(x)"},      {"mean", "tf.reduce_mean(x)"},
      {"max", "tf.reduce_max(x)"},      {"min", "tf.reduce_min(x)"},
      {"dot", "tf.tensordot(x, y, 1)"}, {"item", "x.numpy().item()"}};
  for (const auto& [missing, use] : instead)
    if (PyUnicode_CompareWithASCIIString(name, missing) == 0 && cleared_if(PyExc_AttributeError))
      return PyErr_Format(PyExc_AttributeError, "a tensor has no attribute '%s': use %s", missing, use);
  return explain_missing(self, name);
}

PyObject* get_id(PyObject* self, void*) { return PyLong_FromUnsignedLongLong(tensor_of(self).tape_id()); }

PyGetSetDef properties[] = {
    {"shape", guard<get_shape_property>, nullptr, "The TensorShape.", nullptr},
    {"dtype", get_dtype, nullptr, "The DType.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of dimensions.", nullptr},
    {"device", guard<get_device>, nullptr, "Where the value lies.", nullptr},
    {"backing_device", guard<get_device>, nullptr, "Where the value lies.", nullptr},
    {"name", guard<get_name>, nullptr, "Name in the graph; symbolic tensors only.", nullptr},
    {"op", guard<get_of_graph<operation_of>>, nullptr,
     "The operation of the graph that makes it; symbolic tensors only.", const_cast<char*>("op")},
    {"graph", guard<get_of_graph<graph_of>>, nullptr, "The graph; symbolic tensors only.",
     const_cast<char*>("graph")},
    {"value_index", guard<get_value_index>, nullptr, "Which output of its operation; symbolic tensors only.",
     nullptr},
    {"numpy", guard<get_numpy>, nullptr, "numpy()\n--\n\nThe value as a NumPy array.", nullptr},
    {"_id", get_id, nullptr, "A number of the value, or of the resource, that nothing else has.", nullptr},
    {"__array_priority__", [](PyObject*, void*) { return PyLong_FromLong(100); }, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"get_shape", get_shape, METH_NOARGS, "get_shape()\n--\n\nThe TensorShape."},
    {"set_shape", guard<set_shape>, METH_O,
     "set_shape(shape)\n--\n\nSays what else is known of the shape; ValueError when it does not fit."},
    {"ref", ref, METH_NOARGS, "ref()\n--\n\nA hashable handle: tensors themselves cannot be keys."},
    {"experimental_ref", ref, METH_NOARGS, "experimental_ref()\n--\n\nSee ref()."},
    {"cpu", cpu, METH_NOARGS, "cpu()\n--\n\nThe value in host memory."},
    {"gpu", as_method(guard<gpu>), METH_VARARGS | METH_KEYWORDS,
     "gpu(gpu_index=0)\n--\n\nThe value in a GPU's memory."},
    {"__array__", as_method(guard<array>), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__format__", guard<format>, METH_O, nullptr},
    {"__reduce__", guard<reduce>, METH_NOARGS, nullptr},
    {"__copy__", same, METH_NOARGS, nullptr},
    {"__deepcopy__", same, METH_O, nullptr},
    {"__round__", round_error, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyTypeObject* tensor_type = &type;

std::string symbolic_name(const Tensor& t) { return str(t.graph()->node(t.node()).name, ":", t.output()); }

PyObject* wrap(Tensor tensor) {
  PyTensor** symbol = nullptr;
  if (tensor.is_symbolic()) {
    symbol = &symbols()[output_of(tensor)];
    if (PyTensor* known = *symbol) {
      if (!known->tensor.resource_object() && tensor.resource_object()) known->tensor = std::move(tensor);
      return Py_NewRef(reinterpret_cast<PyObject*>(known));
    }
  }
  PyTensor* t;
  if (kept_count > 0) {
    t = kept[--kept_count];
    PyObject_Init(reinterpret_cast<PyObject*>(t), &type);
  } else {
    t = PyObject_New(PyTensor, &type);
    if (!t) throw PythonErrorSet();
  }
  if (symbol) *symbol = t;
  new (&t->tensor) Tensor(std::move(tensor));
  t->weakrefs = t->dict = nullptr;
  return reinterpret_cast<PyObject*>(t);
}

PyObject* wrap_or_given(Tensor tensor, std::span<PyObject* const> given) {
  for (PyObject* o : given)
    if (is_tensor(o) && tensor_of(o).id() == tensor.id()) return Py_NewRef(o);
  return wrap(std::move(tensor));
}

PyObject* wrap_all(std::span<const Tensor> tensors) {
  Ref list = checked(PyList_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) {
    PyObject* o = tensors[i] ? wrap(tensors[i]) : Py_NewRef(Py_None);
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), o);
  }
  return list.release();
}

Tensor on_host(const Tensor& t) {
  if (t.is_symbolic())
    fail(ErrorKind::kNotImplemented, "The symbolic tensor '", symbolic_name(t),
         "' has no value while its function is being traced");
  return t.device() == Device::cpu() ? t : copied_to(t, Device::cpu());
}

Tensor copied_to(const Tensor& t, Device device) {
  if (t.is_symbolic()) return apply("Identity"_op, {t});
  if (t.device() == device) return t;
  Tensor copy = gpu::copy_to(t, device);
  show_recorders("Identity"_op.row(), {}, Borrowed(t), Borrowed(copy));
  return copy;
}

void init_tensor(PyObject* module) {
  Ref engine = checked(PyUnicode_FromString("footlight._engine"));
  from_bytes_function = checked(PyCFunction_NewEx(&from_bytes_method, nullptr, engine.get())).release();
  if (PyModule_AddObjectRef(module, from_bytes_method.ml_name, from_bytes_function) < 0) throw PythonErrorSet();
  define_type<PyTensor>(type, "footlight.Tensor",
                        {.doc = "A multidimensional array, or while tracing the symbol of one.",
                         .base = tensor_like_type,
                         .flags = Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         .destroy = destroy,
                         .repr = guard<repr>,
                         .str = guard<to_str>,
                         .hash = hash,
                         .get_attribute = get_attribute,
                         .iterate = guard<iterate>,
                         .properties = properties,
                         .methods = methods,
                         .buffer = &tensor_buffer});
  allow_new_members(&type);
  init_tensor_members();
  publish("Tensor", reinterpret_cast<PyObject*>(&type));
}

}  // namespace footlight::python
