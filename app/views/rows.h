// The look of rows in tables and trees: one fill for the selected row, code font for values.
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>

namespace footlight::app {

// Cells of TracesModel and of the table of ops.
class CellDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

// A table without a grid that selects whole rows; columns fit their content, and the last one takes the rest.
class Table : public QTableView {
 public:
  explicit Table(QWidget* parent = nullptr);
  void fit_columns();
  int content_height() const;
  static int height_of(int rows);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace footlight::app
