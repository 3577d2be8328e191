// The words for causes and rules, for whoever reads them; a cause that is not here yet is shown by its name.
#include "engine/explain/cause_words.h"

#include <algorithm>
#include <iterator>

namespace footlight::explain {
namespace {

struct Words {
  std::string_view cause;
  const char* text;
};

constexpr Words kWords[] = {
    {"python_scalar_argument", "Python numbers and texts that change"},
    {"identical_graphs", "changing arguments without which the graph is the same"},
    {"flag_flip", "flags that flip"},
    {"varying_shape", "shapes that vary"},
    {"varying_rank", "ranks that vary"},
    {"dtype_flip", "dtypes that vary"},
    {"argument_form", "arguments that are tensors, variables, None or Python values in turn"},
    {"structure_change", "lists and dicts of other lengths and keys"},
    {"new_object_identity", "objects made anew for each call"},
    {"weak_value_died", "objects garbage-collected and re-created"},
    {"callable_made_at_call", "functions made for the call that they are passed to"},
    {"function_made_in_loop", "traced functions made in a loop"},
    {"variable_identity", "variables that are the same one at times"},
    {"context_change", "calls in different device scopes"},
    {"recursion", "traced functions that call themselves"},
    {"stale_capture", "Python values that changed after they were frozen in a graph"},
    {"python_side_effect", "Python state changed only while tracing"},
    {"baked_random", "random numbers and clocks that became constants"},
    {"tensor_leak", "tensors of a trace that were kept outside"},
    {"unrolled_loop", "Python loops unrolled into many copies"},
    {"python_loop_in_trace", "Python loops that run while tracing and add nothing to the graph"},
    {"py_function_hot_spot", "Python functions that graphs run often"},
    {"large_constant", "arrays of a megabyte or more as constants"},
    {"autograph_fallback", "statements that AutoGraph left in Python"},
    {"eager_hot_loop", "functions that run eagerly and take much of the time"},
    {"weak_type_flip", "arrays whose dtype is weak at times"},
    {"recompile_without_retrace", "traces compiled again for arguments that are placed differently"},
    {"graph_break", "statements that split a function into several graphs"},
    {"recompile_limit", "functions that need more traces than the limit allows"},
    {"dimension_specialized", "statements that fix a dimension to its number"},
    {"layout_change", "tensors whose elements lie in another order"},
    {"first_nan", "NaN in the values of recorded calls"},
    {"starved_by_input", "loops that wait for the elements of a dataset"},
    {"pipeline_made_in_loop", "pipelines that are built again and again"},
    {"library_call_in_loop", "calls of libraries that trace anew each time"},
    {"late_rank", "ranks for which the others wait"},
};

}  // namespace

std::string cause_words(std::string_view cause) {
  const auto at = std::ranges::find(kWords, cause, &Words::cause);
  if (at != std::end(kWords)) return at->text;
  std::string name(cause);
  std::ranges::replace(name, '_', ' ');
  return name;
}

const char* rule_words(Rule rule) {
  switch (rule) {
    case Rule::kNotConfirmed: return "no replay showed that one graph would do";
    case Rule::kVariants: return "variants: used often, from calls of their own, or side by side";
    case Rule::kSteady: return "a few shapes, each used again";
    case Rule::kAskedFor: return "the program asked for it";
    case Rule::kOneRootCause: return "another finding explains it";
    case Rule::kModes: return "modes that are each used often";
    case Rule::kBreaks: return "asked for, in a library, or in a function that is called less than ten times";
    case Rule::kOwnCode: return "PyTorch's own code, or harmless under it";
  }
  return "";
}

}  // namespace footlight::explain
