// eager_hot_loop: a function that is not traced runs many ops one by one, in calls that are alike, and takes a large
// part of the time. Fix: decorate it, where its body would do the same in a graph; else, say what has to change first.
#include "engine/explain/findings.h"
#include "engine/explain/outlines.h"
#include "engine/explain/traceable.h"
#include "engine/explain/compare/text.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>
#include <cctype>

namespace footlight::explain {
namespace {

constexpr uint64_t kManyOps = 2000;
constexpr uint64_t kManyCalls = 50;
constexpr size_t kFewSignatures = 4;
constexpr double kLargeShare = 0.4;

// What JAX makes of a function, and what runs the function's ops one by one outside of jit, and more of its own.
constexpr std::string_view kTransforms[] = {"grad", "value_and_grad", "vmap", "jacfwd", "jacrev", "hessian", "vjp",
                                            "jvp",  "linearize"};

// Ops on a line that runs what a transform made of a function: those of the gradient, for instance.
struct TransformedOps {
  Line def;                               // of the function that the line is in; none: it is the module's
  uint64_t ops = 0;
  int64_t ns = 0;
};

struct HotFunction {
  CodeId code;
  Line def;
  std::string qualname, name;
  int last_line = 0;
  uint64_t ops = 0, calls = 0;
  int64_t ns = 0;
  size_t signatures = 0;  // of an op that runs once per call
  bool traced = false, generator = false;
  std::set<const HotFunction*> inner = {};  // functions whose names its body calls
  std::string transform = {};             // "jax.grad", if a line makes that of it
  std::vector<TransformedOps> transformed = {};
};

class Search {
 public:
  Search(const Evidence& evidence, const EagerSums& ops) : evidence_(evidence), outlines_(evidence) {
    for (const session::CodeRecord& code : evidence.records().codes) codes_[code.id] = &code;
    for (const session::FunctionRecord& f : evidence.records().functions) traced_.insert({f.file, f.line});
    // A function that runs inside of traces is traced already, with what calls it.
    for (const session::GraphRecord& graph : evidence.records().graphs)
      for (const session::NodeRecord& node : graph.nodes)
        if (node.source.code.valid()) in_traces_.insert(node.source.code);
    for (const CodeId code : in_traces_)
      if (const auto at = codes_.find(code); at != codes_.end())
        traced_.insert({at->second->file, def_line(*at->second)});
    for (const EagerPlace& place : ops.places) add(place);
    for (auto& [line, f] : functions_) f.traced = traced_.contains({line.file, line.line});
    for (auto& [line, f] : functions_) find_inner(f);
    for (auto& [line, f] : functions_) find_transforms(f, ops);
  }

  std::map<Line, HotFunction>& functions() { return functions_; }
  Outlines& outlines() { return outlines_; }

  // The line in a loop that calls it.
  Line call_of(const HotFunction& f) {
    for (const session::FileRecord& file : evidence_.records().files) {
      const source::Outline& o = outline(file.id);
      for (const source::Loop& loop : o.loops) {
        for (int line = loop.first_line; line <= loop.last_line; ++line) {
          const Line at{file.id, line};
          if ((file.id != f.def.file || line < f.def.line || line > f.last_line) && calls(at, f.name)) return at;
        }
      }
    }
    return {};
  }

 private:
  const source::Outline& outline(session::FileId file) { return outlines_.of(file); }

  // Code objects begin with their decorators.
  int def_line(const session::CodeRecord& code) { return outline(code.file).function_from(code.first_line); }

  void add(const EagerPlace& place) {
    const auto at = codes_.find(place.source.code);
    const Line line = evidence_.line(place.source);
    if (at == codes_.end() || !line) return;
    const source::Outline& o = outline(line.file);
    // Comprehensions count for the function around them; neither a module nor a lambda can be decorated.
    const source::Function* def = o.innermost(line.line);
    if (!def || at->second->qualname.ends_with("<lambda>") || at->second->qualname == "<module>") return;
    HotFunction& f = functions_[{line.file, def->line}];
    if (!f.def) {
      f.def = {line.file, def->line};
      f.last_line = def->last_line;
      f.name = def->name;
      f.generator = def->is_generator;
    }
    f.ops += place.ops;
    f.ns += place.ns;
    if (at->second->qualname.find('<') == std::string::npos || at->second->qualname.ends_with(f.name)) {
      f.code = place.source.code;
      f.qualname = at->second->qualname;
    }
    // What is in no loop runs at most once per call.
    if (!o.loops_around(line.line).empty()) return;
    f.calls = std::max(f.calls, place.visits);
    f.signatures = std::max(f.signatures, place.signatures.size());
  }

  bool calls(const Line& at, std::string_view name) {
    return source::find_call(evidence_.text(at), name) != std::string_view::npos;
  }

  void find_inner(HotFunction& f) {
    for (auto& [line, other] : functions_) {
      if (&other == &f || other.name.empty()) continue;
      for (int l = f.def.line + 1; l <= f.last_line; ++l)
        if (calls({f.def.file, l}, other.name)) {
          f.inner.insert(&other);
          break;
        }
    }
  }

  // "jax.grad" of "g = jax.grad(loss)(w)" for loss; empty: the line makes no transform of it.
  static std::string transform_on(std::string_view text, std::string_view name) {
    for (const std::string_view transform : kTransforms) {
      for (size_t at = source::find_call(text, transform); at != text.npos;
           at = source::find_call(text, transform, at)) {
        const auto arguments = source::arguments_from(text, at);
        if (!arguments || arguments->empty() || source::trimmed(arguments->front()) != name) continue;
        size_t from = text.find_last_of(" =(,[", text.rfind(transform, at));
        from = from == text.npos ? 0 : from + 1;
        return std::string(source::trimmed(text.substr(from, text.find('(', from) - from)));
      }
    }
    return {};
  }

  // The lines that run a transform of the function: where it is made, and where the name that it gets is called.
  std::set<Line> lines_of_transforms(HotFunction& f) {
    std::set<Line> lines;
    for (const session::FileRecord& file : evidence_.records().files) {
      std::set<std::string> names;
      for (Line at{file.id, 1}; at.line <= evidence_.line_count(file.id); ++at.line) {
        const std::string_view text = source::without_comment(evidence_.text(at));
        const bool runs = std::ranges::any_of(names, [&](const std::string& name) {
          return source::find_call(text, name) != text.npos;
        });
        if (runs) lines.insert(at);
        const std::string transform = transform_on(text, f.name);
        if (transform.empty()) continue;
        if (f.transform.empty()) f.transform = transform;
        lines.insert(at);
        const std::string_view target = source::trimmed(text.substr(0, text.find('=')));
        if (text.find('=') != text.npos && source::assigns(text, target)) names.insert(std::string(target));
      }
    }
    return lines;
  }

  void find_transforms(HotFunction& f, const EagerSums& ops) {
    if (f.name.empty() || f.traced || f.calls < kManyCalls) return;
    const std::set<Line> lines = lines_of_transforms(f);
    for (const EagerPlace& place : ops.places) {
      const Line line = evidence_.line(place.source);
      if (!lines.contains(line)) continue;
      const source::Function* def = outline(line.file).innermost(line.line);
      f.transformed.push_back({def ? Line{line.file, def->line} : Line{}, place.ops, place.ns});
    }
  }

  const Evidence& evidence_;
  std::map<CodeId, const session::CodeRecord*> codes_;
  Outlines outlines_;
  std::set<std::pair<session::FileId, int>> traced_;
  std::set<CodeId> in_traces_;
  std::map<Line, HotFunction> functions_;
};

// A function and those that it calls, each once.
void collect(const HotFunction& f, std::set<const HotFunction*>& all) {
  if (!all.insert(&f).second) return;
  for (const HotFunction* inner : f.inner) collect(*inner, all);
}

// Whether functions of the file run JAX's ops. The file itself may import no engine, and get its arrays from others.
bool runs_under_jax(const Evidence& evidence, session::FileId file) {
  if (imports(evidence, file, "tensorflow")) return false;
  return std::ranges::any_of(evidence.records().files, [&](const session::FileRecord& one) {
    return imports(evidence, one.id, "jax");
  });
}

// The edit that puts a decorator before a function.
Finding::Edit decorated(const Evidence& evidence, const Line& def, const std::string& decorator) {
  const std::string_view text = evidence.text(def);
  if (source::defined_function(text).empty()) return {};
  const size_t indent = source::indent_of(text).characters, open = text.find('(');
  const std::string old(text.substr(0, open == text.npos ? open : open + 1));
  return {def, old, old.substr(0, indent) + decorator + '\n' + old};
}

// "First move .numpy() on line 17 to the caller; then ": what the functions need before they can be traced.
std::string before_tracing_text(const Evidence& evidence, Outlines& outlines, const Line& def,
                                const std::set<const HotFunction*>& with, bool jax) {
  constexpr size_t kMaxSteps = 4;
  std::vector<std::string> steps = before_tracing(evidence, outlines, def, jax);
  for (const HotFunction* part : with) {
    if (part->def.file == def.file) continue;
    const auto& files = evidence.records().files;
    const auto file = std::ranges::find(files, part->def.file, &session::FileRecord::id);
    const std::string path = file == files.end() ? std::string("another file") : file->path;
    for (const std::string& step : before_tracing(evidence, outlines, part->def, jax))
      steps.push_back(step + " in " + path.substr(path.rfind('/') + 1));
  }
  if (steps.empty()) return {};
  const size_t more = steps.size() > kMaxSteps ? steps.size() - kMaxSteps : 0;
  steps.resize(steps.size() - more);
  if (more) steps.push_back(with_commas(more) + (more == 1 ? " more change" : " more changes") + " of this kind");
  return "First " + joined(steps, "; ") + "; then ";
}

// The time from the first op to the last one, without traces and pauses that came once.
int64_t host_ns(const Evidence& evidence, const EagerSums& ops) {
  int64_t ns = ops.last_ns - ops.first_ns - ops.pauses_ns, until = ops.first_ns;
  std::vector<std::pair<int64_t, int64_t>> traces;
  for (const session::TraceRecord& t : evidence.records().traces) traces.emplace_back(t.start_ns, t.end_ns);
  std::ranges::sort(traces);
  for (const auto& [start, end] : traces) {
    const int64_t from = std::max(start, until), to = std::min(end, ops.last_ns);
    if (to > from) ns -= to - from, until = to;
  }
  return ns;
}

void find_eager_hot_loop(const Evidence& evidence, Findings& findings) {
  const EagerSums* ops = evidence.records().eager;
  if (!ops || ops->first_ns >= ops->last_ns) return;
  const int64_t all_ns = std::max<int64_t>(1, host_ns(evidence, *ops));
  Search search(evidence, *ops);
  struct Hot {
    const HotFunction* function;
    std::set<const HotFunction*> with;
    uint64_t ops = 0;
    int64_t ns = 0;
  };
  std::vector<Hot> hot;
  for (const auto& [line, f] : search.functions()) {
    if (f.traced || f.generator || f.qualname.empty()) continue;
    if (f.calls < kManyCalls || f.signatures > kFewSignatures) continue;
    Hot h{&f, {}, 0, 0};
    collect(f, h.with);
    const auto is_counted = [&h](const Line& def) {
      return std::ranges::any_of(h.with, [&def](const HotFunction* part) { return part->def == def; });
    };
    for (const HotFunction* part : h.with) h.ops += part->ops, h.ns += part->ns;
    for (const TransformedOps& more : f.transformed)
      if (!is_counted(more.def)) h.ops += more.ops, h.ns += more.ns;
    if (h.ops < kManyOps || static_cast<double>(h.ns) < kLargeShare * static_cast<double>(all_ns)) continue;
    hot.push_back(std::move(h));
  }
  for (const Hot& h : hot) {
    const bool inside = std::ranges::any_of(hot, [&](const Hot& other) {
      return other.with.contains(h.function) && !h.with.contains(other.function);
    });
    if (inside) continue;  // whoever calls it is the one to decorate
    const HotFunction& f = *h.function;
    Finding made;
    made.code = f.code;
    made.path = f.qualname;
    made.line = f.def;
    made.graphs = GraphRelation::kUnknown;
    made.calls = f.calls;
    made.cost_ns = h.ns;
    if (const Line call = search.call_of(f)) made.related.push_back({"call", call});
    made.checked.why_not = "run again to measure it";
    const std::string transformed = f.transform.empty() ? "" : f.transform + '(' + f.name + ')';
    made.title = (transformed.empty() ? f.name : transformed) + " runs eagerly: " + with_commas(h.ops) +
                 " separate ops";
    made.detail = f.qualname + ": " + with_commas(h.ops) + " ops in " + with_commas(f.calls) + " calls took " +
                  time_text(static_cast<double>(h.ns)) +
                  (transformed.empty() ? "" : ", with those that " + f.transform + " adds");
    const bool jax = runs_under_jax(evidence, f.def.file);
    // jax.jit takes only arrays as arguments, and a method has its object as one.
    const bool of_object =
        jax && f.qualname.find('.') != std::string::npos && !f.qualname.ends_with("<locals>." + f.name);
    const std::string decorator = jax ? "@jax.jit" : "@tf.function";
    made.fix = of_object ? "Put what " + f.name + " computes into a function with @jax.jit whose arguments are arrays"
                         : "Write " + decorator + " before def " + f.name;
    if (!transformed.empty() && !of_object)
      made.fix += ", or make jax.jit(" + transformed + ") once, before the loop, and call that";
    const std::string first = before_tracing_text(evidence, search.outlines(), f.def, h.with, jax);
    if (!first.empty()) {
      made.fix[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(made.fix[0])));
      made.fix = first + made.fix;
    }
    if (first.empty() && !of_object && (!jax || imports(evidence, f.def.file, "jax", true)))
      made.edit = decorated(evidence, f.def, decorator);
    findings.found.push_back(std::move(made));
  }
}

const Cause eager_hot_loop("eager_hot_loop", find_eager_hot_loop);

}  // namespace
}  // namespace footlight::explain
