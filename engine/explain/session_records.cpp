// Reads the calls, which lie in chunks, and looks up the raw keys.
#include "engine/explain/session_records.h"

namespace footlight::explain {

SessionRecords::SessionRecords(const session::Reader& reader)
    : calls_(reader.all_calls()),
      records_{reader.contents().functions, reader.contents().traces, reader.contents().graphs, calls_, {}, {}} {}

}  // namespace footlight::explain
