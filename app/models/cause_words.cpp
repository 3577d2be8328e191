// The words of each cause; a cause that is not here yet is shown by its name.
#include "app/models/cause_words.h"

#include "app/models/text.h"

#include "engine/explain/findings.h"

#include <algorithm>
#include <array>

namespace footlight::app {
namespace {

enum Where { kKeys, kState, kGraphs, kStatements, kEagerOps, kPipelines, kElsewhere, kPlaces };

struct Words {
  const char* cause;
  Where where;
  const char* text;
};

constexpr Words kWords[] = {
    {"python_scalar_argument", kKeys, "Python numbers and texts that change"},
    {"identical_graphs", kKeys, "arguments that the graph does not use"},
    {"flag_flip", kKeys, "flags that flip"},
    {"varying_shape", kKeys, "shapes that vary"},
    {"varying_rank", kKeys, "ranks that vary"},
    {"dtype_flip", kKeys, "dtypes that vary"},
    {"argument_form", kKeys, "arguments that are a tensor at one time and a Python value at another"},
    {"structure_change", kKeys, "lists and dicts of other lengths and keys"},
    {"new_object_identity", kKeys, "objects made anew for each call"},
    {"weak_value_died", kKeys, "objects garbage-collected and re-created"},
    {"callable_made_at_call", kKeys, "functions made for the call that they are passed to"},
    {"function_made_in_loop", kKeys, "traced functions made in a loop"},
    {"variable_identity", kKeys, "variables that are the same one at times"},
    {"context_change", kKeys, "calls in different device scopes"},
    {"recursion", kKeys, "traced functions that call themselves"},
    {"stale_capture", kState, "Python values that changed after they were frozen in a graph"},
    {"python_side_effect", kState, "Python state changed only while tracing"},
    {"baked_random", kState, "random numbers and clocks that became constants"},
    {"tensor_leak", kState, "tensors of a trace that were kept outside"},
    {"unrolled_loop", kGraphs, "Python loops unrolled into many copies"},
    {"py_function_hot_spot", kGraphs, "Python functions that graphs run often"},
    {"large_constant", kGraphs, "arrays of a megabyte or more as constants"},
    {"autograph_fallback", kStatements, "statements that AutoGraph left in Python"},
    {"eager_hot_loop", kEagerOps, "functions that run op by op and take much of the time"},
    {"starved_by_input", kPipelines, "loops that wait for the elements of a dataset"},
};

const Words* words_of(const std::string& cause) {
  const auto at = std::find_if(std::begin(kWords), std::end(kWords), [&](const Words& w) { return cause == w.cause; });
  return at == std::end(kWords) ? nullptr : at;
}

QString heading(const Document& document, Where where) {
  const QString traces = counted(document.traces.size(), "trace", "traces");
  switch (where) {
    case kKeys: return QStringLiteral("In the keys of %1 and %2").arg(counted(document.calls, "call", "calls"), traces);
    case kState: return QStringLiteral("In the Python state around %1").arg(traces);
    case kGraphs: return QStringLiteral("In %1").arg(counted(document.graphs.size(), "graph", "graphs"));
    case kStatements: {
      uint64_t statements = 0;
      for (const session::GeneratedRecord& g : document.generated) statements += g.statements.size();
      return QStringLiteral("In %1").arg(counted(statements, "converted statement", "converted statements"));
    }
    case kEagerOps: {
      uint64_t ops = 0;
      for (const explain::EagerPlace& place : document.eager.places) ops += place.ops;
      return QStringLiteral("In %1").arg(counted(ops, "eager op", "eager ops"));
    }
    case kPipelines: return QStringLiteral("In the pipelines of datasets");
    default: return QStringLiteral("Elsewhere");
  }
}

}  // namespace

QString cause_words(const std::string& cause) {
  if (const Words* words = words_of(cause)) return QLatin1String(words->text);
  return q(cause).replace(QLatin1Char('_'), QLatin1Char(' '));
}

std::vector<LookedFor> looked_for(const Document& document, const std::set<std::string>& named) {
  std::array<LookedFor, kPlaces> all;
  for (const explain::Cause* cause : explain::all_causes()) {
    if (named.contains(cause->name)) continue;
    const Words* words = words_of(cause->name);
    all[words ? words->where : kElsewhere].causes << cause_words(cause->name);
  }
  std::vector<LookedFor> found;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].causes.isEmpty()) continue;
    all[i].where = heading(document, static_cast<Where>(i));
    found.push_back(std::move(all[i]));
  }
  return found;
}

}  // namespace footlight::app
