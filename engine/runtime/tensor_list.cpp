// The kernels of lists: single elements, sums and zeros. Those of whole tensors are in tensor_list_rows.cpp.
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

int64_t list_integer(const Tensor& value) {
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

Shape list_merged(const Shape& a, const Shape& b, const OpRow& row) {
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

Tensor list_zeros(DType dtype, const Shape& shape) {
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
  list->most = list_integer(c.inputs[1]);
  c.outputs[0] = list_tensor(list);
}

void empty_values(KernelContext& c) {
  c.outputs[0] = list_tensor(new TensorList(c.attrs.get<DType>(kElementDType),
                                            c.attrs.get_or("element_shape"_attr, Shape::unknown_rank()), size_t{0}));
}

void reserve(KernelContext& c) {
  const int64_t size = list_integer(c.inputs[1]);
  if (size < 0)
    invalid("The num_elements to reserve must be a non negative number, but got ", size,
            " [Op:TensorListReserve]");
  c.outputs[0] = list_tensor(new TensorList(c.attrs.get<DType>(kElementDType), list_shape(c.inputs[0], c.row),
                                            static_cast<size_t>(size)));
}

// A value for an element that has none: zeros, if its shape can be known.
Tensor unset(const TensorList& list, DType dtype, const Shape& asked, const OpRow& row) {
  Shape shape = list_merged(asked, list.element_shape(), row);
  if (!shape.fully_known())
    for (const Tensor& item : list.items())
      if (item) shape = list_merged(shape, item.shape(), row);
  if (!shape.fully_known())
    invalid("Trying to read an uninitialized tensor but element_shape is not fully defined: ",
            shape.brackets(), " and no list element is set. [Op:", row.name, "]");
  return list_zeros(dtype, shape);
}

// The value of a branch that did not run, which nobody reads, has this shape whatever was declared.
bool stands_for_none(const Shape& shape) { return shape.rank() == 1 && shape[0] == 0; }

void push(KernelContext& c) {
  const TensorList& list = list_in(c.inputs[0]);
  const Tensor& item = c.inputs[1];
  if (list.dtype() == DType::kInvalid) {  // stands for zeros of any dtype
    std::vector<Tensor> items(list.size());
    items.push_back(item);
    c.outputs[0] = list_tensor(new TensorList(item.dtype(), Shape::unknown_rank(), std::move(items)));
    return;
  }
  check_list_dtype(list, item.dtype(), c.row);
  if (!compatible(list.element_shape(), item.shape()) && !stands_for_none(item.shape()))
    invalid("Tried to append a tensor with incompatible shape to a list. Op element shape: ", item.shape().brackets(),
            " list shape: ", list.element_shape().brackets(), " [Op:TensorListPushBack]");
  if (list.most >= 0 && list.size() >= static_cast<size_t>(list.most))
    invalid("Tried to push item into a full list. list size: ", list.size(), " max_num_elements: ", list.most,
            " [Op:TensorListPushBack]");
  c.outputs[0] = list_tensor(list.pushed(item));
}

void pop(KernelContext& c) {
  const TensorList& list = list_in(c.inputs[0]);
  const DType dtype = c.attrs.get<DType>(kElementDType);
  if (list.dtype() != DType::kInvalid) check_list_dtype(list, dtype, c.row);
  if (list.size() == 0) invalid("Trying to pop from an empty list. [Op:TensorListPopBack]");
  Tensor last = list.at(list.size() - 1);
  const Shape asked = list_shape(c.inputs[1], c.row);
  // A traced call relies on the shape.
  if (last && !compatible(asked, last.shape()) && !stands_for_none(last.shape()))
    invalid("Incompatible shapes of a list's element: asked for ", asked.brackets(), ", it has ",
            last.shape().brackets(), " [Op:TensorListPopBack]");
  c.outputs[1] = last ? std::move(last) : unset(list, dtype, asked, c.row);
  c.outputs[0] = list_tensor(list.resized(list.size() - 1));
}

void length(KernelContext& c) { *c.out<int32_t>() = static_cast<int32_t>(list_in(c.inputs[0]).size()); }

void element_shape(KernelContext& c) {
  const Shape& shape = list_in(c.inputs[0]).element_shape();
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
  const int64_t size = list_integer(c.inputs[1]);
  if (size < 0)
    invalid("TensorListSlice expects size to be non-negative. Got: ", size, " [Op:TensorListResize]");
  c.outputs[0] = list_tensor(list_in(c.inputs[0]).resized(static_cast<size_t>(size)));
}

void get_item(KernelContext& c) {
  const TensorList& list = list_in(c.inputs[0]);
  check_list_dtype(list, c.attrs.get<DType>(kElementDType), c.row);
  const int64_t index = list_integer(c.inputs[1]);
  if (index < 0 || static_cast<size_t>(index) >= list.size())
    invalid("Trying to access element ", index, " in a list with ", list.size(),
            " elements. [Op:TensorListGetItem]");
  Tensor item = list.at(static_cast<size_t>(index));
  const Shape asked = list_shape(c.inputs[2], c.row);
  // A traced call relies on the shape.
  if (item && !compatible(asked, item.shape()))
    invalid("Incompatible shapes of a list's element: asked for ", asked.brackets(), ", it has ",
            item.shape().brackets(), " [Op:TensorListGetItem]");
  c.outputs[0] = item ? std::move(item) : unset(list, list.dtype(), asked, c.row);
}

void set_item(KernelContext& c) {
  const TensorList* list = &list_in(c.inputs[0]);
  const Tensor& item = c.inputs[2];
  check_list_dtype(*list, item.dtype(), c.row);
  const int64_t index = list_integer(c.inputs[1]);
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

// --- sums of lists, element by element; one without a value counts as zeros ---
// Stands for the list of a branch that was not taken.
bool no_list(const Tensor& tensor) { return tensor.elements() == 1 && !*tensor.data<Resource*>(); }

// Adds a map to something that stands for zeros of any kind.
Tensor sum_with_zeros(const Tensor& map, const Tensor& other) {
  if (find_map(other)) return sum_with_zeros(other, map);
  if (list_in(other).dtype() != DType::kInvalid) invalid("Trying to add a map and a list of tensors [Op:AddN]");
  return map;
}

Tensor sum_of_lists(const Tensor& a, const Tensor& b) {
  if (no_list(a) || no_list(b)) return no_list(a) ? b : a;
  if (Tensor ragged = sum_of_ragged(a, b)) return ragged;
  if (Tensor map = sum_of_maps(a, b)) return map;
  if (find_map(a) || find_map(b)) return sum_with_zeros(a, b);
  const TensorList *x = &list_in(a), *y = &list_in(b);
  // A list of one kind or the other stands for zeros of any length.
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
    if (!y->single_item()) return x == &list_in(a) ? a : b;
    const size_t at = y->single_index();
    return list_tensor(x->with(at, sum_of_values(x->at(at), y->single_item())));
  }
  std::vector<Tensor> items = x->items();
  const std::vector<Tensor> others = y->items();
  for (size_t i = 0; i < items.size(); ++i) items[i] = sum_of_values(items[i], others[i]);
  const Shape& shape = compatible(x->element_shape(), y->element_shape())
                           ? merge(x->element_shape(), y->element_shape())
                           : x->element_shape();
  return list_tensor(new TensorList(x->dtype(), shape, std::move(items)));
}

void add_variants(KernelContext& c) {
  Tensor all = c.inputs[0];
  for (size_t i = 1; i < c.inputs.size(); ++i) all = sum_of_lists(all, c.inputs[i]);
  c.outputs[0] = std::move(all);
}

void zeros_like(KernelContext& c) { c.outputs[0] = zeros_of_value(c.inputs[0]); }

}  // namespace

Tensor sum_of_values(const Tensor& a, const Tensor& b) {
  if (!a || !b) return a ? a : b;
  const OpRow& row = a.dtype() == DType::kVariant ? "AddN"_op.row() : "AddV2"_op.row();
  return run_op(row, std::vector<Tensor>{a, b}, {})[0];
}

// Zeros for a tensor, a list or a map of zeros for a list or a map (which may contain others); anything else unchanged.
Tensor zeros_of_value(const Tensor& input) {
  if (!input) return input;
  if (is_plain(input.dtype())) return list_zeros(input.dtype(), input.shape());
  const TensorList* before = find_list(input);
  if (Tensor ragged = zeros_of_ragged(input)) return ragged;
  if (Tensor map = zeros_of_map(input)) return map;
  if (!before) return input;
  if (before->single() && !before->single_item()) return input;
  if (is_plain(before->dtype()) &&
      before->element_shape().fully_known())  // what has no value counts as zeros
    return list_tensor(new TensorList(before->dtype(), before->element_shape(), before->size()));
  std::vector<Tensor> items = before->items();
  for (Tensor& item : items) item = zeros_of_value(item);
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
