// The table of a comparison as text for other programs, with the rows and the order that are shown.
#pragma once

#include "app/models/compare_table.h"

namespace footlight::app {

QString csv_of(const CompareTable& table);        // quoted where needed (RFC 4180), times in the column's unit
QString markdown_of(const CompareTable& table);   // a pipe table

}  // namespace footlight::app
