// Times of a comparison as text: one unit for what is read together.
#pragma once

#include "app/models/column_unit.h"

namespace footlight::app {

// The unit in which the largest of these times reads best.
ColumnUnit unit_for(double largest_ns);
// The same with decimals enough that two digits of the least are seen, as far as a nanosecond.
ColumnUnit unit_for(double largest_ns, double least_ns);
QString column_text(double ns, const ColumnUnit& unit);          // "412.0"; the same digits in every row
QString change_text(double ns, const ColumnUnit& unit);          // "-118", "+0.40", "0"
QString column_change_text(double ns, const ColumnUnit& unit);   // "-118.0", "+0.4", "0.0"
QString time_words(double ns);                                 // "412 us"

}  // namespace footlight::app
