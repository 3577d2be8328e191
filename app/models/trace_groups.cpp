// Adds up traces and calls by group, and shows the sums in a table.
#include "app/models/trace_groups.h"

#include "app/models/keys.h"
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

// The leaf that a differing path names as a whole or in part; else the first leaf below the path.
const session::KeyLeaf* leaf_at(const session::TraceRecord& t, const std::string& path) {
  const session::KeyLeaf *outer = nullptr, *inner = nullptr;
  for (const session::KeyLeaf& leaf : t.key) {
    if (path.starts_with(leaf.path) && (!outer || leaf.path.size() > outer->path.size())) outer = &leaf;
    if (!inner && leaf.path.starts_with(path)) inner = &leaf;
  }
  return outer ? outer : inner;
}

// The text of the part that the path names: the size of one dimension, as "7", the dtype, or the whole leaf.
QString part_text(const session::KeyLeaf& leaf, const std::string& path) {
  const std::string part = path.size() > leaf.path.size() ? path.substr(leaf.path.size()) : std::string();
  if (part == ".dtype") return q(leaf.type);
  constexpr std::string_view kShape = ".shape[";
  if (part.starts_with(kShape)) {
    const auto sizes = explain::sizes_of(leaf.shape);
    const size_t d = static_cast<size_t>(q(part).mid(kShape.size()).chopped(1).toUInt());
    if (d < sizes.size()) return q(sizes[d]);
  }
  return leaf_short(leaf);
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
    std::string text = part_text(*leaf, t.differing.front()).toStdString();
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

TraceGroupsModel::TraceGroupsModel(QObject* parent) : TableOf(parent) {
  text_order_ = TextOrder::kAnyCase;
  spoken_ = Spoken::kHeadingAndCell;
}

void TraceGroupsModel::set_groups(const QString& heading, const QString& note_heading,
                                  std::vector<TraceGroup> groups) {
  reset([&] {
    groups_ = std::move(groups);
    const auto any = [&](uint64_t TraceGroup::*member) {
      return std::ranges::any_of(groups_, [&](const TraceGroup& g) { return g.*member > 0; });
    };
    set_columns({
        {.name = heading, .value = &TraceGroup::name, .tip = &TraceGroup::name},
        {.name = "Traces", .value = [](const TraceGroup& g) { return g.traces.size(); }, .unit = Unit::kCount},
        {.name = "Calls", .value = &TraceGroup::calls, .unit = Unit::kCount},
        {.name = "Hits", .value = &TraceGroup::hits, .unit = Unit::kCount},
        {.name = "Eager", .value = &TraceGroup::eager, .unit = Unit::kCount, .is_left_out = !any(&TraceGroup::eager)},
        {.name = "Failed", .value = &TraceGroup::failed, .unit = Unit::kCount,
         .is_left_out = !any(&TraceGroup::failed)},
        {.name = "Tracing", .value = &TraceGroup::trace_ns, .unit = Unit::kTime},
        {.name = "Running", .value = &TraceGroup::run_ns, .unit = Unit::kTime},
        {.name = note_heading, .value = &TraceGroup::note, .tip = &TraceGroup::note},
    });
  });
}

int TraceGroupsModel::row_named(const QString& name) const {
  return find([&](const TraceGroup& group) { return group.name == name; });
}

}  // namespace footlight::app
