// tf.cond, tf.while_loop, tf.switch_case, tf.case and tf.gradients: staged while tracing, plain Python otherwise.
#include "engine/python/function/function_object.h"

#include "engine/base/text.h"
#include "engine/ops/functions.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/slices_object.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/gradients/tape_arguments.h"
#include "engine/python/types/variable_object.h"
#include "engine/trace/control_flow.h"
#include "engine/trace/derivative.h"

namespace footlight::python {
namespace {



Ref call(PyObject* function) { return checked(PyObject_CallNoArgs(function)); }

bool same_shape_of(const OutputTemplate& a, const OutputTemplate& b) {
  if (a.kind != b.kind || a.children.size() != b.children.size()) return false;
  for (size_t i = 0; i < a.children.size(); ++i)
    if (!same_shape_of(a.children[i], b.children[i])) return false;
  return true;
}

std::vector<Ref> wrapped(std::span<const Tensor> tensors) {
  std::vector<Ref> all;
  for (const Tensor& t : tensors) all.push_back(checked(wrap(t)));
  return all;
}

using Choice = std::function<Ref()>;

Ref staged_cond(const Tensor& pred, const Choice& yes, const Choice& no) {
  OutputTemplate first, second;
  const std::vector<Tensor> results = trace::build_cond(
      pred,
      [&] {
        std::vector<Tensor> tensors;
        first = take_outputs(yes().get(), tensors);
        return tensors;
      },
      [&] {
        std::vector<Tensor> tensors;
        second = take_outputs(no().get(), tensors);
        if (!same_shape_of(first, second))
          fail(ErrorKind::kType,
               "the branches of a condition must return the same structure of values; one returned another "
               "list, tuple, dict or None than the other");
        return tensors;
      });
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
  static const char* names[] = {"pred", "true_fn", "false_fn", "name", nullptr};
  PyObject *pred, *yes = Py_None, *no = Py_None, *name = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOO:cond", const_cast<char**>(names), &pred, &yes, &no,
                                   &name))
    return nullptr;
  return guarded([&]() -> PyObject* {
    if (!PyCallable_Check(yes) || !PyCallable_Check(no))
      fail(ErrorKind::kType, "tf.cond: true_fn and false_fn must be functions");
    if (!current_graph_builder) {
      const int truth = PyObject_IsTrue(pred);
      if (truth < 0) throw PythonErrorSet();
      return call(truth ? yes : no).release();
    }
    return staged_cond(predicate(pred, "tf.cond"), [&] { return call(yes); }, [&] { return call(no); }).release();
  });
}

// The first condition that is true, of a list with a function for each.
Ref chain(std::span<const std::pair<Ref, Ref>> pairs, PyObject* otherwise) {
  const auto is_last = [&] { return pairs.empty() || (pairs.size() == 1 && !otherwise); };
  for (; !current_graph_builder && !is_last(); pairs = pairs.subspan(1)) {
    const int truth = PyObject_IsTrue(pairs[0].first.get());
    if (truth < 0) throw PythonErrorSet();
    if (truth) return call(pairs[0].second.get());
  }
  if (is_last()) return call(pairs.empty() ? otherwise : pairs[0].second.get());
  const Level level("tf.case");  // every branch is traced inside of the one before
  return staged_cond(predicate(pairs[0].first.get(), "tf.case"), [&] { return call(pairs[0].second.get()); },
                     [&] { return chain(pairs.subspan(1), otherwise); });
}

PyObject* case_of(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"pred_fn_pairs", "default", "exclusive", "strict", "name", nullptr};
  PyObject *given, *otherwise = Py_None, *exclusive = nullptr, *strict = nullptr, *name = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOOO:case", const_cast<char**>(names), &given,
                                   &otherwise, &exclusive, &strict, &name))
    return nullptr;
  return guarded([&]() -> PyObject* {
    if (!PyList_Check(given) && !PyTuple_Check(given) && !PyDict_Check(given))
      fail(ErrorKind::kType, "tf.case: argument `pred_fn_pairs` must be a list, tuple or dict of (condition, ",
           "function), not ", Py_TYPE(given)->tp_name);
    Ref items = PyDict_Check(given) ? checked(PyDict_Items(given)) : checked(PySequence_List(given));
    std::vector<std::pair<Ref, Ref>> pairs;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
      PyObject* pair = PyList_GET_ITEM(items.get(), i);
      if ((!PyList_Check(pair) && !PyTuple_Check(pair)) || PySequence_Size(pair) != 2)
        fail(ErrorKind::kType, "tf.case expects (condition, function) pairs, not a ", Py_TYPE(pair)->tp_name);
      pairs.emplace_back(checked(PySequence_GetItem(pair, 0)), checked(PySequence_GetItem(pair, 1)));
    }
    if (pairs.empty()) fail(ErrorKind::kValue, "tf.case needs at least one (condition, function) pair");
    return chain(pairs, otherwise == Py_None ? nullptr : otherwise).release();
  });
}

PyObject* switch_case(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"branch_index", "branch_fns", "default", "name", nullptr};
  PyObject *index, *given, *otherwise = Py_None, *name = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|OO:switch_case", const_cast<char**>(names), &index,
                                   &given, &otherwise, &name))
    return nullptr;
  return guarded([&]() -> PyObject* {
    static const Op kEqual{"Equal"};
    Ref items = PyDict_Check(given) ? checked(PyDict_Items(given)) : checked(PySequence_List(given));
    std::vector<std::pair<long, Ref>> branches;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
      PyObject* item = PyList_GET_ITEM(items.get(), i);
      if (PyTuple_Check(item) && PyTuple_GET_SIZE(item) == 2)
        branches.emplace_back(PyLong_AsLong(PyTuple_GET_ITEM(item, 0)), Ref::borrow(PyTuple_GET_ITEM(item, 1)));
      else
        branches.emplace_back(i, Ref::borrow(item));
    }
    if (PyErr_Occurred()) throw PythonErrorSet();
    if (branches.empty()) fail(ErrorKind::kValue, "tf.switch_case needs at least one branch");
    // Without a default, the last branch is used for all other indices.
    Ref last = otherwise == Py_None ? branches.back().second : Ref::borrow(otherwise);
    if (otherwise == Py_None) branches.pop_back();
    const Tensor at = to_tensor(index);
    std::vector<std::pair<Ref, Ref>> pairs;
    for (auto& [number, function] : branches) {
      Ref which = checked(PyLong_FromLong(number));
      pairs.emplace_back(checked(wrap(apply(kEqual, {at, to_tensor(which.get(), at.dtype())}))), function);
    }
    return chain(pairs, last.get()).release();
  });
}

// --- loops ---
std::vector<std::optional<Shape>> invariants(PyObject* given, size_t count) {
  std::vector<std::optional<Shape>> shapes;
  if (!given || given == Py_None) return shapes;
  std::vector<Ref> leaves;
  nest_flatten(given, leaves);
  for (const Ref& leaf : leaves)
    shapes.push_back(is_spec(leaf.get()) ? spec_of(leaf.get()).shape : shape_from_object(leaf.get()));
  if (shapes.size() != count)
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
  return nest_pack(structure, leaves);
}

std::vector<Tensor> flattened(PyObject* structure) {
  std::vector<Ref> leaves;
  nest_flatten(structure, leaves);
  std::vector<Tensor> tensors;
  for (const Ref& leaf : leaves)
    tensors.push_back(is_variable(leaf.get()) ? variable_value(leaf.get()) : to_tensor(leaf.get()));
  return tensors;
}

Ref eager_loop(PyObject* test, PyObject* body, PyObject* variables, int64_t most) {
  const std::vector<Tensor> start = flattened(variables);
  Ref current = packed(variables, start);
  for (int64_t i = 0; most < 0 || i < most; ++i) {
    Ref again = call_with(test, current.get());
    const int truth = PyObject_IsTrue(again.get());
    if (truth < 0) throw PythonErrorSet();
    if (!truth) break;
    Ref next = in_form(current.get(), call_with(body, current.get()));
    current = packed(current.get(), flattened(next.get()));
  }
  return current;
}

PyObject* while_loop(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"cond",
                                "body",
                                "loop_vars",
                                "shape_invariants",
                                "parallel_iterations",
                                "back_prop",
                                "swap_memory",
                                "maximum_iterations",
                                "name",
                                nullptr};
  PyObject *test, *body, *variables, *shapes = nullptr, *parallel = nullptr, *back = nullptr, *swap = nullptr,
                                     *most = nullptr, *name = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|OOOOOO:while_loop", const_cast<char**>(names), &test,
                                   &body, &variables, &shapes, &parallel, &back, &swap, &most, &name))
    return nullptr;
  return guarded([&]() -> PyObject* {
    if (!PyCallable_Check(test) || !PyCallable_Check(body))
      fail(ErrorKind::kType, "tf.while_loop: cond and body must be functions");
    if (!PyList_Check(variables) && !PyTuple_Check(variables))
      fail(ErrorKind::kType, "tf.while_loop: loop_vars must be a list or tuple, not ", Py_TYPE(variables)->tp_name);
    if (Py_SIZE(variables) == 0) fail(ErrorKind::kValue, "tf.while_loop: there must be at least one loop variable");
    trace::WhileOptions options;
    if (most && most != Py_None) {
      options.maximum_iterations = PyLong_AsLongLong(most);
      if (PyErr_Occurred()) throw PythonErrorSet();
    }
    if (!current_graph_builder)
      return eager_loop(test, body, variables, options.maximum_iterations).release();
    if (name && PyUnicode_Check(name)) options.name = utf8(name);
    const std::vector<Tensor> start = flattened(variables);
    options.shape_invariants = invariants(shapes, start.size());
    const std::vector<Tensor> results = trace::build_while(
        start,
        [&](std::span<const Tensor> now) {
          return to_tensor(call_with(test, packed(variables, now).get()).get());
        },
        [&](std::span<const Tensor> now) {
          return flattened(in_form(variables, call_with(body, packed(variables, now).get())).get());
        },
        options);
    return packed(variables, results).release();
  });
}

// --- tf.gradients ---
Edge edge_in(trace::GraphBuilder& builder, PyObject* value) {
  const Tensor tensor = is_variable(value) ? variable_handle(value) : to_tensor(value);
  const Tensor own = builder.as_own(tensor);
  return {own.node(), own.output()};
}

PyObject* gradients(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"ys", "xs", "grad_ys", "name", "gate_gradients", "aggregation_method", "stop_gradients",
                                "unconnected_gradients", nullptr};
  PyObject *ys, *xs, *given = Py_None, *rest[5] = {};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|OOOOOO:gradients", const_cast<char**>(names), &ys, &xs,
                                   &given, &rest[0], &rest[1], &rest[2], &rest[3], &rest[4]))
    return nullptr;
  return guarded([&]() -> PyObject* {
    static const Op kOnes{"OnesLike"};
    trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
    if (!builder)
      fail(ErrorKind::kRuntime,
           "tf.gradients works inside of a traced function only; use tf.GradientTape elsewhere");
    std::vector<Ref> targets, sources, seeds;
    nest_flatten(ys, targets);
    nest_flatten(xs, sources);
    if (given != Py_None) nest_flatten(given, seeds);
    std::vector<Edge> from, to;
    std::vector<Tensor> arriving;
    for (const Ref& x : sources) to.push_back(edge_in(*builder, x.get()));
    if (given != Py_None && seeds.size() != targets.size())
      fail(ErrorKind::kValue, "tf.gradients: ", seeds.size(), " grad_ys for ", targets.size(), " ys");
    for (size_t i = 0; i < targets.size(); ++i) {
      from.push_back(edge_in(*builder, targets[i].get()));
      const bool seeded = i < seeds.size() && seeds[i].get() != Py_None;
      if (!seeded && is_complex(builder->graph()->tensor(from[i]).dtype()))
        fail(ErrorKind::kType, "tf.gradients: the gradient of complex numbers needs grad_ys, ys[", i, "] is of ",
             name_of(builder->graph()->tensor(from[i]).dtype()));
      arriving.push_back(seeded ? gradient_from(seeds[i].get(), DType::kInvalid)
                                : apply(kOnes, {builder->graph()->tensor(from[i])}));
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
    Ref list = checked(PyList_New(static_cast<Py_ssize_t>(found.size())));
    for (size_t i = 0; i < found.size(); ++i)
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), found[i] ? wrap_gradient(found[i]) : Py_NewRef(Py_None));
    return list.release();
  });
}

PyMethodDef definitions[] = {
    {"cond", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(cond)), METH_VARARGS | METH_KEYWORDS,
     "cond(pred, true_fn=None, false_fn=None, name=None)\n--\n\ntrue_fn() if pred else false_fn(); staged "
     "while tracing."},
    {"while_loop", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(while_loop)),
     METH_VARARGS | METH_KEYWORDS,
     "while_loop(cond, body, loop_vars, shape_invariants=None, maximum_iterations=None)\n--\n\n"
     "loop_vars = body(*loop_vars) while cond(*loop_vars); staged while tracing."},
    {"switch_case", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(switch_case)),
     METH_VARARGS | METH_KEYWORDS,
     "switch_case(branch_index, branch_fns, default=None, name=None)\n--\n\nThe branch of that number."},
    {"case", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(case_of)), METH_VARARGS | METH_KEYWORDS,
     "case(pred_fn_pairs, default=None)\n--\n\nThe function of the first condition that holds."},
    {"gradients", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(gradients)),
     METH_VARARGS | METH_KEYWORDS,
     "gradients(ys, xs, grad_ys=None)\n--\n\nGradients of the sum of ys inside of a traced function."},
};

}  // namespace

void init_function_control() {
  for (PyMethodDef& definition : definitions) publish_function(definition.ml_name, &definition);
}

}  // namespace footlight::python
