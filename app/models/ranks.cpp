// Names, sums and sentences of ranks, and the columns of their two tables.
#include "app/models/ranks.h"

#include <algorithm>

namespace footlight::app {

using query::Arrival;
using query::Collective;
using query::LateArrival;
using query::LateGroup;

int RanksData::row_of(session::ProcessId process) const {
  const auto at = std::ranges::find(rows, process, &RankRow::process);
  return at == rows.end() ? -1 : static_cast<int>(at - rows.begin());
}

const LateArrival* RanksData::late_at(size_t number) const {
  const auto at = std::ranges::lower_bound(ranks.late, number, {}, &LateArrival::collective);
  return at != ranks.late.end() && at->collective == number ? &*at : nullptr;
}

int64_t RanksData::usual_arrival(size_t number) const {
  std::vector<int64_t> starts;
  for (const Arrival& arrival : collective(number).arrivals) starts.push_back(arrival.start_ns);
  if (starts.empty()) return 0;
  const auto middle = starts.begin() + static_cast<std::ptrdiff_t>((starts.size() - 1) / 2);
  std::ranges::nth_element(starts, middle);
  return *middle;
}

int64_t RanksData::skew(size_t number) const {
  const auto& arrivals = collective(number).arrivals;
  const auto [first, last] = std::ranges::minmax_element(arrivals, {}, &Arrival::start_ns);
  return arrivals.empty() ? 0 : last->start_ns - first->start_ns;
}

std::optional<size_t> RanksData::late_beside(std::optional<size_t> from, int by) const {
  const auto& late = ranks.late;
  if (late.empty()) return {};
  if (!from) return by > 0 ? late.front().collective : late.back().collective;
  if (by > 0) {
    const auto at = std::ranges::upper_bound(late, *from, {}, &LateArrival::collective);
    return at == late.end() ? std::nullopt : std::optional(at->collective);
  }
  const auto at = std::ranges::lower_bound(late, *from, {}, &LateArrival::collective);
  return at == late.begin() ? std::nullopt : std::optional(std::prev(at)->collective);
}

QString RanksData::name_of(size_t number) const { return q(query::collective_name(collective(number))); }

QString RanksData::facts(size_t number) const {
  const Collective& one = collective(number);
  if (one.arrivals.empty()) return {};
  const Arrival& last = one.last();
  int64_t waited = 0, end = last.start_ns;
  for (const Arrival& arrival : one.arrivals) {
    if (arrival.process != last.process)
      waited += std::max<int64_t>(0, std::min(arrival.end_ns, last.start_ns) - arrival.start_ns);
    end = std::max(end, arrival.end_ns);
  }
  QStringList parts{(one.group.empty() ? QStringLiteral("world") : q(one.group)) + QStringLiteral(", ") +
                    counted(one.arrivals.size(), "rank", "ranks")};
  if (one.bytes) parts << bytes_text(one.bytes);
  if (one.waits) {
    parts << QStringLiteral("itself ") + duration_text(end - last.start_ns);
    if (one.arrivals.size() > 1)
      parts << counted(one.arrivals.size() - 1, "rank", "ranks") + QStringLiteral(" waited ") + duration_text(waited);
  } else {
    parts << QStringLiteral("asynchronous: nobody waited in it");
  }
  return parts.join(QString::fromUtf8(" · "));
}

RanksPtr ranks_of(const session::Reader& reader, const query::Cancel& cancel) {
  auto data = std::make_shared<RanksData>();
  const session::Contents& contents = reader.contents();
  if (contents.processes.size() < 2) return data;
  data->ranks = query::find_late_ranks(reader, cancel);
  data->verdict = q(query::verdict(data->ranks, reader));
  for (const query::RankSums& sums : data->ranks.ranks) {
    RankRow row;
    row.process = sums.process;
    row.name = q(query::process_name(contents, sums.process));
    row.traces = sums.traces;
    row.waited_ns = sums.waited_ns;
    if (const session::ProcessRecord* const process = reader.process(sums.process)) {
      row.host = process->host;
      row.clock_error_ns = process->clock_error_ns;
    }
    data->several_hosts = data->several_hosts || (!data->rows.empty() && data->rows.front().host != row.host);
    data->rows.push_back(std::move(row));
  }
  for (const LateArrival& late : data->ranks.late) {
    cancel.check();
    data->late_texts.push_back(q(query::sentence(data->ranks, reader, late)));
  }
  return data;
}

QString work_name(query::RankWork work) {
  switch (work) {
    case query::RankWork::kTracing: return QStringLiteral("Own tracing");
    case query::RankWork::kInput: return QStringLiteral("Input");
    case query::RankWork::kOps: return QStringLiteral("Slower ops");
    case query::RankWork::kOther: break;
  }
  return QStringLiteral("Other Python");
}

LateModel::LateModel(QObject* parent) : TableOf(parent) {
  const auto worst = [this](const LateGroup& group) -> const LateArrival& { return data_->ranks.late[group.worst]; };
  const auto why = [worst](const LateGroup& group) {
    return worst(group).explained ? work_name(group.why) : QStringLiteral("Not explained");
  };
  set_columns({
      {.name = "Why late", .value = why,
       .tip = [this](const LateGroup& group) { return plain_tip(data_->late_texts[group.worst]); }},
      {.name = "Where", .value = &LateGroup::where},
      {.name = "Rank",
       .value = [this](const LateGroup& group) {
         const int row = data_->row_of(group.process);
         return row < 0 ? QString() : data_->rows[static_cast<size_t>(row)].name;
       },
       .key = [this](const LateGroup& group) { return Cell(data_->row_of(group.process)); }},
      {.name = "Count", .value = &LateGroup::count, .unit = Unit::kCount},
      {.name = "Worst", .value = &LateGroup::worst_ns, .unit = Unit::kTime,
       .title_tip = "After the median of the others"},
      {.name = "Waited", .value = &LateGroup::waited_ns, .unit = Unit::kTime,
       .title_tip = "By all other ranks together"},
      {.name = "Worst at",
       .value = [this, worst](const LateGroup& group) { return data_->name_of(worst(group).collective); },
       .key = [worst](const LateGroup& group) { return Cell(worst(group).collective); }},
  });
  sorted_by_ = column("Waited");
  order_ = Qt::DescendingOrder;
}

void LateModel::set(RanksPtr data) {
  reset([&] { data_ = std::move(data); });
}

std::span<const LateGroup> LateModel::rows() const {
  return data_ ? std::span<const LateGroup>(data_->ranks.groups) : std::span<const LateGroup>();
}

ArrivalsModel::ArrivalsModel(QObject* parent) : TableOf(parent) {
  const auto work = [](query::RankWork kind) {
    return [kind](const Arrival& arrival) { return arrival.work[static_cast<size_t>(kind)]; };
  };
  const auto is_late = [this](const Arrival& arrival) {
    const LateArrival* const late = data_->late_at(*collective_);
    return late && late->process == arrival.process;
  };
  set_columns({
      {.name = "Rank",
       .value = [this](const Arrival& arrival) {
         const int row = data_->row_of(arrival.process);
         return row < 0 ? QString() : data_->rows[static_cast<size_t>(row)].name;
       },
       .key = [this](const Arrival& arrival) { return Cell(data_->row_of(arrival.process)); },
       .tone = [is_late](const Arrival& arrival) { return is_late(arrival) ? QStringLiteral("amber") : QString(); }},
      {.name = "After the first", .value = [this](const Arrival& arrival) { return arrival.start_ns - first_ns_; },
       .unit = Unit::kTime,
       .tone = [is_late](const Arrival& arrival) { return is_late(arrival) ? QStringLiteral("amber") : QString(); }},
      {.name = "Waited",
       .value = [this](const Arrival& arrival) {
         const bool waits = data_->collective(*collective_).waits;
         return waits ? std::max<int64_t>(0, std::min(arrival.end_ns, last_ns_) - arrival.start_ns) : 0;
       },
       .unit = Unit::kTime, .title_tip = "For the last one"},
      {.name = "Tracing", .value = work(query::RankWork::kTracing), .unit = Unit::kTime,
       .title_tip = "Since the collective before"},
      {.name = "Input", .value = work(query::RankWork::kInput), .unit = Unit::kTime,
       .title_tip = "Waits for the next batch since the collective before"},
      {.name = "Ops", .value = work(query::RankWork::kOps), .unit = Unit::kTime,
       .title_tip = "Recorded ops since the collective before"},
      {.name = "Other", .value = work(query::RankWork::kOther), .unit = Unit::kTime,
       .title_tip = "The rest of the time since the collective before: Python, and what was not recorded"},
  });
}

void ArrivalsModel::set(RanksPtr data, std::optional<size_t> collective) {
  reset([&] {
    data_ = std::move(data);
    collective_ = collective;
    if (!data_ || !collective_) return;
    first_ns_ = INT64_MAX, last_ns_ = INT64_MIN;
    for (const Arrival& arrival : data_->collective(*collective_).arrivals) {
      first_ns_ = std::min(first_ns_, arrival.start_ns);
      last_ns_ = std::max(last_ns_, arrival.start_ns);
    }
  });
}

std::span<const Arrival> ArrivalsModel::rows() const {
  return data_ && collective_ ? std::span<const Arrival>(data_->collective(*collective_).arrivals)
                              : std::span<const Arrival>();
}

}  // namespace footlight::app
