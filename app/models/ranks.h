// What the Ranks view shows of a recording of several processes: who they are, their collectives, who was late and why.
#pragma once

#include "app/models/table_model.h"

#include "engine/query/late_ranks.h"

#include <memory>
#include <optional>

namespace footlight::app {

struct RankRow {
  session::ProcessId process;
  QString name;               // "Rank 3"
  std::string host;
  int64_t clock_error_ns = 0;  // -1: unknown
  uint64_t traces = 0;
  int64_t waited_ns = 0;
};

// Made once for a recording, on the thread of its store.
struct RanksData {
  query::Ranks ranks;
  std::vector<RankRow> rows;         // processes that came to a collective, by rank
  std::vector<QString> late_texts;   // a sentence for each of ranks.late
  QString verdict;
  bool several_hosts = false;

  int row_of(session::ProcessId process) const;                     // -1: it came to no collective
  const query::LateArrival* late_at(size_t collective) const;       // null: nobody is called late there
  const query::Collective& collective(size_t number) const { return ranks.collectives[number]; }
  int64_t usual_arrival(size_t collective) const;                   // the median
  // How long the last one came after the first.
  int64_t skew(size_t collective) const;
  // The next (by > 0) or previous collective at which a rank was late; nothing: there is no other.
  std::optional<size_t> late_beside(std::optional<size_t> collective, int by) const;
  QString name_of(size_t collective) const;                         // "all_reduce #12"
  // "world, 16 ranks · 4 B · itself 0.12 ms · 15 ranks waited 22.8 s"
  QString facts(size_t collective) const;
};
using RanksPtr = std::shared_ptr<const RanksData>;
RanksPtr ranks_of(const session::Reader& reader, const query::Cancel& cancel);

// The reason of a late arrival, where it is explained: "Own tracing".
QString work_name(query::RankWork work);

// Who was late, and why: a row for each reason of each rank.
class LateModel : public TableOf<query::LateGroup> {
 public:
  explicit LateModel(QObject* parent = nullptr);
  void set(RanksPtr data);
  std::span<const query::LateGroup> rows() const override;

 private:
  RanksPtr data_;
};

// One collective: when each rank came, and what it did since the one before.
class ArrivalsModel : public TableOf<query::Arrival> {
 public:
  explicit ArrivalsModel(QObject* parent = nullptr);
  void set(RanksPtr data, std::optional<size_t> collective);
  std::span<const query::Arrival> rows() const override;

 private:
  RanksPtr data_;
  std::optional<size_t> collective_;
  int64_t first_ns_ = 0, last_ns_ = 0;
};

}  // namespace footlight::app
