// Looks at values through exact types and instance dictionaries only.
#include "engine/python/function/observed/state_value.h"

#include "engine/base/text.h"
#include "engine/python/function/function_object.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/variable_object.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace footlight::python {
namespace {

constexpr int kDeepest = 3;
constexpr Py_ssize_t kFirst = 32, kLast = 8;    // items of a long list that are compared
constexpr Py_ssize_t kLongText = 1 << 16;

uint64_t mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
  a *= 0xbf58476d1ce4e5b9ull;
  return a ^ (a >> 29);
}
uint64_t of_pointer(const void* p) { return mix(7, reinterpret_cast<uintptr_t>(p)); }

uint64_t of_bytes(const char* data, size_t count) {
  uint64_t hash = count;
  for (; count >= 8; data += 8, count -= 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    hash = mix(hash, word);
  }
  for (; count; ++data, --count) hash = mix(hash, static_cast<unsigned char>(*data));
  return hash;
}

// All of a small block; the beginning, the end and samples of a large one.
uint64_t of_block(const char* data, size_t count) {
  constexpr size_t kAll = 4096, kPart = 512, kSamples = 64;
  if (count <= kAll) return of_bytes(data, count);
  uint64_t hash = mix(of_bytes(data, kPart), of_bytes(data + count - kPart, kPart));
  for (size_t i = 1; i < kSamples; ++i) hash = mix(hash, of_bytes(data + count / kSamples * i / 8 * 8, 16));
  return mix(hash, count);
}

// Whether the type is NumPy's own: those are no heap types.
bool is_numpy(PyObject* o) {
  return !PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE) && std::strncmp(Py_TYPE(o)->tp_name, "numpy.", 6) == 0;
}

class Buffer {
 public:
  explicit Buffer(PyObject* o) : held_(PyObject_GetBuffer(o, &view, PyBUF_FULL_RO) == 0) {
    if (!held_) clear_only(PyExc_Exception);
  }
  ~Buffer() {
    if (held_) PyBuffer_Release(&view);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  explicit operator bool() const { return held_; }
  Py_buffer view{};

 private:
  bool held_;
};

bool is_code(PyObject* o) {
  return PyFunction_Check(o) || PyCFunction_Check(o) || PyMethod_Check(o) || PyType_Check(o) || PyModule_Check(o) ||
         is_function(o) || Py_TYPE(o) == &PyMethodDescr_Type || Py_TYPE(o) == &PyWrapperDescr_Type ||
         Py_TYPE(o) == &PyClassMethod_Type || Py_TYPE(o) == &PyStaticMethod_Type || Py_TYPE(o) == &PyProperty_Type ||
         std::strcmp(Py_TYPE(o)->tp_name, "functools.partial") == 0 ||
         std::strcmp(Py_TYPE(o)->tp_name, "numpy.ufunc") == 0;
}

bool has_plain_bytes(const Tensor& tensor) {
  return !tensor.is_symbolic() && tensor.device() == Device::cpu() && tensor.dtype() != DType::kString &&
         tensor.dtype() != DType::kResource && tensor.dtype() != DType::kVariant;
}

uint64_t of_tensor(const Tensor& tensor) {
  uint64_t hash = mix(31, static_cast<uint64_t>(tensor.dtype()));
  for (const int64_t dim : tensor.shape().dims()) hash = mix(hash, static_cast<uint64_t>(dim));
  return tensor.bytes() ? mix(hash, of_block(static_cast<const char*>(tensor.raw()), tensor.bytes())) : hash;
}

struct Look {
  int budget = 128;
  bool all = false;               // every item of a list
  bool contents = false;          // of tensors, too
  bool symbolic = false;

  uint64_t items(PyObject* list, Py_ssize_t count, int depth) {
    uint64_t hash = mix(11, static_cast<uint64_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!all && i == kFirst && count > kFirst + kLast) i = count - kLast;
      PyObject* item = PyList_Check(list) ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i);
      hash = mix(hash, value(item, depth + 1));
      if (budget <= 0) break;
    }
    return hash;
  }

  uint64_t dict(PyObject* o, int depth) {
    uint64_t hash = mix(13, static_cast<uint64_t>(PyDict_GET_SIZE(o)));
    PyObject *key, *item;
    Py_ssize_t at = 0;
    for (Py_ssize_t i = 0; i < kFirst + kLast && budget > 0 && PyDict_Next(o, &at, &key, &item); ++i)
      hash = mix(mix(hash, value(key, depth + 1)), value(item, depth + 1));
    return hash;
  }

  uint64_t value(PyObject* o, int depth) {
    --budget;
    PyTypeObject* type = Py_TYPE(o);
    if (o == Py_None || o == Py_True || o == Py_False || o == Py_Ellipsis) return of_pointer(o);
    if (type == &PyLong_Type) {
      int over = 0;
      const long long number = PyLong_AsLongLongAndOverflow(o, &over);
      return mix(1, over ? static_cast<uint64_t>(PyObject_Hash(o)) : static_cast<uint64_t>(number));
    }
    if (type == &PyFloat_Type) return mix(2, std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(o)));
    if (type == &PyComplex_Type)
      return mix(std::bit_cast<uint64_t>(PyComplex_RealAsDouble(o)),
                 std::bit_cast<uint64_t>(PyComplex_ImagAsDouble(o)));
    if (type == &PyUnicode_Type || type == &PyBytes_Type) {
      const Py_ssize_t length = type == &PyBytes_Type ? PyBytes_GET_SIZE(o) : PyUnicode_GET_LENGTH(o);
      if (length > kLongText) return mix(of_pointer(o), static_cast<uint64_t>(length));
      return mix(3, static_cast<uint64_t>(PyObject_Hash(o)));
    }
    if (is_tensor(o)) {
      const Tensor& tensor = tensor_of(o);
      symbolic |= tensor.is_symbolic();
      return contents && has_plain_bytes(tensor) ? of_tensor(tensor) : of_pointer(o);
    }
    if (is_variable(o)) return of_pointer(o);
    if (is_code(o)) return 17;
    if (is_numpy(o)) {
      const Buffer buffer(o);
      if (!buffer) return 19;
      uint64_t hash = mix(5, static_cast<uint64_t>(buffer.view.len));
      for (int i = 0; i < buffer.view.ndim; ++i) hash = mix(hash, static_cast<uint64_t>(buffer.view.shape[i]));
      if (!PyBuffer_IsContiguous(&buffer.view, 'A')) return mix(hash, of_pointer(buffer.view.buf));
      return mix(hash, of_block(static_cast<const char*>(buffer.view.buf), static_cast<size_t>(buffer.view.len)));
    }
    if (depth >= kDeepest || budget <= 0) return of_pointer(type);
    if (PyTuple_Check(o)) return items(o, PyTuple_GET_SIZE(o), depth);
    if (PyList_Check(o)) return items(o, PyList_GET_SIZE(o), depth);
    if (PyDict_Check(o)) return dict(o, depth);
    if (PyAnySet_CheckExact(o)) return mix(23, static_cast<uint64_t>(PySet_GET_SIZE(o)));
    if (std::strcmp(type->tp_name, "collections.deque") == 0) return mix(29, static_cast<uint64_t>(Py_SIZE(o)));
    return of_pointer(o);
  }
};

bool is_data(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  return o == Py_None || o == Py_Ellipsis || PyBool_Check(o) || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyComplex_Type || type == &PyUnicode_Type || type == &PyBytes_Type || PyTuple_Check(o) ||
         PyList_Check(o) || PyDict_Check(o) || PyAnySet_CheckExact(o) || is_numpy(o) ||
         std::strcmp(type->tp_name, "collections.deque") == 0;
}

Ref instance_dict(PyObject* o) {
  const PyTypeObject* type = Py_TYPE(o);
  bool has = type->tp_dictoffset != 0;
#if PY_VERSION_HEX >= 0x030B0000 && defined(Py_TPFLAGS_MANAGED_DICT)
  has = has || (type->tp_flags & Py_TPFLAGS_MANAGED_DICT);
#endif
  if (!has) return {};
  Ref dict = Ref::steal(PyObject_GenericGetDict(o, nullptr));
  if (!dict) clear_only(PyExc_Exception);
  return dict && PyDict_Check(dict.get()) ? dict : Ref();
}

std::string short_name(PyTypeObject* type) {
  const std::string name = type->tp_name;
  return name.substr(name.rfind('.') + 1);
}

std::string number_in(const Py_buffer& view) {
  const std::string format = view.format ? view.format : "";
  const auto read = [&](auto like) {
    std::memcpy(&like, view.buf, sizeof like);
    return like;
  };
  if (format == "f") return str(read(float{}));
  if (format == "d") return repr_of(checked(PyFloat_FromDouble(read(double{}))).get());
  if (format == "?") return read(char{}) ? "True" : "False";
  if (format == "i") return std::to_string(read(int{}));
  if (format == "l" || format == "q") return std::to_string(read(int64_t{}));
  return {};
}

std::string text_at(PyObject* o, int depth) {
  PyTypeObject* type = Py_TYPE(o);
  if (type == &PyLong_Type && _PyLong_NumBits(o) > 200) return "a large int";
  if (type == &PyUnicode_Type && PyUnicode_GET_LENGTH(o) > 60) {
    const Ref head = checked(PyUnicode_Substring(o, 0, 57));
    return repr_of(head.get()) + "...";
  }
  if (type == &PyBytes_Type && PyBytes_GET_SIZE(o) > 60) return "bytes";
  if (o == Py_None || o == Py_Ellipsis || PyBool_Check(o) || type == &PyLong_Type || type == &PyFloat_Type ||
      type == &PyComplex_Type || type == &PyUnicode_Type || type == &PyBytes_Type)
    return repr_of(o);
  if (is_tensor(o)) return tensor_of(o).is_symbolic() ? "a symbolic tensor" : "a tensor";
  if (is_variable(o)) return "a variable";
  if (PyFunction_Check(o)) return readable(reinterpret_cast<PyFunctionObject*>(o)->func_name);
  if (PyType_Check(o)) return "class " + short_name(reinterpret_cast<PyTypeObject*>(o));
  if (is_numpy(o)) {
    const Buffer buffer(o);
    if (!buffer) return "a NumPy value";
    if (buffer.view.len == buffer.view.itemsize) {
      const std::string number = number_in(buffer.view);
      if (!number.empty()) return number;
    }
    std::string shape;
    for (int i = 0; i < buffer.view.ndim; ++i) shape += (i ? ", " : "") + std::to_string(buffer.view.shape[i]);
    return "an array of shape (" + shape + ")";
  }
  const bool list = PyList_Check(o), tuple = PyTuple_Check(o);
  if (list || tuple) {
    const Py_ssize_t count = list ? PyList_GET_SIZE(o) : PyTuple_GET_SIZE(o);
    if (depth >= 2) return list ? "[...]" : "(...)";
    std::string out;
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (out.size() > 40 || i == 6) {
        out += str(", ... (", count, " items)");
        break;
      }
      out += (i ? ", " : "") + text_at(list ? PyList_GET_ITEM(o, i) : PyTuple_GET_ITEM(o, i), depth + 1);
    }
    return list ? "[" + out + "]" : "(" + out + (count == 1 ? ",)" : ")");
  }
  if (PyDict_Check(o)) {
    if (depth >= 2) return "{...}";
    std::string out;
    PyObject *key, *item;
    Py_ssize_t at = 0;
    for (int i = 0; PyDict_Next(o, &at, &key, &item); ++i) {
      if (out.size() > 40 || i == 4) {
        out += str(", ... (", PyDict_GET_SIZE(o), " keys)");
        break;
      }
      out += (i ? ", " : "") + text_at(key, depth + 1) + ": " + text_at(item, depth + 1);
    }
    return "{" + out + "}";
  }
  if (PyAnySet_CheckExact(o)) return str("a set of ", PySet_GET_SIZE(o));
  // A member of an enum knows its name.
  if (const Ref dict = instance_dict(o))
    if (PyObject* name = find_item(dict.get(), "_name_"); name && PyUnicode_CheckExact(name))
      return short_name(type) + "." + readable(name);
  return "a " + short_name(type) + " object";
}

// object.name, without running anything of the user's.
void attribute(PyObject* o, PyObject* name, Spot& spot) {
  spot.holder = o;
  spot.value = Ref();
  if (PyModule_Check(o)) {
    if (PyObject* dict = PyModule_GetDict(o)) spot.value = Ref::borrow(find_item(dict, name));
    return;
  }
  if (PyType_Check(o)) {
    spot.value = Ref::borrow(_PyType_Lookup(reinterpret_cast<PyTypeObject*>(o), name));
    return;
  }
  const Ref of_class = Ref::borrow(_PyType_Lookup(Py_TYPE(o), name));
  if (of_class && Py_TYPE(of_class.get()) == &PyMemberDescr_Type) {  // a slot
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(o));
    spot.value = Ref::steal(PyMemberDescr_Type.tp_descr_get(of_class.get(), o, type));
    if (!spot.value) clear_only(PyExc_Exception);
    return;
  }
  if (of_class && Py_TYPE(of_class.get()) == &PyProperty_Type) {
    const Ref getter = optional_attribute(of_class.get(), "fget");
    if (getter && PyFunction_Check(getter.get())) spot.property = getter, spot.object = Ref::borrow(o);
    return;
  }
  if (const Ref dict = instance_dict(o))
    if (PyObject* own = find_item(dict.get(), name)) {
      spot.value = Ref::borrow(own);
      return;
    }
  if (of_class && !Py_TYPE(of_class.get())->tp_descr_set) spot.value = of_class;
}

void item(PyObject* o, PyObject* key, Spot& spot) {
  spot.holder = o;
  spot.value = Ref();
  if (PyDict_Check(o)) {
    spot.value = Ref::borrow(find_item(o, key));
  } else if (PyLong_Check(key) && (PyList_Check(o) || PyTuple_Check(o))) {
    const Py_ssize_t index = PyLong_AsSsize_t(key);
    const Py_ssize_t count = PyList_Check(o) ? PyList_GET_SIZE(o) : PyTuple_GET_SIZE(o);
    if (index >= 0 && index < count)
      spot.value = Ref::borrow(PyList_Check(o) ? PyList_GET_ITEM(o, index) : PyTuple_GET_ITEM(o, index));
  }
}

std::string module_of(PyObject* function) {
  PyObject* module = nullptr;
  if (PyCFunction_Check(function)) module = reinterpret_cast<PyCFunctionObject*>(function)->m_module;
  else if (PyFunction_Check(function)) module = reinterpret_cast<PyFunctionObject*>(function)->func_module;
  return module && PyUnicode_Check(module) ? readable(module) : "";
}

}  // namespace

PyObject* loaded_module(const char* name) {
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* module = modules && PyDict_Check(modules) ? find_item(modules, name) : nullptr;
  return module && PyModule_Check(module) ? module : nullptr;
}

SeenValue see(PyObject* value) {
  if (!value) return {};
  if (is_code(value)) return {SeenValue::kCode, 0};
  Look look;
  const uint64_t hash = look.value(value, 0);
  SeenValue::Kind kind = is_data(value) ? SeenValue::kData : SeenValue::kObject;
  if (is_tensor(value)) kind = SeenValue::kTensor;
  if (is_variable(value)) kind = SeenValue::kVariable;
  if (look.symbolic) kind = SeenValue::kSymbolic;
  return {kind, hash};
}

uint64_t contents_of(PyObject* value) {
  if (!value) return 0;
  Look look;
  look.contents = true;
  return look.value(value, 0);
}

std::string text_of(PyObject* value) { return value ? text_at(value, 0) : "nothing"; }

PathNames names_of(const autograph::OutsidePath& path) {
  const auto interned = [](const std::string& text) {
    PyObject* made = checked(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()))).release();
    PyUnicode_InternInPlace(&made);
    return Ref::steal(made);
  };
  PathNames names{interned(path.root), {}};
  for (const autograph::PathStep& step : path.steps)
    names.steps.push_back(step.number ? checked(PyLong_FromString(step.key.c_str(), nullptr, 10)) : interned(step.key));
  return names;
}

Spot walk(const Ref& start, const void* holder, const autograph::OutsidePath& path, const PathNames& names,
          size_t count) {
  Spot spot{start, holder, {}, {}};
  for (size_t i = 0; i < count && spot.value; ++i) {
    const Ref object = spot.value;
    if (path.steps[i].item) item(object.get(), names.steps[i].get(), spot);
    else attribute(object.get(), names.steps[i].get(), spot);
  }
  return spot;
}

ChanceSource chance_of(PyObject* called, PyObject* owner, const std::string& name) {
  constexpr std::string_view kClocks[] = {"time",      "time_ns",      "perf_counter", "perf_counter_ns", "monotonic",
                                          "monotonic_ns", "process_time", "localtime", "gmtime", "ctime", "strftime"};
  constexpr std::string_view kNows[] = {"now", "utcnow", "today"};
  const auto drawn_from = [](PyObject* object) -> ChanceSource {
    const std::string_view type = Py_TYPE(object)->tp_name;
    if (type == "numpy.random._generator.Generator") return {Chance::kGenerator, Ref::borrow(object), {}};
    if (type == "numpy.random.mtrand.RandomState") {
      PyObject* module = loaded_module("numpy.random.mtrand");
      const bool shared = module && find_item(PyModule_GetDict(module), "_rand") == object;
      return {Chance::kRandomState, Ref::borrow(object), shared ? "numpy.random" : ""};
    }
    PyObject* random = loaded_module("random");
    PyObject* dict = random ? PyModule_GetDict(random) : nullptr;
    if (dict && find_item(dict, "Random") == reinterpret_cast<PyObject*>(Py_TYPE(object)))
      return {Chance::kRandom, Ref::borrow(object), find_item(dict, "_inst") == object ? "random" : ""};
    return {};
  };
  if (owner && !PyModule_Check(owner)) {
    if (const ChanceSource found = drawn_from(owner); found.kind != Chance::kNone) return found;
    const std::string_view type = PyType_Check(owner) ? reinterpret_cast<PyTypeObject*>(owner)->tp_name : "";
    if ((type == "datetime.datetime" || type == "datetime.date") && std::ranges::find(kNows, name) != std::end(kNows))
      return {Chance::kClock, {}, std::string(type) + "." + name};
  }
  if (!called) return {};
  if (PyMethod_Check(called)) return drawn_from(PyMethod_GET_SELF(called));
  const std::string module = module_of(called);
  if (PyCFunction_Check(called)) {
    PyObject* self = PyCFunction_GET_SELF(called);
    const std::string own = reinterpret_cast<PyCFunctionObject*>(called)->m_ml->ml_name;
    if (module == "time" && std::ranges::find(kClocks, own) != std::end(kClocks))
      return {Chance::kClock, {}, "time." + own};
    if (module == "posix" && own == "urandom") return {Chance::kClock, {}, "os.urandom"};
    if (self && !PyModule_Check(self) && !PyType_Check(self)) return drawn_from(self);
  }
  if (PyFunction_Check(called) && (module == "uuid" || module == "secrets")) {
    const std::string own = readable(reinterpret_cast<PyFunctionObject*>(called)->func_name);
    if (module == "secrets" || own == "uuid1" || own == "uuid4") return {Chance::kClock, {}, module + "." + own};
  }
  return {};
}

SeenValue see_chance(const ChanceSource& source) {
  Ref state;
  if (source.kind == Chance::kRandom) {
    // The C base class has a number for each word.
    PyObject* module = loaded_module("_random");
    PyObject* type = module ? find_item(PyModule_GetDict(module), "Random") : nullptr;
    if (type) state = Ref::steal(PyObject_CallMethod(type, "getstate", "O", source.object.get()));
  } else if (source.kind == Chance::kRandomState) {
    const Ref none = checked(PyTuple_New(0)), keywords = checked(Py_BuildValue("{sO}", "legacy", Py_False));
    const Ref method = Ref::steal(PyObject_GetAttrString(source.object.get(), "get_state"));
    if (method) state = Ref::steal(PyObject_Call(method.get(), none.get(), keywords.get()));
  } else if (source.kind == Chance::kGenerator) {
    const Ref bits = Ref::steal(PyObject_GetAttrString(source.object.get(), "bit_generator"));
    if (bits) state = Ref::steal(PyObject_GetAttrString(bits.get(), "state"));
  }
  if (!state) {
    clear_only(PyExc_Exception);
    return {SeenValue::kUnknown, 0};
  }
  Look look;
  look.budget = 1024;
  look.all = true;
  return {SeenValue::kData, look.value(state.get(), 0)};
}

}  // namespace footlight::python
