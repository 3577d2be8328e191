// Columns of the table of functions, and the facts of a row.
#include "app/models/compare_functions.h"

#include "app/models/text.h"

#include <algorithm>

namespace footlight::app {
namespace {

using explain::FunctionChange;
using explain::FunctionSums;

// "24 calls, 1.20 ms each, and 12 traces, made in 61.0 ms"
QString side_words(const FunctionSums& sums) {
  if (!sums.ran()) return QStringLiteral("Not there");
  QStringList parts;
  if (sums.calls)
    parts << counted(sums.calls, "call", "calls") + QStringLiteral(", ") + time_words(sums.per_call()) +
                 (sums.calls > 1 ? QStringLiteral(" each") : QString());
  if (sums.traces)
    parts << counted(sums.traces, "trace", "traces") + QStringLiteral(", made in ") +
                 time_words(static_cast<double>(sums.traces_ns));
  return parts.join(QStringLiteral("; "));
}

QString count_words(const FunctionSums& sums) {
  return sums.ran() ? counted(sums.calls, "call", "calls") + QStringLiteral(", ") +
                          counted(sums.traces, "trace", "traces")
                    : QStringLiteral("Not there");
}

// "8 → 1"; what is the same stands once.
QString both(const QString& before, const QString& after) {
  return before == after ? after : before + QString::fromUtf8(" → ") + after;
}
QString time_cell(double ns, const ColumnUnit& unit) { return ns > 0 ? column_text(ns, unit) : QString::fromUtf8("–"); }

// One unit for both sides.
ColumnUnit unit_of(const std::vector<FunctionChange>& changes, double (*value)(const FunctionSums&)) {
  double largest = 0, least = 0;
  for (const FunctionChange& change : changes) {
    for (const FunctionSums* sums : {&change.left, &change.right}) {
      const double ns = value(*sums);
      largest = std::max(largest, ns);
      if (ns >= 1 && (least == 0 || ns < least)) least = ns;
    }
  }
  return unit_for(largest, least);
}

double per_call(const FunctionSums& sums) { return sums.per_call(); }
double tracing(const FunctionSums& sums) { return static_cast<double>(sums.traces_ns); }

}  // namespace

FunctionId ComparedFunctions::in_open(const FunctionChange& change) const {
  if (right_is_open && change.right.first.valid()) return change.right.first;
  return left_is_open ? change.left.first : FunctionId();
}

CompareFunctions::CompareFunctions(QObject* parent) : TableOf(parent) {
  const auto count = [](uint64_t FunctionSums::*what) {
    return [what](const FunctionChange& row) { return both(count_text(row.left.*what), count_text(row.right.*what)); };
  };
  const auto key_of_count = [](uint64_t FunctionSums::*what) {
    return [what](const FunctionChange& row) { return row.right.*what; };
  };
  const auto in_unit = [](const char* name, const ColumnUnit& unit) {
    return [name, &unit](const ColumnUnit&) { return QLatin1String(name) + QStringLiteral(", ") + unit.name; };
  };
  const auto time = [](double (*value)(const FunctionSums&), const ColumnUnit& unit) {
    return [value, &unit](const FunctionChange& row) {
      const double before = value(row.left), after = value(row.right);
      if (before <= 0 && after <= 0) return QString();
      return both(time_cell(before, unit), time_cell(after, unit));
    };
  };
  const auto key = [](double (*value)(const FunctionSums&)) {
    return [value](const FunctionChange& row) { return value(row.right); };
  };
  const auto is_prose = [](const FunctionChange&) { return true; };
  const auto tone = [](const FunctionChange& row) {
    const double before = row.left.per_call(), after = row.right.per_call();
    if (!row.left.ran() || !row.right.ran() || before <= 0 || after <= 0) return QString();
    return after < before ? QStringLiteral("green") : after > before ? QStringLiteral("red") : QString();
  };
  set_columns({
      {.name = "Function", .value = &FunctionChange::name},
      {.name = "Calls", .unit = Unit::kNumber,
       .text = count(&FunctionSums::calls), .key = key_of_count(&FunctionSums::calls)},
      {.name = "Traces", .unit = Unit::kNumber,
       .text = count(&FunctionSums::traces), .key = key_of_count(&FunctionSums::traces)},
      {.name = "Time per call", .unit = Unit::kNumber, .title = in_unit("Per call", per_call_),
       .text = time(per_call, per_call_), .key = key(per_call), .tone = tone},
      {.name = "Tracing", .unit = Unit::kNumber, .title = in_unit("Tracing", tracing_),
       .text = time(tracing, tracing_), .key = key(tracing)},
      {.name = "What changed",
       .text = [](const FunctionChange& row) { return q(explain::outcome_of(row)); }, .is_prose = is_prose},
  });
  const Getter<FunctionChange, QString> tip_of = [this](const FunctionChange& row) { return tip(row); };
  for (Column<void>& column : columns_) column.tip = tip_of;
  text_order_ = TextOrder::kLocale;
}

void CompareFunctions::set_functions(std::shared_ptr<const ComparedFunctions> functions) {
  reset([&] {
    functions_ = std::move(functions);
    if (!functions_) return;
    per_call_ = unit_of(functions_->changes, per_call);
    tracing_ = unit_of(functions_->changes, tracing);
  });
}

std::span<const FunctionChange> CompareFunctions::rows() const {
  return functions_ ? std::span(functions_->changes) : std::span<const FunctionChange>();
}

int CompareFunctions::shown_of(FunctionId in_open) const {
  if (!functions_ || !in_open.valid()) return -1;
  return find([&](const FunctionChange& row) { return functions_->in_open(row) == in_open; });
}

QString CompareFunctions::tip(const FunctionChange& row) const {
  return QStringLiteral("%1\n%2: %3\n%4: %5")
      .arg(q(row.name), functions_->left, side_words(row.left), functions_->right, side_words(row.right));
}

RowFacts facts_of_function(const Document& document, const ComparedFunctions& functions, const FunctionChange& row) {
  RowFacts made;
  made.title = q(row.name);
  made.badge = q(explain::outcome_of(row));
  made.facts.push_back({functions.left, count_words(row.left)});
  made.facts.push_back({functions.right, count_words(row.right)});
  const FunctionId id = functions.in_open(row);
  if (const session::FunctionRecord* f = document.function(id)) {
    const SourcePlace place{f->file, f->line};
    if (place) made.facts.push_back({QStringLiteral("Source"), document.place_text(place), place});
  } else {
    made.why = QStringLiteral("It is in the other recording alone, which is not open: open that one to see its "
                              "traces.");
  }
  return made;
}

}  // namespace footlight::app
