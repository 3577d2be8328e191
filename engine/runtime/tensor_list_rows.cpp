// The kernels that convert between lists and whole tensors (stack, gather, scatter, split, join), and those of several
// lists at once.
#include "engine/base/text.h"
#include "engine/ops/infer.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/list_value.h"
#include "engine/runtime/tensor_list.h"
#include "kernels/table.h"

#include <algorithm>

namespace footlight::runtime {
namespace {

const AttrName kElementDType{"element_dtype"};

// Replaces elements without a value by zeros of the others' shape, of which `shape` is known already. Throws `error` if
// the shape is not known. Returns the shape.
Shape fill_missing(std::vector<Tensor>& items, DType dtype, Shape shape, const OpRow& row, const char* error) {
  bool missing = false;
  for (const Tensor& item : items) {
    if (item) shape = merge_list_shapes(shape, item.shape(), row);
    missing |= !item;
  }
  if (!missing) return shape;
  if (!shape.fully_known()) invalid(error, shape.brackets(), " [Op:", row.name, "]");
  const Tensor zeros = zeros_tensor(dtype, shape);
  for (Tensor& item : items)
    if (!item) item = zeros;
  return shape;
}

Tensor pack(const std::vector<Tensor>& items, DType dtype, const Shape& element) {
  if (!items.empty()) return run_op("Pack"_op.row(), items, {})[0];
  Shape none{0};
  for (const int64_t dim : element.dims()) none.append(dim);
  return Tensor::empty(dtype, none);
}

std::vector<Tensor> rows_of(const Tensor& tensor, const OpRow& row) {
  if (tensor.shape().rank() == 0)
    invalid("Tensor must be at least a vector, but saw shape: [] [Op:", row.name, "]");
  if (tensor.shape()[0] == 0) return {};
  return run_op("Unpack"_op.row(), {&tensor, 1}, {{"num"_attr, tensor.shape()[0]}});
}

Shape element_of(const Tensor& tensor, const Tensor& asked, const OpRow& row) {
  const Shape shape = list_shape(asked, row);
  const Shape rows(tensor.shape().dims().subspan(1));
  if (!compatible(shape, rows))
    invalid("Specified a list with shape ", shape.brackets(), " from a tensor with shape ", rows.brackets(),
            " [Op:", row.name, "]");
  return shape;
}

void stack(KernelContext& c) {
  const TensorList& list = as_list(c.inputs[0]);
  const DType dtype = c.attrs.get<DType>(kElementDType);
  check_list_dtype(list, dtype, c.row);
  const int64_t wanted = c.attrs.get_or("num_elements"_attr, int64_t{-1});
  if (wanted >= 0 && static_cast<size_t>(wanted) != list.size())
    invalid("Operation expected a list with ", wanted, " elements but got a list with ", list.size(),
            " elements. [Op:TensorListStack]");
  std::vector<Tensor> items = list.items();
  const Shape known = merge_list_shapes(list_shape(c.inputs[1], c.row), list.element_shape(), c.row);
  if (items.empty() && !known.fully_known())
    invalid("Tried to stack elements of an empty list with non-fully-defined element_shape: ",
            known.brackets(), " [Op:TensorListStack]");
  const Shape shape = fill_missing(items, dtype, known, c.row,
                           "Tried to stack list which only contains uninitialized tensors and has a "
                           "non-fully-defined element_shape: ");
  c.outputs[0] = pack(items, dtype, shape);
}

void from_tensor(KernelContext& c) {
  const Tensor& tensor = c.inputs[0];
  std::vector<Tensor> rows = rows_of(tensor, c.row);
  c.outputs[0] =
      list_tensor(new TensorList(tensor.dtype(), element_of(tensor, c.inputs[1], c.row), std::move(rows)));
}

void gather(KernelContext& c) {
  const TensorList& list = as_list(c.inputs[0]);
  const DType dtype = c.attrs.get<DType>(kElementDType);
  check_list_dtype(list, dtype, c.row);
  const std::vector<Tensor> all = list.items();
  std::vector<Tensor> items;
  for (const int64_t index : infer::ints_of(c.inputs[1])) {
    if (index < 0 || static_cast<size_t>(index) >= all.size())
      invalid("Trying to gather element ", index, " in a list with ", all.size(),
              " elements. [Op:TensorListGather]");
    items.push_back(all[static_cast<size_t>(index)]);
  }
  const Shape known = merge_list_shapes(list_shape(c.inputs[2], c.row), list.element_shape(), c.row);
  if (items.empty() && !known.fully_known())
    invalid("Tried to gather 0-elements from a list with non-fully-defined shape: ", known.brackets(),
            " [Op:TensorListGather]");
  const Shape shape =
      fill_missing(items, dtype, known, c.row,
           "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: ");
  c.outputs[0] = pack(items, dtype, shape);
}

// Writes the rows at the indices; the list is long enough already.
void write_rows(std::vector<Tensor>& items, const Tensor& tensor, std::span<const int64_t> indices,
         const OpRow& row) {
  std::vector<Tensor> rows = rows_of(tensor, row);
  if (indices.size() != rows.size())
    invalid("Invalid number of rows in input tensor. Expected: ", indices.size(), " Actual: ", rows.size(),
            " [Op:", row.name, "]");
  for (size_t i = 0; i < rows.size(); ++i) items[static_cast<size_t>(indices[i])] = std::move(rows[i]);
}

size_t length_for(std::span<const int64_t> indices, size_t least, const OpRow& row) {
  for (const int64_t index : indices) {
    if (index < 0) invalid("Indices in TensorListScatter must all be non-negative. [Op:", row.name, "]");
    if (index >= INT32_MAX)
      invalid("TensorListScatter: the index ", index, " is too large [Op:", row.name, "]");
    least = std::max(least, static_cast<size_t>(index) + 1);
  }
  return least;
}

void scatter(KernelContext& c) {
  const Tensor& tensor = c.inputs[0];
  const std::vector<int64_t> indices = infer::ints_of(c.inputs[1]);
  const int64_t wanted = scalar_int(c.inputs[3]);
  if (wanted < -1) invalid("TensorListScatter expects num_elements >= -1, found: ", wanted, " [Op:", c.row.name, "]");
  if (tensor.shape().rank() == 0)
    invalid("Tensor must be at least a vector, but saw shape: [] [Op:", c.row.name, "]");
  const Shape shape = element_of(tensor, c.inputs[2], c.row);
  std::vector<Tensor> items(length_for(indices, 0, c.row));
  if (wanted >= 0) {
    if (items.size() > static_cast<size_t>(wanted))
      invalid("TensorListScatter: Trying to scatter at index ", items.size() - 1, " in list with size ",
              wanted, " [Op:", c.row.name, "]");
    items.resize(static_cast<size_t>(wanted));
  }
  write_rows(items, tensor, indices, c.row);
  c.outputs[0] = list_tensor(new TensorList(tensor.dtype(), shape, std::move(items)));
}

void scatter_into(KernelContext& c) {
  const TensorList& list = as_list(c.inputs[0]);
  const Tensor& tensor = c.inputs[1];
  check_list_dtype(list, tensor.dtype(), c.row);
  const std::vector<int64_t> indices = infer::ints_of(c.inputs[2]);
  if (tensor.shape().rank() == 0)
    invalid("Tensor must be at least a vector, but saw shape: [] [Op:", c.row.name, "]");
  const Shape rows(tensor.shape().dims().subspan(1));
  if (!compatible(list.element_shape(), rows))
    invalid("Specified a list with shape ", list.element_shape().brackets(), " from a tensor with shape ",
            rows.brackets(), " [Op:", c.row.name, "]");
  std::vector<Tensor> items = list.items();
  items.resize(length_for(indices, items.size(), c.row));
  write_rows(items, tensor, indices, c.row);
  c.outputs[0] = list_tensor(new TensorList(list.dtype(), list.element_shape(), std::move(items)));
}

void split(KernelContext& c) {
  const Tensor& tensor = c.inputs[0];
  if (c.inputs[2].shape().rank() != 1)
    invalid("Expected lengths to be a vector, received shape: ", c.inputs[2].shape().brackets(),
            " [Op:TensorListSplit]");
  if (tensor.shape().rank() == 0)
    invalid("Tensor must be at least a vector, but saw shape: [] [Op:TensorListSplit]");
  const std::vector<int64_t> lengths = infer::ints_of(c.inputs[2]);
  int64_t all = 0;
  for (const int64_t length : lengths) {
    if (length < 0) invalid("Invalid value in lengths: ", length, " [Op:TensorListSplit]");
    if (length > tensor.shape()[0] - all)
      invalid("Attempting to slice [", all, ", ", all + length, "] from tensor with length ",
              tensor.shape()[0], " [Op:TensorListSplit]");
    all += length;
  }
  if (all != tensor.shape()[0])
    invalid("Unused values in tensor. Length of tensor: ", tensor.shape()[0], " Values used: ", all,
            " [Op:TensorListSplit]");
  Shape shape = list_shape(c.inputs[1], c.row);
  for (const int64_t length : lengths) {
    Shape part = tensor.shape();
    part.set(0, length);
    if (!compatible(shape, part))
      invalid("tensor shape ", tensor.shape().brackets(), " is not compatible with element_shape ",
              shape.brackets(), " [Op:TensorListSplit]");
  }
  std::vector<Tensor> items;
  if (!lengths.empty())
    items = run_op("SplitV"_op.row(), std::vector<Tensor>{tensor, c.inputs[2], Tensor::scalar<int32_t>(0)},
                   {{"num_split"_attr, static_cast<int64_t>(lengths.size())}});
  c.outputs[0] = list_tensor(new TensorList(tensor.dtype(), shape, std::move(items)));
}

void concat(KernelContext& c) {
  const TensorList& list = as_list(c.inputs[0]);
  const DType dtype = c.attrs.get<DType>(kElementDType);
  check_list_dtype(list, dtype, c.row);
  std::vector<Tensor> items = list.items();
  Shape known = merge_list_shapes(list_shape(c.inputs[1], c.row), list.element_shape(), c.row);
  if (known.has_rank() && known.rank() == 0)
    invalid("Concat requires elements to be at least vectors, found scalars instead. [Op:", c.row.name, "]");
  const std::vector<int64_t> leading = infer::ints_of(c.inputs[2]);
  Shape rest = Shape::unknown_rank();
  if (known.has_rank()) rest = Shape(known.dims().subspan(1));
  int64_t common = known.has_rank() ? known[0] : kUnknownDim;  // the size of elements without a value
  bool first_seen = true;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i]) continue;
    if (items[i].shape().rank() == 0)
      invalid("Concat saw a scalar shape at index ", i, " but requires at least vectors. [Op:", c.row.name,
              "]");
    const Shape own(items[i].shape().dims().subspan(1));
    rest = merge_list_shapes(rest, own, c.row);
    const int64_t size = items[i].shape()[0];
    if (!known.has_rank() || known[0] == kUnknownDim) common = first_seen || common == size ? size : kUnknownDim;
    first_seen = false;
  }
  const bool rest_known = rest.fully_known();
  if (items.empty() && !rest_known)
    invalid(
        "All except the first dimension must be fully defined when concating an empty tensor list. "
        "element_shape: ",
        known.brackets(), " [Op:", c.row.name, "]");
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i]) continue;
    if (!rest_known)
      invalid("Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully "
              "defined: ", rest.brackets(), " [Op:", c.row.name, "]");
    const int64_t first = i < leading.size() ? leading[i] : common;
    if (first < 0)
      invalid("List contains uninitialized tensor at index ", i, " but leading_dims has only ", leading.size(),
              " elements. [Op:", c.row.name, "]");
    Shape whole{first};
    for (const int64_t dim : rest.dims()) whole.append(dim);
    items[i] = zeros_tensor(dtype, whole);
  }
  Tensor lengths = Tensor::empty(DType::kInt64, Shape{static_cast<int64_t>(items.size())});
  for (size_t i = 0; i < items.size(); ++i) lengths.data<int64_t>()[i] = items[i].shape()[0];
  c.outputs[1] = std::move(lengths);
  if (items.empty()) {
    c.outputs[0] = pack({}, dtype, rest);
    return;
  }
  items.push_back(Tensor::scalar<int32_t>(0));
  c.outputs[0] = run_op("ConcatV2"_op.row(), items, {})[0];
}

// Appends each row of a tensor to its own list of a batch.
void push_batch(KernelContext& c) {
  const Tensor &lists = c.inputs[0], &tensor = c.inputs[1];
  if (tensor.shape().rank() == 0)
    invalid("Expected tensor to be at least a vector, but saw shape: [] [Op:", c.row.name, "]");
  if (lists.shape().rank() != 1)
    invalid("Expected input_handles to be a vector, but saw shape: ", lists.shape().brackets(), " [Op:", c.row.name,
            "]");
  if (tensor.shape()[0] != lists.elements())
    invalid("Expected tensor.shape[0] == input_handles.size, but saw ", tensor.shape()[0], " vs. ", lists.elements(),
            " [Op:", c.row.name, "]");
  const Shape item(tensor.shape().dims().subspan(1));
  for (int64_t i = 0; i < lists.elements(); ++i) {
    const auto* list = dynamic_cast<const TensorList*>(lists.data<Resource*>()[i]);
    if (!list) invalid("Input handle at index ", i, " is not a list. [Op:", c.row.name, "]");
    if (list->dtype() != tensor.dtype())
      invalid("Invalid data type at index ", i, "; op elements ", name_of(tensor.dtype()), " but list elements ",
              name_of(list->dtype()), " [Op:", c.row.name, "]");
    if (!compatible(list->element_shape(), item))
      invalid("Tried to append a tensor with incompatible shape to a list at index ", i, ". Op element shape: ",
              item.brackets(), " list shape: ", list->element_shape().brackets(), " [Op:", c.row.name, "]");
    if (list->max_size >= 0 && list->size() >= static_cast<size_t>(list->max_size))
      invalid("Tried to push item into a full list at index ", i, ". list size: ", list->size(),
              " max_num_elements: ", list->max_size, " [Op:", c.row.name, "]");
  }
  const std::vector<Tensor> rows = rows_of(tensor, c.row);
  auto** out = c.set_output(0, DType::kVariant, lists.shape()).data<Resource*>();
  for (size_t i = 0; i < rows.size(); ++i) {
    out[i] = static_cast<const TensorList*>(lists.data<Resource*>()[i])->pushed(rows[i]);
    out[i]->ref();
  }
}

// Concatenates two lists, or the pairs of two batches of lists.
void concat_lists(KernelContext& c) {
  const Tensor &a = c.inputs[0], &b = c.inputs[1];
  const DType dtype = c.attrs.get<DType>(kElementDType);
  if (a.shape() != b.shape())
    invalid("Incompatible input TensorList tensor shapes: ", a.shape().brackets(), " vs. ", b.shape().brackets(),
            " [Op:", c.row.name, "]");
  const auto list = [&](size_t input, int64_t i) -> const TensorList& {
    const char* name = input == 0 ? "input_a" : "input_b";
    const auto* found = dynamic_cast<const TensorList*>(c.inputs[input].data<Resource*>()[i]);
    if (!found) invalid(name, "[", i, "] is not a TensorList [Op:", c.row.name, "]");
    if (found->dtype() != dtype)
      invalid(name, "[", i, "].dtype != element_dtype.  Saw: ", name_of(found->dtype()), " vs. ", name_of(dtype),
              " [Op:", c.row.name, "]");
    return *found;
  };
  for (int64_t i = 0; i < a.elements(); ++i)
    if (const TensorList &x = list(0, i), &y = list(1, i); x.element_shape() != y.element_shape())
      invalid("input_a and input_b TensorList element shapes are not identical at index ", i, ".  Saw ",
              x.element_shape().brackets(), " vs. ", y.element_shape().brackets(), " [Op:", c.row.name, "]");
  auto** out = c.set_output(0, DType::kVariant, a.shape()).data<Resource*>();
  for (int64_t i = 0; i < a.elements(); ++i) {
    std::vector<Tensor> items = list(0, i).items();
    for (Tensor& item : list(1, i).items()) items.push_back(std::move(item));
    out[i] = new TensorList(dtype, list(0, i).element_shape(), std::move(items));
    out[i]->ref();
  }
}

}  // namespace

void register_list_row_kernels() {
  const auto on = [](const char* op, Kernel kernel) {
    register_kernel(DeviceType::kCpu, op, kAllTypes, kernel);
  };
  on("TensorListStack", stack);
  on("TensorListPushBackBatch", push_batch);
  on("TensorListConcatLists", concat_lists);
  on("TensorListFromTensor", from_tensor);
  on("TensorListGather", gather);
  on("TensorListScatterV2", scatter);
  on("TensorListScatterIntoExistingList", scatter_into);
  on("TensorListSplit", split);
  on("TensorListConcatV2", concat);
}

}  // namespace footlight::runtime
