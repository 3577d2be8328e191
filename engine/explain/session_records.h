// The records of an open session, as needed by findings.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/session/reader.h"

namespace footlight::explain {

// Valid as long as the reader, and until its next refresh().
class SessionRecords {
 public:
  explicit SessionRecords(const session::Reader& reader);
  const RunRecords& records() const { return records_; }

 private:
  std::vector<session::CallRecord> calls_;
  EagerSums eager_;
  RunRecords records_;
};

}  // namespace footlight::explain
