// Columns and sums of the table of a comparison.
#include "app/models/compare_table.h"

#include "app/models/compare_facts.h"

#include <algorithm>
#include <set>

namespace footlight::app {

CompareTable::CompareTable(QObject* parent) : TableOf(parent) {
  using explain::Row;
  const auto titled = [this](bool left, const char* word) {
    return [this, left, word](const ColumnUnit&) {
      return side(left) + QLatin1Char(' ') + (word ? QLatin1String(word) : unit_.name);
    };
  };
  const auto time = [this](uint64_t Row::*count, explain::Spread Row::*spread) {
    return [this, count, spread](const Row& row) {
      return row.*count ? column_text((row.*spread).mean, unit_) : QString();
    };
  };
  const auto is_sum_row = [this](const Row& row) { return is_sum(row); };
  const auto always = [](const Row&) { return true; };
  const auto tone = [](const Row& row) {
    const double by = row.difference.mean;
    return by < 0 ? QStringLiteral("green") : by > 0 ? QStringLiteral("red") : QString();
  };
  set_columns({
      {.name = "Line", .unit = Unit::kNumber,
       .text = [this](const Row& row) { return line_text(row); },
       .key = [](const Row& row) { return row.at.line; }},
      {.name = "Eager ops", .value = &Row::eager_ops, .title = titled(true, "ops"), .is_prose = is_sum_row},
      {.name = "Eager time", .unit = Unit::kNumber, .title = titled(true, nullptr),
       .text = time(&Row::eager_count, &Row::eager), .key = [](const Row& row) { return row.eager.mean; }},
      {.name = "Graph nodes", .value = &Row::graph_nodes,
       .title = [this, recorded = titled(false, "ops")](const ColumnUnit& unit) {
         return comparison_ && comparison_->recorded ? recorded(unit) : QStringLiteral("Graph nodes");
       },
       .is_prose = is_sum_row},
      {.name = "Traced time", .unit = Unit::kNumber, .title = titled(false, nullptr),
       .text = time(&Row::traced_count, &Row::traced), .key = [](const Row& row) { return row.traced.mean; }},
      {.name = "Difference", .unit = Unit::kNumber,
       .title = [this](const ColumnUnit&) { return QStringLiteral("Difference ") + unit_.name; },
       .text = [this](const Row& row) {
         return row.has_difference() ? column_change_text(row.difference.mean, unit_) : QString();
       },
       .key = [](const Row& row) { return row.difference.mean; }, .tone = tone},
      {.name = "Group",
       .text = [this](const Row& row) {
         return is_sum(row) ? QString() : QString(QLatin1String(explain::name_of(row.group)));
       },
       .is_prose = always},
      {.name = "Why", .value = &Row::why, .is_prose = always},
  });
  const Getter<Row, QString> tip_of = [this](const Row& row) { return tip(row); };
  for (Column<void>& column : columns_) column.tip = tip_of;
  text_order_ = TextOrder::kLocale;
  marks_order_ = false;
}

// The line's number, with its file where the rows come from several files.
QString CompareTable::line_text(const explain::Row& row) const {
  if (!row.place.empty()) return q(row.place);
  if (!row.at) return {};
  return has_several_files_ ? document_->place_text({row.at.file, row.at.line}) : QString::number(row.at.line);
}

std::span<const explain::Row> CompareTable::rows() const {
  return comparison_ ? std::span(comparison_->rows) : std::span<const explain::Row>();
}

void CompareTable::set_comparison(const Document* document, ComparisonPtr comparison) {
  reset([&] {
    document_ = document;
    comparison_ = std::move(comparison);
    if (!comparison_) return;
    std::set<session::FileId> files;
    for (const explain::Row& row : comparison_->rows)
      if (row.at) files.insert(row.at.file);
    has_several_files_ = files.size() > 1;
    double least = 0;
    for (const explain::Row& row : comparison_->rows) {
      for (const double ns : {row.eager.mean, row.traced.mean})
        if (ns >= 1 && (least == 0 || ns < least)) least = ns;
    }
    unit_ = unit_for(std::max(comparison_->eager.total.mean, comparison_->traced.total.mean), least);
  });
}

void CompareTable::set_filter(const QString& text) {
  reset([&] {
    filter_.clear();
    if (!text.trimmed().isEmpty()) filter_ << text.trimmed();
  });
}

// The sums make the shown rows add up to the totals.
void CompareTable::arrange() {
  TableModel::arrange();
  if (!comparison_) return;
  const explain::Comparison& c = *comparison_;
  total_ = {};
  total_.eager_ops = "Total";
  total_.eager = c.eager.total, total_.traced = c.traced.total, total_.difference = c.difference;
  total_.eager_count = total_.traced_count = 1;
  rest_ = total_;
  rest_.eager_ops = shown_.size() == c.rows.size() ? "Outside of ops" : "All others";
  for (const size_t at : shown_) {
    rest_.eager.mean -= c.rows[at].eager.mean;
    rest_.traced.mean -= c.rows[at].traced.mean;
    rest_.difference.mean -= c.rows[at].difference.mean;
  }
  rest_.why = c.recorded                                          ? "Python, calls, tracing and the other parts above"
              : std::min(rest_.eager.mean, rest_.traced.mean) < 0 ? "Below 0: the recorded repetitions, from which the "
                                                                    "rows come, took longer"
                                                                  : "Python, dispatch and the other parts above";
}

int CompareTable::shown_of(int row) const {
  const auto at = std::ranges::find(shown_, static_cast<size_t>(row));
  return at == shown_.end() ? -1 : static_cast<int>(at - shown_.begin());
}

int CompareTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !comparison_ ? 0 : TableModel::rowCount() + 2;
}

const void* CompareTable::row_under(const QModelIndex& index) const {
  if (const void* const row = TableModel::row_under(index)) return row;
  return index.isValid() ? index.row() == rowCount() - 1 ? &total_ : &rest_ : nullptr;
}

QString CompareTable::side(bool left) const {
  if (!comparison_) return left ? QStringLiteral("Eager") : QStringLiteral("Traced");
  return side_title(*comparison_, left ? comparison_->eager : comparison_->traced);
}

QString CompareTable::tip(const explain::Row& row) const {
  if (is_sum(row)) return {};
  QString text = QLatin1String(explain::name_of(row.group)) + QStringLiteral(": ") +
                 QLatin1String(explain::meaning_of(row.group));
  if (!row.why.empty()) text += QLatin1Char('\n') + q(row.why);
  if (document_ && row.at) {
    const SourcePlace place{row.at.file, row.at.line};
    text += QLatin1Char('\n') + document_->place_text(place) + QStringLiteral("  ") +
            document_->line_text(place).trimmed();
  }
  return text;
}

}  // namespace footlight::app
