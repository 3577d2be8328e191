// input_signature: declared specs, arguments converted to them, errors that show both sides.
#include "engine/python/function/call/signature.h"

#include "engine/base/text.h"
#include "engine/ops/builder.h"
#include "engine/python/function/call/binding.h"
#include "engine/python/function/call/rebuild.h"
#include "engine/python/function/function_object.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"

namespace footlight::python {
namespace {

std::string value_text(PyObject* value) {
  if (is_tensor(value)) return spec_text({tensor_of(value).dtype(), tensor_of(value).shape(), {}});
  const std::string out = repr_of(value);
  return out.size() > 120 ? out.substr(0, 120) + "..." : out;
}

[[noreturn]] void mismatch(const FunctionCore& core, const std::string& parameter, PyObject* spec, PyObject* value) {
  fail(ErrorKind::kSignatureMismatch, "Binding inputs to tf.function failed due to `Can not cast ",
       value_text(value), " to ", is_spec(spec) ? spec_text(spec_of(spec)) : repr_of(spec), "`: function '",
       core.qualified_name,
       "' was called with arguments that do not fit its input_signature:", "\n  parameter '", parameter,
       "' is declared ", is_spec(spec) ? spec_text(spec_of(spec)) : repr_of(spec), "\n  and got ",
       value_text(value), "\n  input_signature: ", repr_of(core.options.input_signature.get()));
}

// Converts a value to its spec.
Ref fit(const FunctionCore& core, const std::string& parameter, PyObject* spec, PyObject* value) {
  if (is_spec(spec)) {
    const SpecValue& want = spec_of(spec);
    if (is_spec(value)) {
      if (spec_of(value).dtype != want.dtype || !is_subshape(spec_of(value).shape, want.shape))
        mismatch(core, parameter, spec, value);
      return Ref::borrow(value);
    }
    Tensor tensor;
    if (value == Py_None) mismatch(core, parameter, spec, value);
    if (is_tensor(value)) {
      tensor = tensor_of(value);
    } else {
      try {
        tensor = is_variable(value) ? variable_value(value) : to_tensor(value, want.dtype);
      } catch (const Error&) {
        mismatch(core, parameter, spec, value);
      } catch (const PythonErrorSet&) {
        clear_only(PyExc_Exception);
        mismatch(core, parameter, spec, value);
      }
    }
    if (tensor.dtype() == want.dtype && tensor.is_symbolic() && !is_subshape(tensor.shape(), want.shape) &&
        compatible(tensor.shape(), want.shape)) {  // checked when it runs
      return checked(wrap(apply("EnsureShape"_op, {tensor}, {{"shape"_attr, want.shape}})));
    }
    if (tensor.dtype() != want.dtype || !is_subshape(tensor.shape(), want.shape))
      mismatch(core, parameter, spec, value);
    return is_tensor(value) ? Ref::borrow(value) : checked(wrap(tensor));
  }
  if (is_typed_composite(spec)) {
    if (!is_typed_composite(value)) mismatch(core, parameter, spec, value);
    const Ref own = composite_spec(value);
    if (!is_true(checked(PyObject_CallMethod(spec, "is_compatible_with", "O", own.get())).get()))
      mismatch(core, parameter, spec, value);
    if (own.get() == value) return Ref::borrow(value);
    Ref fitted = checked(PyObject_CallMethod(spec, "_from_components", "(O)", composite_parts(spec, value).get()));
    if (PyObject_SetAttrString(fitted.get(), "_declared_spec", spec) < 0)  // an object that does not change has its own
      clear_only(PyExc_Exception);
    return fitted;
  }
  if (flattens_itself(spec)) {
    if (Py_TYPE(spec) != Py_TYPE(value)) mismatch(core, parameter, spec, value);
    const Flattened want = flattened(spec);
    Flattened have = flattened(value);
    if (!are_equal(want.metadata.get(), have.metadata.get()) ||
        want.components.size() != have.components.size())
      mismatch(core, parameter, spec, value);
    for (size_t i = 0; i < have.components.size(); ++i)
      have.components[i] = fit(core, parameter, want.components[i].get(), have.components[i].get());
    return unflattened(reinterpret_cast<PyObject*>(Py_TYPE(spec)), have.metadata.get(), have.components);
  }
  if (PyList_Check(spec) || PyTuple_Check(spec)) {
    if (!PyList_Check(value) && !PyTuple_Check(value)) mismatch(core, parameter, spec, value);
    if (Py_SIZE(spec) != Py_SIZE(value)) mismatch(core, parameter, spec, value);
    Ref items = checked(PyList_New(Py_SIZE(spec)));
    for (Py_ssize_t i = 0; i < Py_SIZE(spec); ++i) {
      Ref want = checked(PySequence_GetItem(spec, i));
      Ref have = checked(PySequence_GetItem(value, i));
      PyList_SET_ITEM(items.get(), i, fit(core, parameter, want.get(), have.get()).release());
    }
    if (is_namedtuple(spec))
      return checked(PyObject_CallMethod(reinterpret_cast<PyObject*>(Py_TYPE(spec)), "_make", "(O)", items.get()));
    return PyTuple_Check(spec) ? checked(PyList_AsTuple(items.get())) : items;
  }
  if (is_mapping(spec)) {
    if (!is_mapping(value) || PyMapping_Size(spec) != PyMapping_Size(value)) mismatch(core, parameter, spec, value);
    Ref keys = checked(PyMapping_Keys(spec));
    Ref fitted = checked(PyDict_New());
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.get()); ++i) {
      PyObject* key = PyList_GET_ITEM(keys.get(), i);
      Ref have = Ref::steal(PyObject_GetItem(value, key));
      if (!have) {
        clear_only(PyExc_LookupError);
        mismatch(core, parameter, spec, value);
      }
      Ref want = checked(PyObject_GetItem(spec, key));
      if (PyDict_SetItem(fitted.get(), key, fit(core, parameter, want.get(), have.get()).get()) < 0)
        throw PythonErrorSet();
    }
    return fitted;
  }
  return Ref::borrow(value);  // a literal in the signature, or a variable's spec
}

void collect_specs(PyObject* spec, std::vector<Ref>& specs) {
  Rebuilder([&](PyObject* leaf) {
    specs.push_back(Ref::borrow(leaf));
    return Ref::borrow(leaf);
  }).rebuild(spec);
}

[[noreturn]] void no_entry(const FunctionCore& core, const FunctionParameter& p) {
  fail(ErrorKind::kSignatureMismatch, "input_signature missing type constraint for parameter '", p.name,
       "' of function '", core.qualified_name,
       "', which has no default: ", repr_of(core.options.input_signature.get()));
}

[[noreturn]] void too_many_entries(const FunctionCore& core) {
  PyObject* signature = core.options.input_signature.get();
  fail(ErrorKind::kSignatureMismatch, "the input_signature ", repr_of(signature), " of function '",
       core.qualified_name, "' has ", PyTuple_GET_SIZE(signature), " entries, the function takes ",
       core.signature.positional, " arguments");
}

}  // namespace

void check_signature(FunctionCore& core) {
  core.prepare();
  Py_ssize_t rest = PyTuple_GET_SIZE(core.options.input_signature.get());
  for (const FunctionParameter& p : core.signature.parameters) {
    const bool is_self = &p == &core.signature.parameters[0] && p.name == "self";  // self of a method has no entry
    if (is_self || p.kind == FunctionParameter::kVarKeywords) continue;
    if (p.kind == FunctionParameter::kVarArgs) rest = 0;
    else if (p.kind <= FunctionParameter::kPositionalOrKeyword && rest > 0) --rest;
    else if (!p.otherwise) no_entry(core, p);
  }
  if (rest > 0) too_many_entries(core);
}

void apply_signature(FunctionCore& core, BoundArguments& bound) {
  PyObject* signature = core.options.input_signature.get();
  const Py_ssize_t count = PyTuple_GET_SIZE(signature);
  const bool first = core.signature_leaves.empty();
  Py_ssize_t at = 0;
  for (size_t i = 0; i < core.signature.parameters.size(); ++i) {
    const FunctionParameter& p = core.signature.parameters[i];
    if (p.kind == FunctionParameter::kVarArgs) {
      Ref given = bound.values[i];
      if (PyTuple_GET_SIZE(given.get()) != count - at)
        fail(ErrorKind::kSignatureMismatch, "function '", core.qualified_name, "' takes ", count,
             " arguments by its input_signature ", repr_of(signature), ", ",
             at + PyTuple_GET_SIZE(given.get()), " were given");
      Ref fitted = checked(PyTuple_New(count - at));
      std::vector<Ref> specs;
      for (Py_ssize_t k = 0; at < count; ++k, ++at) {
        PyObject* spec = PyTuple_GET_ITEM(signature, at);
        collect_specs(spec, specs);
        PyTuple_SET_ITEM(fitted.get(), k,
                         fit(core, str(p.name, "_", k), spec, PyTuple_GET_ITEM(given.get(), k)).release());
      }
      bound.values[i] = fitted;
      if (first) core.signature_leaves.push_back(std::move(specs));
      continue;
    }
    if (p.kind == FunctionParameter::kVarKeywords) continue;
    if (at < count && p.kind <= FunctionParameter::kPositionalOrKeyword) {
      PyObject* spec = PyTuple_GET_ITEM(signature, at++);
      std::vector<Ref> specs;
      collect_specs(spec, specs);
      bound.values[i] = fit(core, p.name, spec, bound.values[i].get());
      if (first) core.signature_leaves.push_back(std::move(specs));
      continue;
    }
    // A parameter without an entry in the signature keeps its default.
    if (!p.otherwise) no_entry(core, p);
    if (bound.values[i].get() != p.otherwise.get())
      fail(ErrorKind::kSignatureMismatch, "function '", core.qualified_name, "' got a value for '", p.name,
           "', which its input_signature ", repr_of(signature), " leaves out: it always has its default ",
           value_text(p.otherwise.get()));
  }
  if (at < count) too_many_entries(core);
}

}  // namespace footlight::python
