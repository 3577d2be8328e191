// x[key] as StridedSlice: which axes are sliced, dropped or added, and which bounds are open.
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/eager/execute.h"
#include "engine/ops/builder.h"
#include "engine/ops/composite/composites.h"
#include "engine/ops/functions.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/calls/operators.h"
#include "engine/python/types/variable_object.h"

#include <cstring>
#include <vector>

namespace footlight::python {
namespace {

// One bound: a known integer, or a tensor.
struct Bound {
  int64_t value = 0;
  Tensor tensor;
};

[[noreturn]] void bad_index(PyObject* o) {
  fail(ErrorKind::kType,
       "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar integer tensors are "
       "valid indices, got ",
       repr_of(o));
}

// `alone`: it is the whole index.
Bound bound(PyObject* o, bool alone = false) {
  if (is_tensor(o) || is_variable(o)) {
    Tensor t = is_tensor(o) ? tensor_of(o) : variable_value(o);
    const bool fits = t.dtype() == DType::kInt32 || t.dtype() == DType::kInt64 || t.dtype() == DType::kInt16;
    if (!fits || (t.shape().has_rank() && t.shape().rank() == 1)) bad_index(o);
    // A known integer needs no input of its own; an eager tensor from outside is an input of a graph (a
    // capture).
    if (!t.is_symbolic() && !this_thread.builder && t.shape().rank() == 0) {
      Ref v = python_value(on_host(t));
      return {PyLong_AsLongLong(v.get()), {}};
    }
    if (t.dtype() == DType::kInt16) t = ops::cast(t, DType::kInt32);  // like the 1 that is added to it
    return {0, std::move(t)};
  }
  // TensorFlow treats the bool as a number, whose dtype then does not fit.
  if (PyBool_Check(o))
    fail(alone ? ErrorKind::kValue : ErrorKind::kInvalidArgument,
         "a Python bool is not an index; a mask must be a tensor or array of bool");
  if (!PyIndex_Check(o)) bad_index(o);
  Ref index = checked(PyNumber_Index(o));
  const int64_t v = PyLong_AsLongLong(index.get());
  if (v == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return {v, {}};
}

// The bounds of all axes as one int32 vector (int64 when one of them is).
Tensor vector_of(const std::vector<Bound>& bounds) {
  bool symbolic = false, wide = false;
  for (const Bound& b : bounds) {
    symbolic |= static_cast<bool>(b.tensor);
    wide |= b.tensor ? b.tensor.dtype() == DType::kInt64 : b.value < INT32_MIN || b.value > INT32_MAX;
  }
  if (!symbolic) {
    const Shape shape{static_cast<int64_t>(bounds.size())};
    Tensor t = Tensor::empty(wide ? DType::kInt64 : DType::kInt32, shape);
    for (size_t i = 0; i < bounds.size(); ++i) {
      if (wide)
        t.data<int64_t>()[i] = bounds[i].value;
      else
        t.data<int32_t>()[i] = static_cast<int32_t>(bounds[i].value);
    }
    t.body()->python_number = true;
    return t;
  }
  const DType dtype = wide ? DType::kInt64 : DType::kInt32;
  std::vector<Tensor> parts;
  for (const Bound& b : bounds) {
    if (!b.tensor) {
      parts.push_back(wide ? Tensor::scalar<int64_t>(b.value)
                           : Tensor::scalar<int32_t>(static_cast<int32_t>(b.value)));
      parts.back().body()->python_number = true;
    } else {
      parts.push_back(b.tensor.dtype() == dtype ? b.tensor
                                                : apply("Cast"_op, {b.tensor}, Attrs{{AttrName("DstT"), dtype}}));
    }
  }
  return apply("Pack"_op.row(), parts, Attrs{{AttrName("axis"), int64_t{0}}}, "strided_slice/stack");
}

bool is_mask(PyObject* key) {
  if (is_tensor(key)) return tensor_of(key).dtype() == DType::kBool;
  return !PyBool_Check(key) && is_array(key) && to_tensor(key).dtype() == DType::kBool;
}

}  // namespace

SliceSpec slice_spec(PyObject* key) {
  const Items items = PyTuple_Check(key) || PyList_Check(key) ? Items(key) : Items(checked(PyTuple_Pack(1, key)).get());
  if (items.size() > 63)  // the masks have one bit per part
    fail(ErrorKind::kIndex, "an index cannot have more than 63 parts");
  std::vector<Bound> begin, end, strides;
  SliceSpec spec;
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    PyObject* item = items[i];
    const int64_t bit = int64_t{1} << i;
    if (item == Py_Ellipsis) {
      if (spec.ellipsis_mask) fail(ErrorKind::kIndex, "an index can only have a single ellipsis ('...')");
      spec.ellipsis_mask |= bit;
      begin.push_back({});
      end.push_back({});
      strides.push_back({1, {}});
    } else if (item == Py_None) {
      spec.new_axis_mask |= bit;
      begin.push_back({});
      end.push_back({});
      strides.push_back({1, {}});
    } else if (PySlice_Check(item)) {
      const auto* s = reinterpret_cast<PySliceObject*>(item);
      begin.push_back(s->start == Py_None ? Bound{} : bound(s->start));
      end.push_back(s->stop == Py_None ? Bound{} : bound(s->stop));
      strides.push_back(s->step == Py_None ? Bound{1, {}} : bound(s->step));
      if (s->start == Py_None) spec.begin_mask |= bit;
      if (s->stop == Py_None) spec.end_mask |= bit;
    } else {
      Bound b = bound(item, items.size() == 1 && !PyList_Check(key));
      Bound after = b;
      if (b.tensor) {
        Tensor one =
            b.tensor.dtype() == DType::kInt64 ? Tensor::scalar<int64_t>(1) : Tensor::scalar<int32_t>(1);
        one.body()->python_number = true;
        after.tensor = apply("AddV2"_op, {b.tensor, one}, {}, "add");
      } else {
        after.value = b.value + (b.value < INT64_MAX);  // past it is no index of anything, and refused
      }
      begin.push_back(std::move(b));
      end.push_back(std::move(after));
      strides.push_back({1, {}});
      spec.shrink_axis_mask |= bit;
    }
  }
  spec.begin = vector_of(begin);
  spec.end = vector_of(end);
  spec.strides = vector_of(strides);
  if (spec.begin.dtype() == DType::kInt64 || spec.end.dtype() == DType::kInt64 ||
      spec.strides.dtype() == DType::kInt64)
    for (Tensor* t : {&spec.begin, &spec.end, &spec.strides})
      if (t->dtype() != DType::kInt64) {
        const bool constant = t->body()->python_number;
        *t = constant ? ops::hooks.eager_builder->emit_one("Cast"_op.row(), std::span<const Tensor>(t, 1),
                                                Attrs{{AttrName("DstT"), DType::kInt64}}, {})
                      : apply("Cast"_op, {*t}, Attrs{{AttrName("DstT"), DType::kInt64}});
        t->body()->python_number = constant;
      }
  return spec;
}

namespace {

// Fast path for x[2], x[2, 3] and x[2:5] of values in host memory when nothing is recorded: the result of StridedSlice
// without tensors for the bounds. A large slice shares the memory of `x`. Empty: use the slow path, which also
// reports errors.
Tensor leading_part(const Tensor& x, PyObject* key) {
  if (this_thread.builder || this_thread.recorders || this_thread.device || recording_ops()) return {};
  if (x.is_symbolic() || !is_plain(x.dtype()) || x.device() != Device::cpu() || x.shape().rank() == 0) return {};
  const Shape& shape = x.shape();
  int64_t first = 0, count = 1;
  int taken = 0;  // dimensions that were dropped
  const auto index = [&](PyObject* item) {
    if (!PyLong_CheckExact(item) || taken == shape.rank()) return false;
    const int64_t size = shape[taken];
    int overflow = 0;
    const long long given = PyLong_AsLongLongAndOverflow(item, &overflow);
    const int64_t i = given < 0 ? given + size : given;
    if (overflow || i < 0 || i >= size) return false;
    first = first * size + i;
    ++taken;
    return true;
  };
  if (PySlice_Check(key)) {
    const auto* s = reinterpret_cast<PySliceObject*>(key);
    for (PyObject* end : {s->start, s->stop}) {
      if (end == Py_None) continue;
      int overflow = 0;
      if (!PyLong_CheckExact(end)) return {};
      PyLong_AsLongLongAndOverflow(end, &overflow);
      if (overflow) return {};
    }
    Py_ssize_t start, stop, step;
    if (s->step != Py_None || PySlice_Unpack(key, &start, &stop, &step) < 0) return {};
    count = PySlice_AdjustIndices(shape[0], &start, &stop, step);
    first = start;
  } else if (PyTuple_CheckExact(key)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
      if (!index(PyTuple_GET_ITEM(key, i))) return {};
    if (taken == 0) return {};
  } else if (!index(key)) {
    return {};
  }
  Shape part(shape.dims().subspan(static_cast<size_t>(taken)));
  int64_t below = 1;  // elements of one step of `first`
  if (taken == 0) {
    part.set(0, count);
    for (int d = 1; d < part.rank(); ++d) below *= part[d];
  } else {
    below = part.elements();
  }
  const size_t size = size_of(x.dtype());
  char* from = static_cast<char*>(x.raw()) + static_cast<size_t>(first * below) * size;
  const size_t bytes = static_cast<size_t>(count * below) * size;
  constexpr size_t kWorthSharing = 4096;
  if (bytes >= kWorthSharing && bytes >= x.bytes() / 8 && x.body()->buffer)
    return Tensor::within(x.dtype(), part, x.device(), x.body()->buffer, from);
  Tensor out = Tensor::empty(x.dtype(), part);
  std::memcpy(out.raw(), from, bytes);
  return out;
}

}  // namespace

Tensor subscript(const Tensor& x, PyObject* key) {
  if (Tensor part = leading_part(x, key)) return part;
  if (is_mask(key)) return composite::boolean_mask(x, to_tensor(key));
  const SliceSpec s = slice_spec(key);
  return apply("StridedSlice"_op, {x, s.begin, s.end, s.strides},
               Attrs{{"begin_mask"_attr, s.begin_mask},
                     {"end_mask"_attr, s.end_mask},
                     {"ellipsis_mask"_attr, s.ellipsis_mask},
                     {"new_axis_mask"_attr, s.new_axis_mask},
                     {"shrink_axis_mask"_attr, s.shrink_axis_mask}},
               "strided_slice");
}

PyObject* tensor_item(PyObject* self, Py_ssize_t i) {
  const Tensor& t = tensor_of(self);
  const bool has_rows = t.shape().has_rank() && t.shape().rank() > 0;  // otherwise the op reports the error
  if (i < 0 || (has_rows && i >= t.shape()[0])) {
    PyErr_SetNone(PyExc_IndexError);
    return nullptr;
  }
  const Ref index = Ref::steal(PyLong_FromSsize_t(i));
  return index ? tensor_subscript(self, index.get()) : nullptr;
}

Py_ssize_t tensor_length(PyObject* self) {
  try {
    const Tensor& t = tensor_of(self);
    if (t.is_symbolic())
      fail(ErrorKind::kType, "len is not well defined for the symbolic tensor '", symbolic_name(t),
           "'. Use tf.shape(x)[0], or x.shape[0] where it is known");
    if (t.shape().rank() == 0) fail(ErrorKind::kType, "Scalar tensor has no `len()`");
    return t.shape()[0];
  } catch (...) {
    set_python_error();
    return -1;
  }
}

PyObject* tensor_subscript(PyObject* self, PyObject* key) {
  return guarded(
      [&] { return wrap(subscript(is_variable(self) ? variable_value(self) : tensor_of(self), key)); });
}

}  // namespace footlight::python
