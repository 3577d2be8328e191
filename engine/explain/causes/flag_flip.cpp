// flag_flip: bools, enums and short texts whose combinations are many, or one that the graph does not depend on. Fix: a
// tensor and tf.cond, or leave it out.
#include "engine/explain/edits.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

#include "engine/base/dtype_names.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;

constexpr size_t kManyCombinations = 5;
constexpr size_t kFewTexts = 4;     // a text with more values is a value, not a flag
constexpr size_t kLongestText = 26; // with its quotes
constexpr size_t kOftenUsed = 3;

std::string flag_text(const KeyLeaf* leaf) { return leaf ? leaf->value : "absent"; }

bool is_enum(const KeyLeaf& leaf) {
  return leaf.kind == "object" && leaf.type == "object" &&
         leaf.value.find_first_of("<#") == leaf.value.npos;
}

// Whether all values are those of one flag; None counts as one beside others.
bool is_flag(const LeafSeries& series) {
  const KeyLeaf* first = nullptr;
  for (const KeyLeaf* leaf : series.leaves) {
    if (!leaf) return false;
    if (leaf->kind == "none") continue;
    if (leaf->type != "bool" && leaf->type != "str" && !is_enum(*leaf)) return false;
    if (leaf->type == "str" && leaf->value.size() > kLongestText) return false;
    if (first && first->type != leaf->type) return false;
    first = leaf;
  }
  if (!first) return false;
  const size_t values = distinct(series, flag_text).size();
  return values > 1 && (first->type != "str" || values <= kFewTexts);
}

struct Flags {
  std::vector<const LeafSeries*> series;
  std::string combination(const TraceRecord& trace) const {
    std::string all;
    for (const LeafSeries* s : series) all += flag_text(leaf_at(trace, s->path)) + ' ';
    return all;
  }
};

void propose_flag_flip(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  const std::vector<LeafSeries> all = leaf_series(run);
  Flags flags;
  for (const LeafSeries& s : all)
    if (is_flag(s)) flags.series.push_back(&s);
  if (flags.series.empty()) return;

  for (const LeafSeries* s : flags.series) {
    Candidate c;
    Finding& f = c.finding;
    f.path = s->path;
    f.parameter = s->parameter;
    f.values = distinct(*s, flag_text);
    c.paths = {s->path};
    c.fix.call = leave_out(places_of(evidence, run, c.paths));
    c.most = GraphRelation::kIdentical;
    f.title = s->name() + " changes, and the graph does not";
    f.detail = s->path + ": " + joined(f.values, ", ") + "; the graphs are identical";
    f.fix = "Pass the same " + s->name() + " in each call, or remove it from the function where nothing reads it";
    const auto is_bool = [](const KeyLeaf* leaf) { return leaf && leaf->type == "bool"; };
    if (!is_jax(run) && std::ranges::all_of(s->leaves, is_bool)) {
      c.complete = [&evidence, &run, name = s->name(), paths = c.paths](Finding& made, const ReplayResult&) {
        ProposedFix tensor;
        tensor.call = become_tensor(places_of(evidence, run, paths), dtype_number("bool"));
        add_if_it_saves(evidence, run, tensor, made, "Pass tf.constant(" + name + ")",
                        wrap_argument(evidence, run, made, "tf.constant(", ")"));
      };
    }
    candidates.push_back(std::move(c));
  }

  if (flags.series.size() < 2) return;  // one flag is as many programs as it has values
  const TraceText combination = [&](const TraceRecord& t) { return flags.combination(t); };
  Candidate c;
  Finding& f = c.finding;
  const LeafSeries& first = *flags.series.front();
  f.path = first.path;
  f.parameter = first.parameter;
  std::vector<std::string> names;
  for (const LeafSeries* s : flags.series) {
    c.paths.insert(s->path);
    names.push_back(s->name());
    if (s != &first) f.also_paths.push_back(s->path);
  }
  for (const TraceRecord* t : run.traces) {
    std::string one = flags.combination(*t);
    one.pop_back();
    if (std::ranges::find(f.values, one) == f.values.end()) f.values.push_back(std::move(one));
  }
  c.fix.call = become_tensor(places_of(evidence, run, c.paths), dtype_number("bool"));
  c.most = GraphRelation::kStructure;
  c.variants = most_from_one_line(evidence, run, combination) < kManyCombinations ||
               recurring(uses(run, combination), kFewTexts, kOftenUsed);
  f.title = joined(names, ", ");
  f.title += names.size() > 1 ? " are flags with many combinations" : " is a flag with many values";
  f.detail = "They came in " + with_commas(f.values.size()) + " combinations, " + progression(f.values);
  f.fix = is_jax(run) ? "Leave " + first.name() + " out of the static arguments, and use jnp.where or jax.lax.cond"
                      : "Pass tf.constant(" + first.name() + ") and use tf.cond or a weight of 0 or 1";
  add_alternative(f, "Decide before the calls: a function for each combination that is in use");
  candidates.push_back(std::move(c));
}

const Cause flag_flip("flag_flip", propose_flag_flip);

}  // namespace
}  // namespace footlight::explain
