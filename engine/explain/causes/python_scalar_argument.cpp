// python_scalar_argument: a number or text differs from call to call and becomes a constant of the graph, so each value
// has a trace of its own. Fix: pass it as a tensor, or keep it in a variable. The same holds for numbers and texts
// inside of an object that is compared by its value, such as a frozen dataclass.
#include "engine/explain/causes/changing_literals.h"
#include "engine/explain/causes/changing_objects.h"
#include "engine/explain/edits.h"
#include "engine/explain/engines.h"
#include "engine/explain/forms.h"
#include "engine/explain/graph_pairs.h"
#include "engine/explain/outlines.h"
#include "engine/explain/words.h"

#include "engine/base/dtype_names.h"
#include "engine/source/line.h"

#include <algorithm>
#include <cctype>
#include <functional>

namespace footlight::explain {
namespace {

constexpr size_t kMaxCompared = 64;  // graphs of one finding

// The dtype that holds all values, and whether tf.constant() infers it.
struct Tensor { std::string dtype; bool by_itself = true; };

Tensor tensor_for(const ChangingLiteral& literal) {
  if (literal.type == "float") {
    bool by_itself = true;
    for (const std::string& value : literal.candidate.finding.values)
      by_itself &= value.find_first_of(".en") != std::string::npos;  // "1" makes an int32
    return {"float32", by_itself};
  }
  if (literal.type == "complex") return {"complex128", true};
  if (literal.type == "str" || literal.type == "bytes") return {"string", true};
  for (const std::string& value : literal.candidate.finding.values) {
    // 2**31 has ten digits; ten-digit numbers below it get a wider dtype than they need.
    if (value.size() > 9) return {"int64", false};
  }
  return {"int32", true};
}

// An attribute that differs between the two graphs, with its op: "alpha of LeakyRelu". Attributes take no tensor.
std::string differing_attribute(const Evidence& evidence, GraphId a, GraphId b, int depth = 0) {
  const session::GraphRecord *x = evidence.graph(a), *y = evidence.graph(b);
  if (!x || !y || x->nodes.size() != y->nodes.size() || depth > 8) return {};
  for (size_t i = 0; i < x->nodes.size(); ++i) {
    const session::NodeRecord &m = x->nodes[i], &n = y->nodes[i];
    if (m.op != n.op || m.functions.size() != n.functions.size()) return {};
    const auto left = compared_attributes(m.attributes), right = compared_attributes(n.attributes);
    for (size_t k = 0; k < left.size() && k < right.size(); ++k) {
      const bool function = std::any_of(m.functions.begin(), m.functions.end(),
                                        [&](const auto& f) { return f.attribute == left[k].name; });
      const bool value = left[k].value.find_first_of("([") == std::string_view::npos;  // shapes follow by themselves
      if (left[k].value != right[k].value && !function && value && left[k].name.find("seed") != 0)
        return std::string(left[k].name) + " of " + m.op;
    }
    for (size_t k = 0; k < m.functions.size(); ++k) {
      std::string inner = differing_attribute(evidence, m.functions[k].graph, n.functions[k].graph, depth + 1);
      if (!inner.empty()) return inner;
    }
  }
  return {};
}

// The dtypes of the constants that differ between the two graphs.
void differing_dtypes(const Evidence& evidence, GraphId a, GraphId b, std::set<std::string>& dtypes, int depth = 0) {
  const session::GraphRecord *x = evidence.graph(a), *y = evidence.graph(b);
  if (!x || !y || x->nodes.size() != y->nodes.size() || depth > 8) return;
  for (size_t i = 0; i < x->nodes.size(); ++i) {
    const session::NodeRecord &m = x->nodes[i], &n = y->nodes[i];
    if (m.op != n.op || m.functions.size() != n.functions.size()) return;
    if (m.constant != n.constant && !m.outputs.empty())
      dtypes.insert(m.outputs[0].substr(0, m.outputs[0].find(' ')));
    for (size_t k = 0; k < m.functions.size(); ++k)
      differing_dtypes(evidence, m.functions[k].graph, n.functions[k].graph, dtypes, depth + 1);
  }
}

// Whether tf.constant converts the values that calls from that line pass at the path.
bool takes_all(const Evidence& evidence, const FunctionRun& run, const Line& line, const std::string& path,
               const std::string& dtype) {
  return std::ranges::all_of(run.steps, [&](const FunctionRun::Step& step) {
    if (!step.call || evidence.line(step.source) != line) return true;
    const session::KeyLeaf* leaf = leaf_at(*step.trace, path);
    return leaf && leaf->kind == "literal" && converts_to(*leaf, dtype);
  });
}

// The edit that wraps all arguments that change together in one line; none if one of them is a part of an argument.
// `own`: the dtype that tf.constant() makes of the finding's argument. `dtype`: the one as which the graphs use all of
// them; empty: each keeps its own.
Finding::Edit wrap_all(const Evidence& evidence, const FunctionRun& run, const Finding& finding,
                       const std::string& own, const std::string& behind, const std::string& dtype) {
  if (!takes_all(evidence, run, finding.line, finding.path, dtype.empty() ? own : dtype)) return {};
  Finding::Edit all = wrap_argument(evidence, run, finding, "tf.constant(", behind);
  for (const std::string& path : finding.also_paths) {
    Finding other = finding;
    other.path = path;
    ChangingLiteral literal;
    for (const session::TraceRecord* t : run.traces) {
      const session::KeyLeaf* leaf = leaf_at(*t, path);
      if (!leaf) return {};
      other.parameter = leaf->parameter;
      if (literal.type.empty() || leaf->type == "float") literal.type = leaf->type;
      literal.candidate.finding.values.push_back(leaf->value);
    }
    const Tensor tensor = tensor_for(literal);
    const std::string wanted = dtype.empty() ? tensor.dtype : dtype;
    if (!takes_all(evidence, run, finding.line, path, wanted)) return {};
    const std::string end = tensor.by_itself && wanted == tensor.dtype ? ")" : ", tf." + wanted + ")";
    all = both_edits(all, wrap_argument(evidence, run, other, "tf.constant(", end));
  }
  return all;
}

// The same change where the number is made: the keys become the same. It is an edit only where one line makes it.
void add_at_value(const Evidence& evidence, const FunctionRun& run, Finding& finding, const std::string& behind) {
  if (finding.path.find(']') + 1 != finding.path.size()) return;  // what is made there holds more than the number
  std::vector<Line> made;
  for (const RelatedLine& related : finding.related)
    if (related.role == "value" && related.at != finding.line) made.push_back(related.at);
  if (made.empty()) return;
  Finding::Edit edit = wrap_value(evidence, run, finding, made.front(), "tf.constant(", behind);
  if (made.size() > 1) edit = {};
  if (made.size() > 1 || edit.at)
    add_alternative(finding, "Make it a tensor where" + std::string(made.size() > 1 ? "ver" : "") + " it is made",
                    finding.checked, std::move(edit));
}

// Whether the truth of the name itself decides, as in "v or 1.0": only a bool tensor may.
bool decides_by_truth(std::string_view text, const std::string& name) {
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::string_view behind = text.substr(at + name.size());
    if (!behind.starts_with(" or ") && !behind.starts_with(" and ")) continue;
    const std::string_view before = source::trimmed(text.substr(0, at));
    const auto ends_with = [&](std::string_view word) { return before.ends_with(word); };
    const bool is_whole = at == 0 || (!source::in_name(text[at - 1]) && text[at - 1] != '.');
    static constexpr std::string_view kOperators[] = {"==", "!=", "<=", ">=", "<", ">", "+",
                                                      "-",  "*",  "/",  "%",  " in", " is"};
    const bool is_operand = std::ranges::any_of(kOperators, ends_with);
    if (is_whole && !is_operand) return true;
  }
  return false;
}

// Whether a line hands the name to Python's arithmetic or to NumPy, which take no symbolic tensor, or asks whether it
// is true.
bool computes_in_python(std::string_view text, const std::string& name) {
  if (decides_by_truth(text, name)) return true;
  for (const std::string_view library : {"math.", "np.", "numpy.", "round(", "divmod(", "chr(", "hex(", "bin("}) {
    for (size_t at = text.find(library); at != text.npos; at = text.find(library, at + 1)) {
      const auto before = static_cast<unsigned char>(at ? text[at - 1] : ' ');
      const bool is_word = !std::isalnum(before) && before != '_' && before != '.';
      const size_t open = text.find('(', at);
      const auto arguments = is_word && open != text.npos ? source::arguments_from(text, open + 1) : std::nullopt;
      if (arguments && std::ranges::any_of(*arguments, [&](std::string_view argument) {
            return source::has_name(argument, name);
          }))
        return true;
    }
  }
  return false;
}

// Whether an `if` asks for the truth of the name itself: a number of any size is true there, and a tensor has to be a
// bool one.
bool asks_for_truth(std::string_view text, const std::string& name) {
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    if (at && (source::in_name(text[at - 1]) || text[at - 1] == '.')) continue;
    const std::string_view before = source::trimmed(text.substr(0, at)), behind = text.substr(at + name.size());
    if (!behind.empty() && (source::in_name(behind[0]) || behind[0] == '.' || behind[0] == '[')) continue;
    const std::string_view next = source::trimmed(behind);
    const auto ends_with = [&](std::string_view word) {
      const size_t rest = before.size() - std::min(before.size(), word.size());
      return before.ends_with(word) && (rest == 0 || !source::in_name(before[rest - 1]));
    };
    const bool is_asked = ends_with("not") || ends_with("if") || ends_with("elif") || ends_with("while");
    const bool is_all = next.empty() || next.starts_with(':') || next.starts_with(')') || next.starts_with("else");
    if (is_asked && is_all) return true;
  }
  return false;
}

// A line where Python needs the number itself, and what to write there instead: " and tf.cast() in place of int() at ".
struct PythonUse {
  Line line;
  std::string instead, why;
  explicit operator bool() const { return static_cast<bool>(line); }
};

// Looks for such a line in the function, in those of the same file that it passes the number to, and for what is made
// of the number alone.
class PythonUses {
 public:
  // `dtypes`: as which the graphs use the number.
  PythonUses(const Evidence& evidence, const FunctionRun& run, const std::set<std::string>& dtypes)
      : evidence_(evidence), run_(run), dtypes_(dtypes), outlines_(evidence) {}

  PythonUse find(const std::string& parameter) {
    const Line definition = evidence_.definition(run_);
    if (!definition || parameter.empty()) return {};
    const source::Outline& outline = outlines_.of(definition.file);
    const auto function = std::ranges::find(outline.functions, outline.function_from(definition.line),
                                            &source::Function::line);
    return function == outline.functions.end() ? PythonUse() : find_in(definition.file, *function, parameter, 0);
  }

 private:
  static constexpr int kMaxDepth = 3;

  PythonUse find_in(session::FileId file, const source::Function& function, const std::string& parameter, int depth) {
    std::vector<std::string> names{parameter};
    const bool is_one_line = function.last_line == function.line;
    for (Line line{file, function.line + !is_one_line}; line.line <= function.last_line; ++line.line) {
      std::string_view text = source::without_comment(evidence_.text(line));
      if (is_one_line) text.remove_prefix(std::min(text.size(), text.rfind("): ") + 2));
      for (const std::string& name : names) {
        if (!source::has_name(text, name)) continue;
        if (PythonUse use = use_in(line, text, name, depth)) return use;
        if (PythonUse use = use_in_callee(file, function, text, name, depth)) return use;
      }
      add_what_is_made_of(text, names);
    }
    return {};
  }

  PythonUse use_in(const Line& line, std::string_view text, const std::string& name, int depth) const {
    if (computes_in_python(text, name) || asks_for_truth(text, name))
      return {line, "TensorFlow's functions", ", where Python computes with it"};
    if (is_python_index(line.file, text, name, depth))
      return {line, "tf.gather() or tf.switch_case()", ", where it is an index of Python"};
    const auto is_integer = [](const std::string& d) { return d.starts_with("int") || d.starts_with("uint"); };
    if (is_argument_of("int", text, name) && !std::ranges::all_of(dtypes_, is_integer))
      return {line, "tf.cast() to the dtype that is needed in place of int()", ""};
    const auto is_usual_float = [](const std::string& dtype) { return dtype == "float32"; };
    if (is_argument_of("float", text, name) && !std::ranges::all_of(dtypes_, is_usual_float))
      return {line, "tf.cast() to the dtype that is needed in place of float()", ""};
    for (const char* asked : {"isinstance", "type", "hash"})
      if (is_argument_of(asked, text, name)) return {line, "a test for tensors", ", where Python asks for its type"};
    return {};
  }

  static bool is_argument_of(std::string_view callee, std::string_view text, const std::string& name) {
    for (size_t at = source::find_call(text, callee); at != text.npos; at = source::find_call(text, callee, at)) {
      const auto arguments = source::arguments_from(text, at);
      if (arguments && !arguments->empty() && source::has_name(arguments->front(), name)) return true;
    }
    return false;
  }

  // The bracket that the one at `at` closes; 0: none in this line.
  static size_t opening_of(std::string_view text, size_t at) {
    int depth = 0;
    for (;; --at) {
      depth += (text[at] == ']') - (text[at] == '[');
      if (depth == 0 || at == 0) return at;
    }
  }

  // "WEIGHTS[v % 3]", "TABLE.get(v)"
  bool is_python_index(session::FileId file, std::string_view text, const std::string& name, int depth) const {
    for (size_t open = text.find('['); open != text.npos; open = text.find('[', open + 1)) {
      const size_t close = text.find(']', open);
      if (close == text.npos || !source::has_name(text.substr(open + 1, close - open - 1), name)) continue;
      size_t end = open;  // of what is indexed
      while (end && text[end - 1] == ']') end = opening_of(text, end - 1);
      size_t start = end;
      while (start && (source::in_name(text[start - 1]) || text[start - 1] == '.')) --start;
      if (start == open) continue;      // a list is written there
      if (start == end) return true;    // such a list is indexed
      if (is_of_python(file, std::string(text.substr(start, end - start)), depth)) return true;
    }
    return is_argument_of("get", text, name) && text.find(".get(") != text.npos;
  }

  // Whether what the name stands for is a list, tuple, dict or array of Python, or may be.
  bool is_of_python(session::FileId file, const std::string& name, int depth) const {
    if (depth == 0 && !run_.traces.empty())
      for (const session::KeyLeaf& leaf : run_.traces.front()->key)
        if (leaf.parameter == name && leaf.path.find(']') + 1 == leaf.path.size())
          return leaf.kind != "tensor" && leaf.kind != "variable";
    bool is_assigned = false;
    for (Line line{file, 1}; line.line <= evidence_.line_count(file); ++line.line) {
      const std::string_view text = source::trimmed(source::without_comment(evidence_.text(line)));
      if (!text.starts_with(name)) continue;
      const std::string_view behind = source::trimmed(text.substr(name.size()));
      if (!behind.starts_with('=') || behind.starts_with("==")) continue;
      is_assigned = true;
      const std::string_view value = source::trimmed(behind.substr(1));
      static constexpr std::string_view kStarts[] = {"[",      "(",       "{",   "list(", "tuple(", "dict(",
                                                     "range(", "sorted(", "np.", "numpy."};
      if (std::ranges::any_of(kStarts, [&](std::string_view start) { return value.starts_with(start); })) return true;
    }
    return !is_assigned;
  }

  // A function of the file that gets the name as an argument.
  PythonUse use_in_callee(session::FileId file, const source::Function& caller, std::string_view text,
                          const std::string& name, int depth) {
    if (depth >= kMaxDepth) return {};
    for (const source::Function& callee : outlines_.of(file).functions) {
      const size_t at = callee.line == caller.line ? text.npos : source::find_call(text, callee.name);
      const auto arguments = at == text.npos ? std::nullopt : source::arguments_from(text, at);
      if (!arguments) continue;
      std::vector<std::string> parameters = parameters_of({file, callee.line}, callee.name);
      const size_t start = at - 1 - callee.name.size();
      if (start && text[start - 1] == '.' && !parameters.empty() && parameters.front() == "self")
        parameters.erase(parameters.begin());
      for (size_t i = 0; i < arguments->size(); ++i) {
        const std::string_view keyword = source::keyword_of((*arguments)[i]);
        if (!source::has_name((*arguments)[i], name)) continue;
        const std::string passed = !keyword.empty() ? std::string(keyword) : i < parameters.size() ? parameters[i] : "";
        if (passed.empty()) continue;
        if (PythonUse use = find_in(file, callee, passed, depth + 1)) return use;
      }
    }
    return {};
  }

  std::vector<std::string> parameters_of(const Line& line, const std::string& name) const {
    const std::string_view text = source::without_comment(evidence_.text(line));
    const size_t at = text.find(name + '(');
    const auto declared = at == text.npos ? std::nullopt : source::arguments_from(text, at + name.size() + 1);
    std::vector<std::string> parameters;
    if (!declared) return parameters;
    for (const std::string_view one : *declared)
      parameters.emplace_back(source::trimmed(one.substr(0, one.find_first_of(":="))));
    return parameters;
  }

  // "k" of "k = v % 3": a number if v is one, and a tensor if v is a tensor.
  static void add_what_is_made_of(std::string_view text, std::vector<std::string>& names) {
    const std::string_view line = source::trimmed(text);
    const size_t equals = line.find(" = ");
    if (equals == line.npos || line.find('(', equals) != line.npos) return;
    const std::string made(line.substr(0, equals));
    const std::vector<std::string> used = source::names_in(line.substr(equals + 3));
    const auto is_known = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
    if (!std::ranges::all_of(made, [](char c) { return source::in_name(c); }) || used.empty() || is_known(made)) return;
    if (std::ranges::all_of(used, is_known)) names.push_back(made);
  }

  const Evidence& evidence_;
  const FunctionRun& run_;
  const std::set<std::string>& dtypes_;
  Outlines outlines_;
};

// JAX takes a number or text as static only where the program declares it static.
void ask_to_trace(const std::string& name, const std::string& type, Candidate& c) {
  c.edit_at = Candidate::EditAt::kDefinition;
  if (type == "string") {
    c.finding.fix = "Give each text a number before the calls: " + name + " is static, and JAX traces no texts";
    return;
  }
  c.finding.fix = "Leave " + name + " out of the static arguments (or the metadata of its class), so that it is traced";
  c.complete = [](Finding& made, const ReplayResult&) {
    made.detail += "; the graphs " + made.graphs_words + with_it(made.also_paths);
  };
}

// Adds what the graphs tell about the tensor that replaces a number or text: its dtype, and where it is of no use.
class TensorFix {
 public:
  TensorFix(const Evidence& evidence, const FunctionRun& run, std::string name, Tensor tensor, const Finding& finding,
            const ReplayResult& result)
      : evidence_(evidence), run_(run), name_(std::move(name)), tensor_(std::move(tensor)) {
    for (const auto& group : result.merged) {
      // A value such as 0 may have made a graph of another structure, so all neighbours are compared.
      for (size_t i = 1; i < std::min(group.size(), kMaxCompared); ++i)
        if (differ_only_in(finding, *group[i - 1], *group[i]))
          differing_dtypes(evidence, group[i - 1]->graph(), group[i]->graph(), dtypes_);
      for (const session::TraceRecord* t : group)
        if (attribute_.empty()) attribute_ = differing_attribute(evidence, group.front()->graph(), t->graph());
    }
    if (dtypes_.size() == 1 && *dtypes_.begin() != tensor_.dtype) behind_ = ", tf." + *dtypes_.begin() + ")";
    else behind_ = tensor_.by_itself ? ")" : ", tf." + tensor_.dtype + ")";
  }

  // `without`: the change of keys that leaves the values out, as a variable in their place does.
  void complete(Finding& f, const ProposedFix& without) const {
    f.fix = "tf.constant(" + name_ + behind_;
    if (attribute_.empty() && tensor_.dtype != "string" && dtypes_.contains("string")) {
      f.detail += "; the graphs " + f.graphs_words;
      f.fix = "Pass " + name_ + " as a tensor, and make the text of it with tf.strings.format() instead of Python";
    } else if (attribute_.empty()) {
      pass_tensor(f);
      if (!f.also_paths.empty()) f.fix += ", and the others like it";
      add_if_it_saves(evidence_, run_, without, f, "Keep " + name_ + " in a tf.Variable and assign to it");
    } else if (is_message(attribute_.substr(0, attribute_.find(' ')))) {
      f.detail += "; the graphs differ in " + attribute_ + ", a text that takes no tensor";
      if (attribute_.starts_with("template ")) f.fix += ", which tf.print prints as well";
      else f.fix = "Pass the same " + name_ + " in each call, and leave what changes to tf.print or to the caller";
    } else {
      f.detail += "; the graphs differ in " + attribute_ + ", which takes no tensor";
      f.fix += ", and compute with it instead of setting " + attribute_;
    }
    f.detail += with_it(f.also_paths);
  }

 private:
  void pass_tensor(Finding& f) const {
    f.detail += "; the graphs " + f.graphs_words;
    if (const PythonUse use = PythonUses(evidence_, run_, dtypes_).find(f.parameter)) {
      f.fix += ", and " + use.instead + " at line " + std::to_string(use.line.line) + use.why;
      f.related.push_back({"use", use.line});
    } else if (dtypes_.size() > 1 && f.also_paths.empty()) {
      f.fix = "Pass " + name_ + " as a tensor; the graphs use it as " +
              listed({dtypes_.begin(), dtypes_.end()}) + ", so choose one and tf.cast() it for the other";
    } else {
      const std::string common = dtypes_.size() == 1 ? *dtypes_.begin() : std::string();
      f.edit = wrap_all(evidence_, run_, f, tensor_.dtype, behind_, common);
      if (f.also_paths.empty()) add_at_value(evidence_, run_, f, behind_);
    }
  }

  const Evidence& evidence_;
  const FunctionRun& run_;
  std::string name_;
  Tensor tensor_;
  std::set<std::string> dtypes_;  // that the graphs use: 2 beside floats is a float there
  std::string attribute_;         // that differs between the graphs, and takes no tensor
  std::string behind_;            // the end of the call of tf.constant
};

// "<Hyper value 3>" -> "Hyper"
std::string_view class_of(const session::KeyLeaf& leaf) {
  const std::string_view text = leaf.value;
  return text.substr(1, std::max<size_t>(text.find(' '), 1) - 1);
}

// Objects that the program compares by value. A spec or shape says what tensors are, and varies with them.
bool are_values(const LeafSeries& series) {
  return std::ranges::all_of(series.leaves, [](const session::KeyLeaf* leaf) {
    return leaf && is_value(*leaf) && leaf->value.starts_with('<') && !class_of(*leaf).ends_with("Spec") &&
           !class_of(*leaf).ends_with("Shape");
  });
}

// The attributes of the parameter that the function reads: "hp.lr", "hp.decay".
std::vector<std::string> attributes_read(const Evidence& evidence, const FunctionRun& run, const std::string& name) {
  std::vector<std::string> found;
  const std::string start = name + '.';
  each_line_of(evidence, run, [&](const Line&, std::string_view text) {
    for (size_t at = text.find(start); at != text.npos; at = text.find(start, at + 1)) {
      size_t end = at + start.size();
      while (end < text.size() && source::in_name(text[end])) ++end;
      const bool is_whole = at == 0 || (!source::in_name(text[at - 1]) && text[at - 1] != '.');
      const std::string attribute(text.substr(at, end - at));
      const bool is_call = end < text.size() && text[end] == '(';
      if (is_whole && !is_call && end > at + start.size() && std::ranges::find(found, attribute) == found.end())
        found.push_back(attribute);
    }
    return false;
  });
  return found;
}

// The fields that differ between the values, each with what it is in them: "lr 0.1 → 0.05".
struct FieldValues {
  std::string name;
  std::vector<std::string> values;
};

std::vector<FieldValues> differing_fields(const LeafSeries& series) {
  std::vector<FieldValues> all;
  for (const session::KeyLeaf* leaf : series.leaves)
    for (const auto& [name, value] : fields_of(leaf->value)) {
      auto at = std::ranges::find(all, name, &FieldValues::name);
      if (at == all.end()) at = all.insert(all.end(), {name, {}});
      if (std::ranges::find(at->values, value) == at->values.end()) at->values.push_back(value);
    }
  std::erase_if(all, [](const FieldValues& field) { return field.values.size() < 2; });
  return all;
}

// "with other values: lr 0.1 → 0.05, decay 0.9 → 0.8"
std::string other_values_text(const std::vector<FieldValues>& fields) {
  constexpr size_t kMaxNamed = 3;
  std::string text = "with other values";
  for (size_t i = 0; i < std::min(fields.size(), kMaxNamed); ++i)
    text += (i ? ", " : ": ") + fields[i].name + ' ' + progression(fields[i].values);
  if (fields.size() > kMaxNamed) text += " and " + with_commas(fields.size() - kMaxNamed) + " more";
  return text;
}

void propose_changing_values(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  if (is_jax(run) || is_torch(run)) return;  // they look into an object, or take it as the program declares it
  for (const LeafSeries& series : leaf_series(run)) {
    if (!are_values(series)) continue;
    const EqualValues equal(run);
    const auto values = distinct(series, [&](const session::KeyLeaf* leaf) { return equal.first_equal(leaf->value); });
    Candidate c;
    if (values.size() < kManyValues) continue;
    Finding& f = c.finding;
    f.path = series.path;
    f.parameter = series.parameter;
    f.values = values;
    c.paths = {series.path};
    c.fix.call = leave_out(places_of(evidence, run, c.paths));
    const std::string name = series.name();
    const std::vector<FieldValues> differing = differing_fields(series);
    std::vector<std::string> read = attributes_read(evidence, run, name);
    if (!differing.empty()) {
      std::erase_if(read, [&](const std::string& attribute) {
        const auto is_it = [&](const FieldValues& field) { return attribute == name + '.' + field.name; };
        return std::ranges::none_of(differing, is_it);
      });
    }
    f.title = name + " holds Python values that change";
    f.detail = f.path + ": " + with_commas(values.size()) + " objects of the class " +
               std::string(class_of(*series.leaves.front())) + ", each " + other_values_text(differing);
    // A trace ends with the object that it was made for: an equal one made later has a trace of its own.
    f.fix = "Make " + name + " once, and pass what changes in it" +
            (read.empty() ? "" : " (of " + joined(read, ", ") + ")") + " as tensors, in arguments of their own";
    c.complete = [&evidence, &run, name, change = c.fix](Finding& made, const ReplayResult&) {
      made.detail += "; the graphs " + made.graphs_words;
      if (made.graphs == GraphRelation::kIdentical) {
        made.title = name + " changes, and the graph does not";
        made.fix = "Make " + name + " once: the graph does not depend on what changes in it";
        return;
      }
      add_if_it_saves(evidence, run, change, made, "Keep what changes in a tf.Variable of " + name + ", made once");
    };
    candidates.push_back(std::move(c));
  }
}

void propose_python_scalar_argument(const Evidence& evidence, const FunctionRun& run,
                                    std::vector<Candidate>& candidates) {
  propose_changing_values(evidence, run, candidates);
  for (ChangingLiteral& literal : changing_literals(evidence, run)) {
    const Tensor tensor = tensor_for(literal);
    const std::string few = few_text(literal);
    Candidate c = std::move(literal.candidate);
    c.few = few;
    Finding& f = c.finding;
    const std::string name = argument_name(f.path, f.parameter);
    const bool text = tensor.dtype == "string";
    f.title = name + (text ? " is a Python string that changes" : " is a Python number that changes");
    c.fix.call = {pass_as_tensor(literal.places, dtype_number(tensor.dtype)), literal.written};
    f.detail = values_text(f);
    if (is_jax(run)) {
      ask_to_trace(name, tensor.dtype, c);
    } else {
      ProposedFix without;
      without.call = {leave_out(literal.places), literal.written};
      c.complete = [&evidence, &run, name, tensor, without](Finding& made, const ReplayResult& result) {
        TensorFix(evidence, run, name, tensor, made, result).complete(made, without);
      };
    }
    candidates.push_back(std::move(c));
  }
}

const Cause python_scalar_argument("python_scalar_argument", propose_python_scalar_argument);

}  // namespace
}  // namespace footlight::explain
