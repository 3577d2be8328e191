// Public functions that rearrange, repeat, cut and index tensors.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"
#include "engine/tensor/size.h"

namespace footlight::composite {

namespace {

Arg reverse_sequence(const Tensor& input, const Tensor& seq_lengths, std::optional<int64_t> seq_axis,
                     std::optional<int64_t> batch_axis, std::string_view name) {
  if (!seq_axis)
    fail(ErrorKind::kType, "tf.reverse_sequence requires seq_axis, the dimension to reverse");
  return {apply("ReverseSequence"_op, {input, seq_lengths},
                {{"seq_dim"_attr, *seq_axis}, {"batch_dim"_attr, batch_axis.value_or(0)}}, name)};
}

// A mask of `row` < lengths along a new last dimension.
Tensor mask_of(const Tensor& lengths, const Tensor& longest) {
  const DType type = longest.dtype();
  const Tensor row = ops::range(ops::number(0, type), longest);
  return ops::less(row, ops::cast(ops::expand_dims(lengths, -1), type));
}

Arg sequence_mask(const Tensor& lengths, const Tensor& maxlen, DType dtype, std::string_view name) {
  const Scope scope(name_or(name, "SequenceMask"));
  Tensor longest;
  if (!maxlen)
    longest = ops::maximum(ops::number(0, lengths.dtype()), ops::max_of(lengths));
  else
    longest = maxlen;
  if (longest.shape().has_rank() && longest.shape().rank() != 0)
    fail(ErrorKind::kValue, "Argument `maxlen` must be scalar for sequence_mask, received `maxlen` of shape ",
         longest.shape().to_string());
  const Tensor mask = mask_of(lengths, longest);
  return {dtype == DType::kInvalid ? mask : ops::cast(mask, dtype)};
}

// Repeats each element `times` times: tiles one more dimension, then merges it with the one before.
Tensor repeat_evenly(const Tensor& x, const Tensor& times, int axis) {
  const int rank = x.shape().rank();
  std::vector<Tensor> multiples;
  for (int d = 0; d <= rank; ++d) multiples.push_back(d == axis + 1 ? times : ops::integer(1, times.dtype()));
  const Tensor tiled = apply("Tile"_op, {ops::expand_dims(x, axis + 1), ops::pack(multiples, 0)});
  const Tensor of_x = ops::shape(x);
  std::vector<Tensor> parts;
  if (axis > 0) parts.push_back(ops::slice(of_x, ops::ints({0}), ops::ints({axis})));
  parts.push_back(ops::ints({-1}));
  if (axis + 1 < rank) parts.push_back(ops::slice(of_x, ops::ints({axis + 1}), ops::ints({rank - axis - 1})));
  // -1 is ambiguous where another dimension is empty, so the size is computed when it is known.
  const Tensor known = known_value(times);
  if (known && one_integer(known, "repeats of tf.repeat") >= 0 && x.shape()[axis] >= 0)
    parts[axis > 0 ? 1 : 0] = ops::ints({multiply_sizes(x.shape()[axis], one_integer(known, "repeats of tf.repeat"))});
  else if (known && one_integer(known, "repeats of tf.repeat") == 0)
    parts[axis > 0 ? 1 : 0] = ops::ints({0});
  return ops::reshape(tiled, ops::concat(parts, 0));
}

// repeat_evenly() for an unknown rank: all sizes are computed in the graph.
Tensor repeat_unranked(const Tensor& x, const Tensor& times, int axis) {
  const Tensor of_x = ops::cast(ops::shape(x), times.dtype()), one = ops::integer(1, times.dtype());
  const auto part = [&](int64_t from, int64_t size) { return ops::slice(of_x, ops::ints({from}), ops::ints({size})); };
  const Tensor before = part(0, axis), behind = part(axis + 1, -1), each = ops::reshape(times, ops::ints({1}));
  const Tensor multiples[] = {ops::fill(ops::ints({axis + 1}), one), each, ops::fill(ops::shape(behind), one)};
  const Tensor sizes[] = {before, ops::mul(part(axis, 1), each), behind};
  return ops::reshape(apply("Tile"_op, {ops::expand_dims(x, axis + 1), ops::concat(multiples, 0)}),
                      ops::concat(sizes, 0));
}

Arg repeat(const Tensor& input, const Tensor& repeats, std::optional<int64_t> axes, std::string_view name) {
  Tensor x = input;
  Tensor times = repeats;
  if (!is_integer(times.dtype()))
    fail(ErrorKind::kType, "repeats of tf.repeat must be integers, not ", name_of(times.dtype()));
  if (times.dtype() != DType::kInt64) times = ops::cast(times, DType::kInt32);
  const Scope scope(name_or(name, "Repeat"));
  int axis = 0;
  if (!axes) {
    x = ops::reshape(x, ops::ints({-1}));
  } else if (!x.shape().has_rank()) {
    if (*axes < 0)
      fail(ErrorKind::kValue, "tf.repeat: with a negative axis the rank of the input must be known");
    axis = static_cast<int>(possible_axis(*axes, "tf.repeat"));
  } else {
    if (x.shape().rank() == 0) x = ops::reshape(x, ops::ints({1}));
    const int rank = x.shape().rank();
    if (*axes < -rank || *axes >= rank)
      fail(ErrorKind::kValue, "tf.repeat: axis ", *axes, " must be in [", -rank, ", ", rank, ")");
    axis = static_cast<int>(*axes < 0 ? *axes + rank : *axes);
  }
  const Shape& of_times = times.shape();
  if (of_times.has_rank() && of_times.rank() > 1)
    fail(ErrorKind::kValue, "repeats of tf.repeat must be a scalar or a vector, their shape is ",
         of_times.to_string());
  if (of_times.has_rank() && of_times.rank() == 1 && of_times[0] == 1)
    times = ops::reshape(times, ops::ints({}));
  if (x.shape().has_rank() && times.shape().has_rank() && times.shape().rank() == 0)
    return {repeat_evenly(x, times, axis)};
  if (const Tensor known = known_value(times); known && times.shape().rank() == 0)
    if (const int64_t each = one_integer(known, "repeats of tf.repeat"); each < 0)
      invalid("repeats of tf.repeat must not be negative, got ", each);
  if (!x.shape().has_rank() && times.shape().has_rank() && times.shape().rank() == 0)
    return {repeat_unranked(x, times, axis)};
  const int64_t rows = x.shape().has_rank() ? x.shape()[axis] : kUnknownDim;
  const int64_t given =
      times.shape().has_rank() && times.shape().rank() == 1 ? times.shape()[0] : kUnknownDim;
  if (rows >= 0 && given >= 0 && given != rows)
    fail(ErrorKind::kValue, "Dimensions ", rows, " and ", given,
         " are not compatible: as many repeats as elements are "
         "wanted, or one");
  if (const Tensor known = known_value(times); known && rows >= 0 && given >= 0) {
    const std::vector<int64_t> each = infer::ints_of(known);
    int64_t count = 0;
    for (int64_t n : each) count = add_sizes(count, std::max<int64_t>(n, 0));
    const Tensor index = Tensor::empty(DType::kInt64, Shape{count});
    int64_t* at = index.data<int64_t>();
    for (int64_t k = 0; k < rows; ++k) at = std::fill_n(at, std::max<int64_t>(each[static_cast<size_t>(k)], 0), k);
    return {ops::gather(x, constant(index.as_constant()), axis)};
  }
  if (rows < 0 || given < 0) {
    const Tensor count = ops::slice(ops::shape(x), ops::ints({axis}), ops::ints({1}));
    times = ops::broadcast_to(times, count);
  }
  const Tensor longest = ops::maximum(ops::number(0, times.dtype()), ops::max_of(times));
  const Tensor places = apply("Where"_op, {mask_of(times, longest)});
  const Tensor index =
      apply("StridedSlice"_op, {places, ops::ints({0, 0}), ops::ints({0, 1}), ops::ints({1, 1})},
            {{"begin_mask"_attr, int64_t{1}}, {"end_mask"_attr, int64_t{1}}, {"shrink_axis_mask"_attr, int64_t{2}}});
  return {ops::gather(x, index, axis)};
}

Arg meshgrid(const std::vector<Tensor>& given, const std::string& indexing, std::string_view name) {
  std::vector<Tensor> values = given;
  if (indexing != "xy" && indexing != "ij")
    fail(ErrorKind::kValue, "Argument `indexing` must be 'xy' or 'ij', got: '", indexing, "'");
  const Scope scope(name_or(name, "meshgrid"));
  const size_t rank = values.size();
  const bool swapped = indexing == "xy" && rank > 1;
  std::vector<Tensor> lines, sizes;
  bool known = true;
  for (size_t k = 0; k < rank; ++k) {
    std::vector<int64_t> dims(rank, 1);
    dims[swapped && k < 2 ? 1 - k : k] = -1;
    lines.push_back(ops::reshape(values[k], ops::ints(dims)));
    known &= values[k].shape().fully_known();
    if (values[k].dtype() != values[0].dtype())
      invalid("tensors of different dtypes in tf.meshgrid: ", name_of(values[0].dtype()), " and ",
              name_of(values[k].dtype()));
  }
  Tensor shape;
  if (known) {
    std::vector<int64_t> dims;
    for (size_t k = 0; k < rank; ++k) dims.push_back(values[swapped && k < 2 ? 1 - k : k].shape().elements());
    shape = ops::ints(dims);
  } else {
    for (size_t k = 0; k < rank; ++k) {
      const Tensor& value = values[swapped && k < 2 ? 1 - k : k];
      sizes.push_back(value.shape().fully_known() ? ops::integer(value.shape().elements())
                                                  : ops::size(value));
    }
    shape = ops::pack(sizes, 0);
  }
  for (Tensor& line : lines) line = ops::broadcast_to(line, shape);
  return {list_of(lines)};
}

// start + (stop - start) / (num - 1) * k, with both ends exactly as given.
Arg linspace(const Tensor& start_given, const Tensor& stop_given, const Tensor& num_given, int64_t axes,
             std::string_view name) {
  Tensor start = start_given, stop = stop_given;
  const Scope scope(name_or(name, "linspace"));
  Tensor num = as_int32(num_given, "num of tf.linspace");
  if (!num.shape().has_rank() || num.shape().rank() > 0) {
    if (const Tensor known = known_value(num)) one_integer(known, "num of tf.linspace");  // or its error
    num = ops::reshape(num, ops::ints({}));
  }
  if (start.dtype() != stop.dtype())
    fail(ErrorKind::kValue, "stop: Tensor conversion requested dtype ", name_of(start.dtype()),
         " for Tensor with dtype ", name_of(stop.dtype()));
  if (is_integer(start.dtype())) {
    const DType real = size_of(start.dtype()) < 4 ? DType::kFloat32 : DType::kFloat64;
    start = ops::cast(start, real);
    stop = ops::cast(stop, real);
  }
  const DType type = start.dtype();
  const auto plain = [](const Tensor& t) {
    return !t.is_symbolic() && t.device() == Device::cpu() && t.shape().rank() == 0;
  };
  // Eager values on the host need no graph of TensorFlow's individual ops.
  if (const int64_t axis = axes; plain(start) && plain(stop) && plain(num) && (axis == 0 || axis == -1) &&
      (type == DType::kFloat32 || type == DType::kFloat64) && *num.data<int32_t>() > 0) {
    return {apply("LinSpace"_op, {start, stop, num})};
  }
  if (!(start.shape().fully_known() && start.shape() == stop.shape())) {
    const Tensor shape = apply("BroadcastArgs"_op, {ops::shape(start), ops::shape(stop)});
    start = ops::broadcast_to(start, shape);
    stop = ops::broadcast_to(stop, shape);
  }
  int64_t axis = axes;
  if (!start.shape().has_rank() && axis != 0)
    fail(ErrorKind::kValue,
         "tf.linspace: the ranks of start and stop must be known for an axis other than 0");
  const int rank = start.shape().has_rank() ? start.shape().rank() : -1;
  if (rank >= 0 && (axis < -rank - 1 || axis > rank))
    invalid("tf.linspace: axis ", axis, " must be in [", -rank - 1, ", ", rank, "]");
  if (axis < 0) axis += rank + 1;
  const Tensor first = ops::expand_dims(start, axis), last = ops::expand_dims(stop, axis);
  const Tensor known = known_value(num);
  if (known && one_integer(known, "num of tf.linspace") < 0)
    invalid("tf.linspace: num must not be negative: ", one_integer(known, "num of tf.linspace"), " [Op:LinSpace]");
  const Tensor steps = known ? ops::integer(std::max<int64_t>(one_integer(known, "num of tf.linspace") - 1, 1))
                             : ops::maximum(ops::sub(num, ops::integer(1)), ops::integer(1));
  const Tensor delta = ops::div(ops::sub(last, first), ops::cast(steps, type));
  // A range to -1 is the error of a negative num that is known only when it runs.
  const Tensor limit = known ? steps : ops::where(ops::less(num, ops::integer(0)), ops::integer(-1), steps);
  const Tensor counts = ops::cast(ops::range(ops::integer(1), limit), type);
  Tensor line = counts;
  if (rank != 0) {
    std::vector<int64_t> dims(rank > 0 ? static_cast<size_t>(rank + 1) : 1, 1);
    if (rank > 0) {
      dims[static_cast<size_t>(axis)] = -1;
      line = ops::reshape(counts, ops::ints(dims));
    } else {
      const Tensor ones = ops::fill(ops::expand_dims(ops::rank(start), 0), ops::integer(1));
      const Tensor both[] = {ops::ints({-1}), ones};
      line = ops::reshape(counts, ops::concat(both, 0));
    }
  }
  const Tensor inside = ops::add(first, ops::mul(delta, line));
  const Tensor whole = ops::concat({first, inside, last}, axis);
  if (known && one_integer(known, "num of tf.linspace") > 1) return {whole};
  // One point: just the start.
  if (rank >= 0) {
    std::vector<Tensor> sizes;
    for (int d = 0; d <= rank; ++d) sizes.push_back(d == axis ? num : ops::integer(-1));
    std::vector<int64_t> zeros(sizes.size(), 0);
    return {ops::slice(whole, ops::ints(zeros), ops::pack(sizes, 0))};
  }
  return {ops::gather(whole, ops::range(ops::integer(0), num))};
}

Arg shape_n(const std::vector<Tensor>& input, DType out_type, std::string_view name) {
  return {list_of(apply_all("ShapeN"_op.row(), input, {{"out_type"_attr, out_type}}, name))};
}

Arg identity_n(const std::vector<Tensor>& input, std::string_view name) {
  return {list_of(apply_all("IdentityN"_op.row(), input, {}, name))};
}

Arg ensure_shape(const Tensor& x, const Arg& dims, std::string_view name) {
  const Shape* shape = std::get_if<Shape>(&dims.value);
  if (!shape) {
    const Tensor value = known_value(std::get<Tensor>(dims.value));
    if (!value) fail(ErrorKind::kType, "the shape of tf.ensure_shape must be known, got a symbolic tensor");
    return {apply("EnsureShape"_op, {x}, {{"shape"_attr, Shape(std::span<const int64_t>(infer::ints_of(value)))}},
                  name)};
  }
  return {apply("EnsureShape"_op, {x}, {{"shape"_attr, *shape}}, name)};
}

Arg broadcast_dynamic_shape(const Tensor& shape_x, const Tensor& shape_y, std::string_view) {
  return {apply("BroadcastArgs"_op, {shape_x, shape_y})};
}

Arg broadcast_static_shape(const Arg& shape_x, const Arg& shape_y, std::string_view) {
  const Shape* x = std::get_if<Shape>(&shape_x.value);
  const Shape* y = std::get_if<Shape>(&shape_y.value);
  if (!x || !y) fail(ErrorKind::kType, "tf.broadcast_static_shape requires two TensorShapes");
  try {
    return {broadcast(*x, *y)};
  } catch (const Error&) {
    fail(ErrorKind::kValue, "Incompatible shapes for broadcasting: ", x->to_string(), " and ",
         y->to_string());
  }
}

Arg space_to_batch(const Tensor& input, const Tensor& block_shape, const Tensor& paddings, std::string_view name) {
  return {apply("SpaceToBatchND"_op, {input, block_shape, paddings}, {}, name)};
}

// A single number is used for both spatial dimensions.
Arg batch_to_space(const Tensor& input, const Tensor& block_shape, const Tensor& crops, std::string_view name) {
  Tensor blocks = block_shape;
  if (blocks.shape().has_rank() && blocks.shape().rank() == 0 && blocks.body()->python_number) {
    const int64_t block = one_integer(blocks, "the block size");
    blocks = ops::ints({block, block});
  }
  return {apply("BatchToSpaceND"_op, {input, blocks, crops}, {}, name)};
}

Arg required_paddings(const Tensor& size, const Tensor& blocks, const Tensor& base_paddings, std::string_view name) {
  const Shape& shape = blocks.shape();
  if (!shape.fully_known() || shape.rank() != 1)
    fail(ErrorKind::kValue, "block_shape must be a vector of known length, its shape is ", shape.to_string());
  if (!compatible(size.shape(), shape))
    fail(ErrorKind::kValue, "input_shape and block_shape have different lengths: ", size.shape().to_string(),
         " and ", shape.to_string());
  const Scope scope(name_or(name, "required_space_to_batch_paddings"));
  const int64_t n = shape[0];
  const Tensor zeros = ops::fill(ops::ints({n}), ops::integer(0));
  Tensor before = zeros, after = zeros;
  if (base_paddings) {
    const Tensor& base = base_paddings;
    if (!compatible(base.shape(), Shape{n, 2}))
      fail(ErrorKind::kValue, "base_paddings must have shape (", n, ", 2), their shape is ",
           base.shape().to_string());
    const auto column = [&](int64_t k) {
      return apply(
          "StridedSlice"_op, {base, ops::ints({0, k}), ops::ints({0, k + 1}), ops::ints({1, 1})},
          {{"begin_mask"_attr, int64_t{1}}, {"end_mask"_attr, int64_t{1}}, {"shrink_axis_mask"_attr, int64_t{2}}});
    };
    before = column(0);
    after = column(1);
  }
  const Tensor full = ops::add(ops::add(size, before), after);
  const Tensor extra = apply("FloorMod"_op, {ops::sub(blocks, apply("FloorMod"_op, {full, blocks})), blocks});
  const Tensor paddings[] = {before, ops::add(after, extra)};
  return {list_of({ops::pack(paddings, 1), ops::pack({zeros, extra}, 1)})};
}

Arg volume_patches(const Tensor& input, const Ints& ksizes, const Ints& strides, const std::string& padding,
                   std::string_view name) {
  return {apply("ExtractVolumePatches"_op, {input},
                {{"ksizes"_attr, ksizes}, {"strides"_attr, strides}, {"padding"_attr, padding}},
                name)};
}

Arg bitcast(const Tensor& input, DType type, std::string_view name) {
  return {apply("Bitcast"_op, {input}, {{"type"_attr, type}}, name)};
}

Arg parallel_stack(const std::vector<Tensor>& values, std::string_view name) {
  if (!this_thread.builder)
    fail(ErrorKind::kRuntime,
         "tf.parallel_stack() is not compatible with eager execution: call it in a tf.function");
  const Scope scope(name_or(name, "parallel_stack"));
  std::vector<Tensor> rows = values;
  if (rows.empty()) fail(ErrorKind::kValue, "tf.parallel_stack requires at least one tensor, got an empty list");
  const Shape& one = rows[0].shape();
  if (!one.fully_known())
    fail(ErrorKind::kValue, "tf.parallel_stack requires tensors of known shape, the first has ",
         one.to_string());
  Shape out{static_cast<int64_t>(rows.size())};
  for (int64_t d : one.dims()) out.append(d);
  for (Tensor& row : rows) row = ops::expand_dims(row, 0);
  return {apply("ParallelConcat"_op.row(), rows, {{"shape"_attr, out}})};
}

}  // namespace

FL_PUBLIC(array) {
  constexpr const char* kBlocks =
      "input: tensor, block_shape: tensor of int32, paddings: tensor of int32, name: str? = None";
  return {
      {"reverse", "tensor: tensor, axis: tensor of int32, name: str? = None", one_op<"ReverseV2">,
       "dimensions the other way round"},
      {"reverse_sequence",
       "input: tensor, seq_lengths: tensor of int32, seq_axis: int? = None, batch_axis: int? = None, name: "
       "str? = None",
       bind<reverse_sequence>, "the first so many of each row the other way round"},
      {"roll", "input: tensor, shift: tensor, axis: tensor, name: str? = None", one_op<"Roll">,
       "elements shifted around the end of dimensions"},
      {"sequence_mask", "lengths: tensor, maxlen: tensor? = None, dtype: dtype? = bool, name: str? = None",
       bind<sequence_mask>, "true for the first so many of each row"},
      {"repeat", "input: tensor, repeats: tensor of int32, axis: int? = None, name: str? = None", bind<repeat>,
       "each element several times"},
      {"meshgrid", "*args: tensors of any, indexing: str = 'xy', name: str? = None", bind<meshgrid>,
       "the coordinates of a grid from those of its axes"},
      {"linspace",
       "start: tensor, stop: tensor after start, num: tensor of int32, name: str? = None, axis: int = 0",
       bind<linspace>, "numbers at equal distances"},
      {"shape_n", "input: tensors, out_type: dtype = int32, name: str? = None", bind<shape_n>,
       "the shapes of several tensors"},
      {"identity_n", "input: tensors of any, name: str? = None", bind<identity_n>, "the same values"},
      {"ensure_shape", "x: tensor, shape: shape, name: str? = None", bind<ensure_shape>,
       "the same value; an error when its shape is another"},
      {"broadcast_dynamic_shape", "shape_x: tensor of int32, shape_y: tensor like shape_x",
       bind<broadcast_dynamic_shape>, "the shape that two shapes broadcast to, as a tensor"},
      {"broadcast_static_shape", "shape_x: shape, shape_y: shape", bind<broadcast_static_shape>,
       "the shape that two shapes broadcast to"},
      {"nn.space_to_batch space_to_batch space_to_batch_nd", kBlocks, bind<space_to_batch>,
       "moves blocks of the spatial dimensions into the batch"},
      {"batch_to_space",
       "input: tensor, block_shape: tensor of int32, crops: tensor of int32, name: str? = None",
       bind<batch_to_space>, "moves the batch back into blocks of the spatial dimensions"},
      {"required_space_to_batch_paddings",
       "input_shape: tensor of int32, block_shape: tensor of int32, base_paddings: tensor? of int32 = None, "
       "name: str? = None -> tuple",
       bind<required_paddings>, "the paddings and crops that make spatial dimensions divisible by blocks"},
      {"extract_volume_patches",
       "input: tensor, ksizes: ints, strides: ints, padding: str, name: str? = None", bind<volume_patches>,
       "the blocks under a window that steps through space, as depth"},
      {"bitcast", "input: tensor, type: dtype, name: str? = None", bind<bitcast>, "the same bits as another dtype"},
      {"parallel_stack", "values: tensors, name: str = 'parallel_stack'", bind<parallel_stack>,
       "tensors of the same shape stacked along a new first dimension, in a graph"},
  };
}

}  // namespace footlight::composite
