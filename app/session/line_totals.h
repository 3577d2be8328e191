// Costs of the open session's lines, summed on the store's thread when a view needs them, and again when the session
// has grown.
#pragma once

#include "app/models/document.h"
#include "app/session/queries.h"

#include "engine/query/line_sums.h"

#include <QObject>

#include <tuple>

namespace footlight::app {

class LineTotals : public QObject {
  Q_OBJECT

 public:
  LineTotals(const Document& document, Queries& queries, QObject* parent);

  // Sums what is not summed yet. Nodes are counted in `trace` and in the first trace of every other function.
  void want(TraceId trace);
  void clear();
  const query::LineSums& sums() const { return sums_; }
  bool waiting() const { return ticket_.waiting(); }

 Q_SIGNALS:
  void changed();

 private:
  std::vector<TraceId> counted(TraceId chosen) const;

  const Document& document_;
  Queries& queries_;
  QueryHandle ticket_;
  query::LineSums sums_;
  TraceId wanted_, of_;
  uint64_t events_ = UINT64_MAX, calls_ = UINT64_MAX;
  size_t traces_ = SIZE_MAX;
};

}  // namespace footlight::app
