// State of converted statements: reading and writing closure cells by name, structures as leaves, decisions recorded.
#include "engine/base/recording.h"
#include "engine/python/ag_runtime.h"
#include "engine/python/convert.h"
#include "engine/python/nest.h"
#include "engine/python/operators.h"
#include "engine/python/variable_object.h"
#include "engine/session/writer.h"
#include "engine/trace/function_scope.h"
#include "engine/trace/graph_builder.h"

#include <frameobject.h>

#include <tuple>
#include <unordered_set>

namespace footlight::python::ag {

State::State(PyObject* names, std::initializer_list<PyObject*> blocks) {
  symbols_.resize(static_cast<size_t>(PyTuple_GET_SIZE(names)));
  struct Closure {
    Ref free;
    PyObject* cells;
    PyObject* globals;
  };
  std::vector<Closure> closures;
  for (PyObject* block : blocks) {
    if (!block || !PyFunction_Check(block)) continue;
    Ref free = Ref::steal(PyCode_GetFreevars(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(block))));
    if (!free) throw PythonErrorSet();
    closures.push_back({free, PyFunction_GET_CLOSURE(block), PyFunction_GET_GLOBALS(block)});
  }
  for (size_t i = 0; i < symbols_.size(); ++i) {
    Symbol& symbol = symbols_[i];
    PyObject* name = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i));
    const char* text = PyUnicode_AsUTF8(name);
    if (!text) throw PythonErrorSet();
    symbol.text = text;
    symbol.name = name;
    Ref root;
    if (const size_t dot = symbol.text.find('.'); dot != std::string::npos) {
      for (size_t from = dot + 1; from <= symbol.text.size();) {
        const size_t end = std::min(symbol.text.find('.', from), symbol.text.size());
        symbol.attributes.push_back(Ref::steal(PyUnicode_FromStringAndSize(text + from, static_cast<Py_ssize_t>(end - from))));
        from = end + 1;
      }
      root = Ref::steal(PyUnicode_FromStringAndSize(text, static_cast<Py_ssize_t>(dot)));
      name = root.get();
      symbol.name = nullptr;
    }
    for (const Closure& closure : closures) {
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(closure.free.get()) && !symbol.cell; ++k) {
        PyObject* candidate = PyTuple_GET_ITEM(closure.free.get(), k);
        if (candidate == name || PyUnicode_Compare(candidate, name) == 0) symbol.cell = PyTuple_GET_ITEM(closure.cells, k);
      }
      if (!symbol.globals) symbol.globals = closure.globals;
    }
    if (!symbol.cell && root) {
      symbol.attributes.insert(symbol.attributes.begin(), root);
    }
  }
}

Ref State::get(size_t i) const {
  const Symbol& symbol = symbols_[i];
  if (symbol.attributes.empty()) {
    PyObject* value = symbol.cell ? PyCell_GET(symbol.cell) : PyDict_GetItemWithError(symbol.globals, symbol.name);
    if (value == undefined_return()) return {};
    return Ref::borrow(value);
  }
  size_t first = 0;
  Ref value = Ref::borrow(symbol.cell ? PyCell_GET(symbol.cell) : PyDict_GetItemWithError(symbol.globals, symbol.attributes[first++].get()));
  for (size_t k = first; k < symbol.attributes.size() && value; ++k) {
    value = Ref::steal(PyObject_GetAttr(value.get(), symbol.attributes[k].get()));
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    else if (!value) throw PythonErrorSet();
  }
  return value;
}

void State::set(size_t i, const Ref& value) const {
  const Symbol& symbol = symbols_[i];
  if (symbol.attributes.empty()) {
    PyObject* object = value ? value.get() : is_return_value(i) ? undefined_return() : nullptr;
    if (symbol.cell) {
      PyObject* old = PyCell_GET(symbol.cell);
      PyCell_SET(symbol.cell, Py_XNewRef(object));
      Py_XDECREF(old);
      return;
    }
    if (object ? PyDict_SetItem(symbol.globals, symbol.name, object) : PyDict_DelItem(symbol.globals, symbol.name)) {
      if (object) throw PythonErrorSet();
      PyErr_Clear();
    }
    return;
  }
  size_t first = 0;
  Ref base = Ref::borrow(symbol.cell ? PyCell_GET(symbol.cell) : PyDict_GetItemWithError(symbol.globals, symbol.attributes[first++].get()));
  for (size_t k = first; k + 1 < symbol.attributes.size() && base; ++k)
    base = Ref::steal(PyObject_GetAttr(base.get(), symbol.attributes[k].get()));
  if (!base) {
    PyErr_Clear();
    return;
  }
  if (PyObject_SetAttr(base.get(), symbol.attributes.back().get(), value.get()) == 0) return;
  if (value) throw PythonErrorSet();
  PyErr_Clear();
}

std::vector<Ref> State::get_all() const {
  std::vector<Ref> values;
  values.reserve(size());
  for (size_t i = 0; i < size(); ++i) values.push_back(get(i));
  return values;
}

void State::set_all(const std::vector<Ref>& values) const {
  for (size_t i = 0; i < size(); ++i) set(i, values[i]);
}

std::string State::shown(size_t i) const {
  return is_return_value(i) ? "the returned value ('" + name(i) + "')" : "'" + name(i) + "'";
}

Leaves flatten(const Ref& value) {
  Leaves leaves{value, {}};
  if (!value) return leaves;
  if (is_nested(value.get())) nest_flatten(value.get(), leaves.values);
  else leaves.values.push_back(value);
  return leaves;
}

Ref pack(const Leaves& like, const std::vector<Ref>& values) {
  if (!like.structure) return {};
  if (!is_nested(like.structure.get())) return values[0];
  return nest_pack(like.structure.get(), values);
}

bool is_tensor_like(PyObject* o) { return is_tensor(o) || is_variable(o); }

bool becomes_tensor(PyObject* o) {
  return is_tensor_like(o) || PyBool_Check(o) || PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) ||
         PyUnicode_Check(o) || PyBytes_Check(o) || is_array(o);
}

Tensor as_tensor(PyObject* o, DType hint) {
  if (is_tensor(o)) return tensor_of(o);
  if (is_variable(o)) return variable_value(o);
  return hint == DType::kInvalid ? to_tensor(o) : to_tensor_with_hint(o, hint);
}

Tensor condition_tensor(PyObject* value, const char* what) {
  static const Op kReshape{"Reshape"};
  Tensor condition = as_tensor(value);
  if (condition.dtype() != DType::kBool)
    fail(ErrorKind::kValue, "the condition of this ", what, " must be a bool scalar, it is a tensor of dtype ",
         name_of(condition.dtype()), "; compare it, as in `x != 0`, or cast it to tf.bool");
  const Shape& shape = condition.shape();
  if (shape.has_rank() && shape.rank() == 0) return condition;
  if (shape.has_rank())
    for (const int64_t dim : shape.dims())
      if (dim != 1 && dim != kUnknownDim)
        fail(ErrorKind::kValue, "the condition of this ", what, " must be a bool scalar, it is a bool tensor of shape ",
             shape.to_string(), "; reduce it, for example with tf.reduce_all or tf.reduce_any");
  Tensor scalar = Tensor::empty(DType::kInt32, Shape{0});
  return apply(kReshape, {condition, scalar.as_constant()});
}

bool truth(PyObject* o) {
  const int yes = PyObject_IsTrue(o);
  if (yes < 0) throw PythonErrorSet();
  return yes != 0;
}

Ref call(PyObject* function) {
  Ref result = Ref::steal(PyObject_CallNoArgs(function));
  if (!result) throw PythonErrorSet();
  return result;
}

Ref call(PyObject* function, PyObject* argument) {
  Ref result = Ref::steal(PyObject_CallOneArg(function, argument));
  if (!result) throw PythonErrorSet();
  return result;
}

Tensor zeros_like(DType dtype, const Shape& shape) {
  Shape known;
  if (shape.has_rank())
    for (const int64_t dim : shape.dims()) known.append(dim == kUnknownDim ? 0 : dim);
  Tensor zeros = Tensor::empty(dtype, known);
  if (is_plain(dtype)) std::memset(zeros.raw(), 0, zeros.bytes());
  return zeros.as_constant();
}

Place here() {
  Place place;
  PyFrameObject* frame = PyEval_GetFrame();
  if (!frame) return place;
  const Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  if (const char* file = PyUnicode_AsUTF8(reinterpret_cast<PyCodeObject*>(code.get())->co_filename)) place.file = file;
  else PyErr_Clear();
  place.line = PyFrame_GetLineNumber(frame);
  return place;
}

void record(const char* kind, const char* fate, const std::string& note) {
  if (!recording_structure() || !trace::tracing()) return;
  session::Writer* writer = session::active_writer();
  const TraceId trace = trace::current_trace();
  if (!writer || !trace.valid()) return;
  const Place place = here();
  // A loop that unrolls decides the same again and again.
  thread_local std::vector<std::tuple<TraceId, std::string, int, std::string>> said;
  std::tuple<TraceId, std::string, int, std::string> now{trace, place.file, place.line, std::string(fate) + note};
  if (!said.empty() && std::get<0>(said.back()) != trace) said.clear();
  for (const auto& one : said)
    if (one == now) return;
  said.push_back(std::move(now));
  writer->add_decision({trace, writer->file(place.file), place.line, kind, fate, note});
}

namespace {
thread_local std::unordered_set<uint64_t> true_flags;
}

bool known_true(PyObject* o) {
  if (o == Py_True) return true;
  return o && is_tensor(o) && true_flags.count(tensor_of(o).id());
}

void note_known_true(const Tensor& tensor) {
  if (true_flags.size() > 100'000) true_flags.clear();
  true_flags.insert(tensor.id());
}

}  // namespace footlight::python::ag
