// The costs of a file's lines as columns of text, and the sentence that sums them up.
#pragma once

#include "engine/query/line_sums.h"

#include <QString>
#include <QStringList>

#include <unordered_map>

namespace footlight::app {

enum class CostMode { kTime, kEager, kTraced, kTracing };
constexpr CostMode kCostModes[] = {CostMode::kTime, CostMode::kEager, CostMode::kTraced, CostMode::kTracing};
QString cost_mode_name(CostMode mode);
QString cost_mode_tip(CostMode mode);

struct CostCell {
  QString time, runs, nodes;
  double share = 0;  // cost relative to the costliest line
};

struct LineCosts {
  QStringList titles;  // "Time, ms", "Runs", "Nodes"
  std::unordered_map<int, CostCell> cells;
  int64_t total_ns = 0;
  size_t lines = 0;    // number of lines that took time
  size_t half = 0;     // how many of the costliest make up half of the time
  int slowest = 0;     // number of the costliest line
  QString sentence;    // "69.4 ms in 24 lines, half of it on two; line 35 costs most, 28 % of that time"
};

int64_t cost_ns(const query::LineSum& sum, CostMode mode);
uint64_t cost_runs(const query::LineSum& sum, CostMode mode);
LineCosts line_costs(const query::LineSums& sums, session::FileId file, CostMode mode);

}  // namespace footlight::app
