// Asks once at a time, and again if something has come meanwhile.
#include "app/session/line_totals.h"

#include <utility>

namespace footlight::app {

LineTotals::LineTotals(const Document& document, Queries& queries, QObject* parent)
    : QObject(parent), document_(document), queries_(queries) {}

void LineTotals::clear() {
  ticket_.withdraw();
  sums_ = {};
  events_ = calls_ = UINT64_MAX;
  traces_ = SIZE_MAX;
}

std::vector<TraceId> LineTotals::counted(TraceId chosen) const {
  std::vector<TraceId> traces;
  const session::TraceRecord* of = document_.trace(chosen);
  if (of) traces.push_back(chosen);
  for (const session::FunctionRecord& f : document_.functions) {
    if (of && of->function == f.id) continue;
    const auto all = document_.traces_of(f.id);
    if (!all.empty()) traces.push_back(all.front()->id);
  }
  return traces;
}

void LineTotals::want(TraceId trace) {
  wanted_ = trace;
  if (ticket_.waiting()) return;
  const auto now = std::tuple(document_.events, document_.calls, document_.traces.size(), trace);
  if (now == std::tuple(events_, calls_, traces_, of_)) return;
  std::tie(events_, calls_, traces_, of_) = now;
  queries_.ask(
      ticket_,
      [traces = counted(trace)](const query::Store& store, const query::Cancel& cancel) {
        return query::line_sums(store.reader(), traces, cancel);
      },
      [this](query::LineSums sums) {
        sums_ = std::move(sums);
        Q_EMIT changed();
        QMetaObject::invokeMethod(this, [this] { want(wanted_); }, Qt::QueuedConnection);
      },
      Queries::kLong);
}

}  // namespace footlight::app
