// tf.cond, tf.while_loop, tf.switch_case, tf.case and tf.gradients: staged while tracing, plain Python otherwise.
#include "engine/python/function/tracing/control.h"

#include "engine/base/text.h"
#include "engine/ops/functions.h"
#include "engine/ops/indexed_slices.h"
#include "engine/python/function/call/output.h"
#include "engine/python/function/call/rebuild.h"
#include "engine/python/function/tracing/control_help.h"
#include "engine/python/gradients/tape_arguments.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/slices_object.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/trace/control_flow.h"
#include "engine/trace/derivative.h"

#include <algorithm>

namespace footlight::python {
namespace {

// What `name=` says; null or None (and "", which TensorFlow takes for none): `otherwise`.
std::string given_name(PyObject* name, const char* otherwise) {
  const std::string given = name && PyUnicode_Check(name) ? std::string(utf8(name)) : std::string();
  return given.empty() ? otherwise : given;
}

Ref call(PyObject* function) { return checked(PyObject_CallNoArgs(function)); }

// Whether both are the same structure. The types of what consists of tensors become one that covers both.
bool same_shape_of(OutputTemplate& a, const OutputTemplate& b) {
  if (a.kind != b.kind || a.children.size() != b.children.size()) return false;
  if (a.kind == OutputTemplate::kComposite) {
    a.type = checked(PyObject_CallMethod(a.type.get(), "most_specific_common_supertype", "[O]", b.type.get()));
    if (a.type.get() == Py_None) return false;
  }
  for (size_t i = 0; i < a.children.size(); ++i)
    if (!same_shape_of(a.children[i], b.children[i])) return false;
  return true;
}

// Appends which of the tensors are indices of an IndexedSlices.
void add_row_numbers(const OutputTemplate& out, std::vector<size_t>& all) {
  if (out.kind == OutputTemplate::kNamedTuple && out.type.get() == slices_class() &&
      out.children[1].kind == OutputTemplate::kTensor)
    all.push_back(out.children[1].index);
  for (const OutputTemplate& child : out.children) add_row_numbers(child, all);
}
trace::RowNumbers row_numbers_of(const OutputTemplate& out) {
  return [&out] {
    std::vector<size_t> all;
    add_row_numbers(out, all);
    return all;
  };
}

std::vector<Ref> wrapped(std::span<const Tensor> tensors) {
  std::vector<Ref> all;
  for (const Tensor& t : tensors) all.push_back(checked(wrap(t)));
  return all;
}

using Choice = std::function<Ref()>;

Ref staged_cond(const Tensor& pred, const Choice& yes, const Choice& no, const std::string& name = "cond") {
  OutputTemplate first, second;
  size_t count = 0;
  const std::vector<Tensor> results = trace::build_cond(
      pred,
      [&] {
        std::vector<Tensor> tensors;
        first = take_outputs(yes().get(), tensors);
        count = tensors.size();
        return tensors;
      },
      [&] {
        std::vector<Tensor> tensors;
        second = take_outputs(no().get(), tensors);
        if (!same_shape_of(first, second))
          fail(tensors.empty() == !count ? ErrorKind::kType : ErrorKind::kValue,
               "true_fn and false_fn arguments to tf.cond must have the same number, type, and overall structure of "
               "return values. One returned another list, tuple, dict or None than the other");
        return tensors;
      },
      name, row_numbers_of(first));
  return put_together(first, wrapped(results));
}

Tensor predicate(PyObject* pred, const char* function) {
  if (!is_tensor(pred) && !is_variable(pred))
    fail(ErrorKind::kType, function,
         ": inside of a traced function the condition must be a tensor, not the Python value ",
         Py_TYPE(pred)->tp_name, "; use a Python `if` for what is known while tracing");
  const Tensor t = to_tensor(pred);
  if (t.dtype() != DType::kBool)
    fail(ErrorKind::kInvalidArgument, function, ": argument `pred` is ", name_of(t.dtype()),
         ", expected bool; compare it, for example with `!= 0`");
  return t;
}

PyObject* cond(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *pred, *yes = Py_None, *no = Py_None, *name = nullptr;
  parse_keywords(args, keywords, "O|OOO:cond", {"pred", "true_fn", "false_fn", "name"}, &pred, &yes, &no, &name);
  if (!PyCallable_Check(yes) || !PyCallable_Check(no))
    fail(ErrorKind::kType, PyCallable_Check(yes) ? "'false_fn'" : "'true_fn'", " must be callable.");
  if (!this_thread.builder) return call(is_true(pred) ? yes : no).release();
  return staged_cond(predicate(pred, "tf.cond"), [&] { return call(yes); }, [&] { return call(no); },
                     given_name(name, "cond"))
      .release();
}

// [x] or (x,) as x.
Ref single(Ref value, bool strict) {
  const bool list = PyList_Check(value.get()) || (PyTuple_Check(value.get()) && !is_namedtuple(value.get()));
  return !strict && list && Py_SIZE(value.get()) == 1 ? checked(PySequence_GetItem(value.get(), 0)) : std::move(value);
}

struct Cases {
  std::vector<std::pair<Tensor, Ref>> pairs;
  Ref otherwise;  // empty: one of them must be true
  bool strict = false;

  // From the pair `first` on.
  Ref choose(size_t first) const {
    const auto is_false = [&](size_t k) { return !*on_host(pairs[k].first).data<bool>(); };
    if (!this_thread.builder)
      while (first + (otherwise ? 0 : 1) < pairs.size() && is_false(first)) ++first;
    const Choice rest = [&] { return choose(first + 1); };
    if (first == pairs.size()) return single(call(otherwise.get()), strict);
    const auto& [pred, function] = pairs[first];
    const bool last = first + 1 == pairs.size() && !otherwise;
    if (last) assert_that(pred, "None of the conditions of tf.case is true, and it has no default. Conditions: ");
    if (last) return single(call(function.get()), strict);
    const Choice taken = [&] { return single(call(function.get()), strict); };
    const Level level("tf.case");  // every branch is traced inside of the one before
    return this_thread.builder ? staged_cond(pred, taken, rest) : taken();
  }

  void check_exclusive() const {
    std::vector<Tensor> preds;
    for (const auto& [pred, function] : pairs) preds.push_back(ops::cast(pred, DType::kInt32));
    const Tensor trues = ops::sum(footlight::apply("Pack"_op.row(), preds), ops::ints({0}));
    assert_that(apply("Less"_op, {trues, ops::integer(2)}),
                "More than one condition of tf.case is true, and it has exclusive=True. Conditions: ");
  }

 private:
  void assert_that(const Tensor& holds, const char* text) const {
    std::vector<Tensor> inputs{holds, Tensor::string(text).as_constant()};
    for (const auto& [pred, function] : pairs) inputs.push_back(pred);
    apply_all("Assert"_op.row(), inputs, {{"summarize"_attr, static_cast<int64_t>(pairs.size())}});
  }
};

PyObject* case_of(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *given, *otherwise = Py_None, *name = nullptr;
  int exclusive = 0, strict = 0;
  parse_keywords(args, keywords, "O|OppO:case", {"pred_fn_pairs", "default", "exclusive", "strict", "name"}, &given,
                 &otherwise, &exclusive, &strict, &name);
  if (!PyList_Check(given) && !PyTuple_Check(given) && !PyDict_Check(given))
    fail(ErrorKind::kType, "'pred_fn_pairs' must be a list, tuple, or dict. Received: ", Py_TYPE(given)->tp_name);
  const std::string scope_name = given_name(name, "case");
  const Scope scope(scope_name);
  const Ref items = PyDict_Check(given) ? checked(PyDict_Items(given)) : checked(PySequence_List(given));
  Cases cases;
  cases.strict = strict;
  for (PyObject* pair : Items(items.get())) {
    if ((!PyList_Check(pair) && !PyTuple_Check(pair)) || PySequence_Size(pair) != 2)
      fail(ErrorKind::kType, "Each entry in 'pred_fn_pairs' must be a 2-tuple. Received ", repr_of(pair), ".");
    Ref pred = checked(PySequence_GetItem(pair, 0)), function = checked(PySequence_GetItem(pair, 1));
    if (PyDict_Check(given) && has_attribute(pred.get(), "deref"))  // a tensor's ref()
      pred = checked(PyObject_CallMethod(pred.get(), "deref", nullptr));
    if (!is_tensor(pred.get()) && !is_variable(pred.get()))
      fail(ErrorKind::kType, "pred must be a Tensor, got: ", repr_of(pred.get()));
    const Tensor condition = to_tensor(pred.get());
    if (condition.dtype() != DType::kBool)
      fail(ErrorKind::kType, "pred must be Tensor of type bool: it is of ", name_of(condition.dtype()));
    if (condition.shape().has_rank() && condition.shape().rank() != 0)
      fail(ErrorKind::kValue, "tf.case: a condition must be a scalar, its shape is ", condition.shape().to_string());
    if (!PyCallable_Check(function.get()))
      fail(ErrorKind::kType, "fn for pred number ", cases.pairs.size(), " must be callable.");
    cases.pairs.emplace_back(condition, std::move(function));
  }
  if (cases.pairs.empty()) fail(ErrorKind::kValue, "tf.case needs at least one (condition, function) pair");
  if (otherwise != Py_None) {
    if (!PyCallable_Check(otherwise)) fail(ErrorKind::kType, "default must be callable.");
    cases.otherwise = Ref::borrow(otherwise);
  }
  if (exclusive && cases.pairs.size() > 1) cases.check_exclusive();
  return cases.choose(0).release();
}

// The functions of tf.switch_case in the order of their numbers.
std::vector<Ref> numbered_branches(PyObject* given) {
  if (!PyList_Check(given) && !PyTuple_Check(given) && !PyDict_Check(given))
    fail(ErrorKind::kType, "'branch_fns' must be a list, tuple, or dict");
  const Ref items = PyDict_Check(given) ? checked(PyDict_Items(given)) : checked(PySequence_List(given));
  std::vector<std::pair<long, Ref>> branches;
  const Py_ssize_t count = PyList_GET_SIZE(items.get());
  if (count == 0) fail(ErrorKind::kValue, "Must provide at least one item in 'branch_fns'");
  const bool plain = PyCallable_Check(PyList_GET_ITEM(items.get(), 0)) != 0;
  for (PyObject* item : Items(items.get())) {
    const auto at = static_cast<long>(branches.size());
    if (plain) {
      branches.emplace_back(at, Ref::borrow(item));
      continue;
    }
    if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 2)
      fail(ErrorKind::kType, "Each entry in 'branch_fns' must be a 2-tuple. Received ", repr_of(item), ".");
    PyObject* key = PyTuple_GET_ITEM(item, 0);
    if (!PyLong_Check(key)) fail(ErrorKind::kType, "key must be a Python `int`, got ", Py_TYPE(key)->tp_name);
    branches.emplace_back(PyLong_AsLong(key), Ref::borrow(PyTuple_GET_ITEM(item, 1)));
    if (PyErr_Occurred()) throw PythonErrorSet();
  }
  std::ranges::sort(branches, {}, [](const auto& branch) { return branch.first; });
  std::vector<Ref> functions;
  for (auto& [number, function] : branches) {
    if (number != static_cast<long>(functions.size()))
      fail(ErrorKind::kValue, "branch indices (keys) must form contiguous range of [0 to ", count, "): ",
           functions.size(), " is missing");
    if (!PyCallable_Check(function.get()))
      fail(ErrorKind::kType, "fn for key ", number, " must be callable, not ", Py_TYPE(function.get())->tp_name);
    functions.push_back(std::move(function));
  }
  return functions;
}

Ref staged_case(const Tensor& index, std::span<const Ref> functions, const std::string& name) {
  OutputTemplate first;
  std::vector<trace::Branch> branches;
  for (size_t k = 0; k < functions.size(); ++k)
    branches.push_back([&, k] {
      std::vector<Tensor> tensors;
      OutputTemplate own = take_outputs(call(functions[k].get()).get(), tensors);
      if (k == 0) first = std::move(own);
      else if (!same_shape_of(first, own))
        fail(ErrorKind::kType, "tf.switch_case: branch ", k, " does not return the structure of values that branch 0 "
             "returns (lists, tuples, dicts and None)");
      return tensors;
    });
  const std::vector<Tensor> results = trace::build_case(index, branches, name, row_numbers_of(first));
  return put_together(first, wrapped(results));
}

PyObject* switch_case(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *index, *given, *otherwise = Py_None, *name = nullptr;
  parse_keywords(args, keywords, "OO|OO:switch_case", {"branch_index", "branch_fns", "default", "name"}, &index, &given,
                 &otherwise, &name);
  if (!is_tensor(index) && !is_variable(index))
    fail(ErrorKind::kType, "'branch_index' must be a Tensor, got ", Py_TYPE(index)->tp_name);
  Tensor at = to_tensor(index);
  if (!is_integer(at.dtype()))
    fail(ErrorKind::kType, "'branch_index' must be an integer Tensor, got ", name_of(at.dtype()));
  if (at.shape().has_rank() && at.shape().rank() != 0)
    fail(ErrorKind::kInvalidArgument, "'branch_index' must be a scalar, its shape is ", at.shape().to_string());
  std::vector<Ref> functions = numbered_branches(given);
  // Without a default, the last branch is used for all other numbers.
  if (otherwise != Py_None) {
    if (!PyCallable_Check(otherwise)) fail(ErrorKind::kType, "default must be callable.");
    functions.push_back(Ref::borrow(otherwise));
  }
  if (!this_thread.builder) {
    const int64_t wanted = *ops::cast(on_host(at), DType::kInt64).data<int64_t>();
    const bool known = wanted >= 0 && static_cast<size_t>(wanted) < functions.size();
    return call(functions[known ? static_cast<size_t>(wanted) : functions.size() - 1].get()).release();
  }
  if (at.dtype() != DType::kInt32) {  // a number that does not fit is one without a branch
    const Tensor limit = ops::number(static_cast<double>(functions.size()), at.dtype());
    at = ops::cast(ops::minimum(at, limit), DType::kInt32);
  }
  return staged_case(at, functions, given_name(name, "switch_case") + "/indexed_case").release();
}

// --- loops ---
// Adds the shapes of the tensors that a value consists of. A spec says them all; a mere shape leaves open how many rows
// they have, and says only the dense shape of a sparse tensor.
void invariants_of_parts(PyObject* value, PyObject* given, std::vector<std::optional<Shape>>& shapes) {
  if (has_attribute(given, "_from_components")) {  // a spec
    const Ref specs = checked(PyObject_CallMethod(given, "flatten", nullptr));
    for (PyObject* spec : Items(specs.get())) shapes.push_back(spec_of(spec).shape);
    return;
  }
  std::vector<Ref> parts;
  nest_flatten(value, parts, true);
  const size_t open = parts.size() - (has_attribute(value, "dense_shape") ? 1 : 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    Shape shape = to_tensor(parts[i].get()).shape();
    if (i < open && shape.has_rank() && shape.rank() > 0) shape.set(0, kUnknownDim);
    shapes.push_back(shape);
  }
}

std::vector<std::optional<Shape>> invariants(PyObject* given, PyObject* variables, size_t count) {
  std::vector<std::optional<Shape>> shapes;
  if (!given || given == Py_None) return shapes;
  std::vector<Ref> leaves, values;
  nest_flatten(given, leaves);
  nest_flatten(variables, values);
  for (size_t i = 0; i < leaves.size(); ++i) {
    PyObject* const leaf = leaves[i].get();
    PyObject* const value = i < values.size() ? values[i].get() : Py_None;
    if (is_typed_composite(value) || is_composite(value)) invariants_of_parts(value, leaf, shapes);
    else shapes.push_back(is_spec(leaf) ? spec_of(leaf).shape : shape_from_object(leaf));
  }
  if (leaves.size() != values.size() || shapes.size() != count)
    fail(ErrorKind::kValue, "tf.while_loop: ", shapes.size(), " shape invariants for ", count, " loop variables");
  return shapes;
}

Ref call_with(PyObject* function, PyObject* variables) {
  Ref args = checked(PySequence_Tuple(variables));
  return checked(PyObject_CallObject(function, args.get()));
}

// The values returned by the body, in the structure of the loop variables.
Ref in_form(PyObject* variables, Ref result) {
  if (!PyList_Check(result.get()) && !PyTuple_Check(result.get()) && !is_mapping(result.get()))
    result = checked(PyTuple_Pack(1, result.get()));
  if (is_mapping(result.get()))
    fail(ErrorKind::kValue,
         "tf.while_loop: the body must return the loop variables as a list or tuple, it returned a dict");
  if (PySequence_Size(variables) != PySequence_Size(result.get()))
    fail(ErrorKind::kValue, "tf.while_loop: the body takes ", PySequence_Size(variables),
         " loop variables and returned ", PySequence_Size(result.get()));
  Ref same = PyList_Check(variables) ? checked(PySequence_List(result.get())) : checked(PySequence_Tuple(result.get()));
  Ref wanted = PyList_Check(variables) ? Ref::borrow(variables) : checked(PySequence_Tuple(variables));
  try {
    nest_assert_same(wanted.get(), same.get(), false);
  } catch (const PythonErrorSet&) {
    clear_only(PyExc_Exception);
    fail(ErrorKind::kValue, "tf.while_loop: the body must return the structure of the loop variables");
  } catch (const Error&) {
    fail(ErrorKind::kValue, "tf.while_loop: the body must return the structure of the loop variables");
  }
  return same;
}

Ref packed(PyObject* structure, std::span<const Tensor> tensors) {
  const std::vector<Ref> leaves = wrapped(tensors);
  return nest_pack(structure, leaves, true);
}

std::vector<Tensor> flat_tensors(PyObject* structure) {
  std::vector<Ref> leaves;
  nest_flatten(structure, leaves, true);
  std::vector<Tensor> tensors;
  for (const Ref& leaf : leaves)
    tensors.push_back(is_variable(leaf.get()) ? variable_value(leaf.get()) : to_tensor(leaf.get()));
  return tensors;
}

// The same structure with tensors for what converts; what consists of tensors stays as it is.
Ref with_tensors(PyObject* structure) {
  std::vector<Ref> leaves;
  nest_flatten(structure, leaves);
  for (Ref& leaf : leaves)
    if (!is_tensor(leaf.get()) && !is_typed_composite(leaf.get()) && !is_composite(leaf.get()))
      leaf = checked(wrap(is_variable(leaf.get()) ? variable_value(leaf.get()) : to_tensor(leaf.get())));
  return nest_pack(structure, leaves);
}

// Python numbers stay what they are until the end, as in TensorFlow: they take the dtype of what they meet.
Ref eager_loop(PyObject* test, PyObject* body, PyObject* variables, int64_t most) {
  Ref current = Ref::borrow(variables);
  for (int64_t i = 0; most < 0 || i < most; ++i) {
    Ref again = call_with(test, current.get());
    if (!is_true(again.get())) break;
    current = in_form(current.get(), call_with(body, current.get()));
  }
  return with_tensors(current.get());
}

PyObject* while_loop(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *test, *body, *variables, *shapes = nullptr, *parallel = nullptr, *back = nullptr, *swap = nullptr,
                                     *most = nullptr, *name = nullptr;
  parse_keywords(args, keywords, "OOO|OOOOOO:while_loop",
                 {"cond", "body", "loop_vars", "shape_invariants", "parallel_iterations", "back_prop", "swap_memory",
                  "maximum_iterations", "name"},
                 &test, &body, &variables, &shapes, &parallel, &back, &swap, &most, &name);
  if (!PyCallable_Check(test)) fail(ErrorKind::kType, "tf.while_loop: 'cond' must be callable.");
  if (!PyCallable_Check(body)) fail(ErrorKind::kType, "tf.while_loop: 'body' must be callable.");
  if (!PyList_Check(variables) && !PyTuple_Check(variables))
    fail(ErrorKind::kType, "tf.while_loop: loop_vars must be a list or tuple, not ", Py_TYPE(variables)->tp_name);
  if (Py_SIZE(variables) == 0) fail(ErrorKind::kValue, "tf.while_loop: 'loop_vars' must be provided.");
  trace::WhileOptions options;
  if (most && most != Py_None) {
    const Tensor limit = ops::cast(to_tensor(most), DType::kInt32);
    if (limit.shape().has_rank() && limit.shape().rank() != 0)
      fail(ErrorKind::kValue, "tf.while_loop: maximum_iterations must be a scalar, its shape is ",
           limit.shape().to_string());
    if (const Tensor known = known_value(limit)) options.maximum_iterations = *known.data<int32_t>();
    else options.most = limit;
  }
  if (parallel && parallel != Py_None) {
    options.parallel_iterations = PyLong_AsLongLong(parallel);
    if (PyErr_Occurred()) throw PythonErrorSet();
    if (options.parallel_iterations <= 0)
      fail(ErrorKind::kType, "tf.while_loop: 'parallel_iterations' must be a positive integer, not ",
           options.parallel_iterations);
  }
  if (!this_thread.builder)
    return eager_loop(test, body, variables, options.maximum_iterations).release();
  options.name = given_name(name, "while");
  const std::vector<Tensor> start = flat_tensors(variables);
  options.shape_invariants = invariants(shapes, variables, start.size());
  std::vector<Tensor> results = trace::build_while(
      start,
      [&](std::span<const Tensor> now) {
        const Tensor again = to_tensor(call_with(test, packed(variables, now).get()).get());
        if (again.shape().fully_known() && again.shape().elements() != 1)
          invalid("tf.while_loop: the condition must be a scalar, but it has shape ", again.shape().to_string());
        return again;
      },
      [&](std::span<const Tensor> now) {
        return flat_tensors(in_form(variables, call_with(body, packed(variables, now).get())).get());
      },
      options);
  if (back && !is_true(back))
    for (Tensor& result : results) result = apply("StopGradient"_op, {result});
  return packed(variables, results).release();
}

// --- tf.gradients ---
Edge edge_in(trace::GraphBuilder& builder, PyObject* value) {
  const Tensor tensor = is_variable(value) ? variable_handle(value) : to_tensor(value);
  const Tensor own = builder.as_own(tensor);
  return {own.node(), own.output()};
}

// One for each of the ys: a list may be a seed's own value.
std::vector<Ref> seeds_for(size_t count, PyObject* given) {
  std::vector<Ref> seeds;
  const bool one_each = PyList_Check(given) || PyTuple_Check(given);
  if (one_each && static_cast<size_t>(PySequence_Fast_GET_SIZE(given)) == count)
    for (size_t i = 0; i < count; ++i)
      seeds.push_back(Ref::borrow(PySequence_Fast_GET_ITEM(given, static_cast<Py_ssize_t>(i))));
  else
    nest_flatten(given, seeds);
  return seeds;
}

PyObject* gradients(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *ys, *xs, *given = Py_None, *rest[5] = {};
  parse_keywords(args, keywords, "OO|OOOOOO:gradients",
                 {"ys", "xs", "grad_ys", "name", "gate_gradients", "aggregation_method", "stop_gradients",
                  "unconnected_gradients"},
                 &ys, &xs, &given, &rest[0], &rest[1], &rest[2], &rest[3], &rest[4]);
  trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
  if (!builder)
    fail(ErrorKind::kRuntime,
         "tf.gradients is not supported when eager execution is enabled: it works inside of graphs and traced "
         "functions; use tf.GradientTape elsewhere");
  std::vector<Ref> targets, sources, seeds;
  nest_flatten(ys, targets);
  nest_flatten(xs, sources);
  if (given != Py_None) seeds = seeds_for(targets.size(), given);
  const std::vector<Ref> forms = sources;
  for (std::vector<Ref>* each : {&targets, &sources, &seeds})
    for (Ref& one : *each) one = flows_through(one.get());
  std::vector<Edge> from, to;
  std::vector<Tensor> arriving;
  for (const Ref& x : sources) to.push_back(edge_in(*builder, x.get()));
  if (given != Py_None && seeds.size() != targets.size())
    fail(ErrorKind::kValue, "tf.gradients: ", seeds.size(), " grad_ys for ", targets.size(), " ys");
  for (size_t i = 0; i < targets.size(); ++i) {
    // A variable has the gradient of its value; its handle has none.
    const Ref read = is_variable(targets[i].get()) ? checked(wrap(variable_value(targets[i].get()))) : targets[i];
    from.push_back(edge_in(*builder, read.get()));
    const bool seeded = i < seeds.size() && seeds[i].get() != Py_None;
    if (!seeded && is_complex(builder->graph()->tensor(from[i]).dtype()))
      fail(ErrorKind::kType, "tf.gradients: the gradient of complex numbers needs grad_ys, ys[", i, "] is of ",
           name_of(builder->graph()->tensor(from[i]).dtype()));
    arriving.push_back(seeded ? gradient_from(seeds[i].get(), DType::kInvalid)
                              : apply("OnesLike"_op, {builder->graph()->tensor(from[i])}));
  }
  std::vector<Edge> stops;
  if (rest[3] && rest[3] != Py_None) {
    std::vector<Ref> given_stops;
    nest_flatten(rest[3], given_stops);
    for (const Ref& stop : given_stops) stops.push_back(edge_in(*builder, stop.get()));
  }
  std::vector<Tensor> found = trace::graph_gradients(*builder->graph(), from, arriving, to, stops);
  if (unconnected_from(rest[4]) == Unconnected::kZero)
    for (size_t i = 0; i < found.size(); ++i)
      if (!found[i]) {
        PyObject* x = sources[i].get();
        found[i] = ops::zeros_like(is_variable(x) ? variable_value(x) : to_tensor(x));
      }
  return list_of(found.size(), [&](size_t i) {
           return found[i] ? in_form_of(forms[i].get(), checked(wrap_gradient(found[i]))) : Ref::borrow(Py_None);
         }).release();
}

PyMethodDef definitions[] = {
    {"cond", as_method(guard<cond>), METH_VARARGS | METH_KEYWORDS,
     kCondHelp},
    {"while_loop", as_method(guard<while_loop>), METH_VARARGS | METH_KEYWORDS,
     kWhileLoopHelp},
    {"switch_case", as_method(guard<switch_case>), METH_VARARGS | METH_KEYWORDS,
     "switch_case(branch_index, branch_fns, default=None, name='switch_case')\n--\n\nThe branch of that number."},
    {"case", as_method(guard<case_of>), METH_VARARGS | METH_KEYWORDS,
     "case(pred_fn_pairs, default=None, exclusive=False, strict=False, name='case')\n--\n\nThe function of the first "
     "condition that holds."},
    {"gradients", as_method(guard<gradients>), METH_VARARGS | METH_KEYWORDS,
     "gradients(ys, xs, grad_ys=None)\n--\n\nGradients of the sum of ys inside of a traced function."},
};

}  // namespace

std::vector<Tensor> gradient_registered_in_python(const std::string& type, Graph& graph, NodeId node,
                                                  std::span<const Tensor> arriving) {
  const Ref module = checked(PyImport_ImportModule("footlight._control.order"));
  const Ref op = operation_object(graph.shared_from_this(), node);
  const Ref given = list_of(arriving, [](const Tensor& gradient) {
    return gradient ? checked(wrap_gradient(gradient)) : Ref::borrow(Py_None);
  });
  const Ref found = checked(
      PyObject_CallMethod(module.get(), "registered_gradient", "sOO", type.c_str(), op.get(), given.get()));
  std::vector<Tensor> leaving;
  for (PyObject* each : Items(found.get())) {
    const Edge input = graph.node(node).inputs[leaving.size()];
    const DType dtype = graph.node(input.node).dtypes[input.output];
    leaving.push_back(each == Py_None ? Tensor() : gradient_from(each, dtype));
    const Shape shape = graph.node(input.node).shapes[input.output];
    if (leaving.back() && !ops::slices_of(leaving.back()) && dtype != DType::kResource &&
        !compatible(leaving.back().shape(), shape))
      fail(ErrorKind::kValue, "Incompatible shapes between op input and calculated input gradient. Forward operation: ",
           graph.node(node).name, ". Input index: ", leaving.size() - 1, ". Original input shape: ", shape.to_string(),
           ". Calculated input gradient shape: ", leaving.back().shape().to_string());
  }
  return leaving;
}

void init_function_control() {
  for (PyMethodDef& definition : definitions) publish_function(definition.ml_name, &definition);
}

}  // namespace footlight::python
