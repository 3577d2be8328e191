// Kernels that take Example and SequenceExample messages apart.
#include "kernels/cpu/scalar/example_reader.h"
#include "kernels/cpu/register.h"

#include "engine/base/text.h"
#include "engine/tensor/size.h"

#include <algorithm>

namespace footlight::FL_ISA {

namespace {

using wire::ProtobufReader;
using Types = std::vector<DType>;

std::string_view said(DType dtype) {
  return dtype == DType::kFloat32 ? "float" : dtype == DType::kFloat64 ? "double" : name_of(dtype);
}

// Names an example, or a feature of it, in an error.
class ExampleName {
 public:
  ExampleName(const Tensor& names, bool scalar, const char* op) : names_(names), scalar_(scalar), op_(op) {}
  const char* op() const { return op_; }
  std::string feature(int64_t example, std::string_view key) const {
    return scalar_ ? str("Key: ", key, ".  ") : str(name(example), "Key: ", key, ", Index: ", example, ".  ");
  }
  std::string name(int64_t example) const {
    if (scalar_) return "";
    const bool known = names_.elements() > example && names_.dtype() == DType::kString;
    return str("Name: ", known ? names_.data<std::string>()[example] : "<unknown>", ", ");
  }

 private:
  const Tensor names_;
  const bool scalar_;
  const char* const op_;
};

enum class Layout : uint8_t { kSparse, kDense, kRagged };

// One wanted feature, and what was found of it so far.
struct Column {
  std::string key;
  Layout layout;
  Values values;
  std::vector<int64_t> counts;  // for each example, or for each step of one
  std::vector<int64_t> steps;   // for each example, if the features are lists
  Tensor otherwise;             // dense: the default; without elements: required
  Shape shape;                  // dense: of one example
  bool is_variable() const { return shape.rank() > 0 && shape[0] == kUnknownDim; }
  int64_t stride() const {  // size of one step if it is variable; else the whole size
    int64_t size = 1;
    for (int d = is_variable() ? 1 : 0; d < shape.rank(); ++d) size *= shape[d];
    return size;
  }
};

std::string column_shape(const Column& c) {
  std::string out = "[";
  for (int d = 0; d < c.shape.rank(); ++d)
    out += str(d ? "," : "", c.shape[d] == kUnknownDim ? std::string("?") : std::to_string(c.shape[d]));
  return out + "]";
}

std::vector<Column> columns(const Tensor& keys, Layout layout, const Types& types) {
  if (static_cast<size_t>(keys.elements()) != types.size())
    invalid("there are ", keys.elements(), " keys for ", types.size(), " types of features");
  std::vector<Column> out(types.size());
  for (size_t k = 0; k < out.size(); ++k) {
    out[k].key = keys.data<std::string>()[k];
    out[k].layout = layout;
    out[k].values.dtype = types[k];
    if (types[k] != DType::kInt64 && types[k] != DType::kFloat32 && types[k] != DType::kString)
      invalid("Value for attr of ", name_of(types[k]), " is not in the list of allowed values: float, int64, string");
  }
  return out;
}

void append(Values& to, const Tensor& from) {
  const auto count = static_cast<size_t>(from.elements());
  if (to.dtype == DType::kString)
    to.strings.insert(to.strings.end(), from.data<std::string>(), from.data<std::string>() + count);
  else if (to.dtype == DType::kFloat32)
    to.reals.insert(to.reals.end(), from.data<float>(), from.data<float>() + count);
  else
    to.numbers.insert(to.numbers.end(), from.data<int64_t>(), from.data<int64_t>() + count);
}

// Adds one feature, which may be missing, to its column.
void add_feature(Column& column, std::string_view bytes, int64_t example, const ExampleName& place) {
  FeatureBytes feature;
  if (bytes.data() && !read_feature(bytes, feature))
    invalid(place.feature(example, column.key), "Can't parse serialized Example. [Op:", place.op(), "]");
  if (feature.dtype == DType::kInvalid) {
    if (column.layout != Layout::kDense || column.is_variable()) {
      column.counts.push_back(0);
    } else if (column.otherwise && column.otherwise.elements()) {
      append(column.values, column.otherwise);
      column.counts.push_back(column.otherwise.elements());
    } else {
      invalid(place.name(example), "Feature: ", column.key, " (data type: ", said(column.values.dtype),
              ") is required but could not be found. [Op:", place.op(), "]");
    }
    return;
  }
  if (feature.dtype != column.values.dtype) {
    if (column.layout == Layout::kDense)
      invalid(place.feature(example, column.key), "Data types don't match. Data type: ", said(feature.dtype),
              " but expected type: ", said(column.values.dtype), " [Op:", place.op(), "]");
    invalid(place.feature(example, column.key), "Data types don't match. Expected type: ", said(column.values.dtype),
            ", Actual type: ", said(feature.dtype), " [Op:", place.op(), "]");
  }
  int64_t count = 0;
  if (!read_values(feature, column.values, count))
    invalid(place.feature(example, column.key), "Can't parse serialized Example. [Op:", place.op(), "]");
  if (column.layout == Layout::kDense) {
    const int64_t stride = column.stride();
    if (column.is_variable() ? stride == 0 || count % stride != 0 : count != stride) {
      if (column.is_variable())
        invalid(place.feature(example, column.key), "Number of ", said(column.values.dtype),
                " values is not a multiple of stride length. Saw ", count,
                " values but output shape is: ", column_shape(column), " [Op:", place.op(), "]");
      invalid(place.feature(example, column.key), "Number of ", said(column.values.dtype),
              " values != expected.  Values size: ", count, " but output shape: ", column_shape(column),
              " [Op:", place.op(), "]");
    }
  }
  column.counts.push_back(count);
}

// --- outputs ---
int64_t largest(const std::vector<int64_t>& counts) { return counts.empty() ? 0 : *std::ranges::max_element(counts); }

Tensor splits_of(const std::vector<int64_t>& counts, DType dtype, const char* op) {
  Tensor out = Tensor::empty(dtype, Shape{static_cast<int64_t>(counts.size()) + 1});
  int64_t sum = 0;
  const auto put = [&](size_t i) {
    if (dtype == DType::kInt64)
      out.data<int64_t>()[i] = sum;
    else
      out.data<int32_t>()[i] = static_cast<int32_t>(sum);
  };
  put(0);
  for (size_t i = 0; i < counts.size(); ++i) {
    sum += counts[i];
    if (dtype != DType::kInt64 && sum > INT32_MAX) invalid("there are more values than int32 counts [Op:", op, "]");
    put(i + 1);
  }
  return out;
}

Tensor numbers(std::initializer_list<int64_t> all) {
  return Tensor::vector<int64_t>(std::span(all.begin(), all.size()));
}

// (indices, values, shape) of features of examples, or of the only one.
void sparse_outputs(const Column& c, bool scalar, Tensor& indices, Tensor& values, Tensor& shape) {
  const int64_t count = c.values.size();
  indices = Tensor::empty(DType::kInt64, Shape{count, scalar ? 1 : 2});
  auto* at = indices.data<int64_t>();
  for (size_t e = 0; e < c.counts.size(); ++e)
    for (int64_t k = 0; k < c.counts[e]; ++k) {
      if (!scalar) *at++ = static_cast<int64_t>(e);
      *at++ = k;
    }
  values = c.values.tensor(Shape{count});
  shape = scalar ? numbers({largest(c.counts)}) : numbers({static_cast<int64_t>(c.counts.size()), largest(c.counts)});
}

// The element that fills up short rows.
void put_filler(const Tensor& out, int64_t at, const Tensor& otherwise) {
  const bool has = otherwise && otherwise.elements() > 0;
  if (out.dtype() == DType::kString)
    out.data<std::string>()[at] = has ? *otherwise.data<std::string>() : "";
  else if (out.dtype() == DType::kFloat32)
    out.data<float>()[at] = has ? *otherwise.data<float>() : 0;
  else
    out.data<int64_t>()[at] = has ? *otherwise.data<int64_t>() : 0;
}
void put_value(const Tensor& out, int64_t at, const Values& values, int64_t from) {
  const auto k = static_cast<size_t>(from);
  if (out.dtype() == DType::kString)
    out.data<std::string>()[at] = values.strings[k];
  else if (out.dtype() == DType::kFloat32)
    out.data<float>()[at] = values.reals[k];
  else
    out.data<int64_t>()[at] = values.numbers[k];
}

// Rows of `counts` values each, as a tensor of rows of `width` values.
Tensor padded(const Column& c, const std::vector<int64_t>& counts, int64_t width, const Shape& shape) {
  check_shape(shape);
  Tensor out = Tensor::empty(c.values.dtype, shape);
  int64_t from = 0, at = 0;
  for (const int64_t count : counts) {
    for (int64_t k = 0; k < width; ++k) {
      if (k < count)
        put_value(out, at++, c.values, from++);
      else
        put_filler(out, at++, c.otherwise);
    }
  }
  return out;
}

Tensor dense_output(const Column& c, bool scalar) {
  Shape shape;
  if (!scalar) shape.append(static_cast<int64_t>(c.counts.size()));
  if (!c.is_variable()) {
    for (const int64_t d : c.shape.dims()) shape.append(d);
    return c.values.tensor(shape);
  }
  const int64_t longest = largest(c.counts), stride = std::max<int64_t>(c.stride(), 1);
  shape.append(longest / stride);
  for (int d = 1; d < c.shape.rank(); ++d) shape.append(c.shape[d]);
  return padded(c, c.counts, longest, shape);
}

Tensor no_splits(DType dtype) { return Tensor::empty(dtype, Shape{0}); }

// The columns of each key that is read: a key may belong to several.
struct Wanted {
  std::vector<std::vector<Column*>> of_key;
  WantedKeys keys;
  void add(std::vector<Column>& columns) {
    for (Column& column : columns) {
      const auto [place, fresh] = keys.emplace(column.key, of_key.size());
      if (fresh) of_key.emplace_back();
      of_key[place->second].push_back(&column);
    }
  }
};

// The dtypes of the defaults, which are those of the dense features.
Types types_from(KernelContext& c, size_t first) {
  Types types;
  for (size_t k = first; k < c.inputs.size(); ++k) types.push_back(c.inputs[k].dtype());
  return types;
}

Types types_of(KernelContext& c, const char* attr) { return c.attrs.get_or(AttrName(attr), Types()); }

void set_dense(KernelContext& c, std::vector<Column>& dense, const char* shapes, size_t first_default) {
  const auto all = c.attrs.get_or(AttrName(shapes), std::vector<Shape>());
  if (all.size() != dense.size())
    invalid("there are ", all.size(), " dense shapes for ", dense.size(), " features [Op:", c.row.name, "]");
  for (size_t k = 0; k < dense.size(); ++k) {
    dense[k].shape = all[k];
    if (!all[k].has_rank()) invalid("dense_shapes[", k, "] has unknown rank [Op:", c.row.name, "]");
    for (int d = 1; d < all[k].rank(); ++d)
      if (all[k][d] == kUnknownDim)
        invalid("dense_shapes[", k, "] has unknown inner dimensions: ", all[k].brackets(), " [Op:", c.row.name, "]");
    if (!first_default) continue;
    dense[k].otherwise = c.inputs[first_default + k];
    const int64_t there = dense[k].otherwise.elements();
    if (there == 0) continue;
    if (dense[k].is_variable() ? there != 1 : there != dense[k].stride())
      invalid("dense_defaults[", k, "].shape() == ", dense[k].otherwise.shape().brackets(),
              " is not compatible with dense_shapes[", k, "] == ", column_shape(dense[k]), " [Op:", c.row.name, "]");
  }
}

[[noreturn]] void refuse_example(const ExampleName& place, int64_t example) {
  invalid(place.name(example), "Could not parse example input, value: the bytes are no such message [Op:", place.op(),
          "]");
}

void add_features(Wanted& wanted, std::string_view features, std::vector<std::string_view>& found, int64_t example,
                  const ExampleName& place) {
  found.assign(wanted.of_key.size(), {});
  if (!read_map(features, wanted.keys, found)) refuse_example(place, example);
  for (size_t k = 0; k < found.size(); ++k)
    for (Column* column : wanted.of_key[k]) add_feature(*column, found[k], example, place);
}

// Puts outputs one after the other.
struct OutputCursor {
  KernelContext& context;
  size_t at = 0;
  void put(Tensor t) { context.outputs[at++] = std::move(t); }
};

void put_sparse(OutputCursor& out, const std::vector<Column>& sparse, bool scalar) {
  const size_t n = sparse.size();
  for (size_t k = 0; k < n; ++k) {
    auto* first = &out.context.outputs[out.at + k];
    sparse_outputs(sparse[k], scalar, first[0], first[n], first[2 * n]);
  }
  out.at += 3 * n;
}

void put_ragged(OutputCursor& out, const std::vector<Column>& ragged, const Types& splits, bool scalar) {
  for (const Column& column : ragged) out.put(column.values.tensor(Shape{column.values.size()}));
  for (size_t k = 0; k < ragged.size(); ++k)
    out.put(scalar ? no_splits(splits[k]) : splits_of(ragged[k].counts, splits[k], out.context.row.name));
}

Types splits_types(KernelContext& c, const char* attr, size_t count) {
  Types splits = types_of(c, attr);
  if (splits.size() != count)
    invalid("there are ", splits.size(), " types of row splits for ", count, " features [Op:", c.row.name, "]");
  for (const DType dtype : splits)
    if (dtype != DType::kInt32 && dtype != DType::kInt64)
      invalid("row splits are of int32 or int64, not ", name_of(dtype));
  return splits;
}

// The message in field `field`; where it is spread over several, they are put one after the other in `joined`.
bool message_in(std::string_view bytes, uint32_t field, std::string& joined, std::string_view& out) {
  out = {};
  joined.clear();
  int parts = 0;
  ProtobufReader in(bytes);
  while (in.next()) {
    if (in.field != field) continue;
    if (in.type != wire::kBytes) return false;
    if (++parts == 2) joined = out;
    if (parts > 1)
      joined += in.bytes;
    else
      out = in.bytes;
  }
  if (parts > 1) out = joined;
  return in.ok();
}

void parse_example(KernelContext& c) {
  const Tensor& serialized = c.inputs[0];
  const bool scalar = serialized.shape().rank() == 0;
  const ExampleName place(c.inputs[1], scalar, c.row.name);
  if (const int64_t names = c.inputs[1].elements(); names != 0 && names != serialized.elements())
    invalid("Expected len(names) == len(serialized), got: ", names, " and ", serialized.elements(),
            " [Op:ParseExampleV2]");
  auto sparse = columns(c.inputs[2], Layout::kSparse, types_of(c, "sparse_types"));
  auto dense = columns(c.inputs[3], Layout::kDense, types_from(c, 5));
  auto ragged = columns(c.inputs[4], Layout::kRagged, types_of(c, "ragged_value_types"));
  const Types splits = splits_types(c, "ragged_split_types", ragged.size());
  set_dense(c, dense, "dense_shapes", 5);
  Wanted wanted;
  wanted.add(sparse);
  wanted.add(dense);
  wanted.add(ragged);
  std::vector<std::string_view> found;
  std::string joined;
  std::string_view features;
  for (int64_t e = 0; e < serialized.elements(); ++e) {
    if (!message_in(serialized.data<std::string>()[e], 1, joined, features)) refuse_example(place, e);
    add_features(wanted, features, found, e, place);
  }
  OutputCursor out{c};
  put_sparse(out, sparse, scalar);
  for (const Column& column : dense) out.put(dense_output(column, scalar));
  put_ragged(out, ragged, splits, scalar);
}

// The features of a list, in one column.
void add_list(Column& column, std::string_view bytes, int64_t example, const ExampleName& place) {
  int64_t steps = 0;
  ProtobufReader in(bytes);
  while (in.next()) {
    if (in.field != 1) continue;
    FeatureBytes feature;
    int64_t count = 0;
    if (in.type != wire::kBytes || !read_feature(in.bytes, feature)) refuse_example(place, example);
    if (feature.dtype != DType::kInvalid) {
      if (feature.dtype != column.values.dtype)
        invalid(place.feature(example, column.key),
                "Data types don't match. Expected type: ", said(column.values.dtype),
                ", Actual type: ", said(feature.dtype), " [Op:", place.op(), "]");
      if (!read_values(feature, column.values, count)) refuse_example(place, example);
    }
    if (column.layout == Layout::kDense && count != column.stride())
      invalid("Feature list: ", column.key, ", Index: ", steps, ".  Number of ", said(column.values.dtype),
              " values != expected.  values size: ", count, " but output shape: ", column_shape(column),
              " [Op:", place.op(), "]");
    column.counts.push_back(count);
    ++steps;
  }
  if (!in.ok()) refuse_example(place, example);
  column.steps.push_back(steps);
}

void sparse_lists(const Column& c, bool scalar, Tensor& indices, Tensor& values, Tensor& shape) {
  const int64_t count = c.values.size();
  indices = Tensor::empty(DType::kInt64, Shape{count, scalar ? 2 : 3});
  auto* at = indices.data<int64_t>();
  size_t next = 0;
  for (size_t e = 0; e < c.steps.size(); ++e)
    for (int64_t step = 0; step < c.steps[e]; ++step, ++next)
      for (int64_t k = 0; k < c.counts[next]; ++k) {
        if (!scalar) *at++ = static_cast<int64_t>(e);
        *at++ = step;
        *at++ = k;
      }
  values = c.values.tensor(Shape{count});
  const int64_t steps = largest(c.steps), widest = largest(c.counts);
  shape = scalar ? numbers({steps, widest}) : numbers({static_cast<int64_t>(c.steps.size()), steps, widest});
}

void parse_sequence(KernelContext& c) {
  const Tensor& serialized = c.inputs[0];
  const bool scalar = serialized.shape().rank() == 0;
  const ExampleName place(c.inputs[1], scalar, c.row.name);
  auto sparse = columns(c.inputs[2], Layout::kSparse, types_of(c, "context_sparse_types"));
  auto dense = columns(c.inputs[3], Layout::kDense, types_from(c, 9));
  auto ragged = columns(c.inputs[4], Layout::kRagged, types_of(c, "context_ragged_value_types"));
  auto list_sparse = columns(c.inputs[5], Layout::kSparse, types_of(c, "feature_list_sparse_types"));
  auto list_dense = columns(c.inputs[6], Layout::kDense, types_of(c, "feature_list_dense_types"));
  auto list_ragged = columns(c.inputs[7], Layout::kRagged, types_of(c, "feature_list_ragged_value_types"));
  const Types splits = splits_types(c, "context_ragged_split_types", ragged.size());
  const Types list_splits = splits_types(c, "feature_list_ragged_split_types", list_ragged.size());
  set_dense(c, dense, "context_dense_shapes", 9);
  set_dense(c, list_dense, "feature_list_dense_shapes", 0);
  const Tensor& may_miss = c.inputs[8];
  Wanted context, lists;
  context.add(sparse);
  context.add(dense);
  context.add(ragged);
  lists.add(list_sparse);
  lists.add(list_dense);
  lists.add(list_ragged);
  std::vector<std::string_view> found;
  std::string joined;
  std::string_view part;
  for (int64_t e = 0; e < serialized.elements(); ++e) {
    const std::string& bytes = serialized.data<std::string>()[e];
    if (!message_in(bytes, 1, joined, part)) refuse_example(place, e);
    add_features(context, part, found, e, place);
    if (!message_in(bytes, 2, joined, part)) refuse_example(place, e);
    found.assign(lists.of_key.size(), {});
    if (!read_map(part, lists.keys, found)) refuse_example(place, e);
    for (size_t k = 0; k < list_dense.size(); ++k) {
      const bool optional = may_miss.elements() > static_cast<int64_t>(k) && may_miss.data<bool>()[k];
      if (!found[lists.keys.at(list_dense[k].key)].data() && !optional)
        invalid(place.name(e), "Feature list '", list_dense[k].key,
                "' is required but could not be found.  Did you mean to include it in "
                "feature_list_dense_missing_assumed_empty or "
                "feature_list_dense_defaults? [Op:",
                c.row.name, "]");
    }
    for (size_t k = 0; k < found.size(); ++k)
      for (Column* column : lists.of_key[k]) add_list(*column, found[k], e, place);
  }
  OutputCursor out{c};
  put_sparse(out, sparse, scalar);
  for (const Column& column : dense) out.put(dense_output(column, scalar));
  put_ragged(out, ragged, splits, scalar);
  const size_t n = list_sparse.size();
  for (size_t k = 0; k < n; ++k) {
    auto* first = &c.outputs[out.at + k];
    sparse_lists(list_sparse[k], scalar, first[0], first[n], first[2 * n]);
  }
  out.at += 3 * n;
  for (const Column& column : list_dense) {
    const int64_t longest = largest(column.steps), stride = column.stride();
    std::vector<int64_t> sizes;
    for (const int64_t steps : column.steps) sizes.push_back(steps * stride);
    Shape shape;
    if (!scalar) shape.append(static_cast<int64_t>(column.steps.size()));
    shape.append(longest);
    for (const int64_t d : column.shape.dims()) shape.append(d);
    out.put(padded(column, sizes, multiply_sizes(longest, stride), shape));
  }
  for (const Column& column : list_dense)
    out.put(scalar ? Tensor::scalar(column.steps.empty() ? int64_t{0} : column.steps[0])
                   : Tensor::vector<int64_t>(std::span<const int64_t>(column.steps)));
  for (const Column& column : list_ragged) out.put(column.values.tensor(Shape{column.values.size()}));
  for (size_t k = 0; k < list_ragged.size(); ++k)
    out.put(scalar ? no_splits(list_splits[k]) : splits_of(list_ragged[k].steps, list_splits[k], c.row.name));
  for (size_t k = 0; k < list_ragged.size(); ++k)
    out.put(splits_of(list_ragged[k].counts, list_splits[k], c.row.name));
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("ParseExampleV2", kAllTypes, parse_example);
  on_cpu("ParseSequenceExampleV2", kAllTypes, parse_sequence);
}

}  // namespace footlight::FL_ISA
