// argument_form: one argument is a Python value, None, a tensor or a variable in turn. Fix: always pass a tensor.
#include "engine/explain/causes/layouts.h"
#include "engine/explain/edits.h"
#include "engine/explain/engines.h"
#include "engine/explain/forms.h"
#include "engine/explain/words.h"

#include "engine/base/dtype_names.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;

constexpr size_t kManyForms = 3;

std::string form_text(const KeyLeaf* leaf) {
  if (!leaf) return "absent";
  if (leaf->kind == "literal") return "a Python " + leaf->type;
  if (leaf->kind == "none") return "None";
  if (leaf->kind == "structure") return "a Python " + leaf->type.substr(0, leaf->type.find('['));
  return leaf->kind == "variable" ? "a variable" : "a tensor";
}

// Forms that a tensor could take the place of: numbers, lists of them, None. Where a list or tuple of tensors stands at
// other times, only None is another form, for a state that is not there at first; a tensor is another nesting.
bool could_be_tensors(const FunctionRun& run, const LeafSeries& s) {
  std::set<std::string> nestings;
  bool others = false;
  for (size_t i = 0; i < s.leaves.size(); ++i) {
    const KeyLeaf* leaf = s.leaves[i];
    if (!leaf) return false;
    const bool structure = leaf->kind == "structure";
    const bool sequence = structure && (leaf->type.starts_with("list") || leaf->type.starts_with("tuple"));
    if (const Contents held = structure ? contents_of(*run.traces[i], s.path) : Contents(); held.tensors)
      nestings.insert(held.text);
    else if (leaf->kind == "literal" || leaf->kind == "tensor" || leaf->kind == "variable" || sequence)
      others = true;
    else if (leaf->kind != "none")
      return false;
  }
  return nestings.empty() || (nestings.size() == 1 && !others);
}

std::string dtype_of(const LeafSeries& s) {
  for (const KeyLeaf* leaf : s.leaves)
    if (leaf->kind == "tensor" || leaf->kind == "variable") return leaf->type;
  return {};
}

// Under PyTorch a tensor with a gradient, a parameter and a plain tensor are three forms.
void propose_forms_of_tensors(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  for (const auto& [part, path] : {std::pair(LayoutPart::kGradient, ".requires_grad"), {LayoutPart::kClass, ""}}) {
    for (LayoutChange& change : layout_changes(evidence, run, part)) {
      Finding& f = change.candidate.finding;
      const std::string name = argument_name(change.path, change.parameter);
      f.path = change.path + path;
      f.title = name + " is a tensor of different kinds in turn";
      f.detail = change.path + ": " + joined(f.values, ", then ") + "; shape and dtype are the same";
      f.fix = "Always pass " + name + " in the same form";
      candidates.push_back(std::move(change.candidate));
    }
  }
}

// Whether tf.convert_to_tensor takes each form.
bool all_convert(const FunctionRun& run, const LeafSeries& s, const std::string& dtype) {
  for (size_t i = 0; i < s.leaves.size(); ++i) {
    if (!s.leaves[i] || !converts_to(*s.leaves[i], dtype)) return false;
    for (const KeyLeaf& leaf : run.traces[i]->key)
      if (leaf.path.starts_with(s.path + '[') && !converts_to(leaf, dtype)) return false;
  }
  return true;
}

void propose_argument_form(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  propose_forms_of_tensors(evidence, run, candidates);
  const std::vector<LeafSeries> all = leaf_series(run);
  std::set<std::string> taken;
  for (const LeafSeries& s : all) {
    // What stands inside a list that is a tensor at other times is no argument.
    const size_t inner = s.path.find('[', std::string_view("args[").size());
    if (inner != s.path.npos && taken.count(s.path.substr(0, inner))) continue;
    if (taken.contains(s.path) || !could_be_tensors(run, s)) continue;
    const std::vector<std::string> forms = distinct(s, form_text);
    const std::string dtype = dtype_of(s);
    const auto holds_tensors = [&](const TraceRecord* t) { return contents_of(*t, s.path).tensors; };
    if (forms.size() < 2 || std::ranges::none_of(run.traces, holds_tensors)) continue;
    taken.insert(s.path);
    Candidate c;
    Finding& f = c.finding;
    f.path = s.path;
    f.parameter = s.parameter;
    f.values = forms;
    c.paths = {s.path};
    for (const LeafSeries& other : all) {
      if (taken.contains(other.path) || !could_be_tensors(run, other) || dtype_of(other) != dtype) continue;
      if (!change_together(s, other, form_text)) continue;
      taken.insert(other.path);
      c.paths.insert(other.path);
      f.also_paths.push_back(other.path);
    }
    const uint8_t number = dtype_number(dtype.empty() ? "float32" : dtype);
    const std::set<std::string> where = places_of(evidence, run, c.paths);
    c.fix.call = always_tensors(evidence, run, where, number);
    c.most = GraphRelation::kStructure;
    c.fewest = 1;
    // Two forms from two lines are two uses of the function.
    c.variants = forms.size() < kManyForms && most_from_one_line(evidence, run, at_path(s.path, form_text)) < 2;
    f.title = s.name() + " is " + joined(forms, " or ") + " in turn";
    f.detail = s.path + ": " + joined(forms, ", ") + with_it(f.also_paths);
    const std::string before = is_jax(run) ? "jnp.asarray(" : "tf.convert_to_tensor(";
    const std::string behind = (is_jax(run) ? ", dtype=jnp." : ", tf.") + dtype + ")";
    const bool converts = !dtype.empty() && all_convert(run, s, dtype);
    const bool is_none = std::ranges::any_of(s.leaves, [](const KeyLeaf* l) { return l->kind == "none"; });
    const std::string instead_of_none =
        is_none ? ": where it is None, one that changes no result, such as ones or zeros" : "";
    f.fix = dtype.empty()  ? "Pass the same structure of tensors from the first call on"
            : !converts   ? "Always pass a tensor of one dtype and shape" + instead_of_none
            : is_jax(run) ? "Always pass an array: " + before + s.name() + behind
                          : "Always pass a tensor: " + before + s.name() + behind;
    if (converts && f.also_paths.empty()) {
      c.complete = [&evidence, &run, before, behind](Finding& made, const ReplayResult&) {
        made.edit = wrap_argument(evidence, run, made, before, behind);
      };
    }
    candidates.push_back(std::move(c));
  }
}

const Cause argument_form("argument_form", propose_argument_form);

}  // namespace
}  // namespace footlight::explain
