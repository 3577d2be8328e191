// Writes cells of the table as CSV and Markdown.
#include "app/models/compare_export.h"

#include "app/models/text.h"
#include "engine/wire/csv.h"

namespace footlight::app {
namespace {

QString quoted(const QString& cell) {
  std::string text;
  wire::put_csv_text(text, cell.toStdString());
  return q(text);
}

QString escaped(const QString& cell) { return markdown_words(cell, true); }

template <class Of>
QStringList row_of(const QAbstractItemModel& table, int row, Of&& of) {
  QStringList cells = row_texts(table, row);
  for (QString& cell : cells) cell = of(cell);
  return cells;
}

}  // namespace

QStringList row_texts(const QAbstractItemModel& table, int row) {
  QStringList cells;
  for (int c = 0; c < table.columnCount(); ++c)
    cells << (row < 0 ? table.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString()
                      : table.index(row, c).data(Qt::DisplayRole).toString());
  return cells;
}

QString csv_of(const QAbstractItemModel& table) {
  QString text;
  for (int r = -1; r < table.rowCount(); ++r)
    text += row_of(table, r, quoted).join(QLatin1Char(',')) + QLatin1String("\r\n");
  return text;
}

QString markdown_of(const QAbstractItemModel& table) {
  QString text;
  for (int r = -1; r < table.rowCount(); ++r) {
    text += QStringLiteral("| ") + row_of(table, r, escaped).join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
    if (r >= 0) continue;
    text += QLatin1Char('|');
    for (int c = 0; c < table.columnCount(); ++c) {
      const int align = table.headerData(c, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
      text += align & Qt::AlignRight ? QStringLiteral("---:|") : QStringLiteral("---|");
    }
    text += QLatin1Char('\n');
  }
  return text;
}

}  // namespace footlight::app
