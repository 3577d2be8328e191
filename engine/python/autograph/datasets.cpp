// A dataset is reduced, up to where the loop ends; an iterator runs in a loop that asks for the next element.
#include "engine/python/autograph/datasets.h"

#include "engine/python/autograph/staged_loop.h"
#include "engine/python/autograph/strict.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/types/dtype_object.h"

namespace footlight::python::ag {
namespace {

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
        else next = is_true(go_on.get()) ? following() : none();
        return std::vector<Tensor>{as_tensor(next.get())};
      });
}

// False: the loop's state does not allow it.
bool reduce_dataset(PyObject* dataset, PyObject* extra, PyObject* body, const State& state, PyObject* options) {
  const auto attribute = [&](const char* name) { return checked(PyObject_GetAttrString(dataset, name)); };
  trace::LoopElements elements{as_tensor(attribute("_variant_tensor").get()), {}, {}};
  for (PyObject* type : Items(attribute("_flat_types").get())) elements.dtypes.push_back(dtype_from_object(type));
  for (PyObject* shape : Items(attribute("_flat_shapes").get())) elements.shapes.push_back(shape_from_object(shape));
  StagedLoop loop(state, options_of(options));
  Tensor goes_on;
  const auto step = [&](std::span<const Tensor> tensors) {
    const Ref parts = checked(wrap_all(tensors));
    const Ref element = checked(PyObject_CallMethod(dataset, "_element_of", "(O)", parts.get()));
    if (extra == Py_None) {
      call(body, element.get());
    } else {
      goes_on = condition_tensor(checked(wrap(as_tensor(call(extra).get()))).get(), "for loop");
      staged_turn(goes_on, body, element.get(), state);
    }
    return std::vector<Tensor>(tensors.begin(), tensors.end());
  };
  return loop.run_over(elements, step, extra == Py_None ? nullptr : &goes_on);
}

}  // namespace

void dataset_loop(PyObject* values, PyObject* extra, PyObject* body, const State& state, PyObject* options) {
  for (size_t i = 0; i < state.size(); ++i)
    if (state.is_return_value(i) && !state.get(i)) refuse_return_over_dataset();
  const bool whole = class_has_attribute(values, "_variant_tensor_of_dataset");
  if (whole && reduce_dataset(values, extra, body, state, options)) return;
  iterator_loop(values, extra, body, state, options);
}

}  // namespace footlight::python::ag
