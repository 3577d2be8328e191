// Words, slices and tables of recorded values.
#include "app/models/values.h"

#include "app/models/text.h"

#include "engine/session/users_line.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {

using session::CallValues;
using session::TensorValue;

namespace {

constexpr int64_t kMaxCopied = 200'000;  // elements

bool is_finite(const TensorValue& value) { return !value.nan && !explain::infinities(value); }

QString number(double v) { return q(explain::number_text(v)); }

// An element with all its digits: those that a float32 or a float64 needs, or an integer.
QString whole_number(const TensorValue& value, double v) {
  const bool is_integer = value.dtype.starts_with("int") || value.dtype.starts_with("uint") || value.dtype == "bool";
  if (is_integer && std::fabs(v) < 9e15) return QString::number(static_cast<qint64>(v));
  return QString::number(v, 'g', value.width == 4 ? 9 : 17);
}

// "1.5-2j", as Python writes it.
QString complex_text(const TensorValue& value, int64_t element) {
  const double real = explain::kept_part(value, element, explain::ComplexPart::kReal);
  const double imaginary = explain::kept_part(value, element, explain::ComplexPart::kImaginary);
  if (!std::isfinite(real) || !std::isfinite(imaginary)) {
    const auto part = [](double v) {
      return std::isfinite(v) ? QString::number(v, 'g', 17) : QStringLiteral("float('%1')").arg(v);
    };
    return QStringLiteral("complex(%1, %2)").arg(part(real), part(imaginary));
  }
  const QString below = whole_number(value, imaginary);
  return whole_number(value, real) + (below.startsWith(QLatin1Char('-')) ? QString() : QStringLiteral("+")) + below +
         QLatin1Char('j');
}

QString python_number(const TensorValue& value, double v) {
  if (std::isnan(v)) return QStringLiteral("np.nan");
  if (std::isinf(v)) return v < 0 ? QStringLiteral("-np.inf") : QStringLiteral("np.inf");
  return whole_number(value, v);
}

}  // namespace

explain::FindNode find_node(const Document& document) {
  return [&document](GraphId graph, NodeId node) { return document.node(graph, node.value); };
}

QStringList words_of(const ValuesPlan& plan) {
  if (plan.check) return {QStringLiteral("--check-numerics")};
  QString calls = QString::number(plan.call);
  if (plan.last > plan.call) calls += QLatin1Char('-') + QString::number(plan.last);
  return {QStringLiteral("--values"), plan.function + QLatin1Char(':') + calls};
}

QString promise_of(const ValuesPlan& plan, const Document& document) {
  QString script = file_name(document.run.script);
  for (const std::string& word : document.run.arguments) script += QLatin1Char(' ') + q(word);
  if (script.isEmpty()) script = QStringLiteral("the script");
  if (plan.check)
    return QStringLiteral("Runs %1 again and searches the results and variables of every call of a traced function for "
                          "NaN and infinity. The first call that holds one runs once more, node by node, from the "
                          "state before it; then the state is put back and the script runs on.")
        .arg(script);
  const QString name = plan.function.isEmpty() ? QStringLiteral("a traced function") : plan.function;
  if (plan.last > plan.call)
    return QStringLiteral("Runs %1 again. Each call of %4 from %2 to %3 runs once more, node by node, with the same "
                          "arguments, variables and random state, which are put back. Then the script runs on. Values "
                          "shows what a node held in each of these calls.")
        .arg(script, count_text(plan.call), count_text(plan.last), name);
  return QStringLiteral("Runs %1 again. Call %2 of %3 runs once more, node by node, with the same arguments, variables "
                        "and random state, which are put back. Then the script runs on.")
      .arg(script, count_text(plan.call), name);
}

QString call_title(const Document& document, const CallValues& call) {
  const session::FunctionRecord* const f = document.function(call.function);
  QString text = QStringLiteral("%1, call %2").arg(f ? q(f->name) : QStringLiteral("?"), count_text(call.call));
  if (call.reason == session::ValuesReason::kFirstNan) text += QStringLiteral(": first NaN");
  if (call.reason == session::ValuesReason::kFirstInfinity) text += QStringLiteral(": first infinity");
  return text;
}

int call_for(const Document& document, const Selection& selection) {
  int of_trace = -1, of_function = -1;
  for (int i = static_cast<int>(document.values.size()) - 1; i >= 0; --i) {
    const CallValues& call = *document.values[static_cast<size_t>(i)];
    if (selection.kind == Selection::Kind::kNode && value_of(call, selection.graph, selection.node)) return i;
    if (of_trace < 0 && call.trace == selection.trace) of_trace = i;
    if (of_function < 0 && call.function == selection.function) of_function = i;
  }
  return of_trace >= 0 ? of_trace : of_function;
}

const TensorValue* value_of(const CallValues& call, GraphId graph, uint32_t node, uint32_t output) {
  const auto at = std::ranges::find_if(call.values, [&](const TensorValue& v) {
    return v.graph == graph && v.node.value == node && v.output == output;
  });
  return at == call.values.end() ? nullptr : &*at;
}

QString finite_text(const TensorValue& value) {
  const std::string bad = explain::non_finite_text(value);
  if (bad.empty()) return QStringLiteral("finite");
  return QStringLiteral("%1 of %2").arg(q(bad), count_text(static_cast<uint64_t>(value.elements)));
}

QString story_lines(const Document& document, const CallValues& call) {
  QStringList lines{q(explain::story_text(find_node(document), explain::story_of(call, find_node(document))))};
  if (!call.error.empty() && !call.values.empty()) lines << QStringLiteral("It failed: %1.").arg(q(call.error));
  if (!call.values.empty() && call.error.empty())
    lines << (call.same_results
                  ? QStringLiteral("Run again node by node from the same state; the results are those of the call, bit "
                                   "by bit.")
                  : QStringLiteral("Run again node by node; the results differ from those of the whole graph."));
  for (const std::string& note : call.notes) lines << q(note) + QLatin1Char('.');
  if (const std::string checked =
          explain::checked_text(explain::checked_calls(document.checked_calls, call.function));
      !checked.empty() && call.reason != session::ValuesReason::kAsked)
    lines << q(checked);
  return lines.join(QLatin1Char(' '));
}

void apply_values(GraphPlan& plan, const CallValues* call) {
  using Numbers = PlanBox::Numbers;
  for (PlanBox& box : plan.boxes) box.numbers = Numbers::kUnknown, box.numbers_text.clear();
  if (!call) return;
  for (const TensorValue& value : call->values) {
    const int at = plan.place_of(value.graph, value.node.value);
    if (at < 0) continue;
    PlanBox& box = plan.boxes[static_cast<size_t>(at)];
    const Numbers numbers = value.nan                        ? Numbers::kNan
                            : explain::infinities(value) > 0 ? Numbers::kInfinity
                                                             : Numbers::kFinite;
    if (numbers <= box.numbers) continue;
    box.numbers = numbers;
    if (numbers > Numbers::kFinite) box.numbers_text = q(explain::non_finite_text(value));
  }
}

ValueSlice::ValueSlice(const TensorValue& value) : sizes_(explain::sizes_of_value(value)) {
  fixed.assign(fixed_count(), 0);
  if (value.elements == 0) return;
  for (const session::ValuePlace& place : value.places)
    if (place.index >= 0 && place.index < value.elements) {
      show(place.index);
      break;
    }
}

int64_t ValueSlice::element(int64_t row, int64_t column) const {
  int64_t at = 0;
  for (size_t d = 0; d < fixed.size(); ++d) at = at * sizes_[d] + fixed[d];
  return (at * rows() + row) * columns() + column;
}

void ValueSlice::show(int64_t element) {
  int64_t at = element / std::max<int64_t>(1, rows() * columns());
  for (size_t d = fixed.size(); d-- > 0;) {
    fixed[d] = at % std::max<int64_t>(1, sizes_[d]);
    at /= std::max<int64_t>(1, sizes_[d]);
  }
}

bool ValueSlice::holds(int64_t element) const {
  const int64_t first = this->element(0, 0);
  return element >= first && element < first + rows() * columns();
}

std::optional<int64_t> next_not_finite(const TensorValue& value, int64_t after) {
  const int64_t count = explain::kept_elements(value);
  for (int64_t i = 1; i <= count; ++i) {
    const int64_t at = (std::clamp<int64_t>(after, -1, count - 1) + i) % count;
    if (!std::isfinite(explain::kept_element(value, at))) return at;
  }
  return std::nullopt;
}

QString as_numpy(const TensorValue& value) {
  const std::vector<int64_t> sizes = explain::sizes_of_value(value);
  if (explain::kept_elements(value) != value.elements || value.elements > kMaxCopied) return {};
  QStringList numbers;
  for (int64_t i = 0; i < value.elements; ++i)
    numbers << (explain::is_complex(value) ? complex_text(value, i)
                                           : python_number(value, explain::kept_element(value, i)));
  QStringList shape;
  for (const int64_t size : sizes) shape << QString::number(size);
  const QString dtype = value.dtype == "bfloat16" ? QStringLiteral("float32") : q(value.dtype);
  return QStringLiteral("np.array([%1], dtype=np.%2).reshape(%3)")
      .arg(numbers.join(QStringLiteral(", ")), dtype == QStringLiteral("bool") ? QStringLiteral("bool_") : dtype,
           sizes.empty() ? QStringLiteral("()") : shape.join(QStringLiteral(", ")));
}

QString as_csv(const TensorValue& value) {
  if (explain::kept_elements(value) != value.elements || value.elements > kMaxCopied) return {};
  const ValueSlice slice(value);
  QString text;
  for (int64_t i = 0; i < value.elements; ++i) {
    text += explain::is_complex(value) ? complex_text(value, i) : whole_number(value, explain::kept_element(value, i));
    text += (i + 1) % slice.columns() ? QLatin1Char(',') : QLatin1Char('\n');
  }
  return text;
}

ValuesModel::ValuesModel(QObject* parent) : TableOf(parent) {
  using Value = const TensorValue*;
  const auto known = [](double TensorValue::*member) {
    return [member](Value value) { return std::isnan(value->*member) ? QString() : number(value->*member); };
  };
  const auto tone = [](const char* name) { return [name](Value) { return QString::fromLatin1(name); }; };
  set_columns({
      {.name = "Node", .text = [this](Value value) { return q(explain::value_name(find_node(*document_), *value)); },
       .tone = [](Value value) { return is_finite(*value) ? QString() : QStringLiteral("red"); }},
      {.name = "Line",
       .text = [this](Value value) {
         const session::NodeRecord* const node = document_->node(value->graph, value->node.value);
         return node ? document_->place_text(session::users_line(*document_, *node)) : QString();
       },
       .tone = tone("blue")},
      {.name = "Type", .text = [](Value value) { return short_type(q(value->dtype + " " + value->shape)); }},
      {.name = "Minimum", .unit = Unit::kNumber, .text = known(&TensorValue::minimum)},
      {.name = "Maximum", .unit = Unit::kNumber, .text = known(&TensorValue::maximum)},
      {.name = "Mean", .unit = Unit::kNumber, .text = known(&TensorValue::mean)},
      {.name = "Zeros", .unit = Unit::kNumber,
       .text = [](Value value) {
         return value->zeros ? count_text(static_cast<uint64_t>(value->zeros)) : QString();
       }},
      {.name = "Not finite", .text = [](Value value) { return q(explain::non_finite_text(*value)); },
       .tone = tone("red")},
  });
  spoken_ = Spoken::kRow;
  tips_ = true;
}

void ValuesModel::set(const Document* document, CallValuesPtr call, Show show) {
  reset([&] {
    document_ = document;
    call_ = std::move(call);
    rows_.clear();
    if (call_ && show == Show::kNotFinite) rows_ = explain::story_of(*call_).spread;
    else if (call_)
      for (const TensorValue& value : call_->values) rows_.push_back(&value);
  });
}

const TensorValue* ValuesModel::at(int row) const {
  const TensorValue* const* const value = TableOf::at(row);
  return value ? *value : nullptr;
}

int ValuesModel::row_of(const TensorValue* value) const {
  return find([value](const TensorValue* one) { return one == value; });
}

}  // namespace footlight::app
