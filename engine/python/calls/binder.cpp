// Binding calls of public functions: arguments by position and name, conversions, errors that name function
// and parameter.
#include "engine/python/calls/binder.h"

#include "engine/base/text.h"
#include "engine/ops/indexed_slices.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/calls/help_text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/interpreter/gil.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/calls/operators.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/variable_object.h"

#include <array>
#include <cstring>

namespace footlight::python {
namespace {

constexpr size_t kMaxParameters = 32;

struct KeptArguments;
struct PyPublicFunction {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  const PublicFunction* function;
  std::vector<Parameter>* parameters;  // null until the first call
  PyObject* result;                    // parse_result(), read with them
  KeptArguments* kept;                 // null until the first call
  PyObject* weakrefs;
};
PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyPublicFunction* of(PyObject* o) { return reinterpret_cast<PyPublicFunction*>(o); }
std::string full_name(PyObject* o) { return "tf." + std::string(of(o)->function->names[0]); }
std::string leaf_name(PyObject* o) {
  const std::string_view n = of(o)->function->names[0];
  return std::string(n.substr(n.rfind('.') + 1));
}

const std::vector<Parameter>& parameters_of(PyObject* o) {
  if (!of(o)->parameters) {
    of(o)->result = parse_result(of(o)->function->parameters).release();
    of(o)->parameters = new std::vector<Parameter>(parse_parameters(of(o)->function->parameters));
  }
  return *of(o)->parameters;
}

std::string signature_text(PyObject* o) {
  std::string out;
  for (const Parameter& p : parameters_of(o))
    out += (out.empty() ? "" : ", ") + std::string(p.variadic ? "*" : "") + p.name +
           (p.has_default ? "=" + default_text(p) : "");
  return full_name(o) + "(" + out + ")";
}

bool is_value(PyObject* o) { return is_tensor(o) || is_variable(o); }

// Converts a list of results to the declared return type.
PyObject* returned(PyObject* self, const Arg& result, size_t nodes, std::span<PyObject* const> given) {
  Ref object = object_from(result, given);
  if (object.get() == Py_None) return operation_since(nodes).release();
  PyObject* as = of(self)->result;
  if (!as || !PyList_Check(object.get())) return object.release();
  Ref tuple = checked(PyList_AsTuple(object.get()));
  return as == reinterpret_cast<PyObject*>(&PyTuple_Type) ? tuple.release() : PyObject_Call(as, tuple.get(), nullptr);
}

// The arguments in the order of the parameters; null for defaults.
using Slots = std::array<PyObject*, kMaxParameters>;

void place(PyObject* self, const std::vector<Parameter>& parameters, PyObject* const* args, size_t positional,
           PyObject* names, Slots& slots, Ref& rest) {
  const size_t named_at = positional;
  size_t variadic = 0;
  while (variadic < parameters.size() && !parameters[variadic].variadic) ++variadic;
  if (variadic < parameters.size()) {
    const size_t others = positional > variadic ? positional - variadic : 0;
    rest = checked(PyTuple_New(static_cast<Py_ssize_t>(others)));
    for (size_t i = 0; i < others; ++i)
      PyTuple_SET_ITEM(rest.get(), static_cast<Py_ssize_t>(i), Ref::borrow(args[variadic + i]).release());
    slots[variadic] = rest.get();
    positional -= others;
  }
  if (positional > parameters.size())
    fail(ErrorKind::kType, signature_text(self), " takes ", parameters.size(), " arguments but ", positional,
         " were given");
  for (size_t i = 0; i < positional; ++i) slots[i] = args[i];
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* name = PyTuple_GET_ITEM(names, k);
    size_t i = 0;
    while (i < parameters.size() && parameters[i].key != name) ++i;
    if (i == parameters.size()) {  // not the interned object: compare the text
      for (i = 0; i < parameters.size(); ++i)
        if (PyUnicode_CompareWithASCIIString(name, parameters[i].name.c_str()) == 0) break;
    }
    if (i == parameters.size())
      fail(ErrorKind::kType, full_name(self), "() got an unexpected keyword argument '",
           readable(name), "'; its signature is ", signature_text(self));
    if (slots[i])
      fail(ErrorKind::kType, full_name(self), "() got multiple values for argument '", parameters[i].name,
           "'");
    slots[i] = args[named_at + static_cast<size_t>(k)];
  }
}

// Prefixes the error of a conversion with the function and the parameter.
[[noreturn]] void in_argument(PyObject* self, const Parameter& p, const Error& e) {
  fail(e.kind(), full_name(self), ": argument `", p.name, "`: ", e.message());
}

[[noreturn]] void missing_arguments(PyObject* self, const std::vector<Parameter>& parameters, const Slots& slots) {
  std::string names;
  size_t count = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (slots[i] || parameters[i].has_default) continue;
    names += str(count++ ? ", '" : "'", parameters[i].name, "'");
  }
  fail(ErrorKind::kType, full_name(self), "() missing ",
       count > 1 ? str(count, " required arguments ") : "required argument ", names,
       "; its signature is ", signature_text(self));
}

void convert(PyObject* self, const std::vector<Parameter>& parameters, const Slots& slots,
             std::vector<Arg>& out) {
  std::array<bool, kMaxParameters> done{};
  const size_t n = parameters.size();
  out.resize(n);
  const auto dtype_of = [&](size_t i) {
    if (const DType* named = done[i] ? std::get_if<DType>(&out[i].value) : nullptr) return *named;
    const Tensor* t = done[i] ? std::get_if<Tensor>(&out[i].value) : nullptr;
    if (!t || !*t) return DType::kInvalid;
    const IndexedSlices* slices = t->dtype() == DType::kResource ? ops::slices_of(*t) : nullptr;
    return slices ? slices->values.dtype() : t->dtype();
  };
  // If there is a list or a string among the tensors, all Python values must fit; plain numbers are left to the op.
  bool must_fit = false;
  for (size_t i = 0; i < n; ++i)
    must_fit |= parameters[i].type == ParameterType::kTensor && slots[i] &&
                (PyList_Check(slots[i]) || PyTuple_Check(slots[i]) || PyUnicode_Check(slots[i]) ||
                 PyBytes_Check(slots[i]));
  // Tensors and dtypes first: they determine the dtypes of the Python values.
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t i = 0; i < n; ++i) {
      const Parameter& p = parameters[i];
      const bool is_first = slots[i] && (is_value(slots[i]) || p.type == ParameterType::kDType);
      if (done[i] || p.is_name || (pass == 0 && !is_first)) continue;
      if (!slots[i]) {
        if (!p.has_default) missing_arguments(self, parameters, slots);
        out[i] = p.default_value;
        done[i] = true;
        if ((p.type == ParameterType::kTensor) && !out[i].none() &&
            !std::holds_alternative<Tensor>(out[i].value)) {
          Ref value = object_from(out[i]);
          out[i] = argument_from(value.get(), p,
                                 p.like >= 0 ? dtype_of(static_cast<size_t>(p.like)) : DType::kInvalid);
        }
        continue;
      }
      DType hint = p.like >= 0 ? dtype_of(static_cast<size_t>(p.like)) : DType::kInvalid;
      for (size_t k = 0; k < n && hint == DType::kInvalid; ++k)
        if ((parameters[k].like == static_cast<int>(i) && !parameters[k].one_way) ||
            (p.like >= 0 && parameters[k].like == p.like && k != i &&
             parameters[static_cast<size_t>(p.like)].type != ParameterType::kDType))
          hint = dtype_of(k);
      try {
        out[i] = argument_from(slots[i], p, hint, must_fit);
      } catch (const Error& e) {
        in_argument(self, p, e);
      }
      done[i] = true;
    }
  }
}

int64_t elements_of(const Arg& a) {
  if (const Tensor* t = std::get_if<Tensor>(&a.value)) return *t && !t->is_symbolic() ? t->elements() : 0;
  int64_t sum = 0;
  if (const ArgList* list = std::get_if<ArgList>(&a.value))
    for (const Arg& item : *list) sum += elements_of(item);
  return sum;
}

// The arguments of a function, kept between calls with all defaults filled in: a call overwrites them with what it was
// given and then restores the defaults. Needs the GIL; a nested call of the same function takes the slow path.
struct KeptArguments {
  std::vector<Arg> args;      // without `name`
  std::vector<int> place_of;  // parameter -> place in args
  uint64_t required = 0;      // bit set of the parameters that a call must set: those without a stored default
  uint64_t independent = 0;   // bit set of those whose dtype no other parameter takes
  bool usable = true;
  bool in_use = false;
};

KeptArguments& kept_arguments(PyObject* self) {
  if (!of(self)->kept) {
    auto* kept = new KeptArguments;
    const std::vector<Parameter>& parameters = parameters_of(self);
    kept->usable = parameters.size() <= kMaxParameters;
    kept->independent = ~uint64_t{0};
    for (size_t i = 0; i < parameters.size() && kept->usable; ++i) {
      const Parameter& p = parameters[i];
      kept->usable &= !p.variadic;
      if (!p.has_default || (p.type == ParameterType::kTensor && !p.default_value.none()))
        kept->required |= uint64_t{1} << i;
      if (p.like >= 0 && !p.one_way) kept->independent &= ~(uint64_t{1} << p.like);
      kept->place_of.push_back(p.is_name ? -1 : static_cast<int>(kept->args.size()));
      if (!p.is_name) kept->args.push_back(p.default_value);
    }
    of(self)->kept = kept;
  }
  return *of(self)->kept;
}

// `to` as a tensor that the caller keeps alive, without counting it; forget() before it is destroyed.
void borrow(Tensor& to, const Tensor& t) {
  TensorBody* const body = t.body();
  static_assert(sizeof(Tensor) == sizeof body);
  std::memcpy(static_cast<void*>(&to), &body, sizeof body);
}
void forget(Tensor& t) {
  TensorBody* const none = nullptr;
  std::memcpy(static_cast<void*>(&t), &none, sizeof none);
}

// One call over the kept arguments.
class ShortCall {
 public:
  ShortCall(KeptArguments& kept, const std::vector<Parameter>& parameters) : kept_(kept), parameters_(parameters) {
    kept_.in_use = true;
  }
  ~ShortCall() {
    for (uint64_t rest = set_; rest; rest &= rest - 1) {
      const auto i = static_cast<size_t>(__builtin_ctzll(rest));
      Arg& arg = kept_.args[static_cast<size_t>(kept_.place_of[i])];
      if (borrowed_ >> i & 1) {
        forget(*std::get_if<Tensor>(&arg.value));
        // No call sees this value: the next one overwrites it with a tensor.
        if (!parameters_[i].has_default && !parameters_[i].optional) continue;
      }
      arg = parameters_[i].default_value;
    }
    kept_.in_use = false;
  }

  // False: use the slow path, which also reports errors.
  bool collect(PyObject* const* args, size_t given, PyObject* names) {
    if (given > parameters_.size()) return false;
    for (size_t i = 0; i < given; ++i)
      if (!put(i, args[i])) return false;
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t k = 0; k < named; ++k) {
      size_t i = given;
      while (i < parameters_.size() && parameters_[i].key != PyTuple_GET_ITEM(names, k)) ++i;
      if (i == parameters_.size() || set_ >> i & 1 || !put(i, args[given + static_cast<size_t>(k)])) return false;
    }
    return !(kept_.required & ~set_);
  }

  std::span<const Arg> all() const { return kept_.args; }
  std::string_view name() const { return name_; }
  bool is_long() const { return is_long_; }

 private:
  Arg& arg_of(size_t i) { return kept_.args[static_cast<size_t>(kept_.place_of[i])]; }

  bool put_name(PyObject* o) {
    if (!PyUnicode_Check(o)) return false;
    name_ = utf8(o);
    return true;
  }

  bool put(size_t i, PyObject* o) {
    const Parameter& p = parameters_[i];
    if (p.is_name) return o == Py_None || put_name(o);
    Arg& to = arg_of(i);
    set_ |= uint64_t{1} << i;
    if (Py_TYPE(o) == tensor_type && p.type == ParameterType::kTensor) {
      const Tensor& t = tensor_of(o);
      is_long_ |= t.body()->buffer && !t.is_symbolic() && t.elements() >= kLongWork;
      Tensor* place = std::get_if<Tensor>(&to.value);
      if (!place) place = &to.value.emplace<Tensor>();
      if (this_thread.builder) {  // a trace checks whether others hold what it keeps
        *place = t;
      } else {
        borrow(*place, t);
        borrowed_ |= uint64_t{1} << i;
      }
      return true;
    }
    DType hint = DType::kInvalid;
    switch (p.type) {  // parameters whose dtype does not depend on others
      case ParameterType::kInt:
      case ParameterType::kInts:
      case ParameterType::kBool:
      case ParameterType::kFloat:
      case ParameterType::kStr:
      case ParameterType::kDType:
      case ParameterType::kShape: break;
      case ParameterType::kAny:
        if (this_thread.builder) return false;  // a second attempt would add its nodes twice
        break;
      case ParameterType::kTensor:
        if (o == Py_None && p.optional && p.default_value.none()) return true;
        // A number whose dtype is known: no other argument depends on it, and a tensor given before it decides, if any.
        if (!(PyLong_CheckExact(o) || PyFloat_CheckExact(o)) || !(kept_.independent >> i & 1)) return false;
        if (p.like >= 0) {
          const size_t other = static_cast<size_t>(p.like);
          const Tensor* t = set_ >> other & 1 ? std::get_if<Tensor>(&arg_of(other).value) : nullptr;
          if (!t || !*t || t->dtype() == DType::kResource) return false;
          hint = t->dtype();
        }
        break;
      case ParameterType::kTensors:
      case ParameterType::kTensorOrTensors:
        if (this_thread.builder || (!PyList_CheckExact(o) && !PyTuple_CheckExact(o))) return false;
        break;
    }
    try {
      to = argument_from(o, p, hint);
    } catch (const Error&) {
      return false;
    }
    is_long_ |= (p.type == ParameterType::kTensors || p.type == ParameterType::kTensorOrTensors) &&
                elements_of(to) >= kLongWork;
    return true;
  }

  KeptArguments& kept_;
  const std::vector<Parameter>& parameters_;
  uint64_t set_ = 0, borrowed_ = 0;
  bool is_long_ = false;
  std::string_view name_;
};

bool says_who(PyObject* self, const Error& e) {
  if (e.kind() != ErrorKind::kType && e.kind() != ErrorKind::kValue && e.kind() != ErrorKind::kInvalidArgument)
    return true;
  const auto says = [&](const std::string& what) { return e.message().find(what) != std::string::npos; };
  return says("[Op:") || says("tf.") || says(leaf_name(self));
}

// Errors of an op that several functions use get the name of the function.
template <class Body>
PyObject* named(PyObject* self, Body body) {
  return guarded([&]() -> PyObject* {
    try {
      return body();
    } catch (const Error& e) {
      if (!says_who(self, e)) fail(e.kind(), full_name(self), ": ", e.message());
      throw;
    }
  });
}

// Computes the result if an argument is a ragged or sparse tensor: their base class, and a function (function,
// arguments, keyword arguments), both set by the package.
PyObject* composite_type = nullptr;
PyObject* composite_call = nullptr;

bool has_composite(PyObject* const* args, Py_ssize_t count) {
  auto* type = reinterpret_cast<PyTypeObject*>(composite_type);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (PyObject_TypeCheck(args[i], type)) return true;
    if (!PyList_CheckExact(args[i]) && !PyTuple_CheckExact(args[i])) continue;
    PyObject** items = PySequence_Fast_ITEMS(args[i]);
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(args[i]); ++k)
      if (PyObject_TypeCheck(items[k], type)) return true;
  }
  return false;
}

// function(self, arguments, keyword arguments), the arguments as a vector call has them.
Ref ask(PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* names) {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  Ref given = checked(PyTuple_New(positional));
  for (Py_ssize_t i = 0; i < positional; ++i) PyTuple_SET_ITEM(given.get(), i, Py_NewRef(args[i]));
  Ref keywords = checked(PyDict_New());
  for (Py_ssize_t i = 0; i < named; ++i)
    if (PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(names, i), args[positional + i]) < 0) throw PythonErrorSet();
  return checked(PyObject_CallFunctionObjArgs(function, self, given.get(), keywords.get(), nullptr));
}

// The result for arguments of which one is of that class; NotImplemented where none is, or the function takes
// none.
Ref composite_result(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* names) {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  if (!composite_type || !has_composite(args, positional + named)) return Ref::borrow(Py_NotImplemented);
  return ask(composite_call, self, args, positional, names);
}

// May answer a call that failed, like `composite_call`: the package sets it when a program registers a dispatcher.
PyObject* call_after_failure = nullptr;

PyObject* answer_after_failure(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* names) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError)) return nullptr;
  return guarded([&]() -> PyObject* {
    Ref failure = take_exception();
    Ref found = ask(call_after_failure, self, args, positional, names);
    if (found.get() != Py_NotImplemented) return found.release();
    raise_again(std::move(failure));
    return nullptr;
  });
}

PyObject* on_failures(PyObject*, PyObject* function) {
  Py_XSETREF(call_after_failure, Py_NewRef(function));
  Py_RETURN_NONE;
}

PyObject* on_composites(PyObject*, PyObject* args) {
  PyObject *kind, *function;
  if (!PyArg_ParseTuple(args, "O!O:on_composites", &PyType_Type, &kind, &function)) return nullptr;
  Py_XSETREF(composite_type, Py_NewRef(kind));
  Py_XSETREF(composite_call, Py_NewRef(function));
  Py_RETURN_NONE;
}

PyObject* call_once(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  const size_t nodes = nodes_of_plain_graph();
  const std::span<PyObject* const> given(args, static_cast<size_t>(PyVectorcall_NARGS(flags)));
  return named(self, [&]() -> PyObject* {
    if (KeptArguments& kept = kept_arguments(self); kept.usable && !kept.in_use) {
      ShortCall short_call(kept, parameters_of(self));
      if (short_call.collect(args, static_cast<size_t>(PyVectorcall_NARGS(flags)), names)) {
        Arg result = [&] {
          WithoutGil released(short_call.is_long() && !this_thread.builder);
          return of(self)->function->call(short_call.all(), short_call.name());
        }();
        if (Tensor* t = std::get_if<Tensor>(&result.value); t && *t) return wrap_or_given(std::move(*t), given);
        return returned(self, result, nodes, given);
      }
    }
    if (Ref found = composite_result(self, args, PyVectorcall_NARGS(flags), names); found.get() != Py_NotImplemented)
      return found.release();
    const std::vector<Parameter>& parameters = parameters_of(self);
    FL_CHECK(parameters.size() <= kMaxParameters);
    Slots slots{};
    Ref rest;
    place(self, parameters, args, static_cast<size_t>(PyVectorcall_NARGS(flags)), names, slots, rest);
    std::string_view name;
    size_t name_at = 0;
    while (name_at < parameters.size() && !parameters[name_at].is_name) ++name_at;
    if (name_at < parameters.size()) {
      PyObject* given = slots[name_at];
      if (given && given != Py_None) {
        if (!PyUnicode_Check(given))
          fail(ErrorKind::kType, full_name(self), ": argument `name` must be a str, not ", Py_TYPE(given)->tp_name);
        name = utf8(given);
      }
    }
    std::vector<Arg> arguments;
    convert(self, parameters, slots, arguments);
    if (name_at < parameters.size())
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(name_at));
    bool is_long = false;
    if (!this_thread.builder)
      for (const Arg& a : arguments) is_long |= elements_of(a) >= kLongWork;
    const Arg result = [&] {
      WithoutGil released(is_long);
      return of(self)->function->call(arguments, name);
    }();
    return returned(self, result, nodes, given);
  });
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  PyObject* result = call_once(self, args, flags, names);
  if (result || !call_after_failure) [[likely]]
    return result;
  return answer_after_failure(self, args, PyVectorcall_NARGS(flags), names);
}

Ref signature_object(PyObject* self) {
  Ref inspect = checked(PyImport_ImportModule("inspect"));
  Ref parameter = checked(PyObject_GetAttrString(inspect.get(), "Parameter"));
  Ref kind = checked(PyObject_GetAttrString(parameter.get(), "POSITIONAL_OR_KEYWORD"));
  Ref rest = checked(PyObject_GetAttrString(parameter.get(), "VAR_POSITIONAL"));
  Ref named = checked(PyObject_GetAttrString(parameter.get(), "KEYWORD_ONLY"));
  Ref list = checked(PyList_New(0));
  for (const Parameter& p : parameters_of(self)) {
    Ref one;
    if (p.variadic) {
      one = checked(PyObject_CallFunctionObjArgs(parameter.get(), p.key, rest.get(), nullptr));
      kind = named;
    } else if (p.has_default) {
      Ref default_value = object_from(p.default_value);
      Ref keywords = checked(Py_BuildValue("{sO}", "default", default_value.get()));
      Ref positional = checked(PyTuple_Pack(2, p.key, kind.get()));
      one = checked(PyObject_Call(parameter.get(), positional.get(), keywords.get()));
    } else {
      one = checked(PyObject_CallFunctionObjArgs(parameter.get(), p.key, kind.get(), nullptr));
    }
    if (PyList_Append(list.get(), one.get()) < 0) throw PythonErrorSet();
  }
  return checked(PyObject_CallMethod(inspect.get(), "Signature", "O", list.get()));
}

PyObject* text(std::string_view s) { return text_object(s).release(); }

PyObject* get_name(PyObject* self, void*) { return text(leaf_name(self)); }
PyObject* get_module(PyObject* self, void*) {
  const std::string n(of(self)->function->names[0]);
  const size_t dot = n.rfind('.');
  return text(dot == std::string::npos ? "footlight" : "footlight." + n.substr(0, dot));
}

PyGetSetDef properties[] = {
    {"__name__", guard<get_name>, nullptr, nullptr, nullptr},
    {"__qualname__", guard<get_name>, nullptr, nullptr, nullptr},
    {"__module__", guard<get_module>, nullptr, nullptr, nullptr},
    {"__doc__",
     [](PyObject* s, void*) { return guarded([&] { return text(help_text(*of(s)->function, parameters_of(s))); }); },
     nullptr, nullptr, nullptr},
    {"__signature__",
     [](PyObject* s, void*) { return guarded([&] { return signature_object(s).release(); }); }, nullptr,
     nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* repr(PyObject* self) { return text("<function " + signature_text(self) + ">"); }
// Pickled by name, with __module__; a copy is the function itself.
PyObject* reduce(PyObject* self, PyObject*) { return text(leaf_name(self)); }
// It does not bind as a class attribute. Having a __get__ at all makes it a routine for `inspect` and `help`.
PyObject* as_attribute(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }
PyMethodDef methods[] = {{"__reduce__", guard<reduce>, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyMethodDef module_functions[] = {
    {"on_failures", on_failures, METH_O,
     "on_failures(function)\n--\n\nWho is asked for the result of a call that raised TypeError or ValueError."},
    {"on_composites", on_composites, METH_VARARGS,
     "on_composites(kind, function)\n--\n\nThe class above ragged and sparse tensors, and who computes with them."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_public_functions(PyObject* module) {
  if (PyModule_AddFunctions(module, module_functions) < 0) throw PythonErrorSet();
  define_type<PyPublicFunction>(
      type, "footlight.function_of_the_library",
      {.repr = guard<repr>, .bind = as_attribute, .properties = properties, .methods = methods});
  for (const PublicFunction& f : public_functions()) {
    const Ref function = new_object<PyPublicFunction>(type, call, &f);
    for (std::string_view name : f.names) publish(std::string(name).c_str(), function.get());
  }
}

}  // namespace footlight::python
