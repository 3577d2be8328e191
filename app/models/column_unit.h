// One unit and one number of decimals for a column of numbers, so that they can be compared at a glance: a small number
// is not shown as 0.0, and a large one not as 64050.0.
#pragma once

#include <QString>

#include <vector>

namespace footlight::app {

// How a column writes its numbers. kNumber: whole, as they are, or as the column's text says; kWords: it has none.
enum class Unit { kWords, kNumber, kCount, kTime, kBytes, kThousands, kHundredths };

struct ColumnUnit {
  QString name;        // "us"; empty: plain numbers
  double scale = 1;    // divide by it
  int decimals = 0;
  QString text(double value) const;   // "0.31", "1,024"; "<0.001" for what is less; "" for nothing
  QString heading(const QString& column) const;  // "total, us"
  bool operator==(const ColumnUnit&) const = default;
};

// ns, us, ms or s, of which the largest of some times has at least one; how many decimals is the caller's choice.
ColumnUnit time_unit_of(double largest_ns);
ColumnUnit unit_for_all(Unit unit, const std::vector<double>& values);

}  // namespace footlight::app
