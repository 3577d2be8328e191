// Writes specs from the leaves of keys, and compares the keys of all traces with them.
#include "engine/explain/signatures.h"

#include "engine/explain/edits.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <optional>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;
using Unknown = std::map<std::string, std::set<size_t>>;
using Leaves = std::vector<const KeyLeaf*>;

constexpr const char* kUnknownRankText = "<unknown>";
constexpr size_t kLongestKey = 200;  // a longer one is cut in the path

// Without the device scope and the object of a method: a signature declares neither.
Leaves declared_leaves(const TraceRecord& trace) {
  Leaves leaves;
  for (const KeyLeaf& leaf : trace.key)
    if (leaf.kind != "context" && leaf.parameter != "self") leaves.push_back(&leaf);
  return leaves;
}

const std::set<size_t>& unknown_at(const Unknown& unknown, const std::string& path) {
  static const std::set<size_t> none;
  const auto at = unknown.find(path);
  return at == unknown.end() ? none : at->second;
}

// Whether what is declared for `first` accepts what another call passes there.
bool accepts(const KeyLeaf& first, const KeyLeaf& other, const std::set<size_t>& unknown) {
  if (first.path != other.path || first.kind != other.kind || first.type != other.type) return false;
  if (first.kind != "tensor") return true;
  if ((first.shape == kUnknownRankText) != (other.shape == kUnknownRankText)) return false;
  const auto a = sizes_of(first.shape), b = sizes_of(other.shape);
  if (a.size() != b.size()) return false;
  for (size_t d = 0; d < a.size(); ++d)
    if (a[d] != b[d] && !unknown.contains(d)) return false;
  return true;
}

bool accepts_all(const FunctionRun& run, const Leaves& first, const Unknown& unknown) {
  return std::ranges::all_of(run.all_traces, [&](const TraceRecord* t) {
    const Leaves other = declared_leaves(*t);
    return std::ranges::equal(first, other, [&](const KeyLeaf* a, const KeyLeaf* b) {
      return accepts(*a, *b, unknown_at(unknown, a->path));
    });
  });
}

// Writes the spec of a ragged tensor: at `at` begin its own spec, its values and row splits. False if none declares it.
bool write_ragged_spec(const Leaves& leaves, size_t at, size_t count, const Unknown& unknown, std::string& out) {
  if (count < 3 || at + count > leaves.size()) return false;
  const KeyLeaf &values = *leaves[at + 1], &splits = *leaves[at + 2];
  for (size_t i = 1; i < count; ++i)
    if (leaves[at + i]->kind != "tensor" || leaves[at + i]->shape == kUnknownRankText) return false;
  const auto inner = sizes_of(values.shape), rows = sizes_of(splits.shape);
  if (inner.empty() || rows.size() != 1) return false;
  const bool has_rows = !unknown_at(unknown, splits.path).contains(0) && rows[0] != "None" && rows[0] != "0";
  out += "tf.RaggedTensorSpec([" + (has_rows ? std::to_string(std::stoull(rows[0]) - 1) : std::string("None"));
  for (size_t rank = 2; rank < count; ++rank) out += ", None";
  const std::set<size_t>& vary = unknown_at(unknown, values.path);
  for (size_t d = 1; d < inner.size(); ++d) out += ", " + (vary.contains(d) ? std::string("None") : inner[d]);
  out += "], tf." + values.type;
  if (inner.size() > 1) out += ", ragged_rank=" + std::to_string(count - 2);
  if (splits.type != "int64") out += ", row_splits_dtype=tf." + splits.type;
  out += ')';
  return true;
}

// Writes the spec of the item at `at`, and moves past it; false if no spec declares it.
bool write_spec(const Leaves& leaves, size_t& at, const Unknown& unknown, std::string& out, bool bare = false) {
  if (at == leaves.size()) return false;
  const KeyLeaf& leaf = *leaves[at++];
  if (leaf.kind == "tensor") {
    out += spec_text(leaf.shape, leaf.type, unknown_at(unknown, leaf.path));
    return true;
  }
  const bool list = leaf.type.starts_with("list["), tuple = leaf.type.starts_with("tuple["),
             dict = leaf.type.starts_with("dict[");
  if (leaf.kind != "structure" || !(list || tuple || dict)) return false;
  const size_t count = std::stoul(leaf.type.substr(leaf.type.find('[') + 1));
  if (at < leaves.size() && is_ragged_spec(*leaves[at])) {
    if (bare || !write_ragged_spec(leaves, at, count, unknown, out)) return false;
    at += count;
    return true;
  }
  if (!bare) out += list ? "[" : tuple ? "(" : "{";
  for (size_t i = 0; i < count; ++i) {
    if (i) out += ", ";
    if (dict) {
      if (at == leaves.size() || leaves[at]->path.size() < leaf.path.size() + 2) return false;
      const std::string key = leaves[at]->path.substr(leaf.path.size() + 1);
      if (key.size() > kLongestKey) return false;
      out += key.substr(0, key.size() - 1) + ": ";
    }
    if (!write_spec(leaves, at, unknown, out)) return false;
  }
  if (!bare) out += list ? "]" : dict ? "}" : count == 1 ? ",)" : ")";
  return true;
}

}  // namespace

bool is_ragged_spec(const KeyLeaf& leaf) {
  return leaf.kind == "object" && leaf.type == "trace type" && leaf.value.starts_with("<RaggedTensorSpec");
}

std::string spec_text(const std::string& shape, const std::string& dtype, const std::set<size_t>& unknown) {
  if (shape == kUnknownRankText) return "tf.TensorSpec(None, tf." + dtype + ")";
  std::string sizes;
  const auto all = sizes_of(shape);
  for (size_t d = 0; d < all.size(); ++d) sizes += (d ? ", " : "") + (unknown.contains(d) ? "None" : all[d]);
  return "tf.TensorSpec([" + sizes + "], tf." + dtype + ")";
}

std::string signature_for_all(const Evidence& evidence, const FunctionRun& run, const Unknown& unknown) {
  if (run.traces.empty()) return {};
  const Leaves leaves = declared_leaves(*run.traces.front());
  if (!accepts_all(run, leaves, unknown)) return {};
  std::string text;
  for (size_t at = 0; at < leaves.size();) {
    const KeyLeaf& top = *leaves[at];
    const ParameterKind kind = parameter_kind(evidence, run, top.parameter);
    if (kind == ParameterKind::kKeywordOnly) return {};  // a signature has only positions
    if (kind == ParameterKind::kDoubleStarred && top.type == "dict[0]") {
      ++at;
      continue;
    }
    if (kind == ParameterKind::kDoubleStarred) return {};
    std::string one;
    if (!write_spec(leaves, at, unknown, one, kind == ParameterKind::kStarred)) return {};
    if (!one.empty()) text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

}  // namespace footlight::explain
