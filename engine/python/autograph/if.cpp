// Conditions: Python ones run one branch, tensor ones stage both. Also and, or, not and conditional expressions.
#include "engine/base/text.h"
#include "engine/python/autograph/hooks.h"
#include "engine/python/autograph/lists.h"
#include "engine/python/autograph/strict.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/nest.h"
#include "engine/trace/control_flow.h"

#include <optional>

namespace footlight::python::ag {

namespace {

trace::GraphBuilder& graph() {
  trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
  if (!builder) fail(ErrorKind::kRuntime, "a tf.init_scope() that was entered inside a staged statement was not left");
  return *builder;
}

// A Python value as a new node in the graph being built.
Tensor constant(PyObject* value) { return graph().as_own(as_tensor(value)); }

const char* kind_of(PyObject* o) { return o == Py_None ? "None" : Py_TYPE(o)->tp_name; }

// Describes how the structures of two values differ; empty if they do not.
std::optional<std::string> other_structure(const Leaves& a, const Leaves& b) {
  try {
    if (a.values.size() == b.values.size() && !is_nested(a.structure.get()) && !is_nested(b.structure.get())) return {};
    nest_assert_same(a.structure.get(), b.structure.get(), true);
    return {};
  } catch (const Error& error) {
    return error.message();
  } catch (const PythonErrorSet&) {
    return take_message();
  }
}

// The values of all symbols after one branch.
using Values = std::vector<Leaves>;

Values values_of(const State& state, size_t outputs) {
  Values values;
  for (size_t i = 0; i < outputs; ++i) values.push_back(flatten(state.get(i)));
  return values;
}

// Merges the values of the symbols after both branches, or throws an error that names symbol and branch.
class Merge {
 public:
  Merge(const State& state, size_t outputs, const std::vector<Ref>& before, bool guard)
      : state_(state), outputs_(outputs), before_(before), guard_(guard) {}

  Values body, orelse;
  Ref body_raised, orelse_raised;  // the exceptions; no values are needed after one

  // Leaves of the first branch that become tensors. Undefined values and Python objects are handled in the second.
  std::vector<Tensor> first() {
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < outputs_; ++i)
      for (const Ref& leaf : body[i].values)
        if (becomes_tensor(leaf.get())) tensors.push_back(as_tensor(leaf.get()));
    return tensors;
  }

  std::vector<Tensor> second() {
    for (size_t i = 0; i < outputs_; ++i) check(i);
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < outputs_; ++i)
      for (const Ref& leaf : orelse[i].values)
        if (becomes_tensor(leaf.get())) tensors.push_back(as_tensor(leaf.get()));
    return tensors;
  }

  // A branch that returned needs no other values, one that did not needs no returned value: do_return guards
  // what follows.
  bool may_lack(const Values& branch, size_t symbol) const {
    if (&branch == &body ? body_raised : orelse_raised) return true;
    if (state_.is_return_value(symbol)) return !refuses_missing_return();
    if (state_.is_late(symbol) && guard_) return true;  // each way around the guarded statements has bound it, or loops
    for (size_t i = 0; i < outputs_; ++i) {
      if (!branch[i].defined()) continue;
      PyObject* flag = branch[i].structure.get();
      if (state_.is_return_flag(i) && known_true(flag)) return true;
      // This branch does not leave the loop: the loop's else is still to come.
      if (state_.is_late(symbol) && state_.is_break_flag(i) && flag == before_[i].get()) return true;
    }
    return false;
  }

  // Zeros in place of the other branch's value; they are never used.
  static void fill(Leaves& missing, const Leaves& like) {
    missing.structure = like.structure;
    for (const Ref& leaf : like.values) {
      if (!becomes_tensor(leaf.get())) {
        missing.values.push_back(leaf);
        continue;
      }
      const Tensor tensor = as_tensor(leaf.get());
      missing.values.push_back(Ref::steal(wrap(zeros_like(tensor.dtype(), tensor.shape()))));
    }
  }

 private:
  void check(size_t i) {
    Leaves &a = body[i], &b = orelse[i];
    const bool neither = !a.defined() && !b.defined();
    if (neither && (!refuses_missing_in_both() || state_.is_late(i) || body_raised || orelse_raised)) return;
    if (!a.defined() || !b.defined()) {
      if (a.defined() && may_lack(orelse, i)) {
        fill(b, a);
        return;
      }
      const char* branch = a.defined() ? "else" : "main";
      if (state_.is_return_value(i))
        fail(ErrorKind::kValue, "the ", branch,
             " branch must also have a return statement: the condition is a tensor, so both branches become part of "
             "the graph and both must return");
      fail(ErrorKind::kValue, "'", state_.name(i), "' must also be initialized in the ", branch,
           " branch: the condition is a tensor, so both branches become part of the graph; give '", state_.name(i),
           "' a value before the if or in both branches");
    }
    check_structure(i, a, b);
    for (size_t k = 0; k < a.values.size(); ++k) check_leaf(i, a.values[k].get(), b.values[k].get());
  }

  void check_structure(size_t i, const Leaves& a, const Leaves& b) {
    if (const auto why = other_structure(a, b))
      fail(ErrorKind::kType, state_.shown(i),
           " must have the same nested structure in the main and else branches of a condition "
           "on a tensor: ",
           describe(a), " against ", describe(b), why->empty() ? "" : "; ", *why);
  }

  static std::string describe(const Leaves& value) { return repr_of(value.structure.get()); }

  void check_leaf(size_t i, PyObject* a, PyObject* b) {
    const bool tensor_a = becomes_tensor(a), tensor_b = becomes_tensor(b);
    if (a == Py_None && b == Py_None && !is_nested(body[i].structure.get()))
      fail(ErrorKind::kValue, state_.shown(i),
           " is None at the end of the main branch, and of the else branch; what a condition on a tensor sets must "
           "be a tensor");
    if (!tensor_a && !tensor_b) {
      if (a == b) return;
      const int same = PyObject_RichCompareBool(a, b, Py_EQ);
      if (same < 0) clear_only(PyExc_Exception);
      if (same > 0) return;
      fail(ErrorKind::kType, state_.shown(i), " is a Python object of type ", kind_of(a),
           " in the main branch and one of type ", kind_of(b),
           " in the else branch of a condition on a tensor: only tensors can be chosen when the graph runs");
    }
    if (tensor_a != tensor_b) {
      PyObject* odd = tensor_a ? b : a;
      if (odd == Py_None)
        fail(ErrorKind::kValue, state_.shown(i), " is None at the end of the ", tensor_a ? "else" : "main",
             " branch and ", kind_of(tensor_a ? a : b),
             " in the other; the condition is a tensor, so both must be tensors");
      fail(ErrorKind::kValue, state_.shown(i), " is ", kind_of(odd), " in the ", tensor_a ? "else" : "main",
           " branch and ", tensor_a ? kind_of(a) : kind_of(b),
           " in the other; the condition is a tensor, so both must be tensors");
    }
    // Python values become tensors here, in the second branch, as TensorFlow's graphs show.
    const Tensor ta = is_tensor_like(a) ? as_tensor(a) : constant(a);
    const Tensor tb = is_tensor_like(b) ? as_tensor(b) : constant(b);
    if (ta.dtype() != tb.dtype())
      fail(ErrorKind::kType, state_.shown(i), " has dtype ", name_of(ta.dtype()), " in the main branch, but dtype ",
           name_of(tb.dtype()), " in the else branch; make them one dtype, for example with tf.cast");
  }

  const State& state_;
  size_t outputs_;
  const std::vector<Ref>& before_;
  const bool guard_;
};

}  // namespace

void staged_if(const Tensor& condition, PyObject* body, PyObject* orelse, const State& state, size_t outputs,
               bool guard) {
  const std::vector<Ref> before = state.get_all();
  Merge merge(state, outputs, before, guard);
  auto run = [&](PyObject* branch, Values& values, Ref& raised) {
    state.set_all(before);
    copy_lists(state, before);
    if (branch && branch != Py_None) raised = raised_by([&] { call(branch); });
    restore_lists(state, before);
    values = raised ? Values(outputs) : values_of(state, outputs);
  };
  // A list that one branch appends to has a length that is known only when the graph runs, in both.
  auto grow = [&](Values& own, const std::function<void(Values&)>& see_other) {
    Values other;
    for (size_t i = 0; i < outputs; ++i) {
      if (!state.is_list(i) || !own[i].defined() || !PyList_CheckExact(own[i].structure.get())) continue;
      PyObject* const list = own[i].structure.get();
      if (other.empty()) see_other(other);
      if (!other[i].defined()) continue;
      PyObject* const theirs = other[i].structure.get();
      const bool same = PyList_CheckExact(theirs) && PyList_GET_SIZE(theirs) == PyList_GET_SIZE(list);
      if (same || !(PyList_CheckExact(theirs) || is_grown(theirs))) continue;
      ElementType type = element_type(list);
      if (type.dtype == DType::kInvalid) type = element_type(theirs);
      own[i] = flatten(as_grown(list, type));
    }
  };
  std::vector<Tensor> results;
  try {
    results = trace::build_cond(
        condition,
        [&] {
          run(body, merge.body, merge.body_raised);
          grow(merge.body, [&](Values& other) {
            Ref raised;
            trace::in_scratch_graph([&] { run(orelse, other, raised); });
          });
          for (size_t i = 0; i < outputs; ++i) {
            if (merge.body[i].defined() || !merge.may_lack(merge.body, i)) continue;
            // Only the other branch defines it: get its type there.
            Values other;
            Ref raised;
            trace::in_scratch_graph([&] { run(orelse, other, raised); });
            if (other[i].defined()) Merge::fill(merge.body[i], other[i]);
          }
          return merge.first();
        },
        [&] {
          run(orelse, merge.orelse, merge.orelse_raised);
          grow(merge.orelse, [&](Values& other) { other = merge.body; });
          return merge.second();
        });
  } catch (...) {
    state.put_back(before);
    throw;
  }
  if (merge.body_raised && merge.orelse_raised) {
    state.put_back(before);
    end_block(merge.body_raised);
  }
  size_t next = 0;
  std::vector<Ref> after = before;
  for (size_t i = 0; i < outputs; ++i) {
    std::vector<Ref> leaves;
    for (size_t k = 0; k < merge.body[i].values.size(); ++k) {
      const Ref& leaf = merge.body[i].values[k];
      if (!becomes_tensor(leaf.get())) {
        leaves.push_back(leaf);
        continue;
      }
      const Tensor& result = results[next++];
      if (state.is_return_flag(i)) {
        PyObject* other = merge.orelse[i].values[k].get();
        const bool unchanged = guard && other == before[i].get();
        const bool yes = merge.body_raised || known_true(leaf.get());
        if (yes && (merge.orelse_raised || known_true(other) || unchanged)) note_known_true(result);
        else note_open_flag(result, {current_line().line, yes ? "else" : "main"});
      }
      leaves.push_back(Ref::steal(wrap(result)));
    }
    after[i] = pack(merge.body[i], leaves);
  }
  state.set_all(after);
}

// Tells the recording which branch the `if` of the current line takes.
static void note_decision(bool yes) {
  if (!autograph_hooks.decided || !recording_structure() || !trace::tracing()) return;
  const UserLine at = current_line();
  autograph_hooks.decided(at.file, at.line, yes);
}

// decided(test): of an `if` that stays Python's
PyObject* decided(PyObject*, PyObject* test) {
  return guarded([&] {
    note_decision(is_true(test));
    return Py_NewRef(test);
  });
}

static void record_python(const char* kind, bool yes) {
  record(kind, "python",
         yes ? "the condition was True in Python while tracing" : "the condition was False in Python while tracing");
}

void run_if(PyObject* condition, PyObject* body, PyObject* orelse, size_t outputs, bool guard, const MakeState& make) {
  if (is_tensor_like(condition) && trace::tracing()) {
    const Tensor pred = condition_tensor(condition, "if statement");
    if (!guard) record("if", "staged", "the condition is a tensor: both branches are in the graph");
    note_decision(true);
    note_decision(false);
    const State state = make();
    staged_if(pred, body, orelse, state, std::min(outputs, state.size()), guard);
    return;
  }
  const bool yes = condition == Py_True || (condition != Py_False && is_true(condition));
  if (!guard) record_python("if", yes), note_decision(yes);
  PyObject* branch = yes ? body : orelse;
  if (branch != Py_None) call(branch);
}

// if_stmt(condition, body, orelse or None, names, outputs[, True for a guard])
PyObject* if_stmt(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    run_if(args[0], args[1], args[2], static_cast<size_t>(PyLong_AsSize_t(args[4])), count > 5,
           [&] { return State(args[3], {args[1], args[2]}); });
    Py_RETURN_NONE;
  });
}

Ref staged_choice(const Tensor& condition, const std::function<Ref()>& yes, const std::function<Ref()>& no,
                  const std::string& what) {
  Leaves a, b;
  Ref a_raised, b_raised;
  auto run = [](const std::function<Ref()>& side, Leaves& leaves) {
    return raised_by([&] { leaves = flatten(side()); });
  };
  auto tensors = [](const Leaves& leaves) {
    std::vector<Tensor> all;
    for (const Ref& leaf : leaves.values)
      if (becomes_tensor(leaf.get())) all.push_back(as_tensor(leaf.get()));
    return all;
  };
  const std::vector<Tensor> results = trace::build_cond(
      condition,
      [&] {
        a_raised = run(yes, a);
        if (a_raised) {
          Leaves other;
          trace::in_scratch_graph([&] { run(no, other); });
          Merge::fill(a, other);
        }
        return tensors(a);
      },
      [&] {
        b_raised = run(no, b);
        if (b_raised) Merge::fill(b, a);
        if (const auto why = b_raised ? std::nullopt : other_structure(a, b))
          fail(ErrorKind::kType, what, " must have the same nested structure in the main and else branches, since the ",
               "condition is a tensor", why->empty() ? "" : "; ", *why);
        for (size_t k = 0; k < a.values.size(); ++k) {
          PyObject *x = a.values[k].get(), *y = b.values[k].get();
          if (becomes_tensor(x) != becomes_tensor(y) || (!becomes_tensor(x) && x != y))
            fail(x == Py_None || y == Py_None ? ErrorKind::kValue : ErrorKind::kType, what,
                 x == Py_None   ? " is None at the end of the main branch"
                 : y == Py_None ? " is None at the end of the else branch"
                                : " is not a tensor in both branches",
                 ": the two must be tensors, since the condition is a tensor; they are ", kind_of(x), " and ",
                 kind_of(y));
          if (!becomes_tensor(x)) continue;
          const DType dx = as_tensor(x).dtype(), dy = as_tensor(y).dtype();
          if (dx != dy)
            fail(ErrorKind::kType, what, " has dtype ", name_of(dx), " in the main branch, but dtype ", name_of(dy),
                 " in the else branch; make them one dtype, for example with tf.cast");
        }
        return tensors(b);
      });
  if (a_raised && b_raised) end_block(a_raised);
  size_t next = 0;
  std::vector<Ref> leaves;
  for (const Ref& leaf : a.values)
    leaves.push_back(becomes_tensor(leaf.get()) ? Ref::steal(wrap(results[next++])) : leaf);
  return pack(a, leaves);
}

// if_exp(condition, lambda: a, lambda: b, 'condition')
PyObject* if_exp(PyObject*, PyObject* const* args, Py_ssize_t) {
  return guarded([&]() -> PyObject* {
    if (is_tensor_like(args[0]) && trace::tracing()) {
      const Tensor pred = condition_tensor(args[0], "conditional expression");
      record("if expression", "staged", "the condition is a tensor: both sides are in the graph");
      return staged_choice(
                 pred, [&] { return call(args[1]); }, [&] { return call(args[2]); },
                 str("'", utf8(args[3]), "'"))
          .release();
    }
    const bool yes = is_true(args[0]);
    record_python("if expression", yes);
    return call(yes ? args[1] : args[2]).release();
  });
}

namespace {

// One step of `left and right()`; a tensor on the left stages the right side, which must be a bool tensor too.
Ref both(const Ref& left, PyObject* right, bool is_and) {
  if (is_tensor_like(left.get()) && trace::tracing()) {
    const char* what = is_and ? "`and`" : "`or`";
    const Tensor pred = condition_tensor(left.get(), what);
    record(is_and ? "and" : "or", "staged", "the left side is a tensor");
    const std::function<Ref()> same = [&] { return Ref::steal(wrap(pred)); };
    const std::function<Ref()> other = [&] { return call(right); };
    return staged_choice(pred, is_and ? other : same, is_and ? same : other, what);
  }
  return is_true(left.get()) == is_and ? call(right) : left;
}

PyObject* chain(PyObject* const* args, Py_ssize_t count, bool is_and) {
  return guarded([&]() -> PyObject* {
    Ref value = Ref::borrow(args[0]);
    for (Py_ssize_t i = 1; i < count; ++i) value = both(value, args[i], is_and);
    return value.release();
  });
}

}  // namespace

PyObject* and_(PyObject*, PyObject* const* args, Py_ssize_t count) { return chain(args, count, true); }
PyObject* or_(PyObject*, PyObject* const* args, Py_ssize_t count) { return chain(args, count, false); }

PyObject* not_(PyObject*, PyObject* value) {
  return guarded([&]() -> PyObject* {
    if (is_tensor_like(value)) return wrap(apply("LogicalNot"_op, {as_tensor(value)}));
    return PyBool_FromLong(!is_true(value));
  });
}

// ret(retval_, do_return): what the function returns.
PyObject* ret(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    if (args[0] == undefined_return()) Py_RETURN_NONE;
    PyObject* flag = count > 1 ? args[1] : Py_True;
    if (is_tensor(flag) && tensor_of(flag).is_symbolic() && !known_true(flag)) {
      const OpenFlag open = open_flag(flag);
      if (!open.line)
        fail(ErrorKind::kNotImplemented, "a return statement cannot be placed inside this TensorFlow loop unless the "
             "function also returns a value after it: nothing says what it returns when the loop ends without one");
      fail(ErrorKind::kValue, "the ", open.branch,
           " branch must also have a return statement: this function returns a value under a condition that is a "
           "tensor (line ", open.line, "), but not on every path; return one there, or at the end of the function");
    }
    return Py_NewRef(args[0]);
  });
}

}  // namespace footlight::python::ag
