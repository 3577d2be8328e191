// State of converted statements: reads and writes closure cells by name, flattens structures, records decisions.
#include "engine/base/recording.h"
#include "engine/python/autograph/lists.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/nest.h"
#include "engine/python/calls/operators.h"
#include "engine/python/types/variable_object.h"
#include "engine/session/writer.h"
#include "engine/trace/function_scope.h"
#include "engine/trace/graph_builder.h"

#include <frameobject.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace footlight::python::ag {

State::State(PyObject* names, std::initializer_list<PyObject*> blocks) {
  std::vector<Closure> closures;
  for (PyObject* block : blocks) {
    if (!block || !PyFunction_Check(block)) continue;
    Ref free = Ref::steal(PyCode_GetFreevars(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(block))));
    if (!free) throw PythonErrorSet();
    closures.push_back({free, PyFunction_GET_CLOSURE(block), PyFunction_GET_GLOBALS(block)});
  }
  symbols_.resize(static_cast<size_t>(PyTuple_GET_SIZE(names)));
  for (size_t i = 0; i < symbols_.size(); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i));
    if (PyTuple_Check(name)) {
      constexpr std::pair<const char*, Role> kRoles[] = {{"value", Role::kReturnValue},
                                                         {"flag", Role::kReturnFlag},
                                                         {"break", Role::kBreakFlag},
                                                         {"late", Role::kLate},
                                                         {"list", Role::kList}};
      for (const auto& [word, role] : kRoles)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(name, 1), word) == 0) symbols_[i].role = role;
      name = PyTuple_GET_ITEM(name, 0);
    }
    symbols_[i].text = utf8(name);
    parse(symbols_[i], closures);
  }
}

namespace {

// The class of that name in footlight._autograph.ag, or the one of its objects.
PyObject* stand_in_class(const char* name) {
  const Ref module = checked(PyImport_ImportModule("footlight._autograph.ag"));
  return checked(PyObject_GetAttrString(module.get(), name)).release();
}
PyObject* undefined_class() {
  static PyObject* const type = stand_in_class("Undefined");
  return type;
}
PyObject* undefined_return_class() {
  static PyObject* const type = stand_in_class("UndefinedReturnValue");
  return type;
}

// "do_return" for "do_return_12".
std::string_view without_number(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  return end != name.npos && end + 1 < name.size() && name[end] == '_' ? name.substr(0, end) : name;
}

}  // namespace

State::State(PyObject* names, PyObject* get_state, PyObject* set_state) : get_state_(get_state), set_state_(set_state) {
  const Items items(names, "symbol_names must be a sequence of names");
  const std::vector<Ref> values = ask();
  symbols_.resize(static_cast<size_t>(items.size()));
  for (size_t i = 0; i < symbols_.size(); ++i) {
    symbols_[i].text = utf8(items[static_cast<Py_ssize_t>(i)]);
    const std::string_view name = without_number(symbols_[i].text);
    if (name == "do_return") symbols_[i].role = Role::kReturnFlag;
    else if (name == "retval_" || name == "retval") symbols_[i].role = Role::kReturnValue;
    else if (name == "break_" || name == "break") symbols_[i].role = Role::kBreakFlag;
  }
  if (values.size() != symbols_.size())
    fail(ErrorKind::kValue, "get_state() returned ", values.size(), " values for ", symbols_.size(), " symbols");
}

std::vector<Ref> State::ask() const {
  const Ref state = ag::call(get_state_);
  std::vector<Ref> values;
  for (PyObject* value : Items(state.get(), "get_state() must return a tuple")) {
    auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(value));
    const bool undefined = type == undefined_class() || type == undefined_return_class();
    values.push_back(undefined ? Ref() : Ref::borrow(value));
  }
  return values;
}

void State::tell(const std::vector<Ref>& values) const {
  const Ref state = checked(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i) {
    Ref value = values[i];
    if (!value && is_return_value(i)) value = checked(PyObject_CallNoArgs(undefined_return_class()));
    else if (!value) value = checked(PyObject_CallFunction(undefined_class(), "s", symbols_[i].text.c_str()));
    PyTuple_SET_ITEM(state.get(), static_cast<Py_ssize_t>(i), value.release());
  }
  ag::call(set_state_, state.get());
}

State::Variable State::find(std::string_view name, const std::vector<Closure>& closures) {
  Variable variable;
  PyObject* text = PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
  if (!text) throw PythonErrorSet();
  PyUnicode_InternInPlace(&text);
  variable.name = Ref::steal(text);
  for (const Closure& closure : closures) {
    if (!variable.globals) variable.globals = closure.globals;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(closure.free.get()); ++k) {
      PyObject* candidate = PyTuple_GET_ITEM(closure.free.get(), k);
      if (candidate != text && PyUnicode_Compare(candidate, text) != 0) continue;
      variable.cell = PyTuple_GET_ITEM(closure.cells, k);
      return variable;
    }
  }
  return variable;
}

void State::parse(Symbol& symbol, const std::vector<Closure>& closures) {
  const std::string_view text = symbol.text;
  size_t at = std::min(text.find_first_of(".["), text.size());
  symbol.root = find(text.substr(0, at), closures);
  while (at < text.size()) {
    if (text[at] == '.') {
      const size_t end = std::min(text.find_first_of(".[", at + 1), text.size());
      const std::string_view key = text.substr(at + 1, end - at - 1);
      symbol.steps.push_back(
          {false,
           Ref::steal(PyUnicode_FromStringAndSize(key.data(), static_cast<Py_ssize_t>(key.size()))),
           {}});
      at = end;
      continue;
    }
    const size_t end = text.find(']', at);
    const std::string key(text.substr(at + 1, end - at - 1));
    const char first = key.empty() ? '0' : key[0];
    Step step{true, {}, {}};
    if (first == '\'' || first == '"')
      step.key = Ref::steal(PyUnicode_FromStringAndSize(key.data() + 1, static_cast<Py_ssize_t>(key.size()) - 2));
    else if (first == '-' || (first >= '0' && first <= '9'))
      step.key = Ref::steal(PyLong_FromString(key.c_str(), nullptr, 10));
    else step.index = find(key, closures);
    symbol.steps.push_back(std::move(step));
    at = end + 1;
  }
}

Ref State::Variable::get() const {
  return Ref::borrow(cell ? PyCell_GET(cell) : globals ? PyDict_GetItemWithError(globals, name.get()) : nullptr);
}

namespace {
// A missing part is not an error: it has no value yet.
Ref found(PyObject* value) {
  if (!value && !cleared_if(PyExc_AttributeError)) clear_only(PyExc_LookupError);
  return Ref::steal(value);
}
}  // namespace

Ref State::holder(const Symbol& symbol) {
  Ref value = symbol.root.get();
  for (size_t k = 0; k + 1 < symbol.steps.size() && value; ++k) {
    const Step& step = symbol.steps[k];
    const Ref key = step.value();
    if (!key) return {};
    value = found(step.item ? PyObject_GetItem(value.get(), key.get()) : PyObject_GetAttr(value.get(), key.get()));
  }
  return value;
}

Ref State::get(size_t i) const {
  if (get_state_) return ask()[i];
  const Symbol& symbol = symbols_[i];
  if (symbol.steps.empty()) {
    Ref value = symbol.root.get();
    return value.get() == undefined_return() ? Ref() : value;
  }
  const Ref base = holder(symbol);
  const Step& last = symbol.steps.back();
  const Ref key = base ? last.value() : Ref();
  if (!key) return {};
  return found(last.item ? PyObject_GetItem(base.get(), key.get()) : PyObject_GetAttr(base.get(), key.get()));
}

void State::set(size_t i, const Ref& value) const {
  if (set_state_) {
    std::vector<Ref> values = ask();
    values[i] = value;
    return tell(values);
  }
  const Symbol& symbol = symbols_[i];
  if (symbol.steps.empty()) {
    const Variable& variable = symbol.root;
    PyObject* object = value ? value.get() : is_return_value(i) ? undefined_return() : nullptr;
    if (variable.cell) {
      const Ref old = Ref::steal(PyCell_GET(variable.cell));
      PyCell_SET(variable.cell, Py_XNewRef(object));
    } else if (object ? PyDict_SetItem(variable.globals, variable.name.get(), object)
                      : PyDict_DelItem(variable.globals, variable.name.get())) {
      if (object) throw PythonErrorSet();
      clear_only(PyExc_KeyError);
    }
    return;
  }
  const Ref base = holder(symbol);
  const Step& last = symbol.steps.back();
  const Ref key = base ? last.value() : Ref();
  if (!key) return;
  // Do not write a value that is already there: it may not be assignable.
  if (get(i).get() == value.get()) return;
  const int failed = last.item ? (value ? PyObject_SetItem(base.get(), key.get(), value.get())
                                        : PyObject_DelItem(base.get(), key.get()))
                               : PyObject_SetAttr(base.get(), key.get(), value.get());
  if (!failed) return;
  if (value) throw PythonErrorSet();
  clear_only(PyExc_Exception);  // deleting it may be impossible
}

std::vector<Ref> State::get_all() const {
  if (get_state_) return ask();
  std::vector<Ref> values;
  values.reserve(size());
  for (size_t i = 0; i < size(); ++i) values.push_back(get(i));
  return values;
}

void State::set_all(const std::vector<Ref>& values) const {
  if (set_state_) return tell(values);
  for (size_t i = 0; i < size(); ++i) set(i, values[i]);
}

void State::put_back(const std::vector<Ref>& values) const {
  const ExceptionSetAside failure;
  for (size_t i = 0; i < size(); ++i) {
    try {
      set(i, values[i]);
    } catch (const PythonErrorSet&) {
      if (!cleared_if(PyExc_Exception)) return;  // an interrupt
    }
  }
}

std::string State::shown(size_t i) const {
  return is_return_value(i) ? "the returned value ('" + name(i) + "')" : "'" + name(i) + "'";
}

Leaves flatten(const Ref& value) {
  Leaves leaves{value, {}};
  if (!value) return leaves;
  if (is_grown(value.get())) {
    leaves.values.push_back(checked(wrap(grown_values(value.get()))));
    return leaves;
  }
  nest_flatten(value.get(), leaves.values, true);
  return leaves;
}

Ref pack(const Leaves& like, const std::vector<Ref>& values) {
  if (!like.structure) return {};
  if (is_grown(like.structure.get())) return grown_list(as_tensor(values[0].get()));
  return nest_pack(like.structure.get(), values, true);
}

bool is_tensor_like(PyObject* o) { return is_tensor(o) || is_variable(o); }

bool symbolic(PyObject* o) { return is_tensor(o) ? tensor_of(o).is_symbolic() : is_variable(o); }

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
  Tensor condition = as_tensor(value);
  if (condition.dtype() != DType::kBool)
    fail(ErrorKind::kValue, "condition of ", what, " expected to be `tf.bool` scalar, got a tensor of dtype ",
         name_of(condition.dtype()), "; compare it, as in `x != 0`, or cast it to tf.bool");
  const Shape& shape = condition.shape();
  if (shape.has_rank() && shape.rank() == 0) return condition;
  if (shape.has_rank())
    for (const int64_t dim : shape.dims())
      if (dim != 1 && dim != kUnknownDim)
        fail(ErrorKind::kValue, "condition of ", what, " expected to be `tf.bool` scalar, got a tensor of shape ",
             shape.to_string(), "; reduce it, for example with tf.reduce_all or tf.reduce_any");
  Tensor scalar = Tensor::empty(DType::kInt32, Shape{0});
  return apply("Reshape"_op, {condition, scalar.as_constant()});
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

void record(const char* kind, const char* fate, const std::string& note) {
  if (recording_structure() && trace::tracing()) record_at(current_line(), kind, fate, note);
}

void record_at(const UserLine& place, const char* kind, const char* fate, const std::string& note) {
  if (!recording_structure() || !trace::tracing()) return;
  session::Writer* writer = session::active_writer();
  const TraceId trace = trace::current_trace();
  if (!writer || !trace.valid()) return;
  // An unrolled loop makes the same decision again and again, with other traces in between if it calls them.
  thread_local RecordedFacts<std::tuple<std::string, int, std::string, std::string>> decisions;
  if (!decisions.add(trace, {place.file, place.line, kind, fate + note})) return;
  writer->add(session::DecisionRecord{trace, writer->file(place.file), place.line, kind, fate, note});
}

namespace {
// Tables of tensors met while staging, which have destructors: no part of PythonContext.
thread_local std::unordered_set<uint64_t> true_flags;
thread_local std::unordered_map<uint64_t, OpenFlag> open_flags;
}

bool known_true(PyObject* o) {
  if (o == Py_True) return true;
  return o && is_tensor(o) && true_flags.count(tensor_of(o).id());
}

void note_known_true(const Tensor& tensor) {
  if (true_flags.size() > 100'000) true_flags.clear();
  true_flags.insert(tensor.id());
}

void note_open_flag(const Tensor& tensor, OpenFlag flag) {
  if (open_flags.size() > 100'000) open_flags.clear();
  open_flags[tensor.id()] = flag;
}

OpenFlag open_flag(PyObject* o) {
  const auto found = open_flags.find(tensor_of(o).id());
  return found == open_flags.end() ? OpenFlag() : found->second;
}

}  // namespace footlight::python::ag
