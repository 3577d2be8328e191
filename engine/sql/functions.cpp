// median() and percentile(), which SQLite does not have: the value below which that part of all values lies,
// interpolated.
#include "engine/sql/virtual_table.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

namespace footlight::sql {
namespace {

struct Values {
  std::vector<double> all;
  double percent = 50;
  Watch* watch = nullptr;
};

// SQLite gives zeroed memory for a pointer; null at the end of a group without values.
Values** place(sqlite3_context* context, bool make) {
  return static_cast<Values**>(sqlite3_aggregate_context(context, make ? sizeof(Values*) : 0));
}

void step(sqlite3_context* context, int count, sqlite3_value** arguments) {
  Values** const at = place(context, true);
  if (!at) return sqlite3_result_error_nomem(context);
  try {
    if (!*at) {
      *at = new Values;
      (*at)->watch = static_cast<Watch*>(sqlite3_user_data(context));
    }
    Values& values = **at;
    if (count > 1) {
      values.percent = sqlite3_value_double(arguments[1]);
      if (!(values.percent >= 0 && values.percent <= 100))
        return sqlite3_result_error(context, "percentile(x, p): p has to be from 0 to 100", -1);
    }
    if (sqlite3_value_numeric_type(arguments[0]) == SQLITE_NULL) return;
    const size_t before = values.all.capacity();
    values.all.push_back(sqlite3_value_double(arguments[0]));
    values.watch->index_bytes += (values.all.capacity() - before) * sizeof(double);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void finish(sqlite3_context* context) {
  Values** const at = place(context, false);
  if (!at || !*at) return sqlite3_result_null(context);
  const std::unique_ptr<Values> values(*at);
  std::vector<double>& all = values->all;
  values->watch->index_bytes -= all.capacity() * sizeof(double);
  if (all.empty()) return sqlite3_result_null(context);
  const double place = values->percent / 100 * static_cast<double>(all.size() - 1);
  const auto below = all.begin() + static_cast<std::ptrdiff_t>(std::floor(place));
  std::nth_element(all.begin(), below, all.end());
  const double share = place - std::floor(place);
  double value = *below;
  if (share > 0 && below + 1 != all.end()) value += share * (*std::min_element(below + 1, all.end()) - *below);
  sqlite3_result_double(context, value);
}

}  // namespace

void add_functions(sqlite3* db, Watch& watch) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  sqlite3_create_function_v2(db, "median", 1, kFlags, &watch, nullptr, step, finish, nullptr);
  sqlite3_create_function_v2(db, "percentile", 2, kFlags, &watch, nullptr, step, finish, nullptr);
}

}  // namespace footlight::sql
