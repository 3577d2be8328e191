// varying_shape: an argument's dimensions vary, its rank does not, and the shapes are not just a few that keep
// recurring. Fix: declare those dimensions as None; if a dtype varies too, or other arguments rule out a signature, use
// reduce_retracing.
#include "engine/explain/edits.h"
#include "engine/explain/engines.h"
#include "engine/explain/signatures.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;

constexpr size_t kManyShapes = 3;
// This few shapes, each used this often after its trace, are buckets, a smaller last batch or a warm-up.
constexpr size_t kFewShapes = 8;
constexpr size_t kOftenUsed = 3;

// One tensor argument across all traces.
struct VaryingTensor {
  std::string path, parameter, dtype;
  std::vector<std::string> shapes;  // in the order of their first trace
  std::set<size_t> dimensions;      // those that differ
  std::string ragged;               // the path of the ragged tensor whose row splits these are; empty: of none
};

// The path of the ragged tensor that has this tensor as a part: "args[0]" of "args[0][2]"; empty: none has.
std::string ragged_around(const TraceRecord& trace, const std::string& path) {
  const std::string outer = path.substr(0, path.rfind('['));
  const KeyLeaf* spec = leaf_at(trace, outer + "[0]");
  return spec && is_ragged_spec(*spec) ? outer : std::string();
}

std::vector<VaryingTensor> varying_tensors(const FunctionRun& run) {
  std::vector<VaryingTensor> all;
  std::set<std::string> out;  // ranks differ
  for (const TraceRecord* t : run.traces) {
    for (const KeyLeaf& leaf : t->key) {
      if (leaf.kind != "tensor") continue;
      auto at = std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.path == leaf.path; });
      if (at == all.end()) {
        all.push_back({leaf.path, leaf.parameter, leaf.type, {leaf.shape}, {}, ragged_around(*t, leaf.path)});
        continue;
      }
      if (std::find(at->shapes.begin(), at->shapes.end(), leaf.shape) != at->shapes.end()) continue;
      const auto first = sizes_of(at->shapes.front()), sizes = sizes_of(leaf.shape);
      const bool unknown = leaf.shape == "<unknown>" || at->shapes.front() == "<unknown>";
      if (sizes.size() != first.size() || unknown) out.insert(leaf.path);
      for (size_t d = 0; d < std::min(sizes.size(), first.size()); ++d)
        if (sizes[d] != first[d]) at->dimensions.insert(d);
      at->shapes.push_back(leaf.shape);
    }
  }
  std::erase_if(all, [&](const auto& v) { return out.count(v.path) || v.dimensions.empty(); });
  return all;
}

// The shape of `b` follows from that of `a`. A trace may lack one, as where None stands for it.
bool follows(const FunctionRun& run, const std::string& a, const std::string& b) {
  std::map<std::string, std::string> shape_of;
  for (const TraceRecord* t : run.traces) {
    const KeyLeaf *x = leaf_at(*t, a), *y = leaf_at(*t, b);
    if (!x || !y || x->kind != "tensor" || y->kind != "tensor") continue;
    if (shape_of.emplace(x->shape, y->shape).first->second != y->shape) return false;
  }
  return !shape_of.empty();
}

// Under PyTorch a dimension that varies becomes a symbol, unless that is turned off.
bool becomes_symbol(const Evidence& evidence, const FunctionRun& run, const VaryingTensor& tensor) {
  for (const std::string& shape : tensor.shapes)
    if (shape.find("None") != shape.npos) return true;
  for (const session::DecisionRecord& d : evidence.records().decisions) {
    const session::TraceRecord* t = d.kind == "fixed size" ? evidence.trace(d.trace) : nullptr;
    if (t && t->function == run.id && d.note.starts_with(tensor.path + ".shape[")) return true;
  }
  return false;
}

bool steady(const FunctionRun& run, const VaryingTensor& tensor) {
  if (tensor.shapes.size() > kFewShapes) return false;
  std::map<std::string, size_t> calls;
  for (const FunctionRun::Step& step : run.steps) {
    if (!step.call) continue;
    if (const KeyLeaf* leaf = leaf_at(*step.trace, tensor.path)) ++calls[leaf->shape];
  }
  return !calls.empty() &&
         std::all_of(calls.begin(), calls.end(), [](const auto& c) { return c.second > kOftenUsed; });
}

constexpr const char* kRelaxing = "reduce_retracing=True";

// A line that takes a size as a Python number. It gets None once the dimension is declared as unknown.
struct SizeRead {
  Line line;
  std::string path;  // "shape[1]"
};

// The reads that got another size in another trace.
std::vector<SizeRead> reads_of_sizes(const Evidence& evidence, const FunctionRun& run) {
  std::map<std::pair<Line, std::string>, std::map<TraceId, std::set<std::string>>> sizes;
  for (const session::ObservationRecord& o : evidence.records().observations) {
    if (o.kind != session::ObservationKind::kSizeRead) continue;
    if (std::ranges::find(run.traces, o.trace, &TraceRecord::id) == run.traces.end()) continue;
    sizes[{{o.file, o.line}, o.path}][o.trace].insert(o.note);
  }
  std::vector<SizeRead> found;
  for (const auto& [at, by_trace] : sizes) {
    const auto differs = [&](const auto& one) { return one.second != by_trace.begin()->second; };
    if (std::ranges::any_of(by_trace, differs)) found.push_back({at.first, at.second});
  }
  return found;
}

// A fix begins with these words where the lines that read sizes have to change first.
std::string changes_before(const Evidence& evidence, const std::vector<SizeRead>& reads) {
  if (reads.empty()) return {};
  const SizeRead& read = reads.front();
  const auto& files = evidence.records().files;
  const auto file = std::ranges::find(files, read.line.file, &session::FileRecord::id);
  std::string place = "line " + std::to_string(read.line.line);
  if (file != files.end()) place += " of " + std::filesystem::path(file->path).filename().string();
  std::set<Line> lines;
  std::set<std::string> sizes;
  for (const SizeRead& one : reads) {
    lines.insert(one.line);
    sizes.insert('.' + one.path);
  }
  const bool many = sizes.size() > 1;
  if (lines.size() > 1) place += " and " + std::to_string(lines.size() - 1) + (lines.size() > 2 ? " others" : " other");
  return "First let " + place + " take the size" + (many ? "s" : "") + " from tf.shape(): " +
         listed({sizes.begin(), sizes.end()}) + (many ? " are" : " is") +
         " None where the dimension is unknown. Then ";
}

// Adds as another fix that shapes are relaxed by themselves, where a signature is the first choice.
void add_relaxing(const Evidence& evidence, const FunctionRun& run, const std::string& first, const CallChange& alike,
                  Finding& finding) {
  ProposedFix relaxed;
  relaxed.call = alike;
  relaxed.reduce_retracing = true;
  add_if_it_saves(evidence, run, relaxed, finding, first + kRelaxing,
                  first.empty() ? add_options(evidence, run, kRelaxing) : Finding::Edit{});
}

using Dimensions = std::map<std::string, std::set<size_t>>;  // those that vary, by the place of a tensor in a key

// A library makes the function and its definition, so only its inputs can change.
void ask_for_padded_inputs(const FunctionRun& run, const Dimensions& dimensions, Candidate& c) {
  c.fix.call = forget_sizes(dimensions);
  c.edit_at = Candidate::EditAt::kCall;
  c.of_library = true;
  c.finding.title = std::string(last_name(run.record->name)) + " gets " + with_commas(c.finding.values.size()) +
                    " different shapes";
  c.finding.fix = "Pad what the library is given to one size, or leave out a smaller last batch (drop_remainder=True)";
}

// Whether batches are cut short at times: only first dimensions vary, and most calls pass the largest size of each.
bool has_small_batches(const FunctionRun& run, const std::vector<const VaryingTensor*>& together) {
  return std::ranges::all_of(together, [&](const VaryingTensor* tensor) {
    if (tensor->dimensions != std::set<size_t>{0}) return false;
    std::map<int64_t, size_t> calls;  // by size
    size_t all = 0;
    for (const FunctionRun::Step& step : run.steps) {
      const KeyLeaf* leaf = step.call ? leaf_at(*step.trace, tensor->path) : nullptr;
      const auto sizes = leaf ? sizes_of(leaf->shape) : std::vector<std::string>();
      int64_t size = -1;
      if (!sizes.empty()) std::from_chars(sizes.front().data(), sizes.front().data() + sizes.front().size(), size);
      if (size < 0) continue;
      ++calls[size];
      ++all;
    }
    return !calls.empty() && calls.rbegin()->second * 2 > all;
  });
}

// Adds as another fix that all calls pass the same sizes.
void add_padding(const Evidence& evidence, const FunctionRun& run, const Dimensions& dimensions,
                 const std::string& fix, Finding& finding) {
  ProposedFix padded;
  padded.call = forget_sizes(dimensions);
  add_if_it_saves(evidence, run, padded, finding, fix);
}

std::string padding_of(const FunctionRun& run, const std::vector<const VaryingTensor*>& together) {
  std::vector<std::string> names;
  for (const VaryingTensor* tensor : together) {
    const auto same = [&](const VaryingTensor* other) { return other->parameter == tensor->parameter; };
    const bool is_alone = tensor->parameter.empty() || std::ranges::count_if(together, same) == 1;
    const std::string name = is_alone ? argument_name(tensor->path, tensor->parameter) : "all of " + tensor->parameter;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return "Pad " + listed(names) + " to one size before the call" +
         (has_small_batches(run, together) ? ", or leave out a smaller last batch" : "");
}

// JAX has no unknown sizes: every one is a trace, so fewer of them are the fix.
void ask_for_padding(const FunctionRun& run, const std::vector<const VaryingTensor*>& together,
                     const Dimensions& dimensions, const std::string& name, Candidate& c) {
  if (has_small_batches(run, together)) {
    c.fix.call = forget_sizes(dimensions);
    c.most = GraphRelation::kStructure;
    c.finding.fix = padding_of(run, together);
    return;
  }
  c.fix.call = round_up_sizes(dimensions);
  c.most = GraphRelation::kStructure;
  c.fewest = std::max(kMinSaved, (run.traces.size() + 1) / 2);
  c.finding.fix = "Pad " + name + " to powers of two before the call and mask what was added, or keep it at one size "
                  "and write at a position";
}

// The number of rows is a part of a ragged tensor's spec, too, which stands in keys as an object: where the rest is the
// same, all specs become one. No change where no ragged tensor is among these.
CallChange ragged_specs_alike(const Evidence& evidence, const FunctionRun& run,
                              const std::vector<const VaryingTensor*>& together) {
  std::set<std::string> where;
  std::unordered_map<uint64_t, uint64_t> classes;
  std::map<std::string, uint64_t> known;
  for (const VaryingTensor* tensor : together) {
    if (tensor->ragged.empty()) continue;
    for (const TraceRecord* t : run.traces) {
      std::string kind = tensor->ragged;
      for (const KeyLeaf& leaf : t->key)
        if (leaf.path.starts_with(tensor->ragged + '['))
          kind += ' ' + leaf.type + (leaf.path == tensor->path ? std::string() : leaf.shape);
      const uint64_t one = known.try_emplace(kind, known.size()).first->second;
      const std::set<std::string> places = places_of(evidence, *t, {tensor->ragged + "[0]"});
      where.insert(places.begin(), places.end());
      for (const keys::ItemPlace& place : keys::places(evidence.key_of(*t)))
        if (places.contains(place.path)) classes.try_emplace(place.item.number, one);
    }
  }
  return where.empty() ? CallChange() : CallChange(become_alike(std::move(where), std::move(classes)));
}

// How a definition declares sizes as unknown: a signature where one fits all arguments, else reduce_retracing.
struct Declaration {
  std::string specs;            // of all arguments; empty: no signature fits
  std::vector<SizeRead> reads;  // lines that have to change before
  std::string first;            // the words with which the fix asks for that
};

void ask_to_declare(const Evidence& evidence, const FunctionRun& run, const Declaration& declaration,
                    const std::vector<const VaryingTensor*>& together, const Dimensions& dimensions, Candidate& c) {
  const VaryingTensor& tensor = *together.front();
  const std::string& first = declaration.first;
  const std::string signature = "input_signature=[" + declaration.specs + ']';
  const bool has_signature = !declaration.specs.empty();
  const bool is_one_argument = together.size() == 1 && tensor.path.find(']') + 1 == tensor.path.size();
  c.fix.call = ragged_specs_alike(evidence, run, together);
  Finding& f = c.finding;
  if (has_signature) c.fix.trace = forget_sizes(dimensions);
  else c.fix.reduce_retracing = true;
  f.edit = add_options(evidence, run, has_signature ? signature : kRelaxing);
  f.fix = first;
  if (!has_signature) f.fix += "@tf.function(reduce_retracing=True)";
  else if (tensor.ragged.empty() && (f.edit.at || is_one_argument))
    f.fix += spec_text(tensor.shapes.front(), tensor.dtype, tensor.dimensions);
  else f.fix += signature;
  if (!first.empty()) f.edit = {};
  for (const SizeRead& read : declaration.reads)
    if (std::ranges::find(f.related, read.line, &RelatedLine::at) == f.related.end())
      f.related.push_back({"use", read.line});
  c.complete = [&evidence, &run, has_signature, dimensions, alike = c.fix.call, padding = padding_of(run, together),
                first](Finding& made, const ReplayResult&) {
    if (has_signature) add_relaxing(evidence, run, first, alike, made);
    add_padding(evidence, run, dimensions, padding, made);
  };
}

// The same where the first one is the row splits of a ragged tensor, which has one row less.
void describe_rows(const std::vector<const VaryingTensor*>& together, Finding& f) {
  const VaryingTensor& tensor = *together.front();
  f.path = tensor.ragged + ".nrows()";
  f.parameter = tensor.parameter;
  for (const std::string& shape : tensor.shapes) {
    size_t splits = 0;
    const auto read = std::from_chars(shape.data(), shape.data() + shape.size(), splits);
    f.values.push_back(read.ec == std::errc() && splits > 0 ? std::to_string(splits - 1) : shape);
  }
  std::vector<std::string> others;
  for (const VaryingTensor* v : together)
    if (v != &tensor) others.push_back(v->ragged.empty() ? v->path : v->ragged);
  f.also_paths = others;
  const std::string count = with_commas(f.values.size());
  f.title = argument_name(tensor.ragged, f.parameter) + " is a ragged tensor with " + count +
            " different numbers of rows";
  f.detail = tensor.ragged + ": " + count + " numbers of rows, " + progression(f.values) + with_it(others);
}

// What a finding says of the tensors that vary together, under any engine. The first one names it.
void describe(const std::vector<const VaryingTensor*>& together, Finding& f) {
  const VaryingTensor& tensor = *together.front();
  if (!tensor.ragged.empty()) return describe_rows(together, f);
  f.path = tensor.path + ".shape[" + std::to_string(*tensor.dimensions.begin()) + ']';
  f.parameter = tensor.parameter;
  f.values = tensor.shapes;
  std::string varying;
  for (const VaryingTensor* v : together) {
    for (size_t d : v->dimensions) {
      const std::string path = v->path + ".shape[" + std::to_string(d) + ']';
      if (path != f.path) f.also_paths.push_back(path);
      if (v == &tensor) varying += (varying.empty() ? "" : ", ") + std::to_string(d);
    }
  }
  const std::string count = with_commas(f.values.size());
  f.title = argument_name(tensor.path, f.parameter) + " has " + count + " different shapes";
  f.detail = tensor.path + ": " + count + " shapes, " + progression(f.values, true) +
             (tensor.dimensions.size() == 1 ? "; dimension " : "; dimensions ") + varying +
             (tensor.dimensions.size() == 1 ? " varies" : " vary");
  std::vector<std::string> others;
  for (size_t i = 1; i < together.size(); ++i) others.push_back(together[i]->path);
  if (!others.empty()) f.detail += "; also changes: " + joined(others, ", ");
}

void propose_varying_shape(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  for (const TraceRecord* t : run.traces)
    if (t->reason == session::TraceReason::kRelaxed) return;  // it relaxes already
  std::vector<VaryingTensor> tensors = varying_tensors(run);
  if (tensors.empty()) return;
  // The one with most shapes makes most traces and names the finding.
  std::ranges::stable_sort(tensors, std::greater(), [](const VaryingTensor& t) { return t.shapes.size(); });
  const bool jax = is_jax(run), library = is_made_by_library(evidence, run);
  const bool in_definition = !jax && !library && !is_torch(run);  // a change of the definition is the fix
  Dimensions unknown;
  for (const VaryingTensor& tensor : tensors) unknown[tensor.path] = tensor.dimensions;
  Declaration declaration;
  if (in_definition) declaration.specs = signature_for_all(evidence, run, unknown);
  declaration.reads = reads_of_sizes(evidence, run);
  declaration.first = changes_before(evidence, declaration.reads);

  std::set<std::string> taken;
  const auto is_unsteady = [&](const VaryingTensor& t) { return t.shapes.size() >= kManyShapes && !steady(run, t); };
  for (const VaryingTensor& tensor : tensors) {
    if (taken.count(tensor.path)) continue;
    if (is_torch(run) && becomes_symbol(evidence, run, tensor)) continue;
    if (in_definition && !is_unsteady(tensor) && std::ranges::any_of(tensors, is_unsteady)) continue;
    // What the definition declares is declared for all arguments at once.
    std::vector<const VaryingTensor*> together{&tensor};
    for (const VaryingTensor& other : tensors)
      if (&other != &tensor && !taken.count(other.path) && (in_definition || follows(run, tensor.path, other.path)))
        together.push_back(&other);

    Candidate c;
    Dimensions dimensions;
    for (const VaryingTensor* v : together) {
      c.paths.insert(v->path);
      for (const TraceRecord* t : run.traces)
        for (const std::string& place : places_of(evidence, *t, {v->path})) dimensions[place] = v->dimensions;
    }
    taken.insert(c.paths.begin(), c.paths.end());
    c.steady = steady(run, tensor);
    c.variants = !c.steady && tensor.shapes.size() < kManyShapes;
    c.edit_at = Candidate::EditAt::kDefinition;
    describe(together, c.finding);
    if (c.steady || c.variants) c.few = c.finding.title;
    if (jax) ask_for_padding(run, together, dimensions, argument_name(tensor.path, tensor.parameter), c);
    else if (library) ask_for_padded_inputs(run, dimensions, c);
    else ask_to_declare(evidence, run, declaration, together, dimensions, c);
    candidates.push_back(std::move(c));
  }
}

// The type of a dataset or an iterator in the keys of all traces, and the tensors that it yields.
struct VaryingElements {
  std::vector<std::vector<const KeyLeaf*>> leaves;  // of each trace
  std::vector<VaryingTensor> tensors;               // those whose shapes differ

  // Whether all yield tensors of the same dtypes and ranks.
  bool are_alike() const {
    return std::ranges::all_of(leaves, [&](const auto& other) {
      return std::ranges::equal(leaves.front(), other, [](const KeyLeaf* a, const KeyLeaf* b) {
        const bool known = (a->shape == "<unknown>") == (b->shape == "<unknown>");
        return a->path == b->path && a->type == b->type && known &&
               sizes_of(a->shape).size() == sizes_of(b->shape).size();
      });
    });
  }
};

VaryingElements elements_of(const FunctionRun& run, const std::string& type) {
  const std::string outer = type.ends_with("[0]") ? type.substr(0, type.size() - 3) : type;
  VaryingElements found;
  for (const TraceRecord* t : run.traces) {
    auto& leaves = found.leaves.emplace_back();
    for (const KeyLeaf& leaf : t->key)
      if (leaf.kind == "element" && leaf.path.starts_with(outer + ".element_spec")) leaves.push_back(&leaf);
  }
  if (!found.are_alike()) return found;
  for (size_t i = 0; i < found.leaves.front().size(); ++i) {
    const KeyLeaf& first = *found.leaves.front()[i];
    VaryingTensor tensor{first.path, first.parameter, first.type, {first.shape}, {}, {}};
    const auto sizes = sizes_of(first.shape);
    for (const auto& leaves : found.leaves) {
      const std::string& shape = leaves[i]->shape;
      if (std::ranges::find(tensor.shapes, shape) == tensor.shapes.end()) tensor.shapes.push_back(shape);
      const auto own = sizes_of(shape);
      for (size_t d = 0; d < own.size(); ++d)
        if (own[d] != sizes[d]) tensor.dimensions.insert(d);
    }
    if (tensor.shapes.size() > 1) found.tensors.push_back(std::move(tensor));
  }
  return found;
}

// "[4, 8]" of "4,6" and "4,8".
std::string largest_text(const VaryingTensor& tensor) {
  std::vector<std::string> largest = sizes_of(tensor.shapes.front());
  for (const std::string& shape : tensor.shapes) {
    const auto sizes = sizes_of(shape);
    for (size_t d = 0; d < largest.size(); ++d)
      if (std::pair(sizes[d].size(), sizes[d]) > std::pair(largest[d].size(), largest[d])) largest[d] = sizes[d];
  }
  return '[' + joined(largest, ", ") + ']';
}

// Datasets and iterators that yield tensors of other shapes.
void propose_varying_elements(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  for (const LeafSeries& s : leaf_series(run)) {
    const auto is_type = [](const KeyLeaf* leaf) { return leaf && leaf->type == "trace type"; };
    if (!std::ranges::all_of(s.leaves, is_type)) continue;
    const VaryingElements elements = elements_of(run, s.path);
    const auto most = std::ranges::max_element(elements.tensors, {}, [](const auto& t) { return t.shapes.size(); });
    if (most == elements.tensors.end() || most->shapes.size() < kManyShapes) continue;
    Candidate c;
    Finding& f = c.finding;
    c.paths = {s.path};
    c.fix.call = leave_out(places_of(evidence, run, c.paths));
    c.steady = steady(run, *most);
    c.edit_at = Candidate::EditAt::kValue;
    c.of_library = is_made_by_library(evidence, run);
    f.path = most->path + ".shape[" + std::to_string(*most->dimensions.begin()) + ']';
    f.parameter = s.parameter;
    f.values = most->shapes;
    for (const VaryingTensor& other : elements.tensors)
      if (other.path != most->path) f.also_paths.push_back(other.path);
    const std::string whole = s.path.ends_with("[0]") ? s.path.substr(0, s.path.size() - 3) : s.path;
    const std::string name = c.of_library ? std::string(last_name(run.record->name))
                                          : argument_name(whole, s.parameter);
    f.title = (c.of_library ? name + " gets elements of " : "the elements of " + name + " have ") +
              with_commas(f.values.size()) + " different shapes";
    f.detail = most->path + ": " + with_commas(f.values.size()) + " shapes, " + progression(f.values, true) +
               with_it(f.also_paths);
    f.fix = "Give the elements one shape, such as " + largest_text(*most) +
            ": padded_batch with padded_shapes, or drop_remainder=True where only the last batch is smaller";
    candidates.push_back(std::move(c));
  }
}

void propose(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  propose_varying_shape(evidence, run, candidates);
  propose_varying_elements(evidence, run, candidates);
}

const Cause varying_shape("varying_shape", propose);

}  // namespace
}  // namespace footlight::explain
