// n = Shape(x)[1]; s = Size(y); z = Max(y, [1])   ->   n = 32; s = 5; z = Reshape(y, [5]), for (None, 32) and (5, 1)
// Replaces what follows from certain shapes by constants, also a single known dimension of a shape whose others are not
// known. Sums of floating-point numbers stay, even over one element: they start at 0, and 0 + -0 is 0.
#include "engine/base/errors.h"
#include "engine/optimize/optimize.h"
#include "engine/optimize/values.h"

#include <algorithm>
#include <limits>

namespace footlight::optimize {
namespace {

constexpr int64_t kMaxElements = 1024;  // elements of zeros that the pass creates

class ShapeFolder {
 public:
  ShapeFolder(Rewrite& rewrite, const ProgramRewrite& program) : rewrite_(rewrite), program_(program) {}

  void visit(NodeId id) {
    const Node& node = rewrite_.node(id);
    const OpRow* op = node.op;
    if (op->family == OpFamily::kReduction) return trivial_reduction(id, node);
    if (op->family == OpFamily::kConstant) {
      if (op == &"ZerosLike"_op.row()) zeros_or_ones(id, node, 0);
      if (op == &"OnesLike"_op.row()) zeros_or_ones(id, node, 1);
      return;
    }
    if (op == &"Shape"_op.row() || op == &"ShapeN"_op.row()) return shape_of_inputs(id, node);
    const Shape* in = certain_shape(rewrite_, program_, node.inputs[0]);
    if (op == &"Size"_op.row() && in) {
      if (fits(in->elements(), node.dtypes[0])) replace_with_constant(id, 0, scalar(node.dtypes[0], in->elements()));
      return;
    }
    const Shape& ranked = rewrite_.shape(node.inputs[0]);
    if (op == &"Rank"_op.row() && ranked.has_rank())
      return replace_with_constant(id, 0, scalar(DType::kInt32, ranked.rank()));
    part_of_shape(id, node);
  }

 private:
  static Tensor scalar(DType dtype, int64_t n) {
    return dtype == DType::kInt64 ? Tensor::scalar(n) : Tensor::scalar(static_cast<int32_t>(n));
  }

  // If a number does not fit, the op stays and raises at run time.
  static bool fits(int64_t n, DType dtype) {
    return dtype == DType::kInt64 || n <= std::numeric_limits<int32_t>::max();
  }

  static bool fits(const Shape& shape, DType dtype) {
    return std::ranges::all_of(shape.dims(), [&](int64_t d) { return fits(d, dtype); });
  }

  void replace_with_constant(NodeId id, uint32_t output, const Tensor& value) {
    rewrite_.replace({id, output}, {rewrite_.insert_constant(value, id, rewrite_.name(id) + "/known"), 0});
  }

  void shape_of_inputs(NodeId id, const Node& node) {
    for (uint32_t k = 0; k < node.inputs.size(); ++k) {
      const Shape* in = certain_shape(rewrite_, program_, node.inputs[k]);
      if (in && fits(*in, node.dtypes[k]) && !rewrite_.is_replaced({id, k}))
        replace_with_constant(id, k, int_tensor(node.dtypes[k], in->dims()));
    }
  }

  // Zeros depend only on the shape of their input.
  void zeros_or_ones(NodeId id, const Node& node, int64_t value) {
    const Shape* shape = certain_shape(rewrite_, program_, {id, 0});
    if (!shape || shape->elements() > kMaxElements || !is_plain(node.dtypes[0]) || is_complex(node.dtypes[0])) return;
    replace_with_constant(id, 0, filled(node.dtypes[0], *shape, {static_cast<double>(value), value}));
  }

  // A reduction over no dimensions, or over single elements, returns each element.
  void trivial_reduction(NodeId id, const Node& node) {
    const OpRow* op = node.op;
    const DType dtype = node.dtypes.empty() ? DType::kInvalid : node.dtypes[0];
    const bool logical = op == &"All"_op.row() || op == &"Any"_op.row();
    const bool sums = op == &"Sum"_op.row() || op == &"Mean"_op.row();
    const bool extreme = op == &"Max"_op.row() || op == &"Min"_op.row() || op == &"Prod"_op.row();
    if (!logical && !(sums && is_integer(dtype)) &&
        !(extreme && (is_integer(dtype) || dtype == DType::kFloat32 || dtype == DType::kFloat64)))
      return;
    const Shape *in = certain_shape(rewrite_, program_, node.inputs[0]),
                *out = certain_shape(rewrite_, program_, {id, 0});
    if (!in || !out || in->elements() != out->elements() || in->elements() == 0) return;
    if (!shape_operands_are_constant(rewrite_, node)) return;
    if (*in == *out) return rewrite_.replace({id, 0}, node.inputs[0]);
    const Tensor value = int_tensor(DType::kInt64, out->dims());
    const Edge shape{rewrite_.insert_constant(value, id, rewrite_.name(id) + "/reshape/shape"), 0};
    const NodeId reshape = insert_replacement(rewrite_, id, "Reshape"_op.row(), {node.inputs[0], shape}, "/reshape");
    rewrite_.inserted_node(reshape).attrs.set(AttrName("T"), dtype);
    rewrite_.inserted_node(reshape).attrs.set("Tshape"_attr, DType::kInt64);
    rewrite_.replace({id, 0}, {reshape, 0});
  }

  // Folds shape(x)[1] if that dimension is known: evaluates the op on a shape with -1 for each unknown dimension. The
  // ops listed here only move elements, so a result without -1 does not depend on the unknown ones.
  void part_of_shape(NodeId id, const Node& node) {
    const Node& from = rewrite_.node(rewrite_.resolve(node.inputs[0]).node);
    if (from.op != &"Shape"_op.row() || !program_.evaluate) return;
    const OpRow* op = node.op;
    if (op != &"StridedSlice"_op.row() && op != &"Slice"_op.row() && op != &"GatherV2"_op.row() &&
        op != &"Unpack"_op.row())
      return;
    const Shape& shape = rewrite_.shape(from.inputs[0]);
    if (!shape.has_rank() || shape.fully_known() || !fits(shape, from.dtypes[0])) return;
    std::vector<Tensor> inputs{int_tensor(from.dtypes[0], shape.dims())};
    for (size_t k = 1; k < node.inputs.size(); ++k) {
      const Tensor* known = rewrite_.constant(node.inputs[k]);
      if (!known) return;
      inputs.push_back(*known);
    }
    try {
      const std::vector<Tensor> values = program_.evaluate(*node.op, inputs, node.attrs);
      for (uint32_t k = 0; k < values.size(); ++k) {
        if (values[k].dtype() != from.dtypes[0] || rewrite_.is_replaced({id, k})) continue;
        const Tensor& value = values[k];
        bool known = true;
        for (int64_t i = 0; i < value.elements(); ++i)
          known &= (value.dtype() == DType::kInt32 ? value.data<int32_t>()[i] : value.data<int64_t>()[i]) >= 0;
        if (known) replace_with_constant(id, k, value);
      }
    } catch (const Error&) {
      return;  // the op will raise at run time
    }
  }

  Rewrite& rewrite_;
  const ProgramRewrite& program_;
};

}  // namespace

void known_shapes(Rewrite& rewrite, ProgramRewrite& program) {
  if (program.shapes_uncertain()) return;
  ShapeFolder folder(rewrite, program);
  for (const NodeId id : rewrite.order()) {
    const Node& node = rewrite.node(id);
    const OpFamily family = node.op->family;
    if (family != OpFamily::kMove && family != OpFamily::kReduction && family != OpFamily::kConstant) continue;
    if (rewrite.is_live(id) && node.device.empty() && !node.inputs.empty() && !node.dtypes.empty() &&
        !rewrite.is_replaced({id, 0}))
      folder.visit(id);
  }
}

}  // namespace footlight::optimize
