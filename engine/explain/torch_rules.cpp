// Judges candidates and findings of runs under PyTorch.
#include "engine/explain/torch_rules.h"

#include "engine/explain/enclosing.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

#include "engine/base/error_words.h"
#include "engine/source/line.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace footlight::explain {
namespace {

const session::FunctionRecord* function_of(const Evidence& evidence, FunctionId id) {
  const auto& functions = evidence.records().functions;
  const auto at = std::ranges::find(functions, id, &session::FunctionRecord::id);
  return at == functions.end() ? nullptr : &*at;
}

bool is_library(const Evidence& evidence, session::FileId id) {
  const auto& files = evidence.records().files;
  const auto at = std::ranges::find(files, id, &session::FileRecord::id);
  return at != files.end() && !is_users_file(at->path);
}

// Causes that PyTorch's compiler cannot have: it replays effects and draws numbers anew, and eager code is no finding.
constexpr std::array<std::string_view, 8> kNotOfTorch = {"python_side_effect",   "baked_random",   "large_constant",
                                                         "eager_hot_loop",       "tensor_leak",    "autograph_fallback",
                                                         "py_function_hot_spot", "weak_value_died"};

// "step" of "self.step", "rate" of "global rate"
std::string last_part(const std::string& path) {
  const size_t at = path.find_last_of(". ");
  return at == path.npos ? path : path.substr(at + 1);
}

bool is_attribute(const std::string& path) { return path.starts_with("self.") || path.starts_with("global "); }

// An attribute or global is changed on a line of its own, not where the function is called.
void name_change(const Evidence& evidence, Finding& f) {
  if (!is_attribute(f.path) || f.path.ends_with(']') || f.path.ends_with(')')) return;
  const std::vector<Line> changes = lines_that_assign(evidence, last_part(f.path));
  if (!changes.empty()) edit_at(f, changes.front(), "call");
}

// Adding to a list that the traced code keeps is the line to edit.
void name_append(const Evidence& evidence, Finding& f) {
  if (!f.path.starts_with("len(")) return;
  const std::string name = last_part(f.path.substr(4, f.path.size() - 5));
  for (const session::FileRecord& file : evidence.records().files) {
    if (!is_users_file(file.path)) continue;
    Line line{file.id, 1};
    for (const int last = evidence.line_count(file.id); line.line <= last; ++line.line) {
      const std::string_view text = source::without_comment(evidence.text(line));
      const size_t at = text.find('.' + name + ".append(");
      if (at == text.npos && text.find('.' + name + ".extend(") == text.npos) continue;
      return edit_at(f, line, "call");
    }
  }
}

std::string fix_for(const Finding& f, const session::FunctionRecord& function) {
  const std::string name = is_attribute(f.path) || f.path.starts_with("args[0].closure") || f.parameter.empty()
                               ? f.path
                               : argument_name(f.path, f.parameter);
  const bool text = f.title.find("string") != f.title.npos;
  if (f.cause == "python_scalar_argument") {
    if (text) return "Decide before the call, or give each text a number and pass that as a tensor";
    if (is_attribute(f.path))
      return "Keep " + name + " in a tensor: a buffer of the module (register_buffer), and fill_ it";
    if (f.path.find("closure ") != f.path.npos)
      return "Pass torch.tensor(...) as an argument in place of what is captured";
    if (function.options.find("dynamic=False") != std::string::npos)
      return "Pass torch.tensor(" + name + "), or leave out dynamic=False";
    return "Pass torch.tensor(" + name + ")";
  }
  if (f.cause == "identical_graphs")
    return is_attribute(f.path) ? "Do not read " + name + " in the compiled code, since the graph does not depend on it"
                                : "Leave " + name + " out of the call, or pass what it selects";
  if (f.cause == "flag_flip")
    return f.graphs == GraphRelation::kIdentical
               ? "Leave " + name + " out of the compiled code"
               : "Keep " + name +
                     " in a tensor and use torch.where or a weight of 0 or 1, or compile one function for each";
  if (f.cause == "varying_shape")
    return "Leave out dynamic=False (or mark_static), so that the dimension becomes a symbol";
  if (f.cause == "varying_rank") return "Reshape " + name + " to one rank before the call: " + name + ".reshape(...)";
  if (f.cause == "dtype_flip") {
    const std::string dtype = f.values.empty() ? "float32" : f.values.front();
    return "Cast where the odd one is made: .to(torch." + dtype + ")";
  }
  if (f.cause == "argument_form")
    return "Always pass a tensor there, of one kind, with or without gradient in every call";
  if (f.cause == "structure_change")
    return f.path.ends_with(".keys()")
               ? "Always pass all keys of " + name
               : "torch.stack(" + name + ") padded to one length, or keep it out of the compiled code";
  if (f.cause == "new_object_identity") return "Make " + name + " once, or compare it by value";
  if (f.cause == "callable_made_at_call")
    return "Pass a function of the module, and what " + name + " captures as tensors";
  if (f.cause == "variable_identity") return "Pass a copy, .clone(), where the same tensor is passed twice";
  if (f.cause == "unrolled_loop")
    return "Use operations on the stacked tensor, or torch._higher_order_ops.scan, in place of " +
           (f.path.empty() ? "the loop" : f.path);
  if (f.cause == "recursion") return "Compile an outer function only";
  return f.fix;
}

bool speaks_of_others(const std::string& text) {
  return text.find("tf.") != text.npos || text.find("jnp.") != text.npos || text.find("reduce_retracing") != text.npos;
}

void put_in_words(const Evidence& evidence, const session::FunctionRecord& function, Finding& f) {
  if (speaks_of_others(f.edit.new_text)) f.edit = {};
  std::erase_if(f.alternatives, [](const Finding::Alternative& a) {
    return speaks_of_others(a.fix) || speaks_of_others(a.edit.new_text);
  });
  f.fix = fix_for(f, function);
  if (f.cause == "python_scalar_argument" || f.cause == "identical_graphs" || f.cause == "flag_flip")
    name_change(evidence, f);
  if (f.cause == "structure_change") name_append(evidence, f);
}

std::string words_of(const Evidence& evidence, const Finding& f) {
  const session::TraceRecord* t = evidence.trace(f.example);
  if (!t) return {};
  for (const session::MissRecord& miss : t->misses)
    if (!miss.words.empty()) return miss.words;
  return {};
}

}  // namespace

FunctionId first_function(const Evidence& evidence, FunctionId id) {
  for (int depth = 0; depth < 100; ++depth) {  // a recording may hold a circle
    const session::FunctionRecord* f = function_of(evidence, id);
    if (!f || !is_resume(*f) || !f->parent.valid()) break;
    id = f->parent;
  }
  return id;
}

std::vector<Line> lines_that_assign(const Evidence& evidence, std::string_view attribute) {
  std::vector<Line> found;
  for (const session::FileRecord& file : evidence.records().files) {
    if (!is_users_file(file.path)) continue;
    Line line{file.id, 1};
    for (const int last = evidence.line_count(file.id); line.line <= last; ++line.line) {
      const std::string_view text = source::without_comment(evidence.text(line));
      const size_t at = text.find(attribute);
      if (at == text.npos ||
          (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_')))
        continue;
      std::string_view rest = source::trimmed(text.substr(at + attribute.size()));
      const size_t equals = rest.find('=');
      const bool assigns = equals != rest.npos && equals <= 2 && rest.substr(equals, 2) != "==" &&
                           rest.substr(0, equals).find_first_not_of("+-*/%") == rest.npos;
      if (!assigns) continue;
      if (at == 0) continue;  // a global's first value
      const Line def =
          enclosing(evidence, line, [](std::string_view head) { return !source::defined_function(head).empty(); });
      if (source::defined_function(evidence.text(def)) == "__init__") continue;
      found.push_back(line);
    }
  }
  return found;
}

std::optional<Rule> torch_rule_against(const Evidence& evidence, const FunctionRun& run, const Candidate& candidate) {
  if (!is_torch(run)) return {};
  if (std::ranges::find(kNotOfTorch, candidate.finding.cause) != kNotOfTorch.end()) return Rule::kOwnCode;
  if (is_library(evidence, run.record->file)) return Rule::kOwnCode;
  const std::string& path = candidate.finding.path;
  const bool of_module = path.starts_with("self.") || path.starts_with("len(self.");
  const bool of_tensor = path.find(".shape") != path.npos || path.ends_with(".dtype") || path.ends_with(".stride");
  // Modules of one class share their traces, each with weights and numbers of its own.
  if (of_module && of_tensor) return Rule::kVariants;
  if (of_module && path.starts_with("self.") && lines_that_assign(evidence, last_part(path)).empty() &&
      candidate.finding.cause != "structure_change")
    return Rule::kVariants;
  return {};
}

void apply_torch_rules(const Evidence& evidence, Findings& all) {
  std::set<FunctionId> broken;
  for (const Finding& f : all.found)
    if (f.cause == "graph_break") broken.insert(f.function);
  std::vector<Finding> kept;
  std::vector<size_t> places(all.found.size(), SIZE_MAX);  // by position in `all.found`: the position in `kept`
  for (Finding& f : all.found) {
    const session::FunctionRecord* function = function_of(evidence, f.function);
    size_t& place = places[static_cast<size_t>(&f - all.found.data())];
    if (!is_torch(function)) {
      place = kept.size();
      kept.push_back(std::move(f));
      continue;
    }
    const auto drop = [&](Rule rule) { all.suppressed.push_back({f.function, f.cause, rule}); };
    if (std::ranges::find(kNotOfTorch, f.cause) != kNotOfTorch.end()) {
      drop(Rule::kOwnCode);
      continue;
    }
    const FunctionId first = first_function(evidence, f.function);
    const bool of_break = (is_resume(*function) && broken.contains(first)) ||
                          (function->parent.valid() && broken.contains(first_function(evidence, function->parent)));
    if (of_break) {
      drop(Rule::kOneRootCause);
      continue;
    }
    put_in_words(evidence, *function, f);
    if (f.engine_said.empty()) f.engine_said = words_of(evidence, f);
    f.function = first;
    place = kept.size();
    kept.push_back(std::move(f));
  }
  for (Finding& f : kept) {
    for (size_t& other : f.after) other = places[other];
    std::erase(f.after, SIZE_MAX);
  }
  all.found = std::move(kept);
}

}  // namespace footlight::explain
