// Collectives of a distributed run: the k-th all_reduce of a group ends everywhere when the last rank has come to it.
//
// A collective is a span of the category "collective". Its arguments may say the group, and that it did not wait:
// {"group": "world", "async": true, "bytes": 4096}. Spans of one name and group are counted in each process.
#pragma once

#include "engine/query/cancel.h"
#include "engine/session/reader.h"

#include <map>
#include <string>
#include <vector>

namespace footlight::query {

constexpr const char* kCollective = "collective";  // categories of spans
constexpr const char* kInput = "input";            // a wait for the next batch

// One rank in a collective: it arrives at the start.
struct Arrival {
  session::ProcessId process;
  session::ThreadId thread;
  int64_t start_ns = 0, end_ns = 0;
};

struct Collective {
  std::string name, group;
  uint64_t number = 0;        // from 1, among those of this name and group
  bool waits = true;          // it ends after the last arrival; false: the call was asynchronous
  uint64_t bytes = 0;
  std::vector<Arrival> arrivals;  // by process

  const Arrival* of(session::ProcessId process) const;
};

// All collectives, in the order of their first arrival. Messages between two processes (send, recv) do not count.
std::vector<Collective> collectives(const session::Reader& reader, const Cancel& cancel);

// The value of a key in a flat JSON object, as it is written, strings without their quotes; "" without such a key.
std::string json_value(std::string_view object, std::string_view key);

// "Rank 3", "Process 4711 of rank 3" (a child), "Process 4711" or "The script": how a process is named everywhere.
std::string process_name(const session::Contents& contents, session::ProcessId process);

}  // namespace footlight::query
