// DLPack in both directions: tensors share their memory with NumPy, PyTorch and other libraries.
#include "engine/base/text.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/members.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/tensor_members.h"
#include "engine/python/types/variable_object.h"
#include "engine/tensor/size.h"

#include <cstring>
#include <memory>
#include <vector>

namespace footlight::python {
namespace {

// The structures of the protocol.
struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};

constexpr int32_t kDLCpu = 1, kDLCuda = 2, kDLCudaHost = 3;
enum : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBFloat = 4, kComplex = 5, kBool = 6 };
constexpr const char* kName = "dltensor";
constexpr const char* kUsed = "used_dltensor";

DLDataType type_of(DType d) {
  const auto bits = static_cast<uint8_t>(is_plain(d) ? size_of(d) * 8 : 0);
  if (d == DType::kBool) return {kBool, 8, 1};
  if (d == DType::kBFloat16) return {kBFloat, 16, 1};
  if (is_complex(d)) return {kComplex, bits, 1};
  if (is_floating(d)) return {kFloat, bits, 1};
  if (is_integer(d)) return {in_set(d, kUnsignedTypes) ? kUInt : kInt, bits, 1};
  invalid(name_of(d), " is not supported by DLPack");
}

DType dtype_from(DLDataType t) {
  if (t.lanes != 1) invalid("DLPack: elements of ", t.lanes, " lanes are not supported");
  static constexpr DType kAll[] = {
      DType::kBool,   DType::kInt8,   DType::kInt16,   DType::kInt32,   DType::kInt64,   DType::kUInt8,
      DType::kUInt16, DType::kUInt32, DType::kUInt64,  DType::kFloat16, DType::kFloat32, DType::kFloat64,
      DType::kBFloat16, DType::kComplex64, DType::kComplex128};
  for (DType d : kAll)
    if (const DLDataType own = type_of(d); own.code == t.code && own.bits == t.bits) return d;
  invalid("DLPack: no dtype has the code ", static_cast<int>(t.code), " and ", static_cast<int>(t.bits), " bits");
}

// --- out ---
struct Shared {
  DLManagedTensor managed;
  Tensor tensor;
  std::vector<int64_t> shape, strides;
};

void destroy_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kName)) return;  // the consumer owns it now
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kName));
  if (managed->deleter) managed->deleter(managed);
}

PyObject* capsule_of(const Tensor& t) {
  if (t.is_symbolic())
    fail(ErrorKind::kType, "a symbolic tensor has no memory to share while its function is being traced");
  auto shared = std::make_unique<Shared>();
  shared->tensor = t;
  shared->shape.assign(t.shape().dims().begin(), t.shape().dims().end());
  shared->strides.resize(shared->shape.size());
  int64_t stride = 1;
  for (size_t d = shared->shape.size(); d-- > 0; stride *= shared->shape[d]) shared->strides[d] = stride;
  const Device device = t.device();
  shared->managed = {{t.raw(),
                      device.type == DeviceType::kCpu ? DLDevice{kDLCpu, 0} : DLDevice{kDLCuda, device.index},
                      t.shape().rank(),
                      type_of(t.dtype()),
                      shared->shape.data(),
                      shared->strides.data(),
                      0},
                     shared.get(),
                     [](DLManagedTensor* m) { delete static_cast<Shared*>(m->manager_ctx); }};
  PyObject* capsule = PyCapsule_New(&shared->managed, kName, destroy_capsule);
  if (!capsule) throw PythonErrorSet();
  shared.release();
  return capsule;
}

PyObject* to_dlpack(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* o;
  parse_keywords(args, keywords, "O:to_dlpack", {"tf_tensor"}, &o);
  if (!is_tensor(o)) invalid("The argument to `to_dlpack` must be a tensor, not ", Py_TYPE(o)->tp_name);
  return capsule_of(tensor_of(o));
}

// --- in ---
Tensor tensor_from(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kName)) {
    const char* name = PyCapsule_CheckExact(capsule) ? PyCapsule_GetName(capsule) : nullptr;
    clear_only(PyExc_ValueError);  // a capsule without a name
    invalid("DLPack tensor must be a capsule with name \"dltensor\", got \"", name ? name : "",
            "\". Note that a DLPack tensor may be consumed at most once.");
  }
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kName));
  const DLTensor& dl = managed->dl_tensor;
  if (dl.ndim < 0) invalid("DLPack: a tensor of negative rank");
  const int32_t where = dl.device.device_type;
  if (where == kDLCuda)
    fail(ErrorKind::kUnimplemented, "DLPack: GPU memory cannot be imported; copy it to the host first");
  if (where != kDLCpu && where != kDLCudaHost) invalid("DLPack: memory of device type ", where, " cannot be read here");
  const DType dtype = dtype_from(dl.dtype);
  if (dl.ndim < 0) invalid("DLPack: an array of ", dl.ndim, " dimensions");
  const Shape shape(std::span<const int64_t>(dl.shape, static_cast<size_t>(dl.ndim)));
  check_memory(dtype, shape);
  if (!shape.fully_known()) invalid("DLPack: an array of shape ", shape.brackets());
  int64_t stride = 1;
  for (int d = dl.ndim - 1; d >= 0 && dl.strides && shape.elements() > 0; --d) {
    if (dl.shape[d] != 1 && dl.strides[d] != stride)
      invalid("Invalid strides array from DLPack: the elements must lie one behind the other, row by row");
    stride *= dl.shape[d];
  }
  PyCapsule_SetName(capsule, kUsed);
  PyCapsule_SetDestructor(capsule, nullptr);
  const auto release = [](void* context) {
    auto* m = static_cast<DLManagedTensor*>(context);
    if (!m->deleter || !Py_IsInitialized()) return;
    const WithGil held;
    m->deleter(m);
  };
  char* data = static_cast<char*>(dl.data) + dl.byte_offset;
  if (shape.elements() == 0 || reinterpret_cast<uintptr_t>(data) % size_of(dtype) != 0) {
    Tensor copy = Tensor::empty(dtype, shape);
    if (copy.bytes() > 0) std::memcpy(copy.raw(), data, copy.bytes());
    release(managed);
    return copy;
  }
  return Tensor::borrow(dtype, shape, data, release, managed);
}

PyObject* from_dlpack(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* o;
  parse_keywords(args, keywords, "O:from_dlpack", {"dlcapsule"}, &o);
  Ref capsule = Ref::borrow(o);
  if (!PyCapsule_CheckExact(o)) {
    if (!has_attribute(o, "__dlpack__"))
      fail(ErrorKind::kType, "from_dlpack expects a DLPack capsule or an object with __dlpack__, not ",
           Py_TYPE(o)->tp_name);
    capsule = checked(PyObject_CallMethod(o, "__dlpack__", nullptr));
  }
  return wrap(tensor_from(capsule.get()));
}

PyMethodDef functions[] = {
    {"to_dlpack", as_method(guard<to_dlpack>), METH_VARARGS | METH_KEYWORDS,
     "to_dlpack(tf_tensor)\n--\n\nA capsule that shares the tensor's memory."},
    {"from_dlpack", as_method(guard<from_dlpack>), METH_VARARGS | METH_KEYWORDS,
     "from_dlpack(dlcapsule)\n--\n\nA tensor that shares the capsule's memory, which must not be written any more."}};

// --- the protocol of objects ---
PyObject* dlpack(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  parse_keywords(args, keywords, "|$OOOO:__dlpack__", {"stream", "max_version", "dl_device", "copy"}, &stream, &version,
                 &device, &copy);
  Tensor t = tensor_of(self);
  if (!t.is_symbolic() && device != Py_None) {
    int type = 0, index = 0;
    if (!PyTuple_Check(device))
      fail(ErrorKind::kType, "__dlpack__: dl_device must be a tuple of two integers, not ", Py_TYPE(device)->tp_name);
    if (!PyArg_ParseTuple(device, "ii", &type, &index)) throw PythonErrorSet();
    if (type == kDLCpu) t = on_host(t);
  }
  if (copy == Py_True && !t.is_symbolic()) {
    Tensor own = Tensor::empty(t.dtype(), t.shape(), t.device());
    if (t.device() != Device::cpu() || !is_plain(t.dtype()))
      fail(ErrorKind::kUnimplemented, "__dlpack__: only plain tensors in host memory can be copied");
    std::memcpy(own.raw(), t.raw(), t.bytes());
    t = own;
  }
  return capsule_of(t);
}
PyObject* dlpack_device(PyObject* self, PyObject*) {
  const Tensor& t = tensor_of(self);
  if (t.is_symbolic()) fail(ErrorKind::kType, "a symbolic tensor has no device to share memory of");
  return t.device().type == DeviceType::kCpu ? Py_BuildValue("(ii)", kDLCpu, 0)
                                             : Py_BuildValue("(ii)", kDLCuda, t.device().index);
}
PyMethodDef methods[] = {
    {"__dlpack__", as_method(guard<dlpack>), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A capsule that shares its memory."},
    {"__dlpack_device__", guard<dlpack_device>, METH_NOARGS, "__dlpack_device__()\n--\n\nWhere the memory lies."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_dlpack() {
  for (PyMethodDef& f : functions) publish_function(str("experimental.dlpack.", f.ml_name).c_str(), &f);
  add_methods(tensor_type, methods);
}

}  // namespace footlight::python
