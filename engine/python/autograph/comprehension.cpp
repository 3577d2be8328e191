// Comprehensions over tensors: an element of the graph for each element, kept or left out by conditions on tensors.
#include "engine/ops/composite/composites.h"
#include "engine/ops/functions.h"
#include "engine/python/autograph/comprehension_turns.h"
#include "engine/python/autograph/lists.h"
#include "engine/python/autograph/sequences.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/thread_context.h"
#include "engine/trace/control_flow.h"
#include "engine/trace/graph_builder.h"

#include <utility>

namespace footlight::python::ag {

// The comprehension runs over `items`. Its first `given` conditions that are tensors are answered with True; the next
// one is noted here, and answered with False, so that the element is not computed.
struct ComprehensionFilter {
  ComprehensionFilter(PyObject* over, int answers)
      : items(over), given(answers), outer(std::exchange(python_thread.comprehension, this)) {}
  ~ComprehensionFilter() { python_thread.comprehension = outer; }
  ComprehensionFilter(const ComprehensionFilter&) = delete;
  ComprehensionFilter& operator=(const ComprehensionFilter&) = delete;

  PyObject* items;
  int given;
  int seen = 0;
  Ref condition;
  ComprehensionFilter* outer;
};

namespace {

struct Picked {
  Ref condition;  // a Python bool or a tensor
  Ref value;      // empty: never
};

Tensor as_condition(const Ref& condition) {
  if (is_tensor_like(condition.get())) return as_tensor(condition.get());
  return Tensor::scalar(condition.get() == Py_True).as_constant();
}

Ref zeros_of(const Ref& value) {
  const Leaves like = flatten(value);
  std::vector<Ref> zeros;
  for (const Ref& leaf : like.values) {
    if (!becomes_tensor(leaf.get())) {
      zeros.push_back(leaf);
      continue;
    }
    const Tensor tensor = as_tensor(leaf.get());
    zeros.push_back(checked(wrap(zeros_like(tensor.dtype(), tensor.shape()))));
  }
  return pack(like, zeros);
}

// The element that the comprehension makes of one item, and the conditions on tensors under which it is in the result.
Picked pick(PyObject* function, PyObject* item, int given) {
  const Ref one = checked(PyTuple_Pack(1, item));
  Ref condition, made;
  {
    ComprehensionFilter filter(one.get(), given);
    made = checked(PySequence_List(call(function, one.get()).get()));
    condition = filter.condition;
  }
  if (!condition) {
    if (PyList_GET_SIZE(made.get()) == 0) return {Ref::borrow(Py_False), {}};
    return {Ref::borrow(Py_True), Ref::borrow(PyList_GET_ITEM(made.get(), 0))};
  }
  Picked inner;
  const Ref both = staged_choice(
      condition_tensor(condition.get(), "comprehension"),
      [&] {
        inner = pick(function, item, given + 1);
        const Ref holds = checked(wrap(as_condition(inner.condition)));
        return inner.value ? checked(PyTuple_Pack(2, holds.get(), inner.value.get()))
                           : checked(PyTuple_Pack(1, holds.get()));
      },
      [&] {
        const Ref never = checked(wrap(as_condition(Ref::borrow(Py_False))));
        return inner.value ? checked(PyTuple_Pack(2, never.get(), zeros_of(inner.value).get()))
                           : checked(PyTuple_Pack(1, never.get()));
      },
      "a comprehension's condition");
  if (!inner.value) return {Ref::borrow(Py_False), {}};
  return {Ref::borrow(PyTuple_GET_ITEM(both.get(), 0)), Ref::borrow(PyTuple_GET_ITEM(both.get(), 1))};
}

// The elements whose conditions hold, as one tensor: how many there are is known when the graph runs.
Ref filtered(PyObject* function, PyObject* all) {
  record("comprehension", "staged",
         "its condition is a tensor: the result is a tensor of the elements for which it holds");
  std::vector<Tensor> values, conditions;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all); ++i) {
    const Picked one = pick(function, PyList_GET_ITEM(all, i), 0);
    if (!one.value) continue;
    if (!becomes_tensor(one.value.get()))
      fail(ErrorKind::kType, "an element of a comprehension whose condition is a tensor has to be a tensor, not ",
           Py_TYPE(one.value.get())->tp_name);
    values.push_back(as_tensor(one.value.get()));
    conditions.push_back(as_condition(one.condition));
  }
  if (values.empty()) return checked(PyList_New(0));
  return grown_list(chosen(stacked(values), stacked(conditions)));
}

// Over elements whose number is known when the graph runs: a staged loop that appends.
Ref looped(PyObject* function, const Elements& elements) {
  record("comprehension", "staged", "over a tensor of unknown length: its element is in the graph once");
  const auto picked = [&](const Tensor& index) {
    const Picked one = pick(function, elements.at(index).get(), 0);
    if (one.value && !becomes_tensor(one.value.get()))
      fail(ErrorKind::kType, "an element of a comprehension over a tensor of unknown length has to be a tensor, not ",
           Py_TYPE(one.value.get())->tp_name);
    return one;
  };
  DType dtype = DType::kInvalid;
  Shape start{0}, grown{kUnknownDim};
  trace::in_scratch_graph([&] {
    trace::GraphBuilder& scratch = *trace::GraphBuilder::innermost();
    const Picked one = picked(scratch.parameter(DType::kInt32, Shape{}, "index", {}));
    if (!one.value) return;
    const Tensor value = as_tensor(one.value.get());
    dtype = value.dtype();
    if (!value.shape().has_rank())
      fail(ErrorKind::kValue, "an element of a comprehension over a tensor of unknown length needs a known rank");
    for (const int64_t dim : value.shape().dims()) {
      start.append(dim);
      grown.append(dim);
    }
  });
  if (dtype == DType::kInvalid) return checked(PyList_New(0));
  trace::WhileOptions options;
  options.symbols = {"the comprehension's own counter", "the comprehension"};
  options.shape_invariants = {std::nullopt, grown};
  const std::vector<Tensor> results = trace::build_while(
      {Tensor::scalar<int32_t>(0).as_constant(), zeros_like(dtype, start)},
      [&](std::span<const Tensor> now) { return ops::less(now[0], elements.count); },
      [&](std::span<const Tensor> now) {
        const Picked one = picked(now[0]);
        const auto longer = [&] { return checked(wrap(with_element(now[1], as_tensor(one.value.get())))); };
        const Ref list = !is_tensor_like(one.condition.get())
                             ? longer()
                             : staged_choice(as_tensor(one.condition.get()), longer,
                                             [&] { return checked(wrap(now[1])); }, "a comprehension's condition");
        return std::vector<Tensor>{ops::add(now[0], Tensor::scalar<int32_t>(1).as_constant()), as_tensor(list.get())};
      },
      options);
  return grown_list(results[1]);
}

[[noreturn]] void unknown_length() {
  fail(ErrorKind::kOperatorNotAllowedInGraph,
       "this iterates over a tensor whose length is known only when the graph runs; a `for` statement can, and "
       "tf.map_fn");
}

}  // namespace

Tensor stacked(const std::vector<Tensor>& values) {
  for (const Tensor& value : values)
    if (value.dtype() != values[0].dtype())
      fail(ErrorKind::kType, "elements of dtypes ", name_of(values[0].dtype()), " and ", name_of(value.dtype()),
           " cannot be in one tensor; make them one dtype, for example with tf.cast");
  return ops::pack(values, 0);
}

Tensor chosen(const Tensor& values, const Tensor& conditions) { return composite::boolean_mask(values, conditions); }

// comprehension(values, lambda items: [...], 'list', whether it has conditions)
PyObject* comprehension(PyObject*, PyObject* const* args, Py_ssize_t) {
  PyObject *values = args[0], *function = args[1];
  if (!trace::tracing()) return PyObject_CallOneArg(function, values);
  return guarded([&]() -> PyObject* {
    const bool generator = PyUnicode_CompareWithASCIIString(args[2], "generator") == 0;
    const bool list = generator || PyUnicode_CompareWithASCIIString(args[2], "list") == 0;
    const bool conditions = list && PyLong_AsLong(args[3]) != 0;
    const Ref grown = is_grown(values) ? checked(wrap(grown_values(values))) : Ref();
    if (grown) values = grown.get();
    Ref items = Ref::borrow(values);
    const bool tensor = symbolic(values);
    if (tensor || wrapped_elements(values)) {
      const auto elements = tensor ? known_elements(as_tensor(values)) : std::nullopt;
      if (!elements && list) return looped(function, elements_of(values)).release();
      if (!elements) unknown_length();
      items = list_of(*elements);
      record("comprehension", "python", str("over a tensor of ", elements->size(), " elements, one by one"));
    } else if (generator && !PyList_Check(values) && !PyTuple_Check(values) && !PyRange_Check(values)) {
      return call(function, counted_items(function, values).get()).release();  // it may be infinite
    }
    if (!conditions) return call(function, counted_items(function, items.get()).get()).release();
    const Ref all = checked(PySequence_List(items.get()));
    Ref made;
    bool staged;
    {
      const Ref over = counted_items(function, all.get());
      ComprehensionFilter probe(over.get(), 0);
      made = call(function, over.get());
      if (generator) made = checked(PySequence_List(made.get()));
      staged = static_cast<bool>(probe.condition);
      if (staged) forget_turns(over.get());
    }
    if (staged) return filtered(function, all.get()).release();
    return generator ? PyObject_GetIter(made.get()) : made.release();
  });
}

// kept(condition, items)
PyObject* kept(PyObject*, PyObject* const* args, Py_ssize_t) {
  ComprehensionFilter* filter = python_thread.comprehension;
  while (filter && filter->items != args[1]) filter = filter->outer;
  if (!filter || !is_tensor_like(args[0]) || !trace::tracing()) return Py_NewRef(args[0]);
  if (filter->condition) Py_RETURN_FALSE;
  if (filter->seen++ < filter->given) Py_RETURN_TRUE;
  filter->condition = Ref::borrow(args[0]);
  Py_RETURN_FALSE;
}

// A further iterable of a comprehension, or what is unpacked.
PyObject* items(PyObject*, PyObject* iterable) {
  if (!trace::tracing()) return Py_NewRef(iterable);
  if (!symbolic(iterable)) {
    if (!recording_structure()) return Py_NewRef(iterable);
    return guarded([&] {
      count_further_items(iterable);
      return Py_NewRef(iterable);
    });
  }
  return guarded([&]() -> PyObject* {
    const auto elements = known_elements(as_tensor(iterable));
    if (!elements) unknown_length();
    return list_of(*elements).release();
  });
}

}  // namespace footlight::python::ag
