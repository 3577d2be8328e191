// layout_change: the same shape and dtype come with other strides, and PyTorch makes a trace for each; fix: make the
// tensor contiguous where the view is made. Under JAX the type names another mesh, or none; fix: place it so from the
// start.
#include "engine/explain/causes/layouts.h"
#include "engine/explain/edits.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

constexpr std::string_view kPlaced = ".sharding";
constexpr size_t kCallsOfMesh = 3, kFewMeshes = 2;

std::string mesh_text(const session::KeyLeaf* leaf) { return leaf ? leaf->value : "no mesh"; }

void propose_meshes(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  const std::vector<LeafSeries> all = leaf_series(run);
  std::set<std::string> taken;
  for (const LeafSeries& s : all) {
    if (taken.contains(s.path) || !s.path.ends_with(kPlaced)) continue;
    Candidate c;
    Finding& f = c.finding;
    f.values = distinct(s, mesh_text);
    if (s.leaves.size() < run.traces.size()) f.values.push_back(mesh_text(nullptr));
    if (f.values.size() < 2) continue;
    for (const LeafSeries& other : all) {
      const bool same = other.path == s.path;
      if (!other.path.ends_with(kPlaced) || (!same && !change_together(s, other, mesh_text))) continue;
      taken.insert(other.path);
      c.paths.insert(other.path.substr(0, other.path.size() - kPlaced.size()));
      if (!same) f.also_paths.push_back(other.path);
    }
    const std::string array = s.path.substr(0, s.path.size() - kPlaced.size());
    f.path = s.path;
    f.parameter = s.parameter;
    c.fix.call = place_alike(places_of(evidence, run, c.paths));
    c.most = GraphRelation::kStructure;
    c.fewest = 1;
    c.edit_at = Candidate::EditAt::kValue;
    // Two uses of the function, each from a line of its own, are two traces rightly.
    const TraceText text = at_path(s.path, mesh_text);
    c.variants = f.values.size() <= kFewMeshes && recurring(uses(run, text), kFewMeshes, kCallsOfMesh) &&
                 most_from_one_line(evidence, run, text) < 2;
    const std::string name = argument_name(array, s.parameter);
    f.title = name + " is placed over " + with_commas(f.values.size()) + " meshes, or none";
    if (f.values.size() == 2 && std::ranges::count(f.values, mesh_text(nullptr)))
      f.title = name + " is placed over a mesh in some calls only";
    f.detail = f.path + ": " + joined(f.values, ", then ") + "; shape and dtype are the same" + with_it(f.also_paths);
    f.fix = "Place " + name + " from the first call on as later calls have it: jax.device_put with that sharding";
    candidates.push_back(std::move(c));
  }
}

void propose_layout_change(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  if (is_jax(run)) return propose_meshes(evidence, run, candidates);
  for (LayoutChange& change : layout_changes(evidence, run, LayoutPart::kOrder)) {
    Candidate c = std::move(change.candidate);
    Finding& f = c.finding;
    const std::string name = argument_name(change.path, change.parameter);
    f.path = change.path + ".stride";
    c.edit_at = Candidate::EditAt::kValue;
    f.title = name + " lies in memory in " + with_commas(f.values.size()) + " ways";
    f.detail = f.path + ": " + joined(f.values, ", then ") + "; shape and dtype are the same";
    f.fix = "Call .contiguous() where the view is made: " + name + ".contiguous()";
    c.complete = [&evidence, &run, path = change.path](Finding& made, const ReplayResult&) {
      Finding at_call = made;
      at_call.path = path;
      made.edit = wrap_argument(evidence, run, at_call, "", ".contiguous()");
    };
    candidates.push_back(std::move(c));
  }
}

const Cause layout_change("layout_change", propose_layout_change, "torch jax");

}  // namespace
}  // namespace footlight::explain
