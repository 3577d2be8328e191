// autograph_fallback: a statement was not or could not be converted, and met a tensor: the trace failed there.
// Fix: the spelling that converts.
#include "engine/explain/enclosing.h"
#include "engine/explain/findings.h"
#include "engine/explain/outlines.h"
#include "engine/source/line.h"

#include <algorithm>
#include <charconv>

namespace footlight::explain {
namespace {

using session::GeneratedRecord;
using session::TraceRecord;

// What CPython asks of a tensor when a statement stays in Python.
bool met_a_tensor(std::string_view error) {
  return error.find("as a Python `bool` is not allowed") != error.npos ||
         error.find("Iterating over a symbolic `tf.Tensor`") != error.npos ||
         error.find("Iterating over the symbolic tensor") != error.npos;  // in older sessions
}

// The innermost line of a message: the last `File "x.py", line 12, in f`.
Line innermost_line(const Evidence& evidence, std::string_view error) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  const size_t at = error.rfind(kFile);
  if (at == error.npos) return {};
  const std::string_view rest = error.substr(at + kFile.size());
  const size_t end = rest.find(kLine);
  if (end == rest.npos) return {};
  Line line;
  const char* number = rest.data() + end + kLine.size();
  std::from_chars(number, rest.data() + rest.size(), line.line);
  for (const session::FileRecord& file : evidence.records().files)
    if (file.path == rest.substr(0, end)) line.file = file.id;
  return line;
}

const char* fix_for(std::string_view why) {
  const auto says = [&](std::string_view words) { return why.find(words) != why.npos; };
  if (says("locals()")) return "Remove locals(), eval() and exec(), or call them in a function of their own";
  if (says("await") || says("async")) return "Move what is traced into a plain function, and await outside of it";
  if (says("yield") || says("generator"))
    return "Return the values, as a list or a tf.TensorArray, rather than yield them";
  if (says("leaves a loop"))
    return "Let the outer loop run over a tensor (tf.range) too, or keep what decides in a tensor and use tf.where";
  if (says("source is not available")) return "Define the function in a file, not in exec() or at a prompt";
  if (says("has changed since")) return "Run the program again: the function runs as it was loaded";
  return "Write it with tf.cond, tf.while_loop or tf.where";
}

struct Statement {
  const GeneratedRecord* in = nullptr;
  const GeneratedRecord::Statement* statement = nullptr;
};

class Search {
 public:
  explicit Search(const Evidence& evidence) : evidence_(evidence), outlines_(evidence) {}

  // The smallest statement that fell back and has this line.
  Statement at(const Line& line) {
    Statement best;
    for (const GeneratedRecord& g : evidence_.records().generated) {
      if (g.file != line.file) continue;
      for (const GeneratedRecord::Statement& s : g.statements) {
        if (s.fate != "fallback") continue;
        const bool whole = s.kind == "function";
        const bool here = whole ? definition_of(g, s) == outline(line.file).function_around(line.line)
                                : s.line <= line.line && line.line <= s.last_line;
        if (!here || (best.statement && (whole || size(*best.statement) < size(s)))) continue;
        best = {&g, &s};
      }
    }
    return best;
  }

  // The def of a function that was not converted at all: its code begins with the decorators.
  int definition_of(const GeneratedRecord& g, const GeneratedRecord::Statement& s) {
    return outline(g.file).function_from(s.line);
  }

  const source::Outline& outline(session::FileId file) { return outlines_.of(file); }

 private:
  static int size(const GeneratedRecord::Statement& s) {
    return s.kind == "function" ? INT32_MAX : s.last_line - s.line;
  }

  const Evidence& evidence_;
  Outlines outlines_;
};

// Where nothing was tried to be converted, or nothing can be.
struct Unconverted {
  std::string detail, fix;
  bool asked_for = false;
};

Unconverted unconverted_at(const Evidence& evidence, Search& search, const Line& line, FunctionId function) {
  const int def = search.outline(line.file).function_around(line.line);
  for (int above = def - 1; above > 0; --above) {
    const std::string_view text = source::unindented(evidence.text({line.file, above}));
    if (!text.starts_with('@')) break;
    if (text.find("do_not_convert") != text.npos)
      return {"do_not_convert leaves this function in Python", "Remove the decorator do_not_convert", true};
  }
  for (const session::FunctionRecord& f : evidence.records().functions) {
    if (f.id != function) continue;
    if (evidence.text(definition_of(f)).find("autograph=False") != std::string_view::npos)
      return {"autograph=False leaves the function in Python", "Remove autograph=False", true};
  }
  for (const source::Loop* loop : search.outline(line.file).loops_around(line.line))
    if (loop->kind == source::Loop::Kind::kComprehension)
      return {"Comprehensions stay in Python", "Use tf.map_fn, tf.boolean_mask or operations on the whole tensor"};
  return {"Python itself asks here whether a tensor is true, or what it holds", fix_for({})};
}

void find_autograph_fallback(const Evidence& evidence, Findings& findings) {
  Search search(evidence);
  for (const TraceRecord& t : evidence.records().traces) {
    if (!met_a_tensor(t.error)) continue;
    const Line line = innermost_line(evidence, t.error);
    if (!line) continue;
    const Statement found = search.at(line);
    const bool whole = !found.statement || found.statement->kind == "function";
    Finding f;
    f.function = t.function;
    f.line = {line.file, whole ? line.line : found.statement->line};
    const auto known = std::ranges::find_if(findings.found, [&](const Finding& other) {
      return other.cause.empty() && other.line == f.line;  // of this cause: names are given at the end
    });
    if (known != findings.found.end()) continue;  // the outer trace failed with the inner one, or it was tried again
    const std::string_view text = source::without_comment(source::unindented(evidence.text(f.line)));
    f.path = std::string(text.substr(0, text.find_last_not_of(": \t\r") + 1));
    if (line != f.line) f.related.push_back({"use", line});
    f.graphs = GraphRelation::kUnknown;
    f.example = t.id;
    f.cost_ns = t.end_ns - t.start_ns;
    f.checked.why_not = "run again to see whether it converts";
    if (found.statement) {
      if (whole) f.related.push_back({"definition", {line.file, search.definition_of(*found.in, *found.statement)}});
      f.title = whole ? "AutoGraph did not convert " + found.in->name + ", which branches on a tensor"
                      : "This " + found.statement->kind + " on a tensor stayed in Python";
      f.detail = found.statement->note;
      f.fix = fix_for(found.statement->note);
    } else {
      const Unconverted why = unconverted_at(evidence, search, line, t.function);
      if (why.asked_for && !evidence.records().failed) {
        findings.suppressed.push_back({t.function, {}, Rule::kAskedFor});
        continue;
      }
      f.title = "A tensor decides here, and the statement stayed in Python";
      f.detail = why.detail;
      f.fix = why.fix;
    }
    findings.found.push_back(std::move(f));
  }
}

const Cause autograph_fallback("autograph_fallback", find_autograph_fallback);

}  // namespace
}  // namespace footlight::explain
