// argument_form: one argument is a Python value, None, a tensor or a variable in turn. Fix: always pass a tensor.
#include "engine/explain/edits.h"
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

// A form that a tensor could take the place of.
bool could_be_tensor(const KeyLeaf* leaf) {
  if (!leaf) return false;
  if (leaf->kind == "structure") return leaf->type.starts_with("list") || leaf->type.starts_with("tuple");
  return leaf->kind == "literal" || leaf->kind == "none" || leaf->kind == "tensor" || leaf->kind == "variable";
}

void propose(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& to) {
  std::set<std::string> taken;  // what stands inside a list that is a tensor at other times is no argument
  for (const LeafSeries& s : leaf_series(run)) {
    const size_t inner = s.path.find('[', std::string_view("args[").size());
    if (inner != s.path.npos && taken.count(s.path.substr(0, inner))) continue;
    if (!std::ranges::all_of(s.leaves, could_be_tensor)) continue;
    const std::vector<std::string> forms = distinct(s, form_text);
    const auto tensor = std::ranges::find_if(
        s.leaves, [](const KeyLeaf* l) { return l->kind == "tensor" || l->kind == "variable"; });
    if (forms.size() < 2 || tensor == s.leaves.end()) continue;
    taken.insert(s.path);
    Candidate c;
    Finding& f = c.finding;
    f.path = s.path;
    f.parameter = s.parameter;
    f.values = forms;
    c.paths = {s.path};
    c.fix.call = become_tensor(places_of(evidence, run, c.paths), dtype_number((*tensor)->type));
    c.most = GraphRelation::kStructure;
    c.fewest = 1;
    // Two forms from two lines are two uses of the function.
    c.variants = forms.size() < kManyForms && most_from_one_line(evidence, run, at_path(s.path, form_text)) < 2;
    f.title = s.name() + " is " + joined(forms, " or ") + " in turn";
    f.detail = s.path + ": " + joined(forms, ", ");
    f.fix = "always pass a tensor: tf.convert_to_tensor(" + s.name() + ", tf." + (*tensor)->type + ")";
    const bool all_convert = std::ranges::none_of(s.leaves, [](const KeyLeaf* l) { return l->kind == "none"; });
    if (all_convert) {
      c.complete = [&evidence, &run, dtype = (*tensor)->type](Finding& made, const ReplayResult&) {
        made.edit = wrap_argument(evidence, run, made, "tf.convert_to_tensor(", ", tf." + dtype + ")");
      };
    }
    to.push_back(std::move(c));
  }
}

const Cause cause("argument_form", propose);

}  // namespace
}  // namespace footlight::explain
