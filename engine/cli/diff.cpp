// `footlight diff`: two recorded graphs by structure, or two runs function by function.
#include "engine/base/errors.h"
#include "engine/base/place.h"
#include "engine/cli/commands.h"
#include "engine/cli/json.h"
#include "engine/cli/open_file.h"
#include "engine/cli/text.h"
#include "engine/cli/trace_name.h"
#include "engine/explain/graph_diff.h"
#include "engine/explain/stages.h"
#include "engine/query/calls.h"

#include <sys/stat.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <utility>

namespace footlight::cli {
namespace {

using explain::GraphDiff;
using explain::NodeChange;
using explain::NodeDiff;
using explain::NodeState;
using session::FunctionRecord;
using session::TraceRecord;

constexpr const char* kHow = "`footlight diff RUN[:FUNCTION[#TRACE][@STAGE]] RUN[:FUNCTION[#TRACE][@STAGE]] [--json]`";

// RUN.footlight[:FUNCTION[#TRACE][@STAGE]]
struct Named {
  std::string file, function;
  int trace;          // 0: the first with a graph
  std::string stage;  // empty: as traced
};

Named named(const std::string& word) {
  struct stat found;
  const size_t colon = word.rfind(':');
  if (colon == std::string::npos || stat(word.c_str(), &found) == 0) return {word, "", 0, ""};
  const std::optional<TraceName> name = trace_name(std::string_view(word).substr(colon + 1));
  if (!name) throw Error(ErrorKind::kValue, word + ": a trace is a number from 1, as in train_step#3");
  if (name->function.empty())
    throw Error(ErrorKind::kValue, word + ": the name of a function is missing after ':'; usage: " + kHow);
  return {word.substr(0, colon), name->function, name->number, name->stage};
}

std::string counted(size_t n, const char* one, const char* many) {
  return std::to_string(n) + ' ' + (n == 1 ? one : many);
}

// An open run with its functions by name. Several of one name are told apart by their order.
class Run {
 public:
  explicit Run(const std::string& path) : path_(path), reader_(open_file(path)), calls_(reader_->calls()) {
    std::map<std::string, int> seen;
    for (const FunctionRecord& f : reader_->contents().functions) {
      const int number = seen[f.name]++;
      functions_.emplace(number ? f.name + " (" + std::to_string(number + 1) + ")" : f.name, &f);
    }
    for (const TraceRecord& t : reader_->contents().traces)
      if (t.kind == session::TraceKind::kTrace) traces_[t.function].push_back(&t);
    while (!calls_.complete()) calls_.take_next();
  }

  const session::Reader& reader() const { return *reader_; }
  const std::map<std::string, const FunctionRecord*>& functions() const { return functions_; }
  const std::vector<const TraceRecord*>& traces(FunctionId f) const {
    static const std::vector<const TraceRecord*> none;
    const auto at = traces_.find(f);
    return at == traces_.end() ? none : at->second;
  }
  int64_t trace_ns(FunctionId f) const {
    int64_t sum = 0;
    for (const TraceRecord* t : traces(f)) sum += t->end_ns > t->start_ns ? t->end_ns - t->start_ns : 0;
    return sum;
  }
  uint64_t calls(FunctionId f) const { return calls_.of_function(f).calls; }

  // As it is from now on.
  void set_stage(const Named& which) {
    const session::GraphRecord& graph = *reader_->graph(trace(which).graph());
    graphs_ = {[this](GraphId id) { return reader_->graph(id); }, passes_until(graph, which.stage, which.function)};
  }
  const session::GraphRecord* graph(GraphId id) const { return graphs_(id); }

  const TraceRecord& trace(const Named& which) const {
    for (const TraceRecord* t : traces(function(which.function).id))
      if (which.trace ? t->number == which.trace : reader_->graph(t->graph()) != nullptr) {
        if (reader_->graph(t->graph())) return *t;
        throw Error(ErrorKind::kNotFound, path_ + ": the graph of " + which.function + "#" +
                                              std::to_string(which.trace) + " was not recorded");
      }
    throw Error(ErrorKind::kNotFound, path_ + ": " + which.function + " has no trace" +
                                          (which.trace ? " #" + std::to_string(which.trace) : " with a graph"));
  }

  // By its whole name, or by the end of it, as `footlight compare` takes it: "call" for "Gate.call".
  const FunctionRecord& function(const std::string& name) const {
    if (const auto f = functions_.find(name); f != functions_.end()) return *f->second;
    std::vector<std::string> found;
    for (const auto& [whole, f] : functions_)
      if (whole.ends_with("." + name)) found.push_back(whole);
    if (found.size() == 1) return *functions_.at(found[0]);
    std::string message = path_ + ": there is no function '" + name + "'";
    if (!found.empty()) message = path_ + ": several functions end with '" + name + "': ";
    for (const std::string& each : found) message += (&each == found.data() ? "" : ", ") + each;
    throw Error(ErrorKind::kNotFound, message);
  }

  std::string place(const session::NodeRecord& node) const {
    const session::Reader::SourcePlace at = reader_->place(node.source);
    const session::FileRecord* file = reader_->file(at.file);
    if (!file || at.line == 0) return "";
    return place_text(file->path, at.line);
  }
  explain::DiffSide side() const {
    return {[this](GraphId id) { return graph(id); },
            [this](const session::NodeRecord& node) {
              const std::string at = place(node);
              return at.empty() ? 0 : hash128(at).low | 1;
            }};
  }

 private:
  std::string path_;
  std::unique_ptr<session::Reader> reader_;
  query::CallIndex calls_;
  explain::GraphsAfter graphs_{[this](GraphId id) { return reader_->graph(id); }, 0};
  std::map<std::string, const FunctionRecord*> functions_;
  std::map<FunctionId, std::vector<const TraceRecord*>> traces_;
};

GraphDiff diff_traces(const Run& a, const TraceRecord& left, const Run& b, const TraceRecord& right) {
  return explain::diff_graphs(a.side(), left.graph(), b.side(), right.graph());
}

// --- two graphs ---------------------------------------------------------------------------------------------------

// Where a pair of graphs stands: "cond/then_branch".
std::string path_of(const GraphDiff& diff, size_t at, const Run& a) {
  std::string path;
  for (size_t hops = 0; at > 0 && hops < diff.pairs.size(); ++hops) {
    const explain::GraphPair& pair = diff.pairs[at];
    at = pair.owner;
    path = a.graph(diff.pairs[at].left)->nodes[pair.owner_left].name + '/' + pair.role +
           (path.empty() ? "" : "/" + path);
  }
  return path;
}

struct Row {
  const NodeDiff* diff;
  const session::NodeRecord *left, *right;
  std::string inside, place;
};

std::vector<Row> rows(const GraphDiff& diff, const Run& a, const Run& b) {
  std::vector<Row> out;
  for (const auto& [p, n] : diff.differences()) {
    const explain::GraphPair& pair = diff.pairs[p];
    Row row{&pair.nodes[n], nullptr, nullptr, path_of(diff, p, a), ""};
    if (row.diff->left != explain::kNoNode) row.left = &a.graph(pair.left)->nodes[row.diff->left];
    if (row.diff->right != explain::kNoNode) row.right = &b.graph(pair.right)->nodes[row.diff->right];
    row.place = row.left ? a.place(*row.left) : b.place(*row.right);
    out.push_back(std::move(row));
  }
  return out;
}

void print_text(const GraphDiff& diff, const Run& a, const Run& b) {
  std::printf("%s\n", diff.sentence.c_str());
  std::vector<Row> all = rows(diff, a, b);
  // A node of other types because its inputs have them is no difference of its own.
  const auto only_follows = [](const Row& row) { return row.diff->follows && row.left && row.right; };
  const auto follow = static_cast<size_t>(std::ranges::count_if(all, only_follows));
  const bool leaves_out = follow > 0 && follow < all.size();
  if (leaves_out) std::erase_if(all, only_follows);
  for (NodeState state : {NodeState::kChanged, NodeState::kOnlyLeft, NodeState::kOnlyRight}) {
    bool first = true;
    for (const Row& row : all) {
      if (row.diff->state != state) continue;
      if (first) std::printf("\n%s\n", name_of(state));
      first = false;
      const session::NodeRecord& node = row.left ? *row.left : *row.right;
      std::string line = "  " + node.op + "  " + node.name;
      if (row.left && row.right && row.left->name != row.right->name) line += " = " + row.right->name;
      if (!row.inside.empty()) line += "  in " + row.inside;
      if (!row.place.empty()) line += "  " + row.place;
      if (row.diff->follows) line += "  follows its inputs";
      std::printf("%s\n", printable(line).c_str());
      for (const NodeChange& c : row.diff->changes) std::printf("      %s\n", printable(words(c)).c_str());
    }
  }
  if (leaves_out)
    std::printf("\n%s\n", (counted(follow, "node more only follows its inputs", "nodes more only follow their inputs") +
                            "; --json lists them").c_str());
  for (size_t p = 0; p < diff.pairs.size(); ++p)
    for (const NodeChange& c : diff.pairs[p].results)
      std::printf("\n%s%s\n", printable(words(c)).c_str(),
                  p ? printable("  in " + path_of(diff, p, a)).c_str() : "");
}

std::string changes_json(const std::vector<NodeChange>& changes) {
  std::vector<std::string> list;
  for (const NodeChange& c : changes) {
    JsonObject one;
    one.add("kind", name_of(c.kind)).add("what", c.what).add("left", c.left).add("right", c.right);
    list.push_back(one.add("value", c.value).inline_());
  }
  return json_list(list);
}

std::string graphs_json(const GraphDiff& diff, const Run& a, const Run& b) {
  JsonObject out;
  out.add("sentence", diff.sentence).add("same", uint64_t{diff.counts.same});
  out.add("changed", uint64_t{diff.counts.changed}).add("only_left", uint64_t{diff.counts.only_left});
  out.add("only_right", uint64_t{diff.counts.only_right}).add("not_recorded", uint64_t{diff.not_recorded});
  std::vector<std::string> nodes, results;
  for (const Row& row : rows(diff, a, b)) {
    JsonObject one;
    one.add("state", name_of(row.diff->state)).add("op", (row.left ? row.left : row.right)->op);
    if (row.left) one.add("left", row.left->name);
    if (row.right) one.add("right", row.right->name);
    if (!row.inside.empty()) one.add("inside", row.inside);
    one.add("line", row.place).add("follows", row.diff->follows).raw("changes", changes_json(row.diff->changes));
    nodes.push_back(one.inline_());
  }
  out.raw("nodes", json_list(nodes));
  for (size_t p = 0; p < diff.pairs.size(); ++p) {
    if (diff.pairs[p].results.empty()) continue;
    JsonObject one;
    one.add("inside", path_of(diff, p, a)).raw("changes", changes_json(diff.pairs[p].results));
    results.push_back(one.inline_());
  }
  return out.raw("results", json_list(results)).lines();
}

// --- two runs -----------------------------------------------------------------------------------------------------

struct FunctionDiff {
  std::string name;
  const FunctionRecord *left = nullptr, *right = nullptr;
  struct Graphs {
    int left, right;                   // numbers of the traces
    std::string sentence;
    std::string name() const {
      return "#" + std::to_string(left) + (left == right ? "" : " = #" + std::to_string(right));
    }
  };
  std::vector<Graphs> graphs;
  bool same = false;
};

// Pairs traces of one signature in their order, then those that are left, also in their order: an edit may have changed
// their signatures.
std::vector<std::pair<const TraceRecord*, const TraceRecord*>> pairs_of(std::vector<const TraceRecord*> left,
                                                                        std::vector<const TraceRecord*> right) {
  std::vector<std::pair<const TraceRecord*, const TraceRecord*>> pairs;
  for (const bool alike : {true, false}) {
    for (const TraceRecord*& l : left) {
      const auto r = std::ranges::find_if(
          right, [&](const TraceRecord* one) { return l && one && (!alike || one->signature == l->signature); });
      if (r == right.end()) continue;
      pairs.emplace_back(std::exchange(l, nullptr), std::exchange(*r, nullptr));
    }
  }
  std::ranges::sort(pairs, {}, [](const auto& pair) { return pair.first->number; });
  return pairs;
}

FunctionDiff diff_function(const Run& a, const Run& b, FunctionDiff f) {
  if (!f.left || !f.right) return f;
  const auto &left = a.traces(f.left->id), &right = b.traces(f.right->id);
  f.same = left.size() == right.size();
  for (const auto& [l, r] : pairs_of(left, right)) {
    if (!a.reader().graph(l->graph()) || !b.reader().graph(r->graph())) continue;
    const GraphDiff diff = diff_traces(a, *l, b, *r);
    f.graphs.push_back({l->number, r->number, diff.sentence});
    f.same &= diff.counts.differences() == 0;
  }
  return f;
}

std::string verdict(const FunctionDiff& f) {
  std::string text;
  size_t equal = 0;
  for (const FunctionDiff::Graphs& one : f.graphs) {
    if (one.sentence == f.graphs.front().sentence) ++equal;
    text += (text.empty() ? "" : "; ") + one.name() + ' ' + one.sentence;
  }
  if (f.graphs.empty()) return "no graphs to compare";
  return equal < f.graphs.size() ? text : (equal > 1 ? "all: " : "") + f.graphs.front().sentence;
}

std::string ms(int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f ms", static_cast<double>(ns) / 1e6);
  return text;
}

void print_text(const std::vector<FunctionDiff>& functions, const Run& a, const Run& b) {
  size_t differ = 0;
  for (const FunctionDiff& f : functions) differ += !f.same;
  std::printf("%s\n", !differ ? "the same functions, traces and graphs"
                              : (counted(differ, "function differs", "functions differ") + " of " +
                                 std::to_string(functions.size()))
                                    .c_str());
  for (const FunctionDiff& f : functions) {
    if (!f.left || !f.right) {
      const Run& run = f.left ? a : b;
      const FunctionId id = (f.left ? f.left : f.right)->id;
      std::printf("\n%s\n  only %s: %s, %s of tracing, %s\n", printable(f.name).c_str(), f.left ? "left" : "right",
                  counted(run.traces(id).size(), "trace", "traces").c_str(), ms(run.trace_ns(id)).c_str(),
                  counted(run.calls(id), "call", "calls").c_str());
      continue;
    }
    std::printf("\n%s\n  traces %zu → %zu, tracing %s → %s, calls %" PRIu64 " → %" PRIu64 "\n  %s\n",
                printable(f.name).c_str(), a.traces(f.left->id).size(), b.traces(f.right->id).size(),
                ms(a.trace_ns(f.left->id)).c_str(), ms(b.trace_ns(f.right->id)).c_str(), a.calls(f.left->id),
                b.calls(f.right->id), printable(verdict(f)).c_str());
  }
}

std::string runs_json(const std::vector<FunctionDiff>& functions, const Run& a, const Run& b) {
  std::vector<std::string> list;
  bool same = true;
  for (const FunctionDiff& f : functions) {
    JsonObject one;
    one.add("function", f.name).add("same", f.same);
    same &= f.same;
    const auto side = [&](const char* key, const Run& run, const FunctionRecord* record) {
      if (!record) return;
      JsonObject numbers;
      numbers.add("traces", uint64_t{run.traces(record->id).size()}).add("trace_ns", run.trace_ns(record->id));
      one.raw(key, numbers.add("calls", run.calls(record->id)).inline_());
    };
    side("left", a, f.left);
    side("right", b, f.right);
    std::vector<std::string> graphs;
    for (const FunctionDiff::Graphs& g : f.graphs)
      graphs.push_back(
          JsonObject().add("trace", g.left).add("right_trace", g.right).add("sentence", g.sentence).inline_());
    list.push_back(one.raw("graphs", json_list(graphs)).inline_());
  }
  return JsonObject().add("same", same).raw("functions", json_list(list)).lines();
}

int diff_runs(const Run& a, const Run& b, bool json) {
  std::map<std::string, FunctionDiff> by_name;
  for (const auto& [name, record] : a.functions()) by_name[name] = {name, record, nullptr, {}, false};
  for (const auto& [name, record] : b.functions()) by_name[name].name = name, by_name[name].right = record;
  std::vector<FunctionDiff> all;
  bool same = true;
  for (auto& [name, f] : by_name) {
    all.push_back(diff_function(a, b, std::move(f)));
    same &= all.back().same;
  }
  json ? static_cast<void>(std::printf("%s\n", runs_json(all, a, b).c_str())) : print_text(all, a, b);
  return same ? 0 : 1;
}

}  // namespace

int diff(const Words& words) {
  bool json = false;
  std::vector<std::string> given;
  for (const std::string& w : words) {
    if (w == "--json") json = true;
    else if (!w.empty() && w[0] == '-') return complain("diff: unknown option '" + w + "'; usage: " + kHow);
    else given.push_back(w);
  }
  if (given.size() != 2) return complain(std::string("diff needs two recordings, or a graph of each; usage: ") + kHow);
  const Named left = named(given[0]), right = named(given[1]);
  if (left.function.empty() != right.function.empty())
    return complain(std::string("diff compares two recordings or two graphs, not a recording with a graph; ") +
                    "usage: " + kHow);
  Run a(left.file), b(right.file);
  if (left.function.empty()) return diff_runs(a, b, json);
  a.set_stage(left);
  b.set_stage(right);
  const GraphDiff found = diff_traces(a, a.trace(left), b, b.trace(right));
  json ? static_cast<void>(std::printf("%s\n", graphs_json(found, a, b).c_str())) : print_text(found, a, b);
  return found.counts.differences() ? 1 : 0;
}

}  // namespace footlight::cli
