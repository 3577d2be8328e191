// Parameters of a Python callable, and arguments put in their order.
#include "engine/python/function/call/binding.h"

#include "engine/base/text.h"
#include "engine/python/function/function_object.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"

#include <unordered_map>

namespace footlight::python {
namespace {

std::string shown(const FunctionSignature& signature, const std::string& function) {
  std::string out = function + '(';
  bool star = false;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const FunctionParameter& p = signature.parameters[i];
    if (i) out += ", ";
    if (p.kind == FunctionParameter::kKeywordOnly && !star && signature.var_args < 0) out += "*, ";
    star = star || p.kind == FunctionParameter::kKeywordOnly;
    if (p.kind == FunctionParameter::kVarArgs) out += '*';
    if (p.kind == FunctionParameter::kVarKeywords) out += "**";
    out += p.name;
    if (p.otherwise) out += '=' + repr_of(p.otherwise.get());
  }
  return out + ')';
}

void add(FunctionSignature& signature, Ref name, FunctionParameter::Kind kind, Ref otherwise) {
  FunctionParameter parameter;
  parameter.kind = kind;
  parameter.name = utf8(name.get());
  PyObject* interned = name.release();
  PyUnicode_InternInPlace(&interned);
  parameter.name_object = Ref::steal(interned);
  parameter.otherwise = std::move(otherwise);
  const int index = static_cast<int>(signature.parameters.size());
  if (kind <= FunctionParameter::kPositionalOrKeyword) ++signature.positional;
  else signature.plain = false;
  if (kind == FunctionParameter::kVarArgs) signature.var_args = index;
  if (kind == FunctionParameter::kVarKeywords) signature.var_keywords = index;
  signature.parameters.push_back(std::move(parameter));
}

// Reads the signature of a plain function from its code: the module inspect, which knows all callables, takes 25 ms to
// import.
FunctionSignature signature_of_function(PyFunctionObject* function) {
  const auto* code = reinterpret_cast<PyCodeObject*>(function->func_code);
  const Ref names = checked(PyCode_GetVarnames(reinterpret_cast<PyCodeObject*>(function->func_code)));
  const auto name = [&](int i) { return Ref::borrow(PyTuple_GET_ITEM(names.get(), i)); };
  FunctionSignature signature;
  signature.plain = true;
  const int defaults =
      function->func_defaults ? static_cast<int>(PyTuple_GET_SIZE(function->func_defaults)) : 0;
  for (int i = 0; i < code->co_argcount; ++i) {
    const int at = i - (code->co_argcount - defaults);
    add(signature, name(i),
        i < code->co_posonlyargcount ? FunctionParameter::kPositionalOnly : FunctionParameter::kPositionalOrKeyword,
        at < 0 ? Ref() : Ref::borrow(PyTuple_GET_ITEM(function->func_defaults, at)));
  }
  int next = code->co_argcount + code->co_kwonlyargcount;
  if (code->co_flags & CO_VARARGS) add(signature, name(next++), FunctionParameter::kVarArgs, Ref());
  for (int i = code->co_argcount; i < code->co_argcount + code->co_kwonlyargcount; ++i) {
    Ref otherwise;
    if (function->func_kwdefaults)
      otherwise = Ref::borrow(find_item(function->func_kwdefaults, name(i).get()));
    add(signature, name(i), FunctionParameter::kKeywordOnly, std::move(otherwise));
  }
  if (code->co_flags & CO_VARKEYWORDS) add(signature, name(next), FunctionParameter::kVarKeywords, Ref());
  return signature;
}

}  // namespace

FunctionSignature signature_of(PyObject* callable) {
  // `__wrapped__`, `__signature__` and the like would be in its dictionary.
  if (PyFunction_Check(callable)) {
    auto* function = reinterpret_cast<PyFunctionObject*>(callable);
    if (!function->func_dict || PyDict_GET_SIZE(function->func_dict) == 0) return signature_of_function(function);
  }
  Ref inspect = checked(PyImport_ImportModule("inspect"));
  Ref found = Ref::steal(PyObject_CallMethod(inspect.get(), "signature", "O", callable));
  FunctionSignature signature;
  if (!found) {  // a C function without a signature: any arguments
    if (!cleared_if(PyExc_ValueError)) clear_only(PyExc_TypeError);
    const std::pair<const char*, FunctionParameter::Kind> any[] = {
        {"args", FunctionParameter::kVarArgs}, {"kwargs", FunctionParameter::kVarKeywords}};
    for (auto [name, kind] : any)
      signature.parameters.push_back({name, checked(PyUnicode_InternFromString(name)), kind, Ref()});
    signature.var_args = 0;
    signature.var_keywords = 1;
    return signature;
  }
  Ref parameters = checked(PyObject_GetAttrString(found.get(), "parameters"));
  Ref values = checked(PyMapping_Values(parameters.get()));
  Ref empty = checked(PyObject_GetAttrString(inspect.get(), "_empty"));
  signature.plain = true;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values.get()); ++i) {
    PyObject* p = PyList_GET_ITEM(values.get(), i);
    Ref name = checked(PyObject_GetAttrString(p, "name"));
    Ref kind = checked(PyObject_GetAttrString(p, "kind"));
    Ref otherwise = checked(PyObject_GetAttrString(p, "default"));
    add(signature, std::move(name), static_cast<FunctionParameter::Kind>(PyLong_AsLong(kind.get())),
        otherwise.get() == empty.get() ? Ref() : std::move(otherwise));
  }
  return signature;
}

// Names of inputs derive from those of arguments, so two must not become one.
static void check_names(PyObject* keywords) {
  if (PyDict_GET_SIZE(keywords) < 2) return;
  std::unordered_map<std::string, std::string> seen;
  for (PyObject* key : Items(checked(PyMapping_Keys(keywords)).get())) {
    const std::string name = readable(key);
    std::string plain = name;
    for (char& c : plain)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    if (const auto [at, fresh] = seen.emplace(plain, name); !fresh)
      fail(ErrorKind::kValue,
           "Name collision after sanitization. Please rename tf.function input parameters: '", at->second,
           "' and '", name, "' both become '", plain, "'");
  }
}

void bind_arguments(const FunctionSignature& signature, const std::string& function, PyObject* const* args,
                    Py_ssize_t nargs, PyObject* kwnames, BoundArguments& bound, bool defaults) {
  const size_t count = signature.parameters.size();
  bound.values.assign(count, Ref());
  for (Py_ssize_t i = 0; i < nargs && i < signature.positional; ++i)
    bound.values[static_cast<size_t>(i)] = Ref::borrow(args[i]);
  if (nargs > signature.positional && signature.var_args < 0)
    cannot_bind("too many positional arguments", shown(signature, function), " takes ", signature.positional,
                ", ", nargs, " were given");
  if (signature.var_args >= 0) {
    const Py_ssize_t extra = nargs > signature.positional ? nargs - signature.positional : 0;
    Ref tuple = checked(PyTuple_New(extra));
    for (Py_ssize_t i = 0; i < extra; ++i) PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(args[signature.positional + i]));
    bound.values[static_cast<size_t>(signature.var_args)] = tuple;
  }
  if (signature.var_keywords >= 0) bound.values[static_cast<size_t>(signature.var_keywords)] = checked(PyDict_New());
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, k);
    size_t at = 0;
    for (; at < count; ++at) {
      const FunctionParameter& p = signature.parameters[at];
      if (p.kind != FunctionParameter::kPositionalOrKeyword && p.kind != FunctionParameter::kKeywordOnly) continue;
      if (p.name_object.get() == name || PyUnicode_Compare(p.name_object.get(), name) == 0) break;
    }
    if (at < count) {
      if (bound.values[at])
        cannot_bind(str("multiple values for argument '", readable(name), "'"), shown(signature, function),
                    " got it by place and by name");
      bound.values[at] = Ref::borrow(args[nargs + k]);
    } else if (signature.var_keywords >= 0) {
      if (PyDict_SetItem(bound.values[static_cast<size_t>(signature.var_keywords)].get(), name, args[nargs + k]) < 0)
        throw PythonErrorSet();
    } else {
      cannot_bind(str("got an unexpected keyword argument '", readable(name), "'"),
                  shown(signature, function), " has none of that name");
    }
  }
  if (signature.var_keywords >= 0)
    check_names(bound.values[static_cast<size_t>(signature.var_keywords)].get());
  if (!defaults) return;
  for (size_t i = 0; i < count; ++i) {
    if (bound.values[i]) continue;
    const FunctionParameter& p = signature.parameters[i];
    if (!p.otherwise)
      cannot_bind(str("missing a required argument: '", p.name, "'"), shown(signature, function),
                  " has no default for it");
    bound.values[i] = p.otherwise;
  }
}

void FunctionCore::prepare() {
  if (ready) return;
  signature = signature_of(python_function.get());
  ready = true;
}

}  // namespace footlight::python
