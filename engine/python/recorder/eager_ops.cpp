// An op is known by a hash over its name and over the shapes and dtypes of its arguments and results; Python describes
// each once.
#include "engine/python/recorder/eager_ops.h"

#include "engine/base/clock.h"
#include "engine/base/signatures.h"
#include "engine/base/thread_context.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/recorder/code_objects.h"
#include "engine/python/recorder/signature.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::python {
namespace {

constexpr Py_ssize_t kMaxItems = 64;       // of a list of arrays
constexpr size_t kMaxDescribed = 1u << 16;

struct Described {
  OpId op;  // none: it is no op
  SignatureId signature;
};

// The ops described so far, by the hash of a call. Accessed with the GIL held.
std::unordered_map<uint64_t, Described>& described() {
  static auto* const all = new std::unordered_map<uint64_t, Described>;
  return *all;
}

// Ops of this thread that ran inside of one that has not ended.
thread_local std::vector<OpEvent> inner_ops;
thread_local int depth = 0;

Ref attribute(PyObject* object, PyObject* name) {
  Ref found = Ref::steal(PyObject_GetAttr(object, name));
  if (!found) clear_only(PyExc_AttributeError);
  return found;
}

class OpHasher {
 public:
  explicit OpHasher(PyObject* arrays) : arrays_(arrays) {}

  uint64_t value(PyObject* object) const {
    PyTypeObject* const type = Py_TYPE(object);
    if (object == Py_None || type == &PyBool_Type || type == &PyLong_Type || type == &PyFloat_Type)
      return reinterpret_cast<uintptr_t>(type);
    if (type == &PyUnicode_Type || type == &PyBytes_Type) return hash_of(object);
    if (type == &PyTuple_Type || type == &PyList_Type) return items(object);
    if (type == &PyDict_Type) return texts(object);
    return array(object);
  }

 private:
  static uint64_t hash_of(PyObject* object) {
    const Py_hash_t hash = PyObject_Hash(object);
    if (hash == -1) throw PythonErrorSet();
    return static_cast<uint64_t>(hash);
  }

  uint64_t items(PyObject* sequence) const {
    const Level level("the arguments of an op");
    const Items all(sequence);
    uint64_t hash = static_cast<uint64_t>(all.size()) + 1;
    for (Py_ssize_t i = 0; i < std::min(all.size(), kMaxItems); ++i) hash = mixed(hash, value(all[i]));
    return hash;
  }

  // The parameters of an op: those that are texts tell ops apart, as its name does.
  static uint64_t texts(PyObject* dict) {
    uint64_t sum = 1;
    PyObject *key, *held;
    for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &held);)
      if (PyUnicode_CheckExact(held)) sum += mixed(hash_of(key), hash_of(held));
    return sum;
  }

  uint64_t array(PyObject* object) const {
    uint64_t hash = 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays_); ++i) {
      Ref part = attribute(object, PyTuple_GET_ITEM(arrays_, i));
      if (!part) return i ? hash : other(object);
      if (PyCallable_Check(part.get()) && !PyType_Check(part.get())) part = checked(PyObject_CallNoArgs(part.get()));
      const bool plain = PyTuple_CheckExact(part.get()) || PyLong_CheckExact(part.get());
      hash = mixed(hash, plain ? hash_of(part.get()) : hash_of_array_type(part.get()));
    }
    return hash;
  }

  // Another library's array, or a value of any other type.
  static uint64_t other(PyObject* object) {
    const Ref shape = optional_attribute(object, "shape");
    if (!shape || !PyTuple_CheckExact(shape.get())) return reinterpret_cast<uintptr_t>(Py_TYPE(object));
    const Ref dtype = optional_attribute(object, "dtype");
    return mixed(hash_of(shape.get()), dtype ? hash_of(dtype.get()) : 0);
  }

  PyObject* const arrays_;
};

// Reads what describe() gave. Throws.
Described add_description(PyObject* from) {
  if (from == Py_None) return {};
  unsigned int op;
  PyObject *inputs, *outputs;
  unsigned long long input_bytes, output_bytes, flops;
  if (!PyArg_ParseTuple(from, "IUUKKK:describe", &op, &inputs, &outputs, &input_bytes, &output_bytes, &flops))
    throw PythonErrorSet();
  Signature made{OpId(static_cast<uint16_t>(op)), readable(inputs), readable(outputs),
                 input_bytes, output_bytes, flops};
  const uint64_t hash = mixed(mixed(op, std::hash<std::string>()(made.inputs)), std::hash<std::string>()(made.outputs));
  return {made.op, add_signature(hash, made)};
}

}  // namespace

bool EagerOps::has_run(PyObject* found) const {
  if (!result) return true;
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(found));
  if (type == result.get()) return true;
  if (!PyTuple_CheckExact(found) && !PyList_CheckExact(found)) return false;
  const Items all(found);
  return all.size() && reinterpret_cast<PyObject*>(Py_TYPE(all[0])) == result.get();
}

bool EagerOps::describe_event(PyObject* const* args, size_t count, PyObject* found, OpEvent& event) const {
  bool is_op = false;
  quietly([&] {
    const OpHasher hasher(arrays.get());
    uint64_t hash = mixed(reinterpret_cast<uintptr_t>(describe.get()), hasher.value(found));
    for (auto i = static_cast<size_t>(first); i < count; ++i) {
      const bool is_op_itself = static_cast<Py_ssize_t>(i) == op_at;
      hash = mixed(hash, is_op_itself ? reinterpret_cast<uintptr_t>(args[i]) : hasher.value(args[i]));
    }
    auto known = described().find(hash);
    if (known == described().end()) {
      const Ref all = checked(PyTuple_New(static_cast<Py_ssize_t>(count)));
      for (size_t i = 0; i < count; ++i) PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
      const Described made =
          add_description(checked(PyObject_CallFunctionObjArgs(describe.get(), all.get(), found, nullptr)).get());
      if (described().size() >= kMaxDescribed) described().clear();
      known = described().try_emplace(hash, made).first;
    }
    event.op = known->second.op;
    event.signature = known->second.signature;
    is_op = event.op.valid();
  });
  return is_op;
}

PyObject* EagerOps::call(PyObject* callable, PyObject* const* args, size_t count, PyObject* keywords) const {
  const size_t before = inner_ops.size();
  OpEvent event;
  ++depth;
  event.start_ns = now_ns();
  PyObject* const found = PyObject_Vectorcall(callable, args, count, keywords);
  event.end_ns = now_ns();
  --depth;
  if (found && recording_ops() && !this_thread.call.valid()) {
    const auto positional = static_cast<size_t>(PyVectorcall_NARGS(count));
    const size_t named = keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0;
    bool ran = false;
    quietly([&] { ran = has_run(found); });
    if (ran && describe_event(args, positional + named, found, event)) {
      if (result) inner_ops.resize(before);
      event.set_source(python_caller());
      inner_ops.push_back(event);
    }
  }
  if (depth || inner_ops.empty()) return found;
  for (const OpEvent& one : inner_ops) record_op(one);
  inner_ops.clear();
  return found;
}

}  // namespace footlight::python
