// Rows that parse serialized Example and SequenceExample messages.
#include "engine/ops/define.h"

namespace footlight {

namespace {

using Types = std::vector<DType>;

// Sets the shapes of outputs, one after the other.
class Outputs {
 public:
  explicit Outputs(Inference& i) : i_(i) {}
  void add(size_t count, const Shape& shape) {
    for (size_t k = 0; k < count && at_ < i_.output_shapes.size(); ++k) i_.output_shapes[at_++] = shape;
  }

 private:
  Inference& i_;
  size_t at_ = 0;
};

int64_t count_of(const Inference& i, const char* attr) { return i.attrs.get_or(AttrName(attr), int64_t{0}); }
size_t types_of(const Inference& i, const char* attr) { return i.attrs.get_or(AttrName(attr), Types()).size(); }

Shape joined(const Shape& outer, const Shape& inner) {
  if (!outer.has_rank() || !inner.has_rank()) return Shape::unknown_rank();
  Shape out = outer;
  for (const int64_t d : inner.dims()) out.append(d);
  return out;
}

void example_shape(Inference& i) {
  const Shape& serialized = i.shape(0);
  if (serialized.has_rank() && serialized.rank() > 1)
    invalid("Expected serialized to be a scalar or vector, got shape: ", serialized.brackets(),
            " [Op:ParseExampleV2]");
  const auto sparse = static_cast<size_t>(count_of(i, "num_sparse"));
  if (sparse != types_of(i, "sparse_types"))
    invalid("num_sparse (", sparse, ") must match the size of sparse_types (", types_of(i, "sparse_types"),
            ") [Op:ParseExampleV2]");
  const int64_t rank = serialized.has_rank() ? serialized.rank() + 1 : kUnknownDim;
  Outputs out(i);
  out.add(sparse, Shape{kUnknownDim, rank});
  out.add(sparse, Shape{kUnknownDim});
  out.add(sparse, Shape{rank});
  for (const Shape& shape : i.attrs.get_or(AttrName("dense_shapes"), std::vector<Shape>()))
    out.add(1, joined(serialized, shape));
  out.add(types_of(i, "ragged_value_types"), Shape{kUnknownDim});
  const int64_t rows = serialized.has_rank() && serialized.rank() == 1 && serialized[0] != kUnknownDim
                           ? serialized[0] + 1
                           : kUnknownDim;
  out.add(types_of(i, "ragged_split_types"),
          serialized.has_rank() && serialized.rank() == 0 ? Shape{0} : Shape{rows});
}

void sequence_shape(Inference& i) {
  const Shape& serialized = i.shape(0);
  if (serialized.has_rank() && serialized.rank() > 1)
    invalid("Expected serialized to be a scalar or vector, got shape: ", serialized.brackets(),
            " [Op:ParseSequenceExampleV2]");
  const int64_t rank = serialized.has_rank() ? serialized.rank() + 1 : kUnknownDim;
  const auto sparse = static_cast<size_t>(count_of(i, "Ncontext_sparse"));
  const auto list_sparse = static_cast<size_t>(count_of(i, "Nfeature_list_sparse"));
  const auto list_dense = static_cast<size_t>(count_of(i, "Nfeature_list_dense"));
  Outputs out(i);
  out.add(sparse, Shape{kUnknownDim, rank});
  out.add(sparse, Shape{kUnknownDim});
  out.add(sparse, Shape{rank});
  for (const Shape& shape : i.attrs.get_or(AttrName("context_dense_shapes"), std::vector<Shape>()))
    out.add(1, joined(serialized, shape));
  out.add(types_of(i, "context_ragged_value_types") + types_of(i, "context_ragged_split_types"), Shape{kUnknownDim});
  const int64_t deep = rank == kUnknownDim ? rank : rank + 1;
  out.add(list_sparse, Shape{kUnknownDim, deep});
  out.add(list_sparse, Shape{kUnknownDim});
  out.add(list_sparse, Shape{deep});
  Shape outer = serialized;
  if (outer.has_rank()) outer.append(kUnknownDim);
  for (const Shape& shape : i.attrs.get_or(AttrName("feature_list_dense_shapes"), std::vector<Shape>()))
    out.add(1, joined(outer, shape));
  out.add(list_dense, serialized);
  out.add(types_of(i, "feature_list_ragged_value_types") + 2 * types_of(i, "feature_list_ragged_split_types"),
          Shape{kUnknownDim});
}

}  // namespace

FL_ROWS(examples) {
  const RowDef::Properties parsing{.host_inputs = ~0u, .zero_gradient = true, .host_only = true};
  return {
      {"ParseExampleV2",
       "serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, "
       "dense_defaults: Tdense[] -> sparse_indices: num_sparse*int64, sparse_values: sparse_types[], sparse_shapes: "
       "num_sparse*int64, dense_values: Tdense[], ragged_values: ragged_value_types[], ragged_row_splits: "
       "ragged_split_types[]",
       "Tdense: list(type); num_sparse: int; sparse_types: list(type); ragged_value_types: list(type); "
       "ragged_split_types: list(type); dense_shapes: list(shape)",
       example_shape, nullptr, OpFamily::kIo, "the features of Example messages", parsing},
      {"ParseSequenceExampleV2",
       "serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys: string, "
       "context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string, "
       "feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, context_dense_defaults: "
       "Tcontext_dense[] -> context_sparse_indices: Ncontext_sparse*int64, context_sparse_values: "
       "context_sparse_types[], "
       "context_sparse_shapes: Ncontext_sparse*int64, context_dense_values: Tcontext_dense[], context_ragged_values: "
       "context_ragged_value_types[], context_ragged_row_splits: context_ragged_split_types[], "
       "feature_list_sparse_indices: Nfeature_list_sparse*int64, feature_list_sparse_values: "
       "feature_list_sparse_types[], "
       "feature_list_sparse_shapes: Nfeature_list_sparse*int64, feature_list_dense_values: "
       "feature_list_dense_types[], "
       "feature_list_dense_lengths: Nfeature_list_dense*int64, feature_list_ragged_values: "
       "feature_list_ragged_value_types[], feature_list_ragged_outer_splits: feature_list_ragged_split_types[], "
       "feature_list_ragged_inner_splits: feature_list_ragged_split_types[]",
       "Ncontext_sparse: int = 0; Tcontext_dense: list(type); context_sparse_types: list(type); "
       "context_ragged_value_types: list(type); context_ragged_split_types: list(type); context_dense_shapes: "
       "list(shape); Nfeature_list_sparse: int = 0; Nfeature_list_dense: int = 0; feature_list_dense_types: "
       "list(type); "
       "feature_list_sparse_types: list(type); feature_list_ragged_value_types: list(type); "
       "feature_list_ragged_split_types: list(type); feature_list_dense_shapes: list(shape)",
       sequence_shape, nullptr, OpFamily::kIo, "the features and the lists of features of SequenceExample messages",
       parsing},
  };
}

}  // namespace footlight
