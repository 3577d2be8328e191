// The records of an open session, as needed by findings.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/query/late_beyond_chance.h"
#include "engine/session/reader.h"

#include <functional>

namespace footlight::explain {

// Valid as long as the reader, and until its next refresh().
class SessionRecords {
 public:
  // `go_on` is called for every chunk, and throws to end it.
  explicit SessionRecords(const session::Reader& reader, const std::function<void()>& go_on = [] {});
  const RunRecords& records() const { return records_; }

 private:
  std::vector<session::CallRecord> calls_;
  EagerSums eager_;
  std::vector<PipelineSums> pipelines_;
  CallCounts counts_;
  std::vector<query::LateRank> late_ranks_;
  RunRecords records_;
};

}  // namespace footlight::explain
