// Python's builtins in versions for tensors, which converted code calls while tracing.
#include "engine/ops/functions.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/sequences.h"
#include "engine/python/calls/operators.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/convert.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>
#include <unordered_map>

namespace footlight::python::ag {

namespace {

// The arguments of a call.
struct Given {
  std::span<PyObject* const> args;
  PyObject* names;          // names of the last arguments, or null
  PyObject* const* named;
  PyObject* function;

  size_t size() const { return args.size(); }
  PyObject* operator[](size_t i) const { return args[i]; }
  PyObject* keyword(const char* name) const {
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
      if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name) == 0) return named[i];
    return nullptr;
  }
  size_t keywords() const { return names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0; }
  // The builtin with other positional arguments.
  Ref call(const std::vector<Ref>& other) const {
    std::vector<PyObject*> all;
    for (const Ref& one : other) all.push_back(one.get());
    all.insert(all.end(), named, named + keywords());
    return checked(PyObject_Vectorcall(function, all.data(), other.size(), names));
  }
};

Ref wrapped(const Tensor& tensor) { return checked(wrap(tensor)); }

Ref cast(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return wrapped(tensor);
  if (tensor.dtype() == DType::kString)
    return wrapped(apply("StringToNumber"_op, {tensor}, {{"out_type"_attr, dtype}}));
  return wrapped(ops::cast(tensor, dtype));
}

// The items of an iterable, if they are known; the caller does not visit a list without tensors.
std::optional<std::vector<Ref>> items_of(PyObject* iterable) {
  if (is_tensor_like(iterable)) return known_elements(as_tensor(iterable));
  if (!PyList_Check(iterable) && !PyTuple_Check(iterable) && !PyGen_Check(iterable)) return {};
  const Ref list = checked(PySequence_List(iterable));
  std::vector<Ref> items;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i)
    items.push_back(Ref::borrow(PyList_GET_ITEM(list.get(), i)));
  return items;
}

bool any_tensor(const std::vector<Ref>& items) {
  return std::ranges::any_of(items, [](const Ref& item) { return is_tensor_like(item.get()); });
}

Ref tensor_len(const Given& given) {
  if (const Elements* elements = given.size() == 1 ? wrapped_elements(given[0]) : nullptr)
    return wrapped(elements->count);
  if (given.size() != 1) return {};
  if (!is_tensor_like(given[0])) {
    static PyObject* const name = PyUnicode_InternFromString("_len_builtin");
    if (!_PyType_Lookup(Py_TYPE(given[0]), name)) return {};
    const Ref own = optional_attribute(given[0], "_len_builtin");  // of a TensorArray
    return own ? call(own.get(), given[0]) : Ref();
  }
  const Tensor tensor = as_tensor(given[0]);
  if (tensor.dtype() == DType::kVariant) return wrapped(apply("TensorListLength"_op, {tensor}));
  const Shape& shape = tensor.shape();
  if (shape.has_rank() && shape.rank() == 0)
    fail(ErrorKind::kValue, "len requires a non-scalar tensor, got one of shape ()");
  if (shape.has_rank() && shape[0] != kUnknownDim) return checked(PyLong_FromLongLong(shape[0]));
  return wrapped(elements_of(given[0]).count);
}

// A tensor that has no value while tracing; any tensor outside of a trace.
bool converts(PyObject* value) { return trace::tracing() ? symbolic(value) : is_tensor_like(value); }

Ref tensor_int(const Given& given) {
  if (given.size() < 1 || !converts(given[0])) return {};
  PyObject* base = given.size() > 1 ? given[1] : given.keyword("base");
  if (base && !(PyLong_Check(base) && PyLong_AsLong(base) == 10))
    fail(ErrorKind::kNotImplemented, "base ", repr_of(base), " not supported for int of a tensor");
  return cast(as_tensor(given[0]), DType::kInt32);
}

Ref tensor_float(const Given& given) {
  return given.size() == 1 && converts(given[0]) ? cast(as_tensor(given[0]), DType::kFloat32) : Ref();
}

Ref tensor_range(const Given& given) {
  if (given.size() < 1 || given.size() > 3) return {};
  DType dtype = DType::kInvalid;
  for (PyObject* arg : given.args)
    if (is_tensor_like(arg)) dtype = as_tensor(arg).dtype();
  if (dtype == DType::kInvalid) return {};
  const Ref zero = checked(PyLong_FromLong(0)), one = checked(PyLong_FromLong(1));
  const size_t count = given.size();
  const Tensor start = as_tensor(count > 1 ? given[0] : zero.get(), dtype);
  Tensor limit = as_tensor(count > 1 ? given[1] : given[0], dtype);
  // An empty range, where tf.range refuses.
  if (count < 3) limit = ops::maximum(limit, start);
  const Tensor step = as_tensor(count > 2 ? given[2] : one.get(), dtype);
  return wrapped(apply("Range"_op, {start, limit, step}, {}, "range"));
}

Ref tensor_sum(const Given& given) {
  PyObject* const start = given.size() > 1 ? given[1] : given.keyword("start");
  if (given.size() < 1 || !is_tensor_like(given[0]) || as_tensor(given[0]).dtype() == DType::kBool) return {};
  const Tensor values = as_tensor(given[0]);
  if (values.shape().has_rank() && values.shape().rank() == 0)
    fail(ErrorKind::kType, "Cannot iterate over a scalar tensor.");
  const Ref sum = wrapped(ops::sum(values, ops::ints({0})));
  return start ? checked(PyNumber_Add(start, sum.get())) : sum;
}

// any and all: a Python value may decide at once.
Ref tensor_any(const Given& given, bool any) {
  if (given.size() != 1) return {};
  const auto as_bool = [](const Tensor& t) {
    if (t.dtype() == DType::kBool) return t;
    return apply("NotEqual"_op, {t, ops::number(0, t.dtype())});
  };
  if (is_tensor_like(given[0])) {
    const Tensor values = as_tensor(given[0]);
    if (values.shape().has_rank() && values.shape().rank() != 1)
      fail(ErrorKind::kValue, any ? "any" : "all", "() of a tensor takes one of rank 1, not of shape ",
           values.shape().to_string());
    return wrapped(apply(any ? "Any"_op : "All"_op, {as_bool(values), ops::ints({0})}));
  }
  if (!PyList_Check(given[0]) && !PyTuple_Check(given[0]) && !PyGen_Check(given[0])) return {};
  const Ref iterator = checked(PyObject_GetIter(given[0]));
  Tensor all;
  while (const Ref item = Ref::steal(PyIter_Next(iterator.get()))) {
    if (!is_tensor_like(item.get())) {
      if (is_true(item.get()) == any) return Ref::borrow(any ? Py_True : Py_False);
      continue;
    }
    const Tensor one = condition_tensor(wrapped(as_bool(as_tensor(item.get()))).get(), any ? "any()" : "all()");
    all = all ? apply(any ? "LogicalOr"_op : "LogicalAnd"_op, {all, one}) : one;
  }
  if (PyErr_Occurred()) throw PythonErrorSet();
  return all ? wrapped(all) : Ref::borrow(any ? Py_False : Py_True);
}

Ref tensor_extreme(const Given& given, bool most) {
  const char* const name = most ? "max" : "min";
  if (given.size() < 1) return {};
  const auto refuse_keywords = [&] {
    if (given.keywords())
      fail(ErrorKind::kValue, "These keyword arguments are currently not supported: ", repr_of(given.names), " (in ",
           name, "() of tensors)");
  };
  std::optional<std::vector<Ref>> items;
  if (given.size() == 1 && is_tensor_like(given[0])) {
    refuse_keywords();
    const Tensor values = as_tensor(given[0]);
    if (values.shape().has_rank() && values.shape().rank() == 0) return wrapped(values);
    if (values.shape().has_rank() && values.shape().rank() != 1)
      fail(ErrorKind::kValue, name, "(arg) currently support only tensor with rank 1, but got a tensor with rank ",
           values.shape().rank());
    return wrapped(apply(most ? "Max"_op : "Min"_op, {values, ops::ints({0})}));
  }
  if (given.size() == 1) items = items_of(given[0]);
  else items = std::vector<Ref>();
  if (!items) return {};
  if (given.size() > 1)
    for (PyObject* arg : given.args) items->push_back(Ref::borrow(arg));
  if (!any_tensor(*items)) {
    // A generator is used up.
    return given.size() == 1 && PyGen_Check(given[0]) ? given.call({list_of(*items)}) : Ref();
  }
  refuse_keywords();
  DType dtype = DType::kInvalid;
  for (const Ref& item : *items)
    if (is_tensor_like(item.get())) dtype = as_tensor(item.get()).dtype();
  Tensor result;
  for (const Ref& item : *items) {
    const Tensor one = is_tensor_like(item.get()) ? as_tensor(item.get()) : as_tensor(item.get(), dtype);
    if (one.shape().has_rank() && one.shape().rank() != 0)
      fail(ErrorKind::kValue, name,
           "(arg1, arg2, *args) currently support only scalar tensor, but got a tensor with shape ",
           one.shape().to_string());
    result = !result ? one : most ? ops::maximum(result, one) : ops::minimum(result, one);
  }
  return wrapped(result);
}

Ref public_function(const char* name) {
  const Ref module = checked(PyImport_ImportModule("footlight"));
  return checked(PyObject_GetAttrString(module.get(), name));
}

Ref tensor_sorted(const Given& given) {
  if (given.size() != 1) return {};
  Ref values = Ref::borrow(given[0]);
  if (!is_tensor_like(given[0])) {
    if (!trace::tracing() || (!PyList_Check(given[0]) && !PyTuple_Check(given[0]))) return {};
    const auto items = items_of(given[0]);
    if (!any_tensor(*items)) return {};
    std::vector<Tensor> tensors;
    for (const Ref& item : *items) tensors.push_back(as_tensor(item.get()));
    values = wrapped(stacked(tensors));
  }
  PyObject* key = given.keyword("key");
  PyObject* reverse = given.keyword("reverse");
  const Ref direction = text_object(reverse && is_true(reverse) ? "DESCENDING" : "ASCENDING");
  const Ref axis = checked(PyLong_FromLong(0));
  if (!key || key == Py_None) {
    const Tensor tensor = as_tensor(values.get());
    if (tensor.shape().has_rank() && tensor.shape().rank() != 1)
      fail(ErrorKind::kValue, "sort only supports only 1D tensors");
    const Ref sort = public_function("sort");
    return checked(PyObject_CallFunctionObjArgs(sort.get(), values.get(), axis.get(), direction.get(), nullptr));
  }
  const auto elements = known_elements(as_tensor(values.get()));
  if (!elements)
    fail(ErrorKind::kNotImplemented, "sorted() with a key takes a tensor whose length is known while tracing");
  const Ref converted = checked(ag_convert(key));
  std::vector<Tensor> keys;
  for (const Ref& element : *elements) keys.push_back(as_tensor(call(converted.get(), element.get()).get()));
  if (keys.empty()) return values;
  const Tensor mapped = stacked(keys);
  if (mapped.shape().has_rank() && mapped.shape().rank() != 1)
    fail(ErrorKind::kValue, "sort only supports only 1D tensors");
  const Ref sort = public_function("argsort"), named = checked(PyDict_New());
  const Ref by = wrapped(mapped), args = checked(PyTuple_Pack(3, by.get(), axis.get(), direction.get()));
  if (PyDict_SetItemString(named.get(), "stable", Py_True) < 0) throw PythonErrorSet();
  const Ref order = checked(PyObject_Call(sort.get(), args.get(), named.get()));
  return wrapped(ops::gather(as_tensor(values.get()), as_tensor(order.get())));
}

bool is_sequence_of_tensors(PyObject* o) { return is_tensor_like(o) || wrapped_elements(o); }

// The arguments with each tensor as a list of its elements; no value where one has an unknown length.
std::optional<std::vector<Ref>> with_lists(const Given& given, size_t from) {
  std::vector<Ref> args;
  for (size_t i = 0; i < given.size(); ++i) {
    if (i < from || !is_sequence_of_tensors(given[i])) {
      args.push_back(Ref::borrow(given[i]));
      continue;
    }
    if (wrapped_elements(given[i])) return {};
    const auto elements = known_elements(as_tensor(given[i]));
    if (!elements) return {};
    args.push_back(list_of(*elements));
  }
  return args;
}

bool any_sequence(const Given& given, size_t from) {
  for (size_t i = from; i < given.size(); ++i)
    if (is_sequence_of_tensors(given[i])) return true;
  return false;
}

// Elements of zip and map over tensors.
Elements together(const Given& given, size_t from, const std::function<Ref(const std::vector<Ref>&)>& make) {
  std::vector<Elements> parts;
  Tensor count;
  for (size_t i = from; i < given.size(); ++i) {
    const bool tensors = is_sequence_of_tensors(given[i]);
    parts.push_back(elements_of(tensors ? given[i] : wrapped(as_tensor(given[i])).get()));
    count = count ? ops::minimum(count, parts.back().count) : parts.back().count;
  }
  return {count, [parts, make](const Tensor& index) {
            std::vector<Ref> items;
            for (const Elements& part : parts) items.push_back(part.at(index));
            return make(items);
          }};
}

Ref row_of(const std::vector<Ref>& items) { return tuple_of(items); }

Ref tensor_enumerate(const Given& given) {
  if (given.size() < 1 || given.size() > 2 || !is_sequence_of_tensors(given[0])) return {};
  if (const auto args = with_lists(given, 0)) return given.call(*args);
  const Elements elements = elements_of(given[0]);
  PyObject* const start = given.size() > 1 ? given[1] : given.keyword("start");
  const Ref first = start ? Ref::borrow(start) : checked(PyLong_FromLong(0));
  return wrap_elements({elements.count, [elements, first](const Tensor& index) {
                          const Ref at = wrapped(index), number = checked(PyNumber_Add(at.get(), first.get()));
                          return row_of({number, elements.at(index)});
                        }});
}

Ref tensor_zip(const Given& given) {
  if (!any_sequence(given, 0)) return {};
  if (const auto args = with_lists(given, 0)) return given.call(*args);
  return wrap_elements(together(given, 0, row_of));
}

// map(f, ...): f is converted, whatever it is mapped over.
Ref tensor_map(const Given& given) {
  if (given.size() < 2) return {};
  const Ref function = checked(ag_convert(given[0]));
  if (!any_sequence(given, 1)) {
    std::vector<Ref> args{function};
    for (size_t i = 1; i < given.size(); ++i) args.push_back(Ref::borrow(given[i]));
    return given.call(args);
  }
  if (auto args = with_lists(given, 1)) {
    (*args)[0] = function;
    return given.call(*args);
  }
  return wrap_elements(together(given, 1, [function](const std::vector<Ref>& items) {
    return checked(PyObject_CallObject(function.get(), tuple_of(items).get()));
  }));
}

Ref tensor_filter(const Given& given) {
  if (given.size() != 2) return {};
  const Ref function = given[0] == Py_None ? Ref() : checked(ag_convert(given[0]));
  const auto items = is_sequence_of_tensors(given[1]) || PyList_Check(given[1]) || PyTuple_Check(given[1])
                         ? items_of(given[1])
                         : std::nullopt;
  if (!items) return given.call({function ? function : Ref::borrow(Py_None), Ref::borrow(given[1])});
  std::vector<Ref> conditions, plain;
  for (const Ref& item : *items) {
    conditions.push_back(function ? call(function.get(), item.get()) : item);
    if (!is_tensor_like(conditions.back().get()) && is_true(conditions.back().get())) plain.push_back(item);
  }
  if (!any_tensor(conditions)) return checked(PyObject_GetIter(list_of(plain).get()));
  record("filter", "staged", "its condition is a tensor: the result is a tensor of the elements for which it holds");
  std::vector<Tensor> values, holds;
  for (size_t i = 0; i < items->size(); ++i) {
    values.push_back(as_tensor((*items)[i].get()));
    holds.push_back(is_tensor_like(conditions[i].get()) ? condition_tensor(conditions[i].get(), "filter()")
                                                        : Tensor::scalar(is_true(conditions[i].get())).as_constant());
  }
  return wrapped(chosen(stacked(values), stacked(holds)));
}

// list, tuple, iter, reversed: of the elements. A list of unknown length is the tensor.
Ref tensor_list(const Given& given) {
  if (given.size() != 1 || given.keywords() || !is_tensor_like(given[0])) return {};
  if (const auto args = with_lists(given, 0)) return given.call(*args);
  const bool list = given.function == reinterpret_cast<PyObject*>(&PyList_Type) ||
                    given.function == reinterpret_cast<PyObject*>(&PyTuple_Type);
  return list ? Ref::borrow(given[0]) : Ref();
}

// A builtin of a dataset is the dataset's own (Dataset._enumerate, ...), which gives a dataset.
bool is_dataset(PyObject* o) {
  static PyObject* const name = PyUnicode_InternFromString("_variant_tensor_of_dataset");
  return _PyType_Lookup(Py_TYPE(o), name) != nullptr;
}
Ref dataset_builtin(const Given& given, size_t first, const char* method) {
  const auto values = given.args.subspan(std::min(first, given.size()));
  if (values.empty() || !std::ranges::any_of(values, is_dataset)) return {};
  const Ref args = tuple_of(given.size(), [&](size_t i) { return Ref::borrow(given[i]); });
  const auto dataset = std::ranges::find_if(values, is_dataset);
  const Ref own = checked(PyObject_GetAttrString(*dataset, method));
  const Ref keywords = given.names ? checked(PyDict_New()) : Ref();
  for (size_t i = 0; i < given.keywords(); ++i)
    if (PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(given.names, static_cast<Py_ssize_t>(i)), given.named[i]) < 0)
      throw PythonErrorSet();
  return checked(PyObject_Call(own.get(), args.get(), keywords.get()));
}
// A replacement that converted code calls for a builtin.
struct Version {
  const char* name;
  Ref (*tensor)(const Given&) = nullptr;  // used for tensors
  const char* dataset = nullptr;          // the method of a dataset among the arguments,
  size_t from = 0;                        // index of the first argument that counts
  bool looks_inside = false;              // whether lists and the like are searched, too
  bool outside = false;                   // whether it also serves tensors outside of a trace

  Ref call(const Given& given) const {
    Ref found = dataset ? dataset_builtin(given, from, dataset) : Ref();
    return found || !tensor ? std::move(found) : tensor(given);
  }
};

const std::unordered_map<PyObject*, Version>& versions() {
  static const auto& table = *[] {
    auto* made = new std::unordered_map<PyObject*, Version>;
    const auto next = [](const Given& given) {
      const bool with_default = given.size() == 2 && is_dataset_or_iterator(given[0]);
      return with_default ? checked(PyObject_CallMethod(given[0], "_next_or", "O", given[1])) : Ref();
    };
    const Version named[] = {
        {.name = "len", .tensor = tensor_len, .dataset = "_len_builtin", .outside = true},
        {.name = "abs", .dataset = "_abs_builtin"},
        {.name = "int", .tensor = tensor_int, .outside = true},
        {.name = "float", .tensor = tensor_float, .outside = true},
        {.name = "range", .tensor = tensor_range, .outside = true},
        {.name = "sum", .tensor = tensor_sum},
        {.name = "any",
         .tensor = [](const Given& given) { return tensor_any(given, true); },
         .dataset = "_any_builtin",
         .looks_inside = true},
        {.name = "all",
         .tensor = [](const Given& given) { return tensor_any(given, false); },
         .dataset = "_all_builtin",
         .looks_inside = true},
        {.name = "max",
         .tensor = [](const Given& given) { return tensor_extreme(given, true); },
         .looks_inside = true},
        {.name = "min",
         .tensor = [](const Given& given) { return tensor_extreme(given, false); },
         .looks_inside = true},
        {.name = "sorted", .tensor = tensor_sorted, .looks_inside = true, .outside = true},
        {.name = "next", .tensor = next, .outside = true},
        {.name = "enumerate", .tensor = tensor_enumerate, .dataset = "_enumerate_builtin"},
        {.name = "zip", .tensor = tensor_zip, .dataset = "_zip_builtin"},
        {.name = "map", .tensor = tensor_map, .dataset = "_map_builtin", .from = 1, .looks_inside = true},
        {.name = "filter", .tensor = tensor_filter, .dataset = "_filter_builtin", .from = 1, .looks_inside = true},
        {.name = "list", .tensor = tensor_list},
        {.name = "tuple", .tensor = tensor_list},
        {.name = "iter", .tensor = tensor_list},
        {.name = "reversed", .tensor = tensor_list},
    };
    const Ref module = checked(PyImport_ImportModule("builtins"));
    for (const Version& version : named)
      made->emplace(checked(PyObject_GetAttrString(module.get(), version.name)).release(), version);
    return made;
  }();
  return table;
}

// Calls a builtin, or its replacement.
Given given_of(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const auto positional = static_cast<size_t>(count - (names ? PyTuple_GET_SIZE(names) : 0));
  return {{args, positional}, names, args + positional, function};
}

}  // namespace

// print(...) as the option BUILTIN_FUNCTIONS of a traced function wants it.
static Ref staged_print(PyObject* const* args, Py_ssize_t count, PyObject* names) {
  static PyObject* const print = checked(PyObject_GetAttrString(
      checked(PyImport_ImportModule("footlight._autograph.ag")).get(), "print_")).release();
  const Py_ssize_t positional = count - (names ? PyTuple_GET_SIZE(names) : 0);
  return checked(PyObject_Vectorcall(print, args, static_cast<size_t>(positional), names));
}

Ref call_tensor_builtin(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  static PyObject* const print = find_item(PyEval_GetBuiltins(), "print");
  if (python_thread.prints_are_staged && function == print) return staged_print(args, count, names);
  const auto plain = [](PyObject* o) {
    return o == Py_None || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || PyUnicode_CheckExact(o);
  };
  if (std::all_of(args, args + count, plain)) return {};
  const auto found = versions().find(function);
  if (found == versions().end()) return {};
  if (!found->second.looks_inside && std::all_of(args, args + count, is_pythons_own)) return {};
  return found->second.call(given_of(function, args, count, names));
}

Ref call_eager_builtin(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const auto found = versions().find(function);
  if (found == versions().end()) return {};
  const Version& version = found->second;
  const Given given = given_of(function, args, count, names);
  return version.outside ? version.call(given) : version.dataset ? dataset_builtin(given, version.from, version.dataset)
                                                                 : Ref();
}

void init_builtins() { versions(); }

}  // namespace footlight::python::ag
