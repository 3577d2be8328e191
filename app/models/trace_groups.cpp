// Adds up traces and calls by group, and shows the sums in a table.
#include "app/models/trace_groups.h"

#include "app/models/keys.h"
#include "app/models/text.h"
#include "app/models/traces_model.h"

#include "engine/explain/words.h"

#include <algorithm>
#include <map>

namespace footlight::app {
namespace {

constexpr size_t kMaxNoted = 40;  // different values kept for a note
constexpr size_t kMaxPaths = 3;   // paths in a name

int64_t length(const session::TraceRecord& t) { return std::max<int64_t>(0, t.end_ns - t.start_ns); }

// Calls made it, so its time is part of theirs.
bool inside_calls(const session::TraceRecord& t) {
  return t.reason != session::TraceReason::kGetConcreteFunction;
}

// The leaf that a differing path names, or of which it names a part.
const session::KeyLeaf* leaf_at(const session::TraceRecord& t, const std::string& path) {
  for (const session::KeyLeaf& leaf : t.key)
    if (path.starts_with(leaf.path) || leaf.path.starts_with(path)) return &leaf;
  return nullptr;
}

QString name_of(const session::TraceRecord& t) {
  if (t.differing.empty() || !t.nearest.valid()) return reason_text(t);
  QStringList parts;
  for (const std::string& path : t.differing) {
    if (static_cast<size_t>(parts.size()) == kMaxPaths) {
      parts << QStringLiteral("%1 more").arg(count_text(t.differing.size() - kMaxPaths));
      break;
    }
    const session::KeyLeaf* leaf = leaf_at(t, path);
    parts << q(path) + (leaf && !leaf->parameter.empty() ? QLatin1Char(' ') + q(leaf->parameter) : QString());
  }
  return parts.join(QStringLiteral(", "));
}

// Each group's different values of the first leaf that differs, in the order in which they came.
struct Values {
  std::vector<std::string> texts;
  std::set<std::string> seen;

  void add(const session::TraceRecord& t) {
    const session::KeyLeaf* leaf = t.differing.empty() ? nullptr : leaf_at(t, t.differing.front());
    if (!leaf) return;
    std::string text = leaf_short(*leaf).toStdString();
    if (seen.size() >= kMaxNoted) texts.back() = std::move(text);  // the last is shown, those between are not
    else if (seen.insert(text).second) texts.push_back(std::move(text));
  }
};

void sort_by_cost(std::vector<TraceGroup>& groups) {
  for (TraceGroup& g : groups) {
    std::sort(g.traces.begin(), g.traces.end());
    std::sort(g.sources.begin(), g.sources.end());
    g.run_ns = std::max<int64_t>(0, g.run_ns);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const TraceGroup& a, const TraceGroup& b) {
    return std::pair(a.trace_ns, a.run_ns) > std::pair(b.trace_ns, b.run_ns);
  });
}

}  // namespace

std::vector<TraceGroup> groups_by_difference(const Document& document, FunctionId function) {
  std::vector<TraceGroup> groups;
  std::vector<Values> values;
  std::map<QString, size_t> by_name;
  for (const session::TraceRecord* t : document.traces_of(function)) {
    const QString name = name_of(*t);
    const auto [at, added] = by_name.try_emplace(name, groups.size());
    if (added) {
      groups.emplace_back().name = name;
      values.emplace_back();
    }
    TraceGroup& g = groups[at->second];
    const query::CallSums sums = document.calls_of(t->id);
    g.traces.push_back(t->id);
    g.calls += sums.calls, g.hits += sums.hits, g.eager += sums.eager, g.failed += sums.failed;
    g.trace_ns += length(*t);
    g.run_ns += sums.total_ns - (inside_calls(*t) ? std::min(length(*t), sums.total_ns) : 0);
    values[at->second].add(*t);
  }
  for (size_t i = 0; i < groups.size(); ++i) groups[i].note = q(explain::progression(values[i].texts));
  sort_by_cost(groups);
  return groups;
}

std::vector<TraceGroup> groups_by_call_line(const Document& document, FunctionId function, const CallSites& sites) {
  std::vector<TraceGroup> groups;
  std::map<std::pair<uint32_t, int>, size_t> by_place;
  const auto group = [&](SourceRef source) -> TraceGroup& {
    const SourcePlace place = document.place(source);
    const auto [at, added] = by_place.try_emplace({place.file.value, place.line}, groups.size());
    if (added) {
      TraceGroup& g = groups.emplace_back();
      g.place = place;
      g.name = place ? document.place_text(place) : QStringLiteral("no line recorded");
      g.note = document.line_text(place).trimmed();
    }
    return groups[at->second];
  };
  for (const auto& [source, sums] : sites) {
    TraceGroup& g = group(source);
    g.sources.push_back(query::key_of(source));
    g.calls += sums.calls, g.hits += sums.hits, g.eager += sums.eager, g.failed += sums.failed;
    g.run_ns += sums.total_ns;
  }
  for (const session::TraceRecord* t : document.traces_of(function)) {
    TraceGroup& g = group(t->source);
    g.traces.push_back(t->id);
    g.trace_ns += length(*t);
    if (inside_calls(*t)) g.run_ns -= length(*t);
  }
  sort_by_cost(groups);
  return groups;
}

void TraceGroupsModel::set_groups(const QString& heading, const QString& note_heading,
                                  std::vector<TraceGroup> groups) {
  beginResetModel();
  heading_ = heading;
  note_heading_ = note_heading;
  groups_ = std::move(groups);
  const auto any = [&](uint64_t TraceGroup::*member) {
    return std::any_of(groups_.begin(), groups_.end(), [&](const TraceGroup& g) { return g.*member > 0; });
  };
  columns_ = {kName, kTraces, kCalls, kHits};
  if (any(&TraceGroup::eager)) columns_.push_back(kEager);
  if (any(&TraceGroup::failed)) columns_.push_back(kFailed);
  columns_.insert(columns_.end(), {kTraceTime, kRunTime, kNote});
  std::vector<int64_t> trace, run;
  for (const TraceGroup& g : groups_) trace.push_back(g.trace_ns), run.push_back(g.run_ns);
  trace_unit_ = time_unit(trace);
  run_unit_ = time_unit(run);
  endResetModel();
}

const TraceGroup* TraceGroupsModel::at(int row) const {
  return row >= 0 && static_cast<size_t>(row) < groups_.size() ? &groups_[static_cast<size_t>(row)] : nullptr;
}

int TraceGroupsModel::row_named(const QString& name) const {
  for (size_t i = 0; i < groups_.size(); ++i)
    if (groups_[i].name == name) return static_cast<int>(i);
  return -1;
}

int TraceGroupsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(groups_.size());
}

int TraceGroupsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

double TraceGroupsModel::number(const TraceGroup& group, Column column) const {
  switch (column) {
    case kCalls: return static_cast<double>(group.calls);
    case kTraces: return static_cast<double>(group.traces.size());
    case kHits: return static_cast<double>(group.hits);
    case kEager: return static_cast<double>(group.eager);
    case kFailed: return static_cast<double>(group.failed);
    case kTraceTime: return static_cast<double>(group.trace_ns);
    default: return static_cast<double>(group.run_ns);
  }
}

QVariant TraceGroupsModel::data(const QModelIndex& index, int role) const {
  const TraceGroup* group = index.isValid() ? at(index.row()) : nullptr;
  if (!group) return {};
  const Column column = columns_[static_cast<size_t>(index.column())];
  const bool words = column == kName || column == kNote;
  if (role == TracesModel::kMono) return true;
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == TracesModel::kOrder)
    return column == kName ? QVariant(group->name) : column == kNote ? QVariant(group->note)
                                                                     : QVariant(number(*group, column));
  const bool shown = role == Qt::DisplayRole || role == Qt::AccessibleTextRole;
  if (!shown && !(role == Qt::ToolTipRole && words)) return {};
  QString text;
  if (words) text = column == kName ? group->name : group->note;
  else if (column == kTraceTime) text = trace_unit_.text(number(*group, column));
  else if (column == kRunTime) text = run_unit_.text(number(*group, column));
  else text = count_text(static_cast<uint64_t>(number(*group, column)));
  if (role == Qt::ToolTipRole) return plain_tip(text);
  if (role == Qt::DisplayRole) return text;
  return QString(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() + QLatin1Char(' ') + text);
}

QVariant TraceGroupsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const Column column = columns_[static_cast<size_t>(section)];
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((column == kName || column == kNote ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (column) {
    case kName: return heading_;
    case kCalls: return QStringLiteral("Calls");
    case kTraces: return QStringLiteral("Traces");
    case kHits: return QStringLiteral("Hits");
    case kEager: return QStringLiteral("Eager");
    case kFailed: return QStringLiteral("Failed");
    case kTraceTime: return trace_unit_.heading("Tracing");
    case kRunTime: return run_unit_.heading("Running");
    default: return note_heading_;
  }
}

}  // namespace footlight::app
