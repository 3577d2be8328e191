// dimension_specialized: under PyTorch a dimension had become a symbol, and a statement of the traced code fixed it to
// its number again: range(), int(), a format, a comparison. Fix: tensor operations instead of Python over the length.
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/leaves.h"
#include "engine/explain/torch_rules.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::DecisionRecord;
using session::TraceRecord;

constexpr std::string_view kFixedSize = "fixed size";

struct FixedSize {
  std::string path;  // "args[0].shape[0]"
  Line line;
  std::vector<std::string> values;
};

// The sizes that statements fixed in these traces, by path: the note says "args[0].shape[0] = 7".
std::map<std::string, FixedSize> fixed_sizes(const Evidence& evidence, const std::set<TraceId>& traces) {
  std::map<std::string, FixedSize> found;
  for (const DecisionRecord& d : evidence.records().decisions) {
    const size_t equals = d.note.find(" = ");
    if (d.kind != kFixedSize || !traces.contains(d.trace) || equals == std::string::npos) continue;
    FixedSize& one = found[d.note.substr(0, equals)];
    one.path = d.note.substr(0, equals);
    if (!one.line) one.line = {d.file, d.line};
    std::string value = d.note.substr(equals + 3);
    if (std::ranges::find(one.values, value) == one.values.end()) one.values.push_back(std::move(value));
  }
  return found;
}

std::string tensor_of(const std::string& path) { return path.substr(0, path.rfind(".shape[")); }

std::string parameter_at(const FunctionRun& run, const std::string& path) {
  for (const TraceRecord* t : run.traces)
    if (const session::KeyLeaf* leaf = leaf_at(*t, tensor_of(path))) return leaf->parameter;
  return {};
}

void add_mark(const Evidence& evidence, Finding& f) {
  for (const session::FileRecord& file : evidence.records().files) {
    Line line{file.id, 1};
    for (const int last = evidence.line_count(file.id); line.line <= last; ++line.line) {
      if (source::without_comment(evidence.text(line)).find("mark_dynamic(") == std::string_view::npos) continue;
      f.related.push_back({"mark", line});
      return;
    }
  }
}

void describe_fixed(const Evidence& evidence, const FixedSize& fixed, Finding& f) {
  f.path = fixed.path;
  f.values = fixed.values;
  const std::string name = argument_name(fixed.path, f.parameter);
  f.title = name + " is fixed to a number by line " + std::to_string(fixed.line.line);
  const std::string_view text = source::trimmed(evidence.text(fixed.line));
  f.detail = fixed.path + " had become a symbol, and `" + std::string(text) + "` fixed it again";
  f.fix = "Use tensor operations in place of Python over the length, so that " + name + " stays a symbol";
}

// Lists and dicts besides the arguments that grow from trace to trace and are named by the statement that fixes a size:
// what is made for each size is kept there. Without the look-up neither is guarded.
std::set<std::string> kept_by_size(const Evidence& evidence, const FunctionRun& run, const FixedSize& fixed) {
  const std::vector<std::string> names = source::names_in(source::without_comment(evidence.text(fixed.line)));
  std::set<std::string> found;
  for (const LeafSeries& s : leaf_series(run)) {
    const auto grows = [](const session::KeyLeaf* leaf) {
      return leaf && leaf->kind == "structure" && (leaf->type.starts_with("dict[") || leaf->type.starts_with("list["));
    };
    const std::string name = s.path.substr(s.path.rfind(' ') + 1);  // of "global TABLE"
    const bool is_named = std::ranges::find(names, name) != names.end();
    if (s.path.starts_with("args[") || !is_named || !std::ranges::all_of(s.leaves, grows)) continue;
    const auto type = [](const session::KeyLeaf* leaf) { return leaf->type; };
    if (distinct(s, type).size() > 1) found.insert(s.path);
  }
  return found;
}

void propose_fixed_sizes(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  if (!is_torch(run)) return;
  std::set<TraceId> traces;
  for (const TraceRecord* t : run.traces) traces.insert(t->id);
  for (const auto& [path, fixed] : fixed_sizes(evidence, traces)) {
    if (fixed.values.size() < 2) continue;
    Candidate c;
    Finding& f = c.finding;
    f.parameter = parameter_at(run, path);
    c.paths = {tensor_of(path)};
    c.fix.reduce_retracing = true;
    const std::set<std::string> kept = kept_by_size(evidence, run, fixed);
    if (!kept.empty()) {
      c.fix.call = leave_out(places_of(evidence, run, kept));
      c.paths.insert(kept.begin(), kept.end());
      f.also_paths.assign(kept.begin(), kept.end());
    }
    c.most = GraphRelation::kStructure;
    describe_fixed(evidence, fixed, f);
    f.detail += " in " + with_commas(fixed.values.size()) + " traces, " + progression(fixed.values);
    if (!kept.empty()) {
      f.detail += "; " + joined({kept.begin(), kept.end()}, ", ") + " holds what was made for each size";
      f.fix = "Make what " + *kept.begin() + " holds anew in each call: a look-up by the size fixes the size";
    }
    c.complete = [&evidence, line = fixed.line](Finding& made, const ReplayResult&) {
      edit_at(made, line, "call");
      add_mark(evidence, made);
    };
    candidates.push_back(std::move(c));
  }
}

// A dimension that was marked as dynamic, and a statement that fixed it: the compilation failed.
void find_broken_marks(const Evidence& evidence, Findings& findings) {
  std::set<FunctionId> said;
  for (const TraceRecord& t : evidence.records().traces) {
    if (t.error.find("ConstraintViolation") == std::string::npos || said.contains(t.function)) continue;
    const auto fixed = fixed_sizes(evidence, {t.id});
    if (fixed.empty()) continue;
    said.insert(t.function);
    Finding f;
    f.function = t.function;
    f.line = fixed.begin()->second.line;
    f.example = t.id;
    f.cost_ns = t.end_ns - t.start_ns;
    f.calls = evidence.calls_of(t.function);
    f.engine_said = t.error;
    describe_fixed(evidence, fixed.begin()->second, f);
    f.detail += ", although it was marked as dynamic: the compilation failed";
    f.checked.why_not = "a replay of the recorded calls cannot show it; run the edited script again";
    add_mark(evidence, f);
    findings.found.push_back(std::move(f));
  }
}

const Cause dimension_specialized("dimension_specialized", propose_fixed_sizes, find_broken_marks, "torch");

}  // namespace
}  // namespace footlight::explain
