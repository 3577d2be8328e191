// Compares functions by what they are made of, without running any code of the program's.
#include "engine/python/calls/function_number.h"

#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"

#include <bit>
#include <unordered_map>

namespace footlight::python {
namespace {

constexpr int kDeepest = 8;  // functions that close over functions

// The functions that have a number and live, by what two that are the same have in common.
auto& numbered() {
  static auto& all = *new std::unordered_multimap<PyObject*, std::pair<PyObject*, uint64_t>>;
  return all;
}

// The code of a function or method, which all that one `def` makes share; anything else is known by itself.
PyObject* common_part(PyObject* function) {
  if (PyMethod_Check(function)) function = PyMethod_GET_FUNCTION(function);
  return PyFunction_Check(function) ? PyFunction_GET_CODE(function) : function;
}

bool is_plain_value(PyObject* o) {
  return PyLong_CheckExact(o) || PyUnicode_CheckExact(o) || PyBytes_CheckExact(o);
}

bool are_same(PyObject* a, PyObject* b, int depth);

bool are_same_tuples(PyObject* a, PyObject* b, int depth) {
  if (a == b) return true;
  if (!a || !b || !PyTuple_CheckExact(a) || !PyTuple_CheckExact(b)) return false;
  if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i)
    if (!are_same(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i), depth)) return false;
  return true;
}

// The same object, equal numbers or texts, or functions of one `def` over the same values.
bool are_same(PyObject* a, PyObject* b, int depth) {
  if (a == b) return true;
  if (!a || !b || Py_TYPE(a) != Py_TYPE(b) || depth > kDeepest) return false;
  if (PyFloat_CheckExact(a))  // 0.0 and -0.0 are equal, and give other results
    return std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(a)) == std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(b));
  if (is_plain_value(a)) return are_equal(a, b);
  if (PyTuple_CheckExact(a)) return are_same_tuples(a, b, depth + 1);
  if (PyCell_Check(a)) return are_same(PyCell_GET(a), PyCell_GET(b), depth + 1);
  if (PyMethod_Check(a))
    return PyMethod_GET_SELF(a) == PyMethod_GET_SELF(b) &&
           are_same(PyMethod_GET_FUNCTION(a), PyMethod_GET_FUNCTION(b), depth + 1);
  if (!PyFunction_Check(a)) return false;
  return PyFunction_GET_CODE(a) == PyFunction_GET_CODE(b) && PyFunction_GET_GLOBALS(a) == PyFunction_GET_GLOBALS(b) &&
         are_same_tuples(PyFunction_GET_CLOSURE(a), PyFunction_GET_CLOSURE(b), depth + 1) &&
         are_same_tuples(PyFunction_GET_DEFAULTS(a), PyFunction_GET_DEFAULTS(b), depth + 1) &&
         !PyFunction_GET_KW_DEFAULTS(a) && !PyFunction_GET_KW_DEFAULTS(b);
}

// tf.py_function puts its function into a wrapper of the package's, a new one in each call; the wrapper keeps the
// function alive.
PyObject* inside_own_wrapper(PyObject* function) {
  if (!std::string_view(Py_TYPE(function)->tp_name).starts_with("footlight.")) return function;
  const Ref inside = optional_attribute(function, "__wrapped__");
  return inside ? inside.get() : function;
}

std::string name_of(PyObject* function) {
  std::string name;
  quietly([&] {
    const Ref given = optional_attribute(function, "__qualname__");
    if (given && PyUnicode_Check(given.get())) name = readable(given.get());
  });
  return name.empty() ? Py_TYPE(function)->tp_name : name;
}

}  // namespace

std::string FunctionNumber::text(PyObject* function) {
  if (!Py_IsInitialized() || !PyGILState_Check()) return {};
  function = inside_own_wrapper(function);
  if (!number_) {
    static uint64_t last = 0;
    const auto [begin, end] = numbered().equal_range(common_part(function));
    for (auto at = begin; at != end && !number_; ++at)
      if (are_same(function, at->second.first, 0)) number_ = at->second.second;
    if (!number_) number_ = ++last;
    function_ = function;
    part_ = common_part(function);
    numbered().emplace(part_, std::pair(function, number_));
  }
  return name_of(function) + " #" + std::to_string(number_);
}

void FunctionNumber::forget() {
  if (!number_) return;
  auto [at, end] = numbered().equal_range(part_);
  for (; at != end; ++at) {
    if (at->second.first != function_) continue;
    numbered().erase(at);
    break;
  }
  number_ = 0;
}

}  // namespace footlight::python
