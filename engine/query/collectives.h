// Collectives of a distributed run: the k-th all_reduce of a group ends everywhere when the last rank has come to it.
//
// A collective is a span of the category "collective". Its arguments may say the group, its number among those of its
// name and group, that it did not wait, and its line: {"group": "world", "seq": 3, "async": true, "bytes": 4096,
// "file": "/home/ada/train.py", "line": 88}. Without a number, spans of one name and group are counted in each process.
#pragma once

#include "engine/query/cancel.h"
#include "engine/session/reader.h"

#include <array>
#include <string>
#include <vector>

namespace footlight::query {

constexpr const char* kCollective = "collective";  // categories of spans
constexpr const char* kInput = "input";            // a wait for the next batch

// What a span says of its rank besides collectives: a wait for input, or something that the program named. A pipeline's
// elements are taken from its last stage, on the thread of whoever takes them; its other stages say nothing.
enum class RankSpan : uint8_t { kNone, kInput, kNamed };
RankSpan rank_span(const session::SpanRecord& span, const session::TrackRecord* track);

// What the time before a collective went into, on the thread that came to it. Each moment counts once: tracing before
// input, input before ops.
enum class RankWork : uint8_t { kTracing, kInput, kOps, kOther };
constexpr size_t kRankWorks = 4;
constexpr const char* kRankWorkNames[] = {"tracing", "input", "ops", "other Python"};

// One rank in a collective: it arrives at the start.
struct Arrival {
  session::ProcessId process;
  session::ThreadId thread;
  int64_t start_ns = 0, end_ns = 0;
  std::array<int64_t, kRankWorks> work = {};  // since the collective before; find_late_ranks() fills it in
};

struct Collective {
  std::string name, group;
  uint64_t number = 0;        // from 1, among those of this name and group
  bool waits = true;          // it ends after the last arrival; false: the call was asynchronous
  uint64_t bytes = 0;
  std::string file = {};      // where the program asked for it; empty: unknown
  int line = 0;
  std::vector<Arrival> arrivals = {};  // by process

  const Arrival& last() const;  // the one that came last; there is at least one
  const Arrival* of(session::ProcessId process) const;
};

// All collectives, in the order of their first arrival. Messages between two processes (send, recv) do not count.
std::vector<Collective> collectives(const session::Reader& reader, const Cancel& cancel);

// The value of a key in a flat JSON object, as it is written, strings without their quotes; "" without such a key.
std::string json_value(std::string_view object, std::string_view key);

// "Rank 3", "Process 4711 of rank 3" (a child), "Process 4711" or "The script": how a process is named everywhere.
std::string process_name(const session::Contents& contents, session::ProcessId process);

}  // namespace footlight::query
