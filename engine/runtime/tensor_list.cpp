// The kernels of lists that concern single elements, sums and zeros. tensor_list_rows.cpp has those that convert
// between lists and whole tensors.
#include "engine/runtime/tensor_list.h"

#include "engine/base/text.h"
#include "engine/ops/infer.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/list_value.h"
#include "engine/runtime/map_value.h"
#include "kernels/table.h"

#include <cstring>

namespace footlight::runtime {

void register_list_row_kernels();  // tensor_list_rows.cpp
void register_ragged_kernels();    // ragged_value.cpp
void register_map_kernels();       // tensor_map.cpp

int64_t scalar_int(const Tensor& value) {
  if (value.elements() != 1)
    invalid("A size or an index of a list must be a scalar, its shape is ", value.shape().to_string());
  return value.dtype() == DType::kInt64 ? *value.data<int64_t>() : *value.data<int32_t>();
}

Shape list_shape(const Tensor& value, const OpRow& row) {
  const std::vector<int64_t> dims = infer::ints_of(value);
  if (value.shape().rank() > 0) return Shape(std::span<const int64_t>(dims));
  if (dims[0] != -1)
    invalid("The only valid scalar shape tensor is the fully unknown shape specified as -1. [Op:", row.name,
            "]");
  return Shape::unknown_rank();
}

Shape merge_list_shapes(const Shape& a, const Shape& b, const OpRow& row) {
  if (compatible(a, b)) return merge(a, b);
  if (a.rank() != b.rank())
    invalid("PartialTensorShape: Incompatible ranks during merge: ", a.rank(), " vs. ", b.rank(),
            " [Op:", row.name, "]");
  invalid("PartialTensorShape: Incompatible shapes during merge: ", a.brackets(), " vs. ", b.brackets(),
          " [Op:", row.name, "]");
}

void check_list_dtype(const TensorList& list, DType wanted, const OpRow& row) {
  if (list.dtype() != wanted)
    invalid("Invalid data types; op elements ", name_of(wanted), " but list elements ", name_of(list.dtype()),
            " [Op:", row.name, "]");
}

Tensor zeros_tensor(DType dtype, const Shape& shape) {
  if (dtype == DType::kVariant)
    return list_tensor(new TensorList(DType::kInvalid, Shape::unknown_rank(), size_t{0}));
  Tensor zeros = Tensor::empty(dtype, shape);
  if (is_plain(dtype)) std::memset(zeros.raw(), 0, zeros.bytes());
  return zeros;
}

namespace {

const AttrName kElementDType{"element_dtype"};

void empty(KernelContext& c) {
  auto* list = new TensorList(c.attrs.get<DType>(kElementDType), list_shape(c.inputs[0], c.row), size_t{0});
  list->max_size = scalar_int(c.inputs[1]);
  c.outputs[0] = list_tensor(list);
}

void empty_values(KernelContext& c) {
  c.outputs[0] = list_tensor(new TensorList(c.attrs.get<DType>(kElementDType),
                                            c.attrs.get_or("element_shape"_attr, Shape::unknown_rank()), size_t{0}));
}

void reserve(KernelContext& c) {
  const int64_t size = scalar_int(c.inputs[1]);
  if (size < 0)
    invalid("The num_elements to reserve must be a non negative number, but got ", size,
            " [Op:TensorListReserve]");
  c.outputs[0] = list_tensor(new TensorList(c.attrs.get<DType>(kElementDType), list_shape(c.inputs[0], c.row),
                                            static_cast<size_t>(size)));
}

// The value of an element that has none: zeros, if its shape is known.
Tensor unset_value(const TensorList& list, DType dtype, const Shape& asked, const OpRow& row) {
  Shape shape = merge_list_shapes(asked, list.element_shape(), row);
  if (!shape.fully_known())
    for (const Tensor& item : list.items())
      if (item) shape = merge_list_shapes(shape, item.shape(), row);
  if (!shape.fully_known())
    invalid("Trying to read an uninitialized tensor but element_shape is not fully defined: ",
            shape.brackets(), " and no list element is set. [Op:", row.name, "]");
  return zeros_tensor(dtype, shape);
}

// Whether a shape is that of the value which stands for the result of a branch that did not run. Nobody reads it.
bool stands_for_missing(const Shape& shape) { return shape.rank() == 1 && shape[0] == 0; }

void push(KernelContext& c) {
  const TensorList& list = as_list(c.inputs[0]);
  const Tensor& item = c.inputs[1];
  if (list.dtype() == DType::kInvalid) {  // stands for zeros of any dtype
    std::vector<Tensor> items(list.size());
    items.push_back(item);
    c.outputs[0] = list_tensor(new TensorList(item.dtype(), Shape::unknown_rank(), std::move(items)));
    return;
  }
  check_list_dtype(list, item.dtype(), c.row);
  if (!compatible(list.element_shape(), item.shape()) && !stands_for_missing(item.shape()))
    invalid("Tried to append a tensor with incompatible shape to a list. Op element shape: ", item.shape().brackets(),
            " list shape: ", list.element_shape().brackets(), " [Op:TensorListPushBack]");
  if (list.max_size >= 0 && list.size() >= static_cast<size_t>(list.max_size))
    invalid("Tried to push item into a full list. list size: ", list.size(), " max_num_elements: ", list.max_size,
            " [Op:TensorListPushBack]");
  c.outputs[0] = list_tensor(list.pushed(item));
}

void pop(KernelContext& c) {
  const TensorList& list = as_list(c.inputs[0]);
  const DType dtype = c.attrs.get<DType>(kElementDType);
  if (list.dtype() != DType::kInvalid) check_list_dtype(list, dtype, c.row);
  if (list.size() == 0) invalid("Trying to pop from an empty list. [Op:TensorListPopBack]");
  Tensor last = list.at(list.size() - 1);
  const Shape asked = list_shape(c.inputs[1], c.row);
  // The shape is checked, because a traced call relies on it.
  if (last && !compatible(asked, last.shape()) && !stands_for_missing(last.shape()))
    invalid("Incompatible shapes of a list's element: asked for ", asked.brackets(), ", it has ",
            last.shape().brackets(), " [Op:TensorListPopBack]");
  c.outputs[1] = last ? std::move(last) : unset_value(list, dtype, asked, c.row);
  c.outputs[0] = list_tensor(list.resized(list.size() - 1));
}

void length(KernelContext& c) { *c.out<int32_t>() = static_cast<int32_t>(as_list(c.inputs[0]).size()); }

void element_shape(KernelContext& c) {
  const Shape& shape = as_list(c.inputs[0]).element_shape();
  std::vector<int64_t> dims{-1};
  if (shape.has_rank()) dims.assign(shape.dims().begin(), shape.dims().end());
  const Shape own = shape.has_rank() ? Shape{static_cast<int64_t>(dims.size())} : Shape();
  const DType dtype = c.attrs.get<DType>("shape_type"_attr);
  Tensor out = Tensor::empty(dtype, own);
  for (size_t i = 0; i < dims.size(); ++i)
    if (dtype == DType::kInt64)
      out.data<int64_t>()[i] = dims[i];
    else
      out.data<int32_t>()[i] = static_cast<int32_t>(dims[i]);
  c.outputs[0] = std::move(out);
}

void resize(KernelContext& c) {
  const int64_t size = scalar_int(c.inputs[1]);
  if (size < 0)
    invalid("TensorListSlice expects size to be non-negative. Got: ", size, " [Op:TensorListResize]");
  c.outputs[0] = list_tensor(as_list(c.inputs[0]).resized(static_cast<size_t>(size)));
}

void get_item(KernelContext& c) {
  const TensorList& list = as_list(c.inputs[0]);
  check_list_dtype(list, c.attrs.get<DType>(kElementDType), c.row);
  const int64_t index = scalar_int(c.inputs[1]);
  if (index < 0 || static_cast<size_t>(index) >= list.size())
    invalid("Trying to access element ", index, " in a list with ", list.size(),
            " elements. [Op:TensorListGetItem]");
  Tensor item = list.at(static_cast<size_t>(index));
  const Shape asked = list_shape(c.inputs[2], c.row);
  // The shape is checked, because a traced call relies on it.
  if (item && !compatible(asked, item.shape()))
    invalid("Incompatible shapes of a list's element: asked for ", asked.brackets(), ", it has ",
            item.shape().brackets(), " [Op:TensorListGetItem]");
  c.outputs[0] = item ? std::move(item) : unset_value(list, list.dtype(), asked, c.row);
}

void set_item(KernelContext& c) {
  const TensorList* list = &as_list(c.inputs[0]);
  const Tensor& item = c.inputs[2];
  check_list_dtype(*list, item.dtype(), c.row);
  const int64_t index = scalar_int(c.inputs[1]);
  const bool beyond = index >= 0 && static_cast<size_t>(index) >= list->size();
  Tensor longer;
  if (beyond && c.attrs.get_or("resize_if_index_out_of_bounds"_attr, false)) {
    longer = list_tensor(list->resized(static_cast<size_t>(index) + 1));
    list = find_list(longer);
  } else if (index < 0 || beyond) {
    invalid("Trying to modify element ", index, " in a list with ", list->size(),
            " elements. [Op:TensorListSetItem]");
  }
  if (!compatible(list->element_shape(), item.shape()))
    invalid("Tried to set a tensor with incompatible shape at a list index. Item element shape: ",
            item.shape().brackets(), " list shape: ", list->element_shape().brackets(),
            " [Op:TensorListSetItem]");
  c.outputs[0] = list_tensor(list->with(static_cast<size_t>(index), item));
}

// Whether a tensor stands for the list of a branch that did not run.
bool is_missing(const Tensor& tensor) { return tensor.elements() == 1 && !*tensor.data<Resource*>(); }

// Adds a map to a list of no dtype, which stands for zeros of any kind.
Tensor add_map_to_zeros(const Tensor& map, const Tensor& other) {
  if (find_map(other)) return add_map_to_zeros(other, map);
  if (as_list(other).dtype() != DType::kInvalid) invalid("Trying to add a map and a list of tensors [Op:AddN]");
  return map;
}

// Adds lists element by element; an element without a value counts as zeros.
Tensor add_lists(const Tensor& a, const Tensor& b) {
  if (is_missing(a) || is_missing(b)) return is_missing(a) ? b : a;
  if (Tensor ragged = add_ragged(a, b)) return ragged;
  if (Tensor map = add_maps(a, b)) return map;
  if (find_map(a) || find_map(b)) return add_map_to_zeros(a, b);
  const TensorList *x = &as_list(a), *y = &as_list(b);
  // A list of no dtype stands for zeros of any length.
  if (x->dtype() == DType::kInvalid) return b;
  if (y->dtype() == DType::kInvalid) return a;
  if (x->dtype() != y->dtype())
    invalid("Trying to add two lists of tensors of different dtypes: ", name_of(x->dtype()), " and ",
            name_of(y->dtype()), " [Op:AddN]");
  if (x->size() != y->size())
    invalid("Trying to add two lists of tensors with different lengths: ", x->size(), " and ", y->size(),
            " [Op:AddN]");
  if (x->single()) std::swap(x, y);
  if (y->single()) {
    if (!y->single_item()) return x == &as_list(a) ? a : b;
    const size_t at = y->single_index();
    return list_tensor(x->with(at, add_values(x->at(at), y->single_item())));
  }
  std::vector<Tensor> items = x->items();
  const std::vector<Tensor> others = y->items();
  for (size_t i = 0; i < items.size(); ++i) items[i] = add_values(items[i], others[i]);
  const Shape& shape = compatible(x->element_shape(), y->element_shape())
                           ? merge(x->element_shape(), y->element_shape())
                           : x->element_shape();
  return list_tensor(new TensorList(x->dtype(), shape, std::move(items)));
}

void add_variants(KernelContext& c) {
  Tensor all = c.inputs[0];
  for (size_t i = 1; i < c.inputs.size(); ++i) all = add_lists(all, c.inputs[i]);
  c.outputs[0] = std::move(all);
}

void zeros_like(KernelContext& c) { c.outputs[0] = zeros_like_value(c.inputs[0]); }

}  // namespace

Tensor add_values(const Tensor& a, const Tensor& b) {
  if (!a || !b) return a ? a : b;
  const OpRow& row = a.dtype() == DType::kVariant ? "AddN"_op.row() : "AddV2"_op.row();
  return run_op(row, std::vector<Tensor>{a, b}, {})[0];
}

Tensor zeros_like_value(const Tensor& input) {
  if (!input) return input;
  if (is_plain(input.dtype())) return zeros_tensor(input.dtype(), input.shape());
  const TensorList* before = find_list(input);
  if (Tensor ragged = zeros_like_ragged(input)) return ragged;
  if (Tensor map = zeros_like_map(input)) return map;
  if (!before) return input;
  if (before->single() && !before->single_item()) return input;
  if (is_plain(before->dtype()) &&
      before->element_shape().fully_known())  // elements without a value count as zeros
    return list_tensor(new TensorList(before->dtype(), before->element_shape(), before->size()));
  std::vector<Tensor> items = before->items();
  for (Tensor& item : items) item = zeros_like_value(item);
  return list_tensor(new TensorList(before->dtype(), before->element_shape(), std::move(items)));
}

void register_list_kernels() {
  static const bool once = [] {
    const auto on = [](const char* op, Kernel kernel) {
      register_kernel(DeviceType::kCpu, op, kAllTypes, kernel);
    };
    on("EmptyTensorList", empty);
    on("EmptyValueList", empty_values);
    on("TensorListReserve", reserve);
    on("TensorListPushBack", push);
    on("TensorListPopBack", pop);
    on("TensorListLength", length);
    on("TensorListElementShape", element_shape);
    on("TensorListResize", resize);
    on("TensorListGetItem", get_item);
    on("TensorListSetItem", set_item);
    register_kernel(DeviceType::kCpu, "ZerosLike", bit_of(DType::kVariant), zeros_like);
    register_kernel(DeviceType::kCpu, "AddN", bit_of(DType::kVariant), add_variants);
    register_list_row_kernels();
    register_ragged_kernels();
    register_map_kernels();
    return true;
  }();
  (void)once;
}

}  // namespace footlight::runtime
