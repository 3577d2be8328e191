// Loops: Python loops run (and so unroll into the graph); those with a tensor condition or over a tensor are staged.
#include "engine/ops/builder.h"
#include "engine/python/autograph/lists.h"
#include "engine/python/autograph/datasets.h"
#include "engine/python/autograph/sequences.h"
#include "engine/python/autograph/staged_loop.h"
#include "engine/python/autograph/strict.h"
#include "engine/python/autograph/unrolling.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/nest.h"
#include "engine/python/calls/operators.h"
#include "engine/python/types/shape_object.h"
#include "engine/trace/control_flow.h"

namespace footlight::python::ag {

namespace {

// Outside of a trace: numbers and strings among the variables of a loop on tensors become tensors before the loop and
// after each iteration, as those of a staged loop are.
class TensorState {
 public:
  explicit TensorState(const MakeState& make) : state_(make()) { turn(); }

  void turn() const {
    for (size_t i = 0; i < state_.size(); ++i) {
      if (state_.is_return_value(i) || state_.is_return_flag(i) || state_.is_break_flag(i)) continue;
      const Ref value = state_.get(i);
      PyObject* const o = value.get();
      if (o && (PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) ||
                PyBytes_CheckExact(o)))
        state_.set(i, checked(wrap(to_tensor(o))));
    }
  }

 private:
  State state_;
};

// `binds`: in `while (x := f()) > 0`, the body and the code after the loop see what the test binds.
void staged_while(const State& state, PyObject* test, PyObject* body, PyObject* options, bool binds) {
  record("while", "staged", "the condition is a tensor: the body is in the graph once");
  StagedLoop loop(state, options_of(options));
  loop.run(
      {}, [&](std::span<const Tensor>) { return condition_tensor(call(test).get(), "while loop"); },
      [&](std::span<const Tensor>) {
        if (binds) call(test);
        call(body);
        return std::vector<Tensor>();
      });
  if (binds) call(test);
}

}  // namespace

void run_while(PyObject* test, PyObject* body, PyObject* options, const MakeState& make) {
  Ref go_on;
  bool binds = false;
  std::optional<State> state;
  auto evaluate = [&] {
    if (!trace::tracing()) {
      go_on = call(test);
      return;
    }
    if (!state) state.emplace(make());
    const std::vector<Ref> before = state->get_all();
    go_on = call(test);
    for (size_t i = 0; i < before.size(); ++i) binds |= state->get(i).get() != before[i].get();
    // Variables bound in a staged test belong to a scratch graph, or to the iteration that the loop runs itself.
    if (is_tensor_like(go_on.get())) state->set_all(before);
  };
  if (trace::tracing()) trace::in_scratch_graph(evaluate);
  else evaluate();
  Unrolling unrolling;
  std::optional<TensorState> tensors;
  if (!trace::tracing() && is_tensor_like(go_on.get())) tensors.emplace(make);
  for (bool first = true;; first = false) {
    // The condition may become a tensor in any iteration: from then on the loop is staged.
    if (is_tensor_like(go_on.get()) && trace::tracing()) {
      if (!first) refuse_python_while_that_stages();
      staged_while(*state, test, body, options, binds);
      return;
    }
    if (!is_true(go_on.get())) break;
    call(body);
    if (tensors) tensors->turn();
    unrolling.turn();
    evaluate();
  }
  unrolling.done("while");
}

// while_stmt(test, body, names[, options])
PyObject* while_stmt(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    run_while(args[0], args[1], count > 3 ? args[3] : nullptr, [&] { return State(args[2], {args[1], args[0]}); });
    Py_RETURN_NONE;
  });
}

namespace {

const Op kLess{"Less"};

Tensor input_of(const Tensor& tensor, int index) {
  Graph* g = tensor.graph();
  const Edge edge = g->node(tensor.node()).inputs[static_cast<size_t>(index)];
  const Node& node = g->node(edge.node);
  return Tensor::symbolic(node.dtypes[edge.output], node.shapes[edge.output], g, tensor.body()->graph_owner,
                          edge.node, edge.output);
}

}  // namespace

// The condition to continue: the range's, then the loop's extra test.
Tensor with_extra(const Tensor& test, PyObject* extra) {
  if (extra == Py_None) return test;
  const Ref result = staged_choice(
      test, [&] { return call(extra); }, [] { return Ref::borrow(Py_False); }, "the test of a loop");
  return condition_tensor(result.get(), "for loop");
}

namespace {

// The sign of a range's step if known while tracing: 1, -1, or 0.
int known_sign(const Tensor& step) {
  const Tensor value = known_value(step);
  if (!value) return 0;
  const Ref number = python_value(value);
  const Ref zero = Ref::steal(PyLong_FromLong(0));
  const auto is = [&](int comparison) {
    const int result = PyObject_RichCompareBool(number.get(), zero.get(), comparison);
    if (result < 0) clear_only(PyExc_TypeError);  // complex numbers have no order
    return result > 0;
  };
  return is(Py_GT) ? 1 : is(Py_LT) ? -1 : 0;
}

void range_loop(const Tensor& range, PyObject* extra, PyObject* body, const State& state, PyObject* options) {
  const Tensor start = input_of(range, 0), limit = input_of(range, 1), step = input_of(range, 2);
  StagedLoop loop(state, options_of(options));
  loop.bind_first(start);
  loop.run(
      {start},
      [&](std::span<const Tensor> own) {
        const int sign = known_sign(step);
        Tensor test;
        if (sign) {
          test = apply(sign > 0 ? kLess : "Greater"_op, {own[0], limit});
        } else {
          const Tensor zero = zeros_like(step.dtype(), Shape{});
          const Tensor up =
              apply("LogicalAnd"_op, {apply("GreaterEqual"_op, {step, zero}), apply(kLess, {own[0], limit})});
          const Tensor down =
              apply("LogicalAnd"_op, {apply(kLess, {step, zero}), apply("Greater"_op, {own[0], limit})});
          test = apply("LogicalOr"_op, {up, down});
        }
        return with_extra(test, extra);
      },
      [&](std::span<const Tensor> own) {
        const Ref item = Ref::steal(wrap(own[0]));
        call(body, item.get());
        return std::vector<Tensor>{apply("AddV2"_op, {own[0], step}, {}, "add")};
      });
}

void elements_loop(const Elements& elements, PyObject* extra, PyObject* body, const State& state, PyObject* options,
                   bool iterates) {
  const Tensor first = Tensor::scalar<int32_t>(0).as_constant();
  StagedLoop loop(state, options_of(options));
  loop.run(
      {first},
      [&](std::span<const Tensor> own) { return with_extra(apply(kLess, {own[0], elements.count}), extra); },
      [&](std::span<const Tensor> own) {
        const Ref item = elements.at(own[0]);
        call(body, item.get());
        return std::vector<Tensor>{apply("AddV2"_op, {own[0], Tensor::scalar<int32_t>(1).as_constant()}, {}, "add")};
      },
      iterates);
}

struct Turn {
  PyObject* body;
  PyObject* item;
};
PyObject* run_turn(PyObject* self, PyObject*) {
  const auto* turn = static_cast<Turn*>(PyCapsule_GetPointer(self, nullptr));
  return turn ? PyObject_CallOneArg(turn->body, turn->item) : nullptr;
}
PyMethodDef run_turn_method = {"turn", run_turn, METH_NOARGS, nullptr};

}  // namespace

void staged_turn(const Tensor& condition, PyObject* body, PyObject* item, const State& state) {
  Turn turn{body, item};
  const Ref capsule = Ref::steal(PyCapsule_New(&turn, nullptr, nullptr));
  const Ref branch = capsule ? Ref::steal(PyCFunction_New(&run_turn_method, capsule.get())) : Ref();
  if (!branch) throw PythonErrorSet();
  staged_if(condition, branch.get(), Py_None, state, state.size(), true);
}

namespace {

void python_loop(PyObject* values, PyObject* extra, PyObject* body, const MakeState& make) {
  const Ref iterator = Ref::steal(PyObject_GetIter(values));
  if (!iterator) throw PythonErrorSet();
  Unrolling unrolling;
  std::optional<TensorState> tensors;
  if (!trace::tracing() && (is_tensor_like(values) || is_dataset_or_iterator(values))) tensors.emplace(make);
  for (;;) {
    Ref go_on;
    if (extra != Py_None) {
      go_on = call(extra);
      if (is_tensor_like(go_on.get()) && trace::tracing()) refuse_jump_in_python_for();
      else if (!is_true(go_on.get())) break;
    }
    const Ref item = Ref::steal(PyIter_Next(iterator.get()));
    if (!item) {
      if (PyErr_Occurred()) throw PythonErrorSet();
      break;
    }
    if (go_on && is_tensor_like(go_on.get()) && trace::tracing()) {
      // A break or return that depends on a tensor: each further iteration is conditional on it.
      staged_turn(condition_tensor(go_on.get(), "for loop"), body, item.get(), make());
    } else {
      call(body, item.get());
      if (tensors) tensors->turn();
    }
    unrolling.turn();
  }
  unrolling.done("for");
}

}  // namespace

void run_for(PyObject* values, PyObject* extra, PyObject* body, PyObject* options, const MakeState& make) {
  const Ref grown = is_grown(values) ? checked(wrap(grown_values(values))) : Ref();
  if (grown) values = grown.get();
  const Elements* sequence = wrapped_elements(values);
  std::optional<Elements> rows;
  if (trace::tracing() && is_rows(values)) sequence = &rows.emplace(rows_of(values));
  if (trace::tracing() && is_dataset_or_iterator(values)) {
    record("for", "staged", "over a dataset: the body is in the graph once");
    return dataset_loop(values, extra, body, make(), options);
  }
  if (!sequence && (!is_tensor_like(values) || !trace::tracing())) return python_loop(values, extra, body, make);
  const State state = make();
  if (sequence) {
    record("for", "staged", "over tensors: the body is in the graph once");
    return elements_loop(*sequence, extra, body, state, options, false);
  }
  const Tensor tensor = as_tensor(values);
  if (tensor.shape().has_rank() && tensor.shape().rank() == 0)
    fail(ErrorKind::kValue, "a for loop requires a non-scalar tensor, got one of shape ()");
  record("for", "staged", "over a tensor: the body is in the graph once");
  const bool here_made = tensor.is_symbolic() && tensor.graph() == loop_graph().graph().get();
  if (here_made && tensor.graph()->node(tensor.node()).op == &"Range"_op.row())
    return range_loop(tensor, extra, body, state, options);
  elements_loop(elements_of(checked(wrap(tensor)).get()), extra, body, state, options,
                tensor.shape().has_rank() && tensor.shape()[0] > 0);
}

// for_stmt(values, extra_test or None, body, names[, options])
PyObject* for_stmt(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    run_for(args[0], args[1], args[2], count > 4 ? args[4] : nullptr,
            [&] { return State(args[3], {args[2], args[1]}); });
    Py_RETURN_NONE;
  });
}

}  // namespace footlight::python::ag
