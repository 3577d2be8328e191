// Rows of tables and trees as the window has them: one fill for the chosen row, code font for values.
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

// A table without grid, rows as a whole, columns as wide as what is in them; the last one takes the rest.
class Table : public QTableView {
 public:
  explicit Table(QWidget* parent = nullptr);
  void fit_columns();
  int content_height() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace footlight::app
