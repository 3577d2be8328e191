// Paints cells and measures columns.
#include "app/views/rows.h"

#include "app/models/compare_export.h"
#include "app/models/table_model.h"
#include "app/views/paint.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>

#include <algorithm>
#include <vector>

namespace footlight::app {

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const Theme& t = theme();
  painter->save();
  const bool chosen = option.state & QStyle::State_Selected;
  const int last = index.model()->columnCount() - 1;
  if (chosen) {
    // One rounded fill across the row: every cell draws its part of it.
    painter->setClipRect(option.rect);
    QRectF whole(option.rect);
    if (index.column() > 0) whole.setLeft(whole.left() - 20);
    if (index.column() < last) whole.setRight(whole.right() + 20);
    rounded(*painter, whole.adjusted(0, 1, 0, -1), 5, t["selection"]);
  }
  const bool mono = index.data(TableModel::kMono).toBool();
  QColor color = mono ? (chosen ? t["selectionText"] : t["text"]) : chosen ? t["text"] : t["dim"];
  if (index.data(TableModel::kDiffers).toBool()) color = t["amber"];
  if (index.data(TableModel::kFailed).toBool()) color = t["red"];
  const QVariant tone = index.data(Qt::ForegroundRole);
  if (tone.canConvert<QString>() && !tone.toString().isEmpty()) color = t.color(tone.toString());
  const int align = index.data(Qt::TextAlignmentRole).isValid()
                        ? index.data(Qt::TextAlignmentRole).toInt()
                        : static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
  text_in(*painter, QRectF(option.rect).adjusted(8, 0, -8, 0), index.data().toString(), color,
          mono ? t.code() : t.ui(), align);
  painter->restore();
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  const bool mono = index.data(TableModel::kMono).toBool();
  const QFontMetrics metrics(mono ? theme().code() : theme().ui());
  return {metrics.horizontalAdvance(index.data().toString()) + 26, 27};
}

Table::Table(QWidget* parent) : QTableView(parent) {
  setShowGrid(false);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setTabKeyNavigation(false);
  setWordWrap(false);
  setCornerButtonEnabled(false);
  setItemDelegate(new CellDelegate(this));
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(27);
  verticalHeader()->setMinimumSectionSize(20);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setSectionsClickable(false);
  horizontalHeader()->setMinimumSectionSize(40);
  horizontalHeader()->setDefaultSectionSize(60);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setFixedHeight(28);
}

Table::Table(QAbstractItemModel* model, const QString& accessible_name) : Table() {
  setModel(model);
  setAccessibleName(accessible_name);
}

void Table::fit_columns() {
  if (!model()) return;
  const int columns = model()->columnCount();
  const QFontMetrics metrics(theme().ui(-1, QFont::DemiBold));
  std::vector<int> widths;
  int total = 0;
  for (int c = 0; c < columns; ++c) {
    int width = metrics.horizontalAdvance(model()->headerData(c, Qt::Horizontal).toString()) + 18;
    for (int r = 0; r < std::min(model()->rowCount(), 60); ++r)
      width = std::max(width, itemDelegate()->sizeHint({}, model()->index(r, c)).width() - 6);
    widths.push_back(std::min(width, c + 1 < columns ? 200 : 240));
    total += widths.back();
  }
  // Spread extra space between the columns, up to a limit.
  const int spare = columns > 1 ? std::clamp((viewport()->width() - total) / (columns - 1), 0, 24) : 0;
  for (int c = 0; c + 1 < columns; ++c) setColumnWidth(c, widths[static_cast<size_t>(c)] + spare);
}

QMenu* Table::menu_for(const QModelIndex& row) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (add_actions_ && row.isValid()) {
    add_actions_(*menu, row);
    menu->addSeparator();
  }
  const auto copy = [&](const char* text, const QString& what) {
    menu->addAction(QLatin1String(text), this, [what] { QGuiApplication::clipboard()->setText(what); });
  };
  if (row.isValid()) copy("Copy the row", row_texts(*model(), row.row()).join(QLatin1Char('\t')));
  menu->addAction(QStringLiteral("Copy the table as CSV"), this,
                  [this] { QGuiApplication::clipboard()->setText(csv_of(*model())); });
  return menu;
}

void Table::contextMenuEvent(QContextMenuEvent* event) {
  if (!model()) return;
  const bool by_mouse = event->reason() == QContextMenuEvent::Mouse;
  const QModelIndex row = by_mouse ? indexAt(viewport()->mapFromGlobal(event->globalPos())) : currentIndex();
  if (row.isValid()) setCurrentIndex(row);
  const QPoint below = viewport()->mapToGlobal(visualRect(row).bottomLeft() + QPoint(20, 0));
  menu_for(row)->popup(by_mouse || !row.isValid() ? event->globalPos() : below);
}

int Table::content_height() const { return height_of(model() ? model()->rowCount() : 0); }
int Table::height_of(int rows) { return 30 + rows * 27; }

void Table::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (!hasFocus()) return;
  QPainter painter(viewport());
  const QModelIndex at = currentIndex();
  if (!at.isValid()) return;
  QRect row = visualRect(at);
  row.setLeft(0);
  row.setRight(viewport()->width() - 1);
  rounded(painter, QRectF(row).adjusted(0.5, 1.5, -0.5, -1.5), 5, {}, with_alpha(theme()["focus"], 0.8));
}

}  // namespace footlight::app
