// Derives dimensions from the nodes that compute them: Shape, Pack, Unpack, ConcatV2, slices of those, casts.
#include "engine/trace/shape_value.h"

#include "engine/ops/infer.h"
#include "engine/tensor/size.h"
#include "engine/tensor/slice_spec.h"
#include "engine/trace/graph_builder.h"

namespace footlight::trace {

namespace {

struct ShapeOps {
  Op shape{"Shape"}, cast{"Cast"}, identity{"Identity"}, pack{"Pack"}, unpack{"Unpack"},
      expand_dims{"ExpandDims"}, reshape{"Reshape"}, concat{"ConcatV2"}, slice{"Slice"},
      strided_slice{"StridedSlice"};
};
const ShapeOps& ops() {
  static const ShapeOps all;
  return all;
}
bool is(const Node& node, const Op& op) { return node.op == &op.row(); }

class Reader {
 public:
  explicit Reader(Builder& builder) : builder_(builder) {}

  // A vector as a shape; -1 and unknown elements become unknown dimensions.
  Shape vector(const Tensor& t) {
    if (const Tensor value = builder_.constant_value(t)) {
      if (!is_integer(value.dtype()) || value.shape().rank() != 1) return Shape::unknown_rank();
      Shape out;
      for (int64_t d : infer::ints_of(value)) out.append(d < 0 ? kUnknownDim : d);
      return out;
    }
    const Shape& length = t.shape();
    Shape nothing = length.has_rank() && length.rank() == 1 && length[0] >= 0
                        ? unknown_dimensions(length[0])
                        : Shape::unknown_rank();
    if (!t.is_symbolic() || depth_ == 16) return nothing;
    ++depth_;
    const Shape read = of_node(t);
    --depth_;
    return read.has_rank() && (!nothing.has_rank() || nothing.rank() == read.rank()) ? read : nothing;
  }

 private:
  Tensor input(const Tensor& t, size_t k) {
    Graph& graph = *t.graph();
    return graph.tensor(graph.node(t.node()).inputs[k]);
  }

  Shape of_node(const Tensor& t) {
    const Node& node = t.graph()->node(t.node());
    if (is(node, ops().shape)) return input(t, 0).shape();
    if (is(node, ops().cast) || is(node, ops().identity)) return vector(input(t, 0));
    if (is(node, ops().pack)) {
      Shape out;
      for (size_t k = 0; k < node.inputs.size(); ++k) out.append(scalar(input(t, k)));
      return out;
    }
    if (is(node, ops().expand_dims) || is(node, ops().reshape)) {
      const Shape from = input(t, 0).shape();
      if (from.has_rank() && from.rank() == 0) return Shape{scalar(input(t, 0))};
      const bool flat = is(node, ops().reshape) && from.has_rank() && from.rank() == 1;
      return flat ? vector(input(t, 0)) : Shape::unknown_rank();
    }
    if (is(node, ops().concat)) {
      Shape out;
      for (size_t k = 0; k + 1 < node.inputs.size(); ++k) {
        const Shape part = vector(input(t, k));
        if (!part.has_rank()) return part;
        for (int64_t d : part.dims()) out.append(d);
      }
      return out;
    }
    if (is(node, ops().slice)) {
      const Shape whole = vector(input(t, 0));
      const Tensor begin = builder_.constant_value(input(t, 1)), size = builder_.constant_value(input(t, 2));
      if (!whole.has_rank() || !begin || !size) return Shape::unknown_rank();
      const int64_t first = infer::ints_of(begin).at(0), count = infer::ints_of(size).at(0);
      const int64_t end = count < 0 ? whole.rank() : first + count;
      if (first < 0 || end > whole.rank() || first > end) return Shape::unknown_rank();
      return Shape(whole.dims().subspan(static_cast<size_t>(first), static_cast<size_t>(end - first)));
    }
    if (is(node, ops().strided_slice)) return sliced(t, node);
    return Shape::unknown_rank();
  }

  int64_t scalar(const Tensor& t) {
    if (const Tensor value = builder_.constant_value(t))
      return value.elements() == 1 && is_integer(value.dtype())
                 ? std::max<int64_t>(infer::ints_of(value)[0], -1)
                 : kUnknownDim;
    if (!t.is_symbolic()) return kUnknownDim;
    const Node& node = t.graph()->node(t.node());
    if (is(node, ops().cast) || is(node, ops().identity)) return scalar(input(t, 0));
    if (is(node, ops().unpack)) {
      const Shape whole = vector(input(t, 0));
      return whole.has_rank() && static_cast<int>(t.output()) < whole.rank()
                 ? whole[static_cast<int>(t.output())]
                 : kUnknownDim;
    }
    if (!is(node, ops().strided_slice)) return kUnknownDim;
    const Shape one = sliced(t, node);
    return one.has_rank() && one.rank() == 1 ? one[0] : kUnknownDim;
  }

  // The dimensions in a slice with known bounds; one for x[i].
  Shape sliced(const Tensor& t, const Node& node) {
    static const AttrName kNames[] = {AttrName("begin_mask"), AttrName("end_mask"), AttrName("ellipsis_mask"),
                                      AttrName("new_axis_mask"), AttrName("shrink_axis_mask")};
    const Shape whole = vector(input(t, 0));
    if (!whole.has_rank()) return whole;
    std::vector<int64_t> bounds[3];
    for (size_t k = 0; k < 3; ++k) {
      const Tensor value = builder_.constant_value(input(t, k + 1));
      if (!value) return Shape::unknown_rank();
      bounds[k] = infer::ints_of(value);
    }
    if (bounds[0].size() != 1) return Shape::unknown_rank();
    const auto mask = [&](size_t k) { return node.attrs.get_or(kNames[k], int64_t{0}); };
    if (mask(2) || mask(3)) return Shape::unknown_rank();
    try {
      const SliceSpec spec = slice_spec(Shape{whole.rank()}, 1, &bounds[0], &bounds[1], bounds[2],
                                        {mask(0), mask(1), 0, 0, mask(4)});
      Shape out;
      for (int64_t k = 0; k < spec.kept[0]; ++k)
        out.append(whole[static_cast<int>(spec.begin[0] + k * spec.stride[0])]);
      return out;
    } catch (const Error&) {
      return Shape::unknown_rank();
    }
  }

  Builder& builder_;
  int depth_ = 0;
};

}  // namespace

Shape known_part_of_shape(const Tensor& t) { return Reader(current_builder()).vector(t); }

}  // namespace footlight::trace
