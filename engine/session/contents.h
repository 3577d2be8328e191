// The part of a session that a reader keeps in memory: all records except events. Contains the list of all tables.
#pragma once

#include "engine/session/records.h"

#include <optional>
#include <tuple>
#include <vector>

namespace footlight::session {

// Records of a live session are in the order in which they were written, and grow with Reader::refresh(); in a finished
// one, records that have an id are sorted by id.
struct Contents {
  RunRecord run;
  RecordingLevel level = RecordingLevel::kOff;  // the last one set
  std::vector<ProcessRecord> processes;
  std::vector<FileRecord> files;
  std::vector<CodeRecord> codes;
  std::vector<LocationRecord> locations;
  std::vector<FunctionRecord> functions;
  std::vector<TraceRecord> traces;
  std::vector<KeyRecord> keys;
  std::vector<GraphRecord> graphs;
  std::vector<GeneratedRecord> generated;
  std::vector<DecisionRecord> decisions;
  std::vector<ObservationRecord> observations;
  std::vector<ComparisonRecord> comparisons;
  std::vector<CallValues> values;
  std::vector<CheckedCall> checked_calls;
  std::vector<ConsoleRecord> console;
  std::vector<OpNameRecord> op_names;
  std::vector<SignatureRecord> signatures;
  std::vector<ThreadRecord> threads;
  std::vector<DeviceNameRecord> device_names;
  std::vector<TrackRecord> tracks;
  std::vector<DroppedRecord> dropped;
  std::optional<EndRecord> end;
};

// Every table of records, in the order of the SQL and of the printed page; next to them are those of
// EventChunks, and `meta`.
constexpr auto kRecordTables = std::tuple(
    &Contents::processes, &Contents::files, &Contents::codes, &Contents::locations, &Contents::functions,
    &Contents::traces, &Contents::keys, &Contents::graphs, &Contents::generated, &Contents::decisions,
    &Contents::observations, &Contents::comparisons, &Contents::values, &Contents::checked_calls,
    &Contents::console, &Contents::op_names, &Contents::signatures, &Contents::threads,
    &Contents::device_names, &Contents::tracks, &Contents::dropped, &Contents::end);

// The members of `meta`: a row of key and value each.
using MetaRecords = std::tuple<RunRecord, LevelRecord>;

}  // namespace footlight::session
