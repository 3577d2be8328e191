// y = Transpose(Transpose(x, [1, 0]), [1, 0]); z = Reshape(Reshape(y, [6]), [2, 3]); w = Cast(z, its own dtype)
//   ->   w = x, if x is known to be (2, 3)
// Removes moves of elements that undo each other or move nothing, and merges two moves into one. A move stays if it
// checks something that is not known to hold.
#include "engine/optimize/optimize.h"
#include "engine/optimize/values.h"

#include <algorithm>

namespace footlight::optimize {
namespace {

// Whether a cast to `wide` and back leaves every value of dtype `narrow` as it was. For 16-bit floats it does not,
// because NaNs change.
bool represents_exactly(DType wide, DType narrow) {
  if (narrow == wide) return true;
  if (narrow == DType::kBool) return is_integer(wide) || wide == DType::kFloat32 || wide == DType::kFloat64;
  const size_t bits = 8 * size_of(narrow), more = 8 * size_of(wide);
  const bool is_signed = in_set(narrow, kSignedTypes);
  if (is_integer(narrow)) {
    if (wide == DType::kFloat32) return bits <= 16;
    if (wide == DType::kFloat64) return bits <= 32;
    return is_integer(wide) && more > bits && (in_set(wide, kSignedTypes) || !is_signed);
  }
  return narrow == DType::kFloat32 && wide == DType::kFloat64;
}

class Canceller {
 public:
  Canceller(Rewrite& rewrite, const ProgramRewrite& program) : rewrite_(rewrite), program_(program) {}

  void cancel(NodeId id) {
    const Node& node = rewrite_.node(id);
    const OpRow* op = node.op;
    if (!shape_operands_are_constant(rewrite_, node)) return;
    if (op == &"Cast"_op.row()) return cast(id, node);
    if (op == &"Transpose"_op.row()) return transpose(id, node);
    if (op->alias == Alias::kView) return merge_views(id, node);
    if (op == &"Unpack"_op.row()) return forward_packed(id, node);
    if (op == &"ConcatV2"_op.row() && node.inputs.size() == 2) return drop_if_same_shape(id, node.inputs[0]);
    if (op == &"Split"_op.row() && node.dtypes.size() == 1) return drop_if_same_shape(id, node.inputs[1]);
    // A result of the input's shape can only be the whole input.
    if (op == &"BroadcastTo"_op.row() || op == &"Slice"_op.row() || op == &"Pad"_op.row() || op == &"PadV2"_op.row() ||
        op == &"Tile"_op.row())
      return drop_if_same_shape(id, node.inputs[0]);
    if (op == &"StridedSlice"_op.row() && keeps_order(node)) return drop_if_same_shape(id, node.inputs[0]);
  }

 private:
  void drop_if_same_shape(NodeId id, Edge input) {
    const Shape *in = certain_shape(rewrite_, program_, input), *out = certain_shape(rewrite_, program_, {id, 0});
    if (in && out && *in == *out) rewrite_.replace({id, 0}, input);
  }

  bool keeps_order(const Node& node) const {
    if (node.attrs.get_or("new_axis_mask"_attr, int64_t{0}) || node.attrs.get_or("shrink_axis_mask"_attr, int64_t{0}))
      return false;
    const auto strides = constant_ints(rewrite_, node.inputs[3]);
    return strides && std::ranges::all_of(*strides, [](int64_t s) { return s == 1; });
  }

  void cast(NodeId id, const Node& node) {
    const Edge x = rewrite_.resolve(node.inputs[0]);
    const DType to = node.dtypes[0], from = rewrite_.dtype(x);
    if (from == to) return rewrite_.replace({id, 0}, x);
    const Node& before = rewrite_.node(x.node);
    if (before.op != node.op || !before.device.empty()) return;
    const Edge first = rewrite_.resolve(before.inputs[0]);
    const DType origin = rewrite_.dtype(first);
    if (!represents_exactly(from, origin)) return;
    if (origin == to) return rewrite_.replace({id, 0}, first);
    // Casting through a float that represents the integer exactly rounds once, as the direct cast does. But a float
    // does not wrap as integers do.
    const bool rounds = is_floating(to) && size_of(to) >= 4, wraps = is_integer(to) && is_integer(from);
    if (!(is_integer(origin) || origin == DType::kBool) || !(rounds || wraps)) return;
    const NodeId direct = insert_replacement(rewrite_, id, *node.op, {first}, "/direct");
    rewrite_.inserted_node(direct).attrs.set("SrcT"_attr, origin);
    rewrite_.replace({id, 0}, {direct, 0});
  }

  // The permutation of a Transpose, if it is constant and fits the rank of the input.
  std::optional<std::vector<int64_t>> permutation(const Node& node) const {
    auto perm = constant_ints(rewrite_, node.inputs[1]);
    const Shape& in = rewrite_.shape(node.inputs[0]);
    if (!perm || !in.has_rank() || program_.shapes_uncertain() || in.rank() != static_cast<int>(perm->size()))
      return std::nullopt;
    for (int64_t& p : *perm) p += p < 0 ? in.rank() : 0;
    return perm;
  }

  void transpose(NodeId id, const Node& node) {
    auto perm = permutation(node);
    if (!perm) return;
    Edge from = rewrite_.resolve(node.inputs[0]);
    const Node& before = rewrite_.node(from.node);
    bool composed = false;
    if (before.op == node.op && before.device.empty()) {
      if (const auto inner = permutation(before)) {
        for (int64_t& p : *perm) p = (*inner)[static_cast<size_t>(p)];
        from = before.inputs[0];
        composed = true;
      }
    }
    if (std::ranges::is_sorted(*perm)) return rewrite_.replace({id, 0}, from);
    const Shape *in = certain_shape(rewrite_, program_, from), *out = certain_shape(rewrite_, program_, {id, 0});
    if (in && out && moves_only_ones(*perm, *in)) return reshape(id, from, *out);
    if (!composed) return;
    const Tensor both = int_tensor(rewrite_.dtype(node.inputs[1]), *perm);
    const Edge by{rewrite_.insert_constant(both, id, rewrite_.name(id) + "/both/perm"), 0};
    rewrite_.replace({id, 0}, {insert_replacement(rewrite_, id, *node.op, {from, by}, "/both"), 0});
  }

  static bool moves_only_ones(const std::vector<int64_t>& perm, const Shape& in) {
    int64_t last = -1;
    for (const int64_t p : perm) {
      if (in[static_cast<int>(p)] == 1) continue;
      if (p < last) return false;
      last = p;
    }
    return true;
  }

  void reshape(NodeId id, Edge from, const Shape& to) {
    const std::string name = rewrite_.name(id) + "/reshape";
    const Edge shape{rewrite_.insert_constant(int_tensor(DType::kInt64, to.dims()), id, name + "/shape"), 0};
    const NodeId reshaped = insert_replacement(rewrite_, id, "Reshape"_op.row(), {from, shape}, "/reshape");
    rewrite_.inserted_node(reshaped).attrs.set("T"_attr, rewrite_.dtype(from));
    rewrite_.inserted_node(reshaped).attrs.set("Tshape"_attr, DType::kInt64);
    rewrite_.replace({id, 0}, {reshaped, 0});
  }

  // Two of Reshape, ExpandDims and Squeeze after one another become one Reshape.
  void merge_views(NodeId id, const Node& node) {
    const size_t input = static_cast<size_t>(node.op->alias_input);
    const Edge x = rewrite_.resolve(node.inputs[input]);
    const Shape *in = certain_shape(rewrite_, program_, x), *out = certain_shape(rewrite_, program_, {id, 0});
    if (!in || !out) return;
    if (*in == *out) return rewrite_.replace({id, 0}, x);
    const Node& before = rewrite_.node(x.node);
    if (before.op->alias != Alias::kView || !before.device.empty() || !shape_operands_are_constant(rewrite_, before))
      return;
    const Edge first = rewrite_.resolve(before.inputs[static_cast<size_t>(before.op->alias_input)]);
    const Shape* first_shape = certain_shape(rewrite_, program_, first);
    if (!first_shape) return;
    if (*first_shape == *out) rewrite_.replace({id, 0}, first);
    else reshape(id, first, *out);
  }

  // Unpack(Pack(a, b)) is a, b.
  void forward_packed(NodeId id, const Node& node) {
    const Node& pack = rewrite_.node(rewrite_.resolve(node.inputs[0]).node);
    if (pack.op != &"Pack"_op.row() || !pack.device.empty() || pack.inputs.size() != node.dtypes.size()) return;
    const auto axis = [&](const Node& n) { return n.attrs.get_or("axis"_attr, int64_t{0}); };
    if (axis(pack) != axis(node)) return;
    for (size_t k = 0; k < pack.inputs.size(); ++k) {
      const Shape *part = certain_shape(rewrite_, program_, pack.inputs[k]),
                  *first = certain_shape(rewrite_, program_, pack.inputs[0]);
      if (!part || !first || !(*part == *first)) return;
    }
    for (uint32_t k = 0; k < node.dtypes.size(); ++k)
      if (!rewrite_.is_replaced({id, k})) rewrite_.replace({id, k}, pack.inputs[k]);
  }

  Rewrite& rewrite_;
  const ProgramRewrite& program_;
};

}  // namespace

void cancel_moves(Rewrite& rewrite, ProgramRewrite& program) {
  Canceller canceller(rewrite, program);
  for (const NodeId id : rewrite.order()) {
    const Node& node = rewrite.node(id);
    const bool moves = node.op->family == OpFamily::kMove || node.op->copies_elements;
    if (rewrite.is_live(id) && moves && node.device.empty() && !node.dtypes.empty() && !rewrite.is_replaced({id, 0}))
      canceller.cancel(id);
  }
}

}  // namespace footlight::optimize
