// Loops: Python loops run (and so unroll into the graph); those with a tensor condition or over a tensor are staged.
#include "engine/ops/builder.h"
#include "engine/python/autograph/lists.h"
#include "engine/python/autograph/sequences.h"
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

trace::GraphBuilder& graph() {
  trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
  if (!builder) fail(ErrorKind::kRuntime, "a tf.init_scope() that was entered inside a staged statement was not left");
  return *builder;
}

struct LoopOptions {
  int64_t maximum_iterations = -1;
  int64_t parallel_iterations = 10;
  std::vector<std::pair<Ref, Shape>> invariants;
};

LoopOptions options_of(PyObject* dict) {
  LoopOptions options;
  if (!dict || !PyDict_Check(dict)) return options;
  auto number = [&](const char* key, int64_t& out) {
    PyObject* value = find_item(dict, key);
    if (!value || value == Py_None) return;
    const Ref index = Ref::steal(PyNumber_Index(value));
    if (!index) throw PythonErrorSet();
    out = PyLong_AsLongLong(index.get());
    if (out == -1 && PyErr_Occurred()) throw PythonErrorSet();
  };
  number("maximum_iterations", options.maximum_iterations);
  number("parallel_iterations", options.parallel_iterations);
  if (PyObject* list = find_item(dict, "shape_invariants"); list && list != Py_None) {
    for (PyObject* pair : Items(list, "shape_invariants must be a list of (variable, shape) pairs")) {
      if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2)
        fail(ErrorKind::kValue, "shape_invariants must be a list of (variable, shape) pairs");
      options.invariants.emplace_back(Ref::borrow(PyTuple_GET_ITEM(pair, 0)),
                                      shape_from_object(PyTuple_GET_ITEM(pair, 1)));
    }
  }
  return options;
}

// A staged loop over the state, with some tensors of its own in front (a counter).
class StagedLoop {
 public:
  using Test = std::function<Tensor(std::span<const Tensor>)>;              // with the state set
  using Step = std::function<std::vector<Tensor>(std::span<const Tensor>)>;  // runs the body; next values of
                                                                             // its own tensors

  StagedLoop(const State& state, LoopOptions options) : state_(state), options_(std::move(options)) {}

  // `iterates`: known to run at least once.
  void run(std::vector<Tensor> own, const Test& test, const Step& step, bool iterates = false) {
    before_ = state_.get_all();
    for (const Ref& value : before_) entry_.push_back(flatten(value));
    own_ = own.size();
    try {
      learn(own, step);
      if (!iterates) assert_iterates(own, test);
      if (!none_.empty()) peel(own, step);
      stage(std::move(own), test, step);
    } catch (...) {
      state_.put_back(before_);
      throw;
    }
  }

 private:
  bool may_grow(size_t i) const {
    return state_.is_list(i) && before_[i] && PyList_CheckExact(before_[i].get());
  }

  static bool incomplete(const Leaves& leaves) {
    if (!leaves.defined()) return true;
    for (const Ref& leaf : leaves.values)
      if (!becomes_tensor(leaf.get())) return true;
    return false;
  }

  // For variables without a value, or that are not tensors: runs the body once in a scratch graph to see their types.
  void learn(const std::vector<Tensor>& own, const Step& step) {
    bool any = false;
    for (size_t i = 0; i < entry_.size(); ++i) any |= incomplete(entry_[i]) || may_grow(i);
    if (!any) return;
    std::vector<Leaves> exit;
    const auto look = [&](bool grown) {
      // Not the counter's first value: an empty tensor has no first element.
      std::vector<Tensor> unknown;
      for (const Tensor& t : own) unknown.push_back(graph().parameter(t.dtype(), t.shape(), "counter", {}));
      std::vector<Ref> values;
      for (const Leaves& leaves : entry_) {
        std::vector<Ref> parts;
        for (const Ref& leaf : leaves.values)
          parts.push_back(becomes_tensor(leaf.get()) ? Ref::steal(wrap(graph().as_own(as_tensor(leaf.get())))) : leaf);
        values.push_back(leaves.defined() ? pack(leaves, parts) : Ref());
      }
      if (grown)
        for (size_t i = 0; i < values.size(); ++i)
          if (may_grow(i) && PyList_GET_SIZE(values[i].get()) > 0)
            values[i] = as_grown(values[i].get(), element_type(values[i].get()));
      state_.set_all(values);
      copy_lists(state_, values);
      try {
        if (raised_by([&] { step(unknown); })) state_.set_all(values);
      } catch (const PythonErrorSet&) {
        explain_undefined();
        throw;
      }
      for (size_t i = 0; i < state_.size(); ++i) exit.push_back(flatten(state_.get(i)));
    };
    try {
      trace::in_scratch_graph([&] { look(false); });
    } catch (const PythonErrorSet&) {
      // A list of Python's cannot be read at an index that is a tensor; one that grows can.
      bool read = false;
      for (size_t i = 0; i < before_.size(); ++i) read |= may_grow(i) && PyList_GET_SIZE(before_[i].get()) > 0;
      if (!read || !cleared_if(PyExc_TypeError)) throw;
      state_.set_all(before_);
      trace::in_scratch_graph([&] { look(true); });
    }
    state_.set_all(before_);
    for (size_t i = 0; i < state_.size(); ++i) {
      if (may_grow(i) && exit[i].defined() && grows(i, exit[i].structure.get())) continue;
      if (!incomplete(entry_[i])) continue;
      if (!entry_[i].defined()) {
        if (!exit[i].defined()) continue;
        start_with_zeros(i, exit[i]);
        continue;
      }
      if (exit[i].defined() && entry_[i].structure.get() == Py_None && exit[i].structure.get() != Py_None &&
          !incomplete(exit[i]))
        none_.push_back(i);
      else check_objects(i, exit[i]);
    }
  }

  // A list that the body appends to is one of unknown length from the start.
  bool grows(size_t i, PyObject* after) {
    PyObject* const list = before_[i].get();
    const bool longer = PyList_CheckExact(after) && PyList_GET_SIZE(after) > PyList_GET_SIZE(list);
    if (!longer && !is_grown(after)) return false;
    const ElementType type = element_type(after);
    entry_[i] = flatten(as_grown(list, type));
    Shape shape{kUnknownDim};
    if (type.shape.has_rank())
      for (int k = 0; k < type.shape.rank(); ++k) shape.append(type.shape[k]);
    options_.invariants.emplace_back(entry_[i].values[0], type.shape.has_rank() ? shape : Shape::unknown_rank());
    return true;
  }

  // A variable that is None before the loop is a tensor from the second iteration on, so the first one is apart.
  void peel(std::vector<Tensor>& own, const Step& step) {
    state_.set_all(before_);
    own = step(own);
    for (size_t i = 0; i < state_.size(); ++i) {
      Leaves now = flatten(state_.get(i));
      if (!now.defined()) continue;
      // What was said of the value before is said of this one.
      for (auto& [value, shape] : options_.invariants)
        for (size_t k = 0; k < entry_[i].values.size() && k < now.values.size(); ++k)
          if (value.get() == entry_[i].values[k].get()) value = now.values[k];
      entry_[i] = std::move(now);
    }
  }

  // A variable that has no value before the loop gets one in its first iteration, so there has to be one. (What the
  // function returns is read only if it has returned.)
  void assert_iterates(const std::vector<Tensor>& own, const Test& test) {
    std::vector<size_t> without(none_);
    std::vector<Ref> values;
    for (size_t i = 0; i < entry_.size(); ++i) {
      values.push_back(entry_[i].defined() ? pack(entry_[i], entry_[i].values) : Ref());
      if (!before_[i] && entry_[i].defined() && !state_.is_return_value(i) && !state_.is_late(i)) without.push_back(i);
    }
    if (without.empty()) return;
    static const Op op{"Assert"};
    static const AttrName kSummarize{"summarize"};
    state_.set_all(values);
    const Tensor holds = test(own);
    std::string names;
    for (size_t i : without)  // `while (y := f(x)) > 0` has given y a value
      if (state_.get(i).get() == values[i].get()) names += (names.empty() ? "" : ", ") + state_.name(i);
    if (names.empty()) return;
    names = "loop must iterate at least once to initialize " + names;
    const Tensor inputs[] = {holds, Tensor::string(std::move(names)).as_constant()};
    apply_all(op.row(), inputs, {{kSummarize, int64_t{3}}});
  }

  // A NameError for a loop variable: it is read before the loop has assigned it.
  void explain_undefined() {
    if (!PyErr_ExceptionMatches(PyExc_NameError)) return;
    Ref error = take_exception();
    const Ref name = optional_attribute(error.get(), "name");
    const bool named = name && PyUnicode_Check(name.get());
    const std::string text = named ? readable(name.get()) : str_of(error.get());
    for (size_t i = 0; i < state_.size(); ++i) {
      if (entry_[i].defined()) continue;
      if (named ? state_.name(i) == text : text.find("'" + state_.name(i) + "'") != std::string::npos)
        fail(ErrorKind::kValue, "'", state_.name(i),
             "' must be defined before the loop: its first iteration reads it");
    }
    raise_again(std::move(error));
  }

  void start_with_zeros(size_t i, const Leaves& exit) {
    Leaves start{exit.structure, {}};
    for (const Ref& leaf : exit.values) {
      if (!becomes_tensor(leaf.get())) {
        start.values.push_back(leaf);
        continue;
      }
      const Tensor tensor = as_tensor(leaf.get());
      start.values.push_back(Ref::steal(wrap(zeros_like(tensor.dtype(), tensor.shape()))));
      if (!tensor.shape().has_rank() || !tensor.shape().fully_known())
        options_.invariants.emplace_back(start.values.back(), tensor.shape());
    }
    entry_[i] = std::move(start);
  }

  // Python objects and None may pass through a staged loop, but they cannot change in it.
  void check_objects(size_t i, const Leaves& exit) {
    if (!exit.defined()) return;
    for (size_t k = 0; k < entry_[i].values.size() && k < exit.values.size(); ++k) {
      PyObject *a = entry_[i].values[k].get(), *b = exit.values[k].get();
      if (becomes_tensor(a) || a == b) continue;
      if (a == Py_None)
        fail(ErrorKind::kValue, state_.shown(i), " is not allowed to be None before the loop: after one iteration ",
             "it is ", Py_TYPE(b)->tp_name, "; start it with a tensor of the same dtype and shape");
      fail(ErrorKind::kType, state_.shown(i), " is a Python object of type ", Py_TYPE(a)->tp_name,
           " that the loop replaces: in a staged loop only tensors may change between iterations");
    }
  }

  // Loop variables to symbols.
  void enter(std::span<const Tensor> variables) {
    size_t next = own_;
    std::vector<Ref> values;
    for (const Leaves& leaves : entry_) {
      std::vector<Ref> parts;
      for (const Ref& leaf : leaves.values)
        parts.push_back(becomes_tensor(leaf.get()) ? Ref::steal(wrap(variables[next++])) : leaf);
      values.push_back(leaves.defined() ? pack(leaves, parts) : Ref());
    }
    state_.set_all(values);
  }

  // Symbols after one iteration, checked against their values before it.
  void leave(std::vector<Tensor>& out, std::span<const Tensor> variables) {
    size_t next = own_;
    for (size_t i = 0; i < entry_.size(); ++i) {
      if (!entry_[i].defined()) continue;
      Leaves exit = flatten(state_.get(i));
      if (!exit.defined())
        fail(ErrorKind::kValue, state_.shown(i), " has a value before the loop, but none after one iteration");
      if (exit.values.size() != entry_[i].values.size() ||
          is_nested(exit.structure.get()) != is_nested(entry_[i].structure.get()))
        fail(ErrorKind::kType, state_.shown(i),
             " does not have the same nested structure after one iteration of the loop; collect values "
             "in a tf.TensorArray, whose size may grow");
      for (size_t k = 0; k < exit.values.size(); ++k) {
        PyObject *a = entry_[i].values[k].get(), *b = exit.values[k].get();
        if (!becomes_tensor(a)) {
          if (a != b) check_objects(i, exit);
          continue;
        }
        if (!becomes_tensor(b))
          fail(ErrorKind::kValue, state_.shown(i), b == Py_None ? " is None at the end of the iteration" : " is a ",
               b == Py_None ? "" : Py_TYPE(b)->tp_name, b == Py_None ? "" : " after one iteration",
               ", but a tensor before the loop");
        const DType wanted = variables[next++].dtype();
        const bool number = PyLong_Check(b) && !PyBool_Check(b);
        out.push_back(as_tensor(b, number ? wanted : DType::kInvalid));
      }
    }
  }

  void stage(std::vector<Tensor> own, const Test& test, const Step& step) {
    trace::WhileOptions options;
    options.maximum_iterations = options_.maximum_iterations;
    options.parallel_iterations = options_.parallel_iterations;
    std::vector<Tensor> variables = std::move(own);
    options.symbols.assign(own_, "the loop's own counter");
    options.shape_invariants.resize(own_);
    for (size_t i = 0; i < entry_.size(); ++i) {
      for (const Ref& leaf : entry_[i].values) {
        if (!becomes_tensor(leaf.get())) continue;
        variables.push_back(as_tensor(leaf.get()));
        options.symbols.push_back(state_.name(i));
        options.shape_invariants.emplace_back();
        for (const auto& [value, shape] : options_.invariants)
          if (value.get() == leaf.get()) options.shape_invariants.back() = shape;
      }
    }
    const std::vector<Tensor> results = trace::build_while(
        variables,
        [&](std::span<const Tensor> now) {
          enter(now);
          return test(now.first(own_));
        },
        [&](std::span<const Tensor> now) {
          enter(now);
          std::vector<Tensor> next;
          if (raised_by([&] { next = step(now.first(own_)); })) {
            next.assign(now.begin(), now.begin() + static_cast<ptrdiff_t>(own_));  // what follows never runs
            enter(now);
          }
          leave(next, now);
          return next;
        },
        options);
    enter(results);
  }

  const State& state_;
  LoopOptions options_;
  std::vector<Ref> before_;
  std::vector<Leaves> entry_;
  std::vector<size_t> none_;  // None before the loop, tensors after one iteration
  size_t own_ = 0;
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
    // What a staged test binds belongs to a scratch graph, or to the iteration that the loop runs itself.
    if (is_tensor_like(go_on.get())) state->set_all(before);
  };
  if (trace::tracing()) trace::in_scratch_graph(evaluate);
  else evaluate();
  Unrolling unrolling;
  for (;;) {
    // The condition may become a tensor in any iteration: from then on the loop is staged.
    if (is_tensor_like(go_on.get()) && trace::tracing()) {
      staged_while(*state, test, body, options, binds);
      return;
    }
    if (!truth(go_on.get())) break;
    call(body);
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

const Op kLess{"Less"}, kGreater{"Greater"}, kGreaterEqual{"GreaterEqual"}, kAnd{"LogicalAnd"},
    kOr{"LogicalOr"}, kAdd{"AddV2"};

Tensor input_of(const Tensor& tensor, int index) {
  Graph* g = tensor.graph();
  const Edge edge = g->node(tensor.node()).inputs[static_cast<size_t>(index)];
  const Node& node = g->node(edge.node);
  return Tensor::symbolic(node.dtypes[edge.output], node.shapes[edge.output], g, tensor.body()->graph_owner,
                          edge.node, edge.output);
}

// The condition to continue: the range's, then the loop's extra test.
Tensor with_extra(const Tensor& test, PyObject* extra) {
  if (extra == Py_None) return test;
  const Ref result = staged_choice(
      test, [&] { return call(extra); }, [] { return Ref::borrow(Py_False); }, "the test of a loop");
  return condition_tensor(result.get(), "for loop");
}

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
  loop.run(
      {start},
      [&](std::span<const Tensor> own) {
        const int sign = known_sign(step);
        Tensor test;
        if (sign) {
          test = apply(sign > 0 ? kLess : kGreater, {own[0], limit});
        } else {
          const Tensor zero = zeros_like(step.dtype(), Shape{});
          const Tensor up = apply(kAnd, {apply(kGreaterEqual, {step, zero}), apply(kLess, {own[0], limit})});
          const Tensor down = apply(kAnd, {apply(kLess, {step, zero}), apply(kGreater, {own[0], limit})});
          test = apply(kOr, {up, down});
        }
        return with_extra(test, extra);
      },
      [&](std::span<const Tensor> own) {
        const Ref item = Ref::steal(wrap(own[0]));
        call(body, item.get());
        return std::vector<Tensor>{apply(kAdd, {own[0], step}, {}, "add")};
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
        return std::vector<Tensor>{apply(kAdd, {own[0], Tensor::scalar<int32_t>(1).as_constant()}, {}, "add")};
      },
      iterates);
}

// The body for an item, under a condition on a tensor.
struct Turn {
  PyObject* body;
  const std::function<Ref()>& item;
};
PyObject* run_turn(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const auto* turn = static_cast<Turn*>(PyCapsule_GetPointer(self, nullptr));
    if (!turn) throw PythonErrorSet();
    return PyObject_CallOneArg(turn->body, turn->item().get());
  });
}
PyMethodDef run_turn_method = {"turn", run_turn, METH_NOARGS, nullptr};

void conditional_turn(const Tensor& condition, const std::function<Ref()>& item, PyObject* body, const State& state) {
  Turn turn{body, item};
  const Ref capsule = Ref::steal(PyCapsule_New(&turn, nullptr, nullptr));
  const Ref branch = capsule ? Ref::steal(PyCFunction_New(&run_turn_method, capsule.get())) : Ref();
  if (!branch) throw PythonErrorSet();
  staged_if(condition, branch.get(), Py_None, state, state.size(), true);
}

// A dataset or an iterator over one: the loop's own tensor is the next element, if there is one. After a break none is
// taken, so that the following ones stay in the iterator.
void iterator_loop(PyObject* values, PyObject* extra, PyObject* body, const State& state, PyObject* options) {
  const Ref iterator = checked(PyObject_CallMethod(values, "_staged_iterator", nullptr));
  const auto method = [&](const char* name, PyObject* variant) {
    return checked(PyObject_CallMethod(iterator.get(), name, variant ? "(O)" : nullptr, variant));
  };
  const auto following = [&] { return method("_next_variant", nullptr); };
  StagedLoop loop(state, options_of(options));
  loop.run(
      {as_tensor(following().get())},
      [&](std::span<const Tensor> own) {
        const Ref optional = checked(wrap(own[0]));
        return with_extra(as_tensor(method("_variant_has_value", optional.get()).get()), extra);
      },
      [&](std::span<const Tensor> own) {
        const Ref optional = checked(wrap(own[0]));
        call(body, method("_variant_value", optional.get()).get());
        if (extra == Py_None) return std::vector<Tensor>{as_tensor(following().get())};
        const Ref go_on = call(extra);
        const auto none = [&] { return method("_no_variant", nullptr); };
        Ref next;
        if (is_tensor_like(go_on.get()))
          next = staged_choice(condition_tensor(go_on.get(), "for loop"), following, none, "the next element");
        else next = truth(go_on.get()) ? following() : none();
        return std::vector<Tensor>{as_tensor(next.get())};
      });
}

void python_loop(PyObject* values, PyObject* extra, PyObject* body, const MakeState& make) {
  const Ref iterator = Ref::steal(PyObject_GetIter(values));
  if (!iterator) throw PythonErrorSet();
  Unrolling unrolling;
  for (;;) {
    Ref go_on;
    if (extra != Py_None) {
      go_on = call(extra);
      if (!(is_tensor_like(go_on.get()) && trace::tracing()) && !truth(go_on.get())) break;
    }
    const Ref item = Ref::steal(PyIter_Next(iterator.get()));
    if (!item) {
      if (PyErr_Occurred()) throw PythonErrorSet();
      break;
    }
    if (go_on && is_tensor_like(go_on.get()) && trace::tracing()) {
      // A break or return that depends on a tensor: each further iteration is conditional on it.
      conditional_turn(condition_tensor(go_on.get(), "for loop"), [&] { return item; }, body, make());
    } else {
      call(body, item.get());
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
  if (trace::tracing() && is_dataset_or_iterator(values)) {
    record("for", "staged", "over a dataset: the body is in the graph once");
    return iterator_loop(values, extra, body, make(), options);
  }
  if (!sequence && (!is_tensor_like(values) || !trace::tracing())) return python_loop(values, extra, body, make);
  const State state = make();
  if (sequence) {
    record("for", "staged", "over tensors: the body is in the graph once");
    return elements_loop(*sequence, extra, body, state, options, false);
  }
  const Tensor tensor = as_tensor(values);
  record("for", "staged", "over a tensor: the body is in the graph once");
  const bool here_made = tensor.is_symbolic() && tensor.graph() == graph().graph().get();
  static const Op kRange{"Range"};
  if (here_made && tensor.graph()->node(tensor.node()).op == &kRange.row())
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
