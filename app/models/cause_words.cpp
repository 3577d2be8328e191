// Puts causes together by what is looked at to find them.
#include "app/models/cause_words.h"

#include "app/models/text.h"
#include "app/models/trace_counts.h"
#include "app/models/view_leads.h"

#include "engine/explain/cause_words.h"
#include "engine/explain/engines.h"
#include "engine/explain/values.h"

#include <algorithm>
#include <array>

namespace footlight::app {
namespace {

enum Where { kKeys, kState, kGraphs, kStatements, kEagerOps, kPipelines, kValues, kRanks, kElsewhere, kGroups };

struct CauseGroup {
  std::string_view cause;
  Where where;
};

constexpr CauseGroup kCauseGroups[] = {
    {"python_scalar_argument", kKeys},
    {"identical_graphs", kKeys},
    {"flag_flip", kKeys},
    {"varying_shape", kKeys},
    {"varying_rank", kKeys},
    {"dtype_flip", kKeys},
    {"argument_form", kKeys},
    {"structure_change", kKeys},
    {"new_object_identity", kKeys},
    {"weak_value_died", kKeys},
    {"callable_made_at_call", kKeys},
    {"function_made_in_loop", kKeys},
    {"variable_identity", kKeys},
    {"context_change", kKeys},
    {"recursion", kKeys},
    {"weak_type_flip", kKeys},
    {"recompile_without_retrace", kKeys},
    {"recompile_limit", kKeys},
    {"dimension_specialized", kKeys},
    {"layout_change", kKeys},
    {"stale_capture", kState},
    {"python_side_effect", kState},
    {"baked_random", kState},
    {"tensor_leak", kState},
    {"unrolled_loop", kGraphs},
    {"python_loop_in_trace", kStatements},
    {"py_function_hot_spot", kGraphs},
    {"large_constant", kGraphs},
    {"autograph_fallback", kStatements},
    {"graph_break", kStatements},
    {"eager_hot_loop", kEagerOps},
    {"first_nan", kValues},
    {"starved_by_input", kPipelines},
    {"pipeline_made_in_loop", kPipelines},
    {"library_call_in_loop", kPipelines},
    {"late_rank", kRanks},
};

Where where_of(std::string_view cause) {
  const auto at = std::ranges::find(kCauseGroups, cause, &CauseGroup::cause);
  return at == std::end(kCauseGroups) ? kElsewhere : at->where;
}

bool occurs_in(const explain::Cause& cause, const Document& document) {
  return !cause.engine || std::ranges::any_of(document.functions, [&](const session::FunctionRecord& function) {
    // Footlight's own functions are not compiled by XLA, and their options are not recorded.
    const bool tensorflow = function.options.find("jit_compile") != std::string::npos;
    return std::string_view(cause.engine).find(explain::engine_of(function, tensorflow)) != std::string_view::npos;
  });
}

// Whether what the cause looks for was seen, though it became no finding: then "no problem" would say too much.
bool was_observed(std::string_view cause, const Document& document) {
  using Kind = session::ObservationKind;
  return std::ranges::any_of(document.observations, [&](const session::ObservationRecord& o) {
    switch (o.kind) {
      case Kind::kTensorLeak: return cause == "tensor_leak" || cause == "python_side_effect";
      case Kind::kSideEffect: return cause == "python_side_effect";
      default: return false;
    }
  });
}

uint64_t statements_in(const Document& document) {
  uint64_t statements = 0;
  for (const session::GeneratedRecord& g : document.generated) statements += g.statements.size();
  return statements;
}

// Where there is nothing, nothing was checked.
bool is_empty(const Document& document, Where where) {
  switch (where) {
    case kKeys: return !document.calls && document.traces.empty();
    case kState: return document.traces.empty();
    case kGraphs: return document.graphs.empty();
    case kStatements: return !statements_in(document);
    case kEagerOps: return document.level != QStringLiteral("ops") || !eager_ops(document);
    case kValues: return document.values.empty() && document.checked_calls.empty();
    case kRanks: return document.processes.size() < 2;
    default: return false;
  }
}

QString heading(const Document& document, Where where) {
  const QString traces = counted(counts_of(document.traces).traces, "trace", "traces");
  switch (where) {
    case kKeys: return QStringLiteral("In the keys of %1 and %2").arg(counted(document.calls, "call", "calls"), traces);
    case kState: return QStringLiteral("In the Python state around %1").arg(traces);
    case kGraphs: return QStringLiteral("In %1").arg(counted(document.graphs.size(), "graph", "graphs"));
    case kStatements:
      return QStringLiteral("In %1").arg(
          counted(statements_in(document), "converted statement", "converted statements"));
    case kEagerOps: return QStringLiteral("In %1").arg(counted(eager_ops(document), "eager op", "eager ops"));
    case kValues:
      return document.checked_calls.empty()
                 ? QStringLiteral("In the values of %1").arg(counted(document.values.size(), "call", "calls"))
                 : QStringLiteral("In the results and variables of %1")
                       .arg(counted(explain::searched_calls(document.checked_calls), "searched call",
                                    "searched calls"));
    case kRanks: return QStringLiteral("In the collectives of ranks");
    case kPipelines: return QStringLiteral("In the pipelines of datasets");
    default: return QStringLiteral("Elsewhere");
  }
}

}  // namespace

QString cause_words(const std::string& cause) {
  return q(explain::cause_words(cause));
}

std::vector<LookedFor> looked_for(const Document& document, const std::set<std::string>& named) {
  std::array<LookedFor, kGroups> all;
  for (const explain::Cause* cause : explain::all_causes()) {
    if (named.contains(cause->name) || !occurs_in(*cause, document) || was_observed(cause->name, document)) continue;
    all[where_of(cause->name)].causes << capitalized(cause_words(cause->name));
  }
  std::vector<LookedFor> found;
  for (size_t i = 0; i < all.size(); ++i) {
    const Where where = static_cast<Where>(i);
    if (all[i].causes.isEmpty() || is_empty(document, where)) continue;
    all[i].where = heading(document, where);
    found.push_back(std::move(all[i]));
  }
  return found;
}

}  // namespace footlight::app
