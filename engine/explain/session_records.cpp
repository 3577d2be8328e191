// Reads the calls, which are stored in chunks.
#include "engine/explain/session_records.h"

namespace footlight::explain {

SessionRecords::SessionRecords(const session::Reader& reader)
    : calls_(reader.all_calls()),
      records_{reader.contents().functions, reader.contents().traces, reader.contents().graphs, calls_,
               reader.contents().keys, reader.contents().files, reader.contents().codes,
               reader.contents().observations} {}

}  // namespace footlight::explain
