// The look of rows in tables and trees: one fill for the selected row, code font for values.
#pragma once

#include <QMenu>
#include <QStyledItemDelegate>
#include <QTableView>

#include <functional>

namespace footlight::app {

// Cells of tables, with the roles of TableModel.
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
  Table(QAbstractItemModel* model, const QString& accessible_name);
  void fit_columns();
  int content_height() const;
  // The actions for a row, before those that copy. The caller owns the menu.
  void set_actions(std::function<void(QMenu&, const QModelIndex&)> add) { add_actions_ = std::move(add); }
  QMenu* menu_for(const QModelIndex& row);
  static int height_of(int rows);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  std::function<void(QMenu&, const QModelIndex&)> add_actions_;
};

}  // namespace footlight::app
