// The table of a comparison: what became of each line's ops, in program order or sorted, filtered, with two rows more
// at the end that make it add up to the totals of the waterfall.
#pragma once

#include "app/models/compare_units.h"
#include "app/models/document.h"
#include "app/models/table_model.h"

#include "engine/explain/compare/comparison.h"

#include <memory>

namespace footlight::app {

using ComparisonPtr = std::shared_ptr<const explain::Comparison>;

class CompareTable : public TableOf<explain::Row> {
 public:
  explicit CompareTable(QObject* parent = nullptr);
  void set_comparison(const Document* document, ComparisonPtr comparison);
  // Rows in which some cell contains the text.
  void set_filter(const QString& text);

  int shown_of(int row) const;      // -1: filtered out
  size_t shown_rows() const { return shown_.size(); }
  std::span<const explain::Row> rows() const override;
  int rowCount(const QModelIndex& parent = {}) const override;

 protected:
  const void* row_under(const QModelIndex& index) const override;
  bool passes(const void* row) const override { return shows(row, filter_.front(), true); }
  void arrange() override;

 private:
  bool is_sum(const explain::Row& row) const { return &row == &rest_ || &row == &total_; }
  QString line_text(const explain::Row& row) const;
  QString tip(const explain::Row& row) const;
  QString side(bool left) const;    // "Eager", "#2"

  const Document* document_ = nullptr;
  ComparisonPtr comparison_;
  explain::Row rest_, total_;       // the last two rows
  ColumnUnit unit_ = unit_for(1e3);
  bool has_several_files_ = false;
};

}  // namespace footlight::app
