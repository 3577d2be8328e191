// Chooses what counts in a mode, and one unit for the column of times.
#include "app/models/line_costs.h"

#include "app/models/column_unit.h"
#include "app/models/text.h"

#include <algorithm>

namespace footlight::app {
namespace {

// The unit in which the greatest value has at most three digits before the point.
ColumnUnit unit_for_lines(int64_t most) {
  ColumnUnit unit = time_unit_of(static_cast<double>(most));
  if (unit.scale > 1) unit.decimals = static_cast<double>(most) < 100 * unit.scale ? 2 : 1;
  return unit;
}

QString in_unit(int64_t ns, const ColumnUnit& unit) {
  return unit.decimals ? unit.text(static_cast<double>(ns)) : QString::number(ns);
}

QString small_number(size_t n) {
  static const char* words[] = {"none", "one", "two", "three", "four", "five", "six"};
  return n < std::size(words) ? QLatin1String(words[n]) : count_text(n);
}

}  // namespace

QString cost_mode_name(CostMode mode) {
  switch (mode) {
    case CostMode::kTime: return QStringLiteral("Time");
    case CostMode::kEager: return QStringLiteral("Eager");
    case CostMode::kTraced: return QStringLiteral("Traced");
    case CostMode::kTracing: return QStringLiteral("Tracing");
  }
  return {};
}

QString cost_mode_tip(CostMode mode) {
  switch (mode) {
    case CostMode::kTime: return QStringLiteral("Everything recorded for a line: eager, traced and tracing together");
    case CostMode::kEager: return QStringLiteral("Ops that ran eagerly, with the Python after each of them");
    case CostMode::kTraced:
      return QStringLiteral(
          "Ops of graphs on the lines that made them, or that called the library that did; on the lines of calls, what "
          "the calls took beyond ops, and on the def of a function that a pipeline runs, what its runs took beyond "
          "ops");
    case CostMode::kTracing: return QStringLiteral("Tracing a function, on the line of its def");
  }
  return {};
}

int64_t cost_ns(const query::LineSum& sum, CostMode mode) {
  switch (mode) {
    case CostMode::kTime: return sum.time();
    case CostMode::kEager: return sum.eager();
    case CostMode::kTraced: return sum.traced();
    case CostMode::kTracing: return sum.tracing_ns;
  }
  return 0;
}

uint64_t cost_runs(const query::LineSum& sum, CostMode mode) {
  const uint64_t traced = std::max(sum.traced_runs, sum.own_calls);
  switch (mode) {
    // A line that calls a traced function runs its own ops eagerly each time.
    case CostMode::kTime: {
      const uint64_t runs = std::max(sum.eager_runs, sum.own_calls) + sum.traced_runs;
      return sum.calls ? runs : std::max(runs, sum.traces);  // of a def those of its body while it was traced
    }
    case CostMode::kEager: return sum.eager_runs;
    case CostMode::kTraced: return traced;
    case CostMode::kTracing: return sum.traces;
  }
  return 0;
}

LineCosts line_costs(const query::LineSums& sums, session::FileId file, CostMode mode) {
  LineCosts made;
  const auto from = sums.lines.lower_bound({file, 0});
  const auto mine = [&](auto it) { return it != sums.lines.end() && it->first.first == file; };
  std::vector<int64_t> times;
  int64_t most = 0;
  for (auto it = from; mine(it); ++it) {
    const int64_t ns = cost_ns(it->second, mode);
    if (ns <= 0) continue;
    times.push_back(ns);
    made.total_ns += ns;
    if (ns > most) most = ns, made.slowest = it->first.second;
  }
  const ColumnUnit unit = unit_for_lines(most);
  made.titles = {unit.heading(QStringLiteral("Time")), QStringLiteral("Runs"), QStringLiteral("Nodes")};
  for (auto it = from; mine(it); ++it) {
    const query::LineSum& sum = it->second;
    const int64_t ns = cost_ns(sum, mode);
    const uint64_t runs = cost_runs(sum, mode);
    const bool nodes = sum.nodes && (mode == CostMode::kTime || mode == CostMode::kTraced);
    if (ns <= 0 && !runs && !nodes) continue;
    CostCell& cell = made.cells[it->first.second];
    if (ns > 0) cell.time = in_unit(ns, unit);
    if (runs) cell.runs = count_text(runs);
    if (nodes) cell.nodes = count_text(sum.nodes);
    cell.share = most ? static_cast<double>(ns) / static_cast<double>(most) : 0;
  }
  std::sort(times.rbegin(), times.rend());
  int64_t sum = 0;
  for (const int64_t ns : times) {
    if (sum * 2 >= made.total_ns) break;
    sum += ns;
    ++made.half;
  }
  made.lines = times.size();
  if (!made.lines) {
    made.sentence = QStringLiteral("No time was recorded on these lines");
  } else {
    made.sentence = duration_text(made.total_ns) + QStringLiteral(" in ") + counted(made.lines, "line", "lines");
    // Where it is one line, the share of that line says more.
    if (made.half > 1 && made.half < made.lines)
      made.sentence += QStringLiteral(", half of it on ") + small_number(made.half);
    if (made.lines > 1)
      made.sentence += QStringLiteral("; line %1 costs most, ").arg(made.slowest) +
                       share_text(most, made.total_ns) + QStringLiteral(" of that time");
  }
  return made;
}

}  // namespace footlight::app
