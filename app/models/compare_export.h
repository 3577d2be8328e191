// A table as text for other programs, with the rows and the order that are shown.
#pragma once

#include <QAbstractItemModel>

namespace footlight::app {

QStringList row_texts(const QAbstractItemModel& table, int row);  // row -1: the headings
QString csv_of(const QAbstractItemModel& table);       // quoted where needed (RFC 4180), times in the column's unit
QString markdown_of(const QAbstractItemModel& table);  // a pipe table

}  // namespace footlight::app
