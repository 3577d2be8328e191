// first_nan: a call whose values were recorded made a NaN. Its line is that of the node where it began: of the infinity
// that the NaN was made of, if there was one before. Fix: what keeps the op's inputs where it is finite.
#include "engine/explain/edits.h"
#include "engine/explain/findings.h"
#include "engine/explain/forward_op.h"
#include "engine/explain/values.h"
#include "engine/explain/words.h"

#include "engine/base/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace footlight::explain {
namespace {

struct Remedy {
  const char* op;
  const char* fix;
};
constexpr const char* kInverse = "Keep its argument between -1 and 1 with tf.clip_by_value";
constexpr Remedy kRemedies[] = {
    {"Log", "Keep the argument of log above 0 with tf.maximum(x, 1e-12); for log(softmax(x)) take tf.nn.log_softmax"},
    {"Log1p", "Keep the argument of log1p above -1 with tf.maximum"},
    {"RealDiv", "Divide with tf.math.divide_no_nan, or add a small number to the divisor"},
    {"Div", "Divide with tf.math.divide_no_nan, or add a small number to the divisor"},
    {"Reciprocal", "Divide with tf.math.divide_no_nan, or add a small number to the divisor"},
    {"Sqrt", "Keep the argument of sqrt at 0 or above with tf.maximum"},
    {"SqrtGrad", "Keep the argument of sqrt above 0 with tf.maximum: its gradient at 0 is infinite"},
    {"Rsqrt", "Add a small number to the argument of rsqrt"},
    {"Exp", "Keep the argument of exp small with tf.minimum; for log(sum(exp(x))) there is tf.reduce_logsumexp"},
    {"Softmax", "Leave a finite number in each row: mask with -1e9 instead of -inf, or leave out rows without one"},
    {"LogSoftmax", "Leave a finite number in each row: mask with -1e9 instead of -inf, or leave out rows without one"},
    {"Acos", kInverse},
    {"Asin", kInverse},
    {"Acosh", "Keep the argument of acosh above 1 with tf.maximum"},
    {"Atanh", kInverse},
    {"Pow", "Keep the base of the power positive with tf.maximum"},
};

std::string remedy_for(const session::NodeRecord* node) {
  if (node)
    for (const Remedy& remedy : kRemedies)
      if (node->op == remedy.op) return remedy.fix;
  return "See what its inputs hold: Values shows them, as `footlight values` does";
}

// Whether the node only passes on what the call found.
bool is_read(const session::NodeRecord* node) {
  return node && (node->op == "ReadVariableOp" || node->op == "Placeholder");
}

// The function of which an earlier call made a NaN by itself, or an infinity that became one; none: no call did.
FunctionId made_before(const FindNode& nodes, std::span<const session::CallValues> all,
                       const session::CallValues& call) {
  const session::CallValues* first = nullptr;
  for (const session::CallValues& other : all) {
    if (other.start_ns >= call.start_ns) continue;
    const NumericsStory story = story_of(other, nodes);
    if (!story.first_nan) continue;
    const session::TensorValue& cause = *to_blame(nodes, story);
    if (!is_read(nodes(cause.graph, cause.node)) && (!first || other.start_ns < first->start_ns)) first = &other;
  }
  return first ? first->function : FunctionId();
}

void find_first_nan(const Evidence& evidence, Findings& findings) {
  const FindNode nodes = [&](GraphId graph, NodeId node) -> const session::NodeRecord* {
    const session::GraphRecord* const g = evidence.graph(graph);
    return g && node.value < g->nodes.size() ? &g->nodes[node.value] : nullptr;
  };
  std::set<FunctionId> told;
  std::map<FunctionId, std::vector<std::string>> read_later;  // by the function that made the NaN
  const size_t before = findings.found.size();
  for (const session::CallValues& call : evidence.records().values) {
    const NumericsStory story = story_of(call, nodes);
    if (!story.first_nan || !told.insert(call.function).second) continue;
    const session::TensorValue& cause = *to_blame(nodes, story);
    const session::NodeRecord* const node = nodes(cause.graph, cause.node);
    const FunctionId maker = is_read(node) ? made_before(nodes, evidence.records().values, call) : FunctionId();
    if (maker.valid() && maker != call.function) {
      const auto run = evidence.functions().find(call.function);
      const bool is_named = run != evidence.functions().end() && run->second.record;
      read_later[maker].push_back(str(is_named ? run->second.record->name : "another function", " read NaN ",
                                      node->op == "Placeholder" ? "from its arguments" : "from a variable",
                                      " in call ", call.call));
      continue;
    }
    Finding f;
    f.function = call.function;
    f.severity = Severity::kWrongResult;
    f.example = call.trace;
    const session::NodeRecord* const forward = node ? forward_op(evidence, cause.graph, *node) : nullptr;
    const session::NodeRecord* const edited = forward ? forward : node;
    f.line = edited ? evidence.line(edited->source) : Line();
    const Line called = evidence.line(call.source);
    if (!f.line || !is_own(evidence, f.line)) f.line = called;
    else if (called && called != f.line && is_own(evidence, called)) f.related.push_back({"call", called});
    if (const session::NodeRecord* const nan = nodes(story.first_nan->graph, story.first_nan->node))
      if (const Line used = evidence.line(nan->source); used && used != f.line && is_own(evidence, used))
        f.related.push_back({"use", used});
    if (const Line used = forward ? evidence.line(node->source) : Line();
        used && used != f.line && is_own(evidence, used))
      if (std::ranges::find(f.related, used, &RelatedLine::at) == f.related.end()) f.related.push_back({"use", used});
    f.calls = checked_calls(evidence.records().checked_calls, call.function).calls;
    f.nodes = story.with_nan;
    f.graphs = GraphRelation::kUnknown;
    f.title = "The first NaN is in call " + with_commas(call.call) + ": " + why_not_finite(nodes, cause, call.values) +
              (forward ? ", in the gradient of " + forward->op : std::string());
    f.detail = story_text(nodes, story) + " " + with_commas(story.with_nan) + " of " +
               with_commas(call.values.size()) + " values of the call hold NaN.";
    if (const std::string checked = checked_text(checked_calls(evidence.records().checked_calls, call.function));
        !checked.empty())
      f.detail += " " + checked;
    if (f.detail.ends_with('.')) f.detail.pop_back();  // who shows it ends the sentence
    // A square root is 0 at 0, but its gradient is infinite there.
    f.fix = remedy_for(forward && node->op == "SqrtGrad" ? node : edited);
    f.checked.why_not = "only a run with the change can show that no NaN comes";
    findings.found.push_back(std::move(f));
  }
  for (size_t i = before; i < findings.found.size(); ++i)
    if (const auto later = read_later.find(findings.found[i].function); later != read_later.end())
      findings.found[i].detail += ". Later, " + joined(later->second, ", and ");
}

const Cause first_nan("first_nan", find_first_nan);

}  // namespace
}  // namespace footlight::explain
