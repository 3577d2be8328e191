// The runtime of converted code: the state that blocks share, and the implementation of if, while, for and calls.
#pragma once

#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/python/types/objects.h"
#include "engine/python/types/user_line.h"

#include <functional>
#include <string>
#include <vector>

namespace footlight::python::ag {

// retval_ before anything was returned. Borrowed.
PyObject* undefined_return();

// The variables that the blocks of one statement share: closure cells, globals, attributes and items ("a.b", "d['k']",
// "a[i]"), found by name in the blocks' own closures. An empty Ref is a variable without a value. The conversion says
// which of them it made itself: ('retval_', 'value') holds what the function returns, ('do_return', 'flag') whether
// it has returned, ('break_', 'break') whether a loop was left; ('y', 'late') gets its value in the else of that loop,
// if it was not left, and ('out', 'list') is a list that is appended to.
class State {
 public:
  State(PyObject* names, std::initializer_list<PyObject*> blocks);
  // For the readable form: get_state() returns the tuple of values, set_state(values) sets them. Objects of the classes
  // Undefined and UndefinedReturnValue stand for variables without a value.
  State(PyObject* names, PyObject* get_state, PyObject* set_state);
  size_t size() const { return symbols_.size(); }
  const std::string& name(size_t i) const { return symbols_[i].text; }
  Ref get(size_t i) const;
  void set(size_t i, const Ref& value) const;
  std::vector<Ref> get_all() const;
  void set_all(const std::vector<Ref>& values) const;
  // Called after a failure: variables that cannot be set stay as they are, and the current exception is kept.
  void put_back(const std::vector<Ref>& values) const;
  bool is_return_value(size_t i) const { return symbols_[i].role == Role::kReturnValue; }
  bool is_return_flag(size_t i) const { return symbols_[i].role == Role::kReturnFlag; }
  bool is_break_flag(size_t i) const { return symbols_[i].role == Role::kBreakFlag; }
  bool is_late(size_t i) const { return symbols_[i].role == Role::kLate; }
  bool is_list(size_t i) const { return symbols_[i].role == Role::kList; }
  // Its name in messages.
  std::string shown(size_t i) const;

 private:
  struct Variable {
    Ref name;
    PyObject* cell = nullptr;     // borrowed
    PyObject* globals = nullptr;  // borrowed; used if cell is null
    Ref get() const;
  };
  struct Step {
    bool item;       // [key], else .key
    Ref key;
    Variable index;  // [index], if key is empty
    Ref value() const { return key ? key : index.get(); }
  };
  enum class Role : uint8_t { kUser, kReturnValue, kReturnFlag, kBreakFlag, kLate, kList };
  struct Symbol {
    std::string text;
    Role role = Role::kUser;
    Variable root;
    std::vector<Step> steps;
  };
  struct Closure {
    Ref free;
    PyObject* cells;
    PyObject* globals;
  };
  static Variable find(std::string_view name, const std::vector<Closure>& closures);
  static void parse(Symbol& symbol, const std::vector<Closure>& closures);
  std::vector<Ref> ask() const;                      // calls get_state
  void tell(const std::vector<Ref>& values) const;   // calls set_state
  // The object that holds the attribute or item of the last step; empty if some part has no value.
  static Ref holder(const Symbol& symbol);
  std::vector<Symbol> symbols_;
  PyObject* get_state_ = nullptr;  // borrowed
  PyObject* set_state_ = nullptr;
};

// A value as its leaves: which are tensors (or become tensors), which stay Python.
struct Leaves {
  Ref structure;              // empty: undefined
  std::vector<Ref> values;
  bool defined() const { return static_cast<bool>(structure); }
};
Leaves flatten(const Ref& value);
Ref pack(const Leaves& like, const std::vector<Ref>& values);

bool is_tensor_like(PyObject*);        // a tensor or a variable
// Whether it has a Python class that is no tensor: a number, text, None, or a container with any contents.
inline bool is_pythons_own(PyObject* o) {
  return PyLong_CheckExact(o) || PyBool_Check(o) || PyFloat_CheckExact(o) || o == Py_None || PyUnicode_CheckExact(o) ||
         PyList_CheckExact(o) || PyTuple_CheckExact(o) || PyDict_CheckExact(o) || Py_IS_TYPE(o, &PyRange_Type) ||
         PyAnySet_CheckExact(o) || PyBytes_CheckExact(o);
}
bool symbolic(PyObject*);              // a tensor of a graph, or a variable, which has no value while tracing
bool becomes_tensor(PyObject*);        // is_tensor_like, a number, a string, an array
Tensor as_tensor(PyObject*, DType hint = DType::kInvalid);
// Checks that a tensor condition is a bool scalar. Throws kValue; `what`: "if statement" etc.
Tensor condition_tensor(PyObject* value, const char* what);
Ref call(PyObject* function);          // throws PythonErrorSet
Ref call(PyObject* function, PyObject* argument);
// Zeros like `like`, as a constant in the graph being built; unknown dims are 0.
Tensor zeros_like(DType, const Shape&);

// Records the decision for the statement on the current line, once per trace, line and fate.
void record(const char* kind, const char* fate, const std::string& note);
// The same for a statement or comprehension that stands elsewhere.
void record_at(const UserLine& place, const char* kind, const char* fate, const std::string& note);

// A flag that is a tensor, but True on every path, so the function always returns.
bool known_true(PyObject*);
void note_known_true(const Tensor&);
// The condition after which such a flag may be False, for the message.
struct OpenFlag {
  int line = 0;                 // 0: it is a loop that may end without returning
  const char* branch = "else";  // the one that does not return
};
void note_open_flag(const Tensor&, OpenFlag);
OpenFlag open_flag(PyObject*);

// Stages the branches as a condition. The first `outputs` symbols of the state are its results; the others keep their
// values. A guard is made by the conversion, around the code after a possible break, continue or return.
void staged_if(const Tensor& condition, PyObject* body, PyObject* orelse, const State& state, size_t outputs,
               bool guard);

// The two sides of an expression with a tensor condition.
Ref staged_choice(const Tensor& condition, const std::function<Ref()>& yes, const std::function<Ref()>& no,
                  const std::string& what);

// Stages a block. An exception under a condition on a tensor, or in a staged loop, is raised when the graph runs:
// `raise ag__.raising(e)` notes it, and where it leaves the block, a node takes its place.
class StagedBlock {
 public:
  StagedBlock();
  ~StagedBlock();
  StagedBlock(const StagedBlock&) = delete;
  StagedBlock& operator=(const StagedBlock&) = delete;
};
// Runs `block`. If it raises such an exception the graph being built raises it from now on, and the result is the
// exception.
Ref raised_by(const std::function<void()>& block);
// Called if both branches of a statement raise: nothing after it runs, so the enclosing block raises too.
[[noreturn]] void end_block(Ref exception);
PyObject* raising(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* depth(PyObject*, PyObject*);
int staged_blocks();  // number of nested blocks being staged
PyObject* asserted(PyObject*, PyObject* const* args, Py_ssize_t count);

// Comprehensions and iterables of tensors.
PyObject* comprehension(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* kept(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* items(PyObject*, PyObject* iterable);
Tensor stacked(const std::vector<Tensor>&);
Tensor chosen(const Tensor& values, const Tensor& conditions);  // tf.boolean_mask

// The statements, whoever brings the state: `make` is called only where one is staged.
using MakeState = std::function<State()>;
void run_if(PyObject* condition, PyObject* body, PyObject* orelse, size_t outputs, bool guard, const MakeState& make);
void run_while(PyObject* test, PyObject* body, PyObject* options, const MakeState& make);
void run_for(PyObject* values, PyObject* extra, PyObject* body, PyObject* options, const MakeState& make);

// Whether the staged form must run: a condition or iterable has to be staged, or its statement recorded.
PyObject* staged(PyObject*, PyObject* value);
PyObject* decided(PyObject*, PyObject* test);
Ref to_stage();  // an object that contains the values to be staged, and is no bool
// Whether these values are Python's own, so that no comparison of them is a tensor.
PyObject* plain(PyObject*, PyObject* const* values, Py_ssize_t count);
// The iterable of a Python loop: while tracing, its iterations are counted.
PyObject* turns(PyObject*, PyObject* values);
PyObject* tracing(PyObject*, PyObject*);
void init_turns();

// out = ag__.append(out, value)
PyObject* append(PyObject*, PyObject* const* args, Py_ssize_t count);

PyObject* if_stmt(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* while_stmt(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* for_stmt(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* converted_call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* if_exp(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* and_(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* or_(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* not_(PyObject*, PyObject* value);
PyObject* ret(PyObject*, PyObject* const* args, Py_ssize_t count);

// Calls a builtin (len, int, range, sum, sorted, ...) in its version for tensors if an argument is one; empty: the
// builtin itself is to be called. `names` are those of the keywords at the end of `args`, or null.
Ref call_tensor_builtin(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names);
// The same outside of a trace, where only some builtins have versions, and only for tensors and datasets themselves.
Ref call_eager_builtin(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names);
void init_builtins();

// The do_not_convert wrapper. New reference.
PyObject* unconverted(PyObject* function);
bool is_unconverted(PyObject*);
void init_unconverted();
void init_runtime();

}  // namespace footlight::python::ag
