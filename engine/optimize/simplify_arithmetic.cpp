// y = x * 1; z = -(-y); w = z / 4   ->   w = x * 0.25
// Only what is the same bit by bit: x + 0 stays, as it turns -0 to 0, and so do x - x and x * 0 of floating numbers.
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
  Simplifier(Rewrite& rewrite, const Unit& unit) : rewrite_(rewrite), unit_(unit) {}

  void simplify(NodeId id) {
    const Node& node = rewrite_.node(id);
    const OpRow& op = *node.op;
    const Algebra& laws = algebra_of(op);
    if (op.inputs.size() == 1 && node.inputs.size() == 1) return of_one(id, node, laws);
    if (node.inputs.size() != 2 || op.inputs.size() != 2 || op.inputs[0].list) return choose(id, node);
    if (!is_plain(node.dtypes[0]) || is_complex(node.dtypes[0]) || as_sum(id, node)) return;
    if (laws.same_is_input || laws.same_is_zero) {
      if (rewrite_.resolve(node.inputs[0]) == rewrite_.resolve(node.inputs[1])) return of_same(id, node, laws);
    }
    for (const size_t side : {1u, 0u}) {
      const Tensor* constant = rewrite_.constant(node.inputs[side]);
      if (constant && with_constant(id, node, laws, side, *constant)) return;
    }
  }

 private:
  void of_one(NodeId id, const Node& node, const Algebra& laws) {
    if (node.op == &"AddN"_op.row()) return rewrite_.replace({id, 0}, node.inputs[0]);
    if (!laws.undoes_itself && !laws.settles) return;
    const Edge inner = rewrite_.resolve(node.inputs[0]);
    const Node& before = rewrite_.node(inner.node);
    if (before.op != node.op || before.device != node.device) return;
    rewrite_.replace({id, 0}, laws.settles ? inner : before.inputs[0]);
  }

  // A bias along the last dimension: the sum runs together with its neighbours.
  bool as_sum(NodeId id, const Node& node) {
    if (node.op != &"BiasAdd"_op.row() || unit_.doubt()) return false;
    if (node.attrs.get_or("data_format"_attr, std::string("NHWC")) != "NHWC") return false;
    const Shape &x = rewrite_.shape(node.inputs[0]), &bias = rewrite_.shape(node.inputs[1]);
    if (!x.has_rank() || x.rank() < 2 || !bias.fully_known() || x[x.rank() - 1] != bias[0]) return false;
    const NodeId sum = insert_instead(rewrite_, id, "AddV2"_op.row(), {node.inputs[0], node.inputs[1]}, "/as_sum");
    rewrite_.replace({id, 0}, {sum, 0});
    return true;
  }

  void of_same(NodeId id, const Node& node, const Algebra& laws) {
    if (laws.same_is_input) return rewrite_.replace({id, 0}, node.inputs[0]);
    if (is_integer(node.dtypes[0])) become(id, node, {});
  }

  // The node becomes a constant, all of one number.
  bool become(NodeId id, const Node& node, Number number) {
    const Shape* shape = certain_shape(rewrite_, unit_, {id, 0});
    if (!shape || shape->elements() > kMaxElements) return false;
    const Tensor value = filled(node.dtypes[0], *shape, number);
    rewrite_.replace({id, 0}, {rewrite_.insert_constant(value, id, rewrite_.name(id) + "/known"), 0});
    return true;
  }

  // Whether the node's output has the shape of this input, whatever that is.
  bool keeps_shape(NodeId id, Edge input, const Tensor& other) const {
    if (other.shape().rank() == 0) return true;
    const Shape *in = certain_shape(rewrite_, unit_, input), *out = certain_shape(rewrite_, unit_, {id, 0});
    return in && out && *in == *out;
  }

  bool with_constant(NodeId id, const Node& node, const Algebra& laws, size_t side, const Tensor& constant) {
    const std::optional<Number> number = only_number(constant);
    if (!number || constant.dtype() != node.dtypes[0]) return false;
    const Edge other = node.inputs[1 - side];
    const Neutral& neutral = number->integer ? laws.integer : laws.floating;
    // Halves are computed as floats, and a NaN is another one after the way there and back.
    const bool exact = number->integer || size_of(constant.dtype()) >= 4;
    const std::optional<double> wanted = exact ? (side ? neutral.right : neutral.left) : std::nullopt;
    if (wanted && *wanted == number->real && std::signbit(*wanted) == std::signbit(number->real) &&
        keeps_shape(id, other, constant)) {
      rewrite_.replace({id, 0}, other);
      return true;
    }
    // A shape that becomes known at run time may not fit: the op must stay to report that.
    if (number->integer && laws.absorbing && *laws.absorbing == number->real)
      return certain_shape(rewrite_, unit_, other) && become(id, node, *number);
    return side == 1 && cheaper(id, node, other, *number, constant.shape());
  }

  // The same by an op that costs less.
  bool cheaper(NodeId id, const Node& node, Edge x, Number number, const Shape& shape) {
    const DType dtype = node.dtypes[0];
    if (node.op == &"RealDiv"_op.row() && (dtype == DType::kFloat32 || dtype == DType::kFloat64)) {
      // Both round the same number, if the reciprocal is exact.
      int exponent = 0;
      const double mantissa = std::frexp(number.real, &exponent);
      if (std::abs(mantissa) != 0.5 || std::abs(exponent) > 100) return false;
      return take(id, "Mul"_op.row(), x, filled(dtype, shape, {.real = 1 / number.real}), "/by_reciprocal");
    }
    if (node.op == &"Pow"_op.row() && number.integer && number.whole == 2 && shape.rank() == 0) {
      rewrite_.replace({id, 0}, {insert_instead(rewrite_, id, "Mul"_op.row(), {x, x}, "/as_product"), 0});
      return true;
    }
    if (!number.integer || number.whole <= 0) return false;
    if (!std::has_single_bit(static_cast<uint64_t>(number.whole))) return false;
    if (node.op == &"FloorMod"_op.row())
      return take(id, "BitwiseAnd"_op.row(), x, filled(dtype, shape, {.whole = number.whole - 1}), "/as_mask");
    if (node.op == &"FloorDiv"_op.row()) {
      const int64_t bits = std::countr_zero(static_cast<uint64_t>(number.whole));
      return take(id, "RightShift"_op.row(), x, filled(dtype, shape, {.whole = bits}), "/as_shift");
    }
    return false;
  }

  bool take(NodeId id, const OpRow& op, Edge x, const Tensor& constant, const char* suffix) {
    const Edge with{rewrite_.insert_constant(constant, id, rewrite_.name(id) + suffix + "/y"), 0};
    rewrite_.replace({id, 0}, {insert_instead(rewrite_, id, op, {x, with}, suffix), 0});
    return true;
  }

  // SelectV2 with a condition that is known.
  void choose(NodeId id, const Node& node) {
    if (node.op != &"SelectV2"_op.row()) return;
    const Tensor* condition = rewrite_.constant(node.inputs[0]);
    const std::optional<Number> number = condition ? only_number(*condition) : std::nullopt;
    if (!number) return;
    const Edge chosen = node.inputs[number->whole ? 1 : 2];
    const Shape* in = certain_shape(rewrite_, unit_, chosen);
    const Shape* out = certain_shape(rewrite_, unit_, {id, 0});
    if (in && out && *in == *out) rewrite_.replace({id, 0}, chosen);
  }

  Rewrite& rewrite_;
  const Unit& unit_;
};

}  // namespace

void simplify_arithmetic(Rewrite& rewrite, Unit& unit) {
  Simplifier simplifier(rewrite, unit);
  for (const NodeId id : rewrite.order()) {
    const Node& node = rewrite.node(id);
    // A value that the user placed on a device must stay there.
    const bool fits = node.op->family == OpFamily::kElementwise && node.dtypes.size() == 1;
    if (fits && rewrite.live(id) && node.device.empty() &&
        !rewrite.replaced({id, 0}))
      simplifier.simplify(id);
  }
}

}  // namespace footlight::optimize
