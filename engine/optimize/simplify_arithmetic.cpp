// y = x * 1; z = -(-y); w = z / 4   ->   w = x * 0.25
// Results keep the same bits: floating-point x + 0 stays, because it turns -0 into 0, and so do x - x and x * 0.
// Nothing is reassociated.
#include "engine/ops/algebra.h"
#include "engine/optimize/optimize.h"
#include "engine/optimize/values.h"

#include <bit>
#include <cmath>

namespace footlight::optimize {
namespace {

constexpr int64_t kMaxElements = 1024;  // elements of a constant that the pass creates

class Simplifier {
 public:
  Simplifier(Rewrite& rewrite, const ProgramRewrite& program) : rewrite_(rewrite), program_(program) {}

  void simplify(NodeId id) {
    const Node& node = rewrite_.node(id);
    const OpRow& op = *node.op;
    const Algebra& laws = algebra_of(op);
    if (op.inputs.size() == 1 && node.inputs.size() == 1) return unary(id, node, laws);
    if (node.inputs.size() != 2 || op.inputs.size() != 2 || op.inputs[0].list) return known_select(id, node);
    if (!is_plain(node.dtypes[0]) || is_complex(node.dtypes[0]) || bias_add_to_add(id, node)) return;
    if (laws.equal_inputs_give_input || laws.equal_inputs_give_zero) {
      if (rewrite_.resolve(node.inputs[0]) == rewrite_.resolve(node.inputs[1])) return equal_operands(id, node, laws);
    }
    for (const size_t side : {1u, 0u}) {
      const Tensor* constant = rewrite_.constant(node.inputs[side]);
      if (constant && with_constant(id, node, laws, side, *constant)) return;
    }
  }

 private:
  void unary(NodeId id, const Node& node, const Algebra& laws) {
    if (node.op == &"AddN"_op.row()) return rewrite_.replace({id, 0}, node.inputs[0]);
    if (!laws.is_involution && !laws.is_idempotent) return;
    const Edge inner = rewrite_.resolve(node.inputs[0]);
    const Node& before = rewrite_.node(inner.node);
    if (before.op != node.op || before.device != node.device) return;
    rewrite_.replace({id, 0}, laws.is_idempotent ? inner : before.inputs[0]);
  }

  // A BiasAdd along the last dimension becomes an AddV2, which is elementwise and so can be fused.
  bool bias_add_to_add(NodeId id, const Node& node) {
    if (node.op != &"BiasAdd"_op.row() || program_.shapes_uncertain()) return false;
    if (node.attrs.get_or("data_format"_attr, std::string("NHWC")) != "NHWC") return false;
    const Shape &x = rewrite_.shape(node.inputs[0]), &bias = rewrite_.shape(node.inputs[1]);
    if (!x.has_rank() || x.rank() < 2 || !bias.fully_known() || x[x.rank() - 1] != bias[0]) return false;
    const NodeId sum = insert_replacement(rewrite_, id, "AddV2"_op.row(), {node.inputs[0], node.inputs[1]}, "/as_sum");
    rewrite_.replace({id, 0}, {sum, 0});
    return true;
  }

  void equal_operands(NodeId id, const Node& node, const Algebra& laws) {
    if (laws.equal_inputs_give_input) return rewrite_.replace({id, 0}, node.inputs[0]);
    if (is_integer(node.dtypes[0])) replace_with_constant(id, node, {});
  }

  // Replaces the node by a constant all of whose elements are this number.
  bool replace_with_constant(NodeId id, const Node& node, Number number) {
    const Shape* shape = certain_shape(rewrite_, program_, {id, 0});
    if (!shape || shape->elements() > kMaxElements) return false;
    const Tensor value = filled(node.dtypes[0], *shape, number);
    rewrite_.replace({id, 0}, {rewrite_.insert_constant(value, id, rewrite_.name(id) + "/known"), 0});
    return true;
  }

  // Whether the node's output has the shape of this input, also if that is unknown.
  bool keeps_shape(NodeId id, Edge input, const Tensor& other) const {
    if (other.shape().rank() == 0) return true;
    const Shape *in = certain_shape(rewrite_, program_, input), *out = certain_shape(rewrite_, program_, {id, 0});
    return in && out && *in == *out;
  }

  bool with_constant(NodeId id, const Node& node, const Algebra& laws, size_t side, const Tensor& constant) {
    const std::optional<Number> number = uniform_value(constant);
    if (!number || constant.dtype() != node.dtypes[0]) return false;
    const Edge other = node.inputs[1 - side];
    const NeutralElements& neutral = number->is_integer ? laws.integer : laws.floating;
    // 16-bit floats are computed as float32, and a NaN may change on the way there and back.
    const bool exact = number->is_integer || size_of(constant.dtype()) >= 4;
    const std::optional<double> wanted = exact ? (side ? neutral.right : neutral.left) : std::nullopt;
    if (wanted && *wanted == number->real && std::signbit(*wanted) == std::signbit(number->real) &&
        keeps_shape(id, other, constant)) {
      rewrite_.replace({id, 0}, other);
      return true;
    }
    // A shape that becomes known at run time may not fit: the op must stay to report that.
    if (number->is_integer && laws.absorbing && *laws.absorbing == number->real)
      return certain_shape(rewrite_, program_, other) && replace_with_constant(id, node, *number);
    return side == 1 && to_cheaper_op(id, node, other, *number, constant.shape());
  }

  // Replaces x / 4 by x * 0.25, x ** 2 by x * x, x % 8 by x & 7 and x // 8 by x >> 3.
  bool to_cheaper_op(NodeId id, const Node& node, Edge x, Number number, const Shape& shape) {
    const DType dtype = node.dtypes[0];
    if (node.op == &"RealDiv"_op.row() && (dtype == DType::kFloat32 || dtype == DType::kFloat64)) {
      // For a power of two the reciprocal is exact, so both ops round the same number.
      int exponent = 0;
      const double mantissa = std::frexp(number.real, &exponent);
      if (std::abs(mantissa) != 0.5 || std::abs(exponent) > 100) return false;
      return replace_with_op(id, "Mul"_op.row(), x, filled(dtype, shape, {.real = 1 / number.real}), "/by_reciprocal");
    }
    if (node.op == &"Pow"_op.row() && number.is_integer && number.as_integer == 2 && shape.rank() == 0) {
      rewrite_.replace({id, 0}, {insert_replacement(rewrite_, id, "Mul"_op.row(), {x, x}, "/as_product"), 0});
      return true;
    }
    if (!number.is_integer || number.as_integer <= 0) return false;
    if (!std::has_single_bit(static_cast<uint64_t>(number.as_integer))) return false;
    if (node.op == &"FloorMod"_op.row())
      return replace_with_op(id, "BitwiseAnd"_op.row(), x, filled(dtype, shape, {.as_integer = number.as_integer - 1}),
                             "/as_mask");
    if (node.op == &"FloorDiv"_op.row()) {
      const int64_t bits = std::countr_zero(static_cast<uint64_t>(number.as_integer));
      return replace_with_op(id, "RightShift"_op.row(), x, filled(dtype, shape, {.as_integer = bits}), "/as_shift");
    }
    return false;
  }

  bool replace_with_op(NodeId id, const OpRow& op, Edge x, const Tensor& constant, const char* suffix) {
    const Edge with{rewrite_.insert_constant(constant, id, rewrite_.name(id) + suffix + "/y"), 0};
    rewrite_.replace({id, 0}, {insert_replacement(rewrite_, id, op, {x, with}, suffix), 0});
    return true;
  }

  // Replaces a SelectV2 whose condition is known by the input that it chooses.
  void known_select(NodeId id, const Node& node) {
    if (node.op != &"SelectV2"_op.row()) return;
    const Tensor* condition = rewrite_.constant(node.inputs[0]);
    const std::optional<Number> number = condition ? uniform_value(*condition) : std::nullopt;
    if (!number) return;
    const Edge chosen = node.inputs[number->as_integer ? 1 : 2];
    const Shape* in = certain_shape(rewrite_, program_, chosen);
    const Shape* out = certain_shape(rewrite_, program_, {id, 0});
    if (in && out && *in == *out) rewrite_.replace({id, 0}, chosen);
  }

  Rewrite& rewrite_;
  const ProgramRewrite& program_;
};

}  // namespace

void simplify_arithmetic(Rewrite& rewrite, ProgramRewrite& program) {
  Simplifier simplifier(rewrite, program);
  for (const NodeId id : rewrite.order()) {
    const Node& node = rewrite.node(id);
    // A value that the user placed on a device must stay there.
    const bool is_candidate = node.op->family == OpFamily::kElementwise && node.dtypes.size() == 1;
    if (is_candidate && rewrite.is_live(id) && node.device.empty() && !rewrite.is_replaced({id, 0}))
      simplifier.simplify(id);
  }
}

}  // namespace footlight::optimize
