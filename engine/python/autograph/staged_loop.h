// A loop in the graph: its state flattened, its types learnt from a first look at the body, its results put back.
#pragma once

#include "engine/ops/builder.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/lists.h"
#include "engine/python/autograph/sequences.h"
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

// Whether a loop with this condition can only end because the flag is set, as that of `while True` does which AutoGraph
// makes `not flag and True`.
inline bool goes_on_until(const Tensor& condition, PyObject* flag) {
  if (!condition.is_symbolic() || !flag || !is_tensor(flag)) return false;
  if (tensor_of(flag).graph() != condition.graph()) return false;
  const auto source_of = [&](const Graph& graph, Edge edge) {
    while (graph.node(edge.node).op == &"Identity"_op.row()) edge = graph.node(edge.node).inputs[0];
    return edge;
  };
  const Graph& graph = *condition.graph();
  Edge edge = source_of(graph, {condition.node(), condition.output()});
  if (const AttrValue* then = graph.node(edge.node).attrs.find("then_branch"_attr)) {
    const Graph& branch = *std::get<GraphPtr>(*then);
    const Node& result = branch.node(source_of(branch, branch.outputs[edge.output]).node);
    if (result.op != &"Const"_op.row() || !*result.attrs.get<Tensor>("value"_attr).data<bool>()) return false;
    edge = source_of(graph, graph.node(edge.node).inputs[0]);
  }
  const Node& node = graph.node(edge.node);
  const Tensor& of = tensor_of(flag);
  return node.op == &"LogicalNot"_op.row() &&
         source_of(graph, node.inputs[0]) == source_of(graph, {of.node(), of.output()});
}

inline trace::GraphBuilder& loop_graph() {
  trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
  if (!builder) fail(ErrorKind::kRuntime, "a tf.init_scope() that was entered inside a staged statement was not left");
  return *builder;
}

struct LoopOptions {
  int64_t maximum_iterations = -1;
  int64_t parallel_iterations = 10;
  std::vector<std::pair<Ref, Shape>> invariants;
  std::string iterate;  // the variable that a for binds, if it is read after the loop
};

inline LoopOptions options_of(PyObject* dict) {
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
  if (PyObject* name = find_item(dict, "iterate_names"); name && PyUnicode_Check(name))
    options.iterate = readable(name);
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
  using Test = std::function<Tensor(std::span<const Tensor>)>;              // called with the state set
  using Step = std::function<std::vector<Tensor>(std::span<const Tensor>)>;  // runs the body; next values of
                                                                             // its own tensors

  StagedLoop(const State& state, LoopOptions options) : state_(state), options_(std::move(options)) {}

  // Sets the value of the loop's target if there is no iteration, where it would have no value.
  void bind_first(const Tensor& start) { first_ = start; }

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

  // The same for each element of a dataset, which comes in front of the state; false, and nothing done, where the state
  // is not complete before the loop. After a step `goes_on`, if given, is the condition of a loop that may end early.
  bool run_over(const trace::LoopElements& elements, const Step& step, const Tensor* goes_on = nullptr) {
    before_ = state_.get_all();
    for (const Ref& value : before_) entry_.push_back(flatten(value));
    for (size_t i = 0; i < entry_.size(); ++i)
      if (incomplete(entry_[i]) || may_grow(i)) return false;
    own_ = elements.dtypes.size();
    try {
      std::vector<Tensor> variables;
      const trace::WhileOptions options = described(variables);
      const std::vector<Tensor> results = trace::build_reduce(
          elements, variables,
          [&](std::span<const Tensor> now) {
            std::vector<Tensor> next = turn(now, step);
            next.erase(next.begin(), next.begin() + static_cast<ptrdiff_t>(next.size() - variables.size()));
            if (goes_on) next.push_back(*goes_on);
            return next;
          },
          options, goes_on != nullptr);
      std::vector<Tensor> all(own_);
      all.insert(all.end(), results.begin(), results.end());
      enter(all);
    } catch (...) {
      state_.put_back(before_);
      throw;
    }
    return true;
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

  // Runs the body once in a scratch graph to see the types of variables that have no value, or are not tensors.
  void learn(const std::vector<Tensor>& own, const Step& step) {
    bool any = false;
    for (size_t i = 0; i < entry_.size(); ++i) any |= incomplete(entry_[i]) || may_grow(i);
    if (!any) return;
    std::vector<Leaves> exit;
    const auto look = [&](bool grown) {
      // Uses unknown values: an empty tensor has no first element, and shapes must not follow from a counter's start.
      const auto unknown_like = [](const Tensor& t) {
        return apply("Placeholder"_op, {}, {{"dtype"_attr, t.dtype()}, {"shape"_attr, t.shape()}});
      };
      std::vector<Tensor> unknown;
      for (const Tensor& t : own) unknown.push_back(unknown_like(t));
      std::vector<Ref> values;
      for (const Leaves& leaves : entry_) {
        std::vector<Ref> parts;
        for (const Ref& leaf : leaves.values)
          parts.push_back(!becomes_tensor(leaf.get()) ? leaf : checked(wrap(unknown_like(as_tensor(leaf.get())))));
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
      for (size_t i = 0; i < before_.size(); ++i)
        if (state_.is_return_value(i) && !before_[i]) refuse_return_in_loop();
      // A list of Python's cannot be read at an index that is a tensor; one that grows can.
      bool read = false;
      for (size_t i = 0; i < before_.size(); ++i) read |= may_grow(i) && PyList_GET_SIZE(before_[i].get()) > 0;
      if (!read || !cleared_if(PyExc_TypeError)) {
        blame_missing();
        throw;
      }
      state_.set_all(before_);
      trace::in_scratch_graph([&] { look(true); });
    }
    state_.set_all(before_);
    for (size_t i = 0; i < state_.size(); ++i) {
      if (may_grow(i) && exit[i].defined() && grows(i, exit[i].structure.get())) continue;
      if (!incomplete(entry_[i])) continue;
      if (!entry_[i].defined()) {
        if (!exit[i].defined()) continue;
        if (bound_first(i, exit[i])) entry_[i] = flatten(checked(wrap(first_)));
        else start_with_zeros(i, exit[i]);
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
      // The invariants given for the old value hold for this one.
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
      const bool read = state_.is_return_value(i) ? refuses_zero_iterations() : !state_.is_late(i);
      const bool bound = read && bound_first(i, entry_[i]);
      if (!before_[i] && entry_[i].defined() && read && !bound) without.push_back(i);
    }
    if (without.empty()) return;
    state_.set_all(values);
    const Tensor holds = test(own);
    std::string names;
    for (size_t i : without)  // `while (y := f(x)) > 0` has given y a value
      if (state_.get(i).get() == values[i].get())
        names += (names.empty() ? "" : ", ") +
                 (state_.is_return_value(i) ? "the function return value" : state_.name(i));
    if (names.empty()) return;
    names = "loop must iterate at least once to initialize " + names;
    const Tensor inputs[] = {holds, Tensor::string(std::move(names)).as_constant()};
    apply_all("Assert"_op.row(), inputs, {{"summarize"_attr, int64_t{3}}});
  }

  // Whether `error` says that the attribute or item does not exist: "o.sub", "d['key']", "d[k]".
  static bool is_missing(const std::string& symbol, PyObject* error) {
    if (PyErr_GivenExceptionMatches(error, PyExc_AttributeError)) {
      const Ref name = optional_attribute(error, "name");
      // Since Python 3.13 an attribute that cannot be set has its name in the error too.
      return name && PyUnicode_Check(name.get()) && symbol.ends_with("." + readable(name.get())) &&
             str_of(error).find("for setting new attributes") == std::string::npos;
    }
    if (!PyErr_GivenExceptionMatches(error, PyExc_KeyError) || !symbol.ends_with(']')) return false;
    const size_t at = symbol.rfind('[') + 1;
    const Ref args = optional_attribute(error, "args");
    const bool literal = symbol[at] == '\'' || symbol[at] == '"' || (symbol[at] >= '0' && symbol[at] <= '9');
    return !literal || (args && PyTuple_Check(args.get()) && PyTuple_GET_SIZE(args.get()) == 1 &&
                        repr_of(PyTuple_GET_ITEM(args.get(), 0)) == symbol.substr(at, symbol.size() - at - 1));
  }

  // An error for a loop variable that is read before the loop has assigned it.
  void explain_undefined() {
    if (!PyErr_ExceptionMatches(PyExc_NameError) && !PyErr_ExceptionMatches(PyExc_AttributeError) &&
        !PyErr_ExceptionMatches(PyExc_KeyError))
      return;
    Ref error = take_exception();
    const bool is_name = PyErr_GivenExceptionMatches(error.get(), PyExc_NameError);
    const Ref name = optional_attribute(error.get(), "name");
    const bool named = name && PyUnicode_Check(name.get());
    const std::string text = named ? readable(name.get()) : str_of(error.get());
    for (size_t i = 0; i < state_.size(); ++i) {
      if (entry_[i].defined()) continue;
      if (!is_name ? is_missing(state_.name(i), error.get())
                   : named ? state_.name(i) == text : text.find("'" + state_.name(i) + "'") != std::string::npos)
        fail(ErrorKind::kValue, "'", state_.name(i),
             "' must be defined before the loop: its first iteration reads it");
    }
    raise_again(std::move(error));
  }

  // The iteration failed, so the type of a variable without a value before the loop is unknown.
  void blame_missing() {
    PyObject* const kinds[] = {PyExc_ValueError, PyExc_TypeError, PyExc_KeyError, PyExc_UnboundLocalError};
    if (std::ranges::none_of(kinds, [](PyObject* kind) { return PyErr_ExceptionMatches(kind); })) return;
    for (size_t i = 0; i < before_.size(); ++i) {
      if ((before_[i] && before_[i].get() != Py_None) || state_.is_return_value(i) || state_.is_late(i)) continue;
      if (first_ && !before_[i] && options_.iterate == state_.name(i)) continue;  // it starts as the range does
      const Ref error = take_exception();
      fail(ErrorKind::kValue, "'", state_.name(i), before_[i] ? "' is not allowed to be None" : "' must be defined",
           " before the loop: what an iteration makes of it is not known, because one fails ",
           ag_explained(error.get()));
    }
  }

  // A body that gives it another type needs an iteration.
  bool bound_first(size_t i, const Leaves& value) const {
    if (!first_ || options_.iterate != state_.name(i) || value.values.size() != 1) return false;
    PyObject* const leaf = value.values[0].get();
    if (is_nested(value.structure.get()) || !is_tensor_like(leaf)) return false;
    const Tensor tensor = as_tensor(leaf);
    return tensor.dtype() == first_.dtype() && tensor.shape() == first_.shape();
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
      if (!before_[i])
        fail(ErrorKind::kValue, state_.shown(i), " must be defined before the loop: its body tried to define it ",
             "with a value of an unsupported type, a Python object of type ", Py_TYPE(a)->tp_name,
             "; in a staged loop only tensors may get their first values");
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
  void leave(std::vector<Tensor>& out) {
    for (size_t i = 0; i < entry_.size(); ++i) {
      if (!entry_[i].defined()) continue;
      Leaves exit = flatten(state_.get(i));
      if (!exit.defined())
        fail(ErrorKind::kValue, state_.shown(i), " has a value before the loop, but none after one iteration");
      if (exit.values.size() != entry_[i].values.size() ||
          is_nested(exit.structure.get()) != is_nested(entry_[i].structure.get()))
        fail(ErrorKind::kType, state_.shown(i),
             " does not have the same nested structure after one iteration of the loop: ",
             repr_of(pack(entry_[i], entry_[i].values).get()), " before, ", repr_of(state_.get(i).get()),
             " after; collect values in a tf.TensorArray, whose size may grow");
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
        out.push_back(as_tensor(b));
      }
    }
  }

  // What the graph's loop needs to know of the state; `variables` gets its tensors.
  // The shape of a part of a composite tensor whose own shape is `declared`.
  static Shape all_unknown(const Shape& part, const Shape& declared) {
    Shape shape;
    if (!part.has_rank()) return Shape::unknown_rank();
    for (int k = 0; k < part.rank(); ++k) shape.append(declared.has_rank() && k > 0 ? part[k] : kUnknownDim);
    return shape;
  }

  trace::WhileOptions described(std::vector<Tensor>& variables) {
    trace::WhileOptions options;
    options.maximum_iterations = options_.maximum_iterations;
    options.parallel_iterations = options_.parallel_iterations;
    options.symbols.assign(variables.size(), "the loop's own counter");
    options.shape_invariants.resize(variables.size());
    for (size_t i = 0; i < entry_.size(); ++i) {
      for (const Ref& leaf : entry_[i].values) {
        if (!becomes_tensor(leaf.get())) continue;
        variables.push_back(as_tensor(leaf.get()));
        options.symbols.push_back(state_.name(i));
        options.shape_invariants.emplace_back();
        for (const auto& [value, shape] : options_.invariants) {
          if (value.get() == leaf.get()) options.shape_invariants.back() = shape;
          // The tensors of a sparse or ragged one: how many elements it has is never known.
          else if (before_[i] && value.get() == before_[i].get())
            options.shape_invariants.back() = all_unknown(variables.back().shape(), shape);
        }
      }
    }
    return options;
  }

  void stage(std::vector<Tensor> own, const Test& test, const Step& step) {
    std::vector<Tensor> variables = std::move(own);
    const trace::WhileOptions options = described(variables);
    std::vector<size_t> returned;
    const std::vector<Tensor> results = trace::build_while(
        variables,
        [&](std::span<const Tensor> now) {
          enter(now);
          Tensor holds = test(now.first(own_));
          if (options.maximum_iterations < 0)
            for (size_t i = 0; i < state_.size(); ++i)
              if (state_.is_return_flag(i) && goes_on_until(holds, state_.get(i).get())) returned.push_back(i);
          return holds;
        },
        [&](std::span<const Tensor> now) { return turn(now, step); }, options);
    enter(results);
    for (const size_t i : returned) note_known_true(tensor_of(state_.get(i).get()));
  }

  std::vector<Tensor> turn(std::span<const Tensor> now, const Step& step) {
    enter(now);
    std::vector<Tensor> next;
    if (raised_by([&] { next = step(now.first(own_)); })) {
      next.assign(now.begin(), now.begin() + static_cast<ptrdiff_t>(own_));  // the rest never runs
      enter(now);
    }
    leave(next);
    return next;
  }

  const State& state_;
  LoopOptions options_;
  std::vector<Ref> before_;
  std::vector<Leaves> entry_;
  std::vector<size_t> none_;  // variables that are None before the loop and tensors after one iteration
  size_t own_ = 0;
  Tensor first_;
};

}  // namespace footlight::python::ag
