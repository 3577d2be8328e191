// Random sessions with all their rows in memory, to compare a store's answers with a plain loop over everything:
// several threads, nested ops and calls, ids that lead nowhere, eager ops.
#pragma once

#include "engine/session/writer.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace footlight::query {

struct PlainOp {
  int64_t start = 0, end = 0;
  uint64_t id = 0;
  CallId call;
  GraphId graph;
  uint32_t node = UINT32_MAX;
  SourceRef source;
  SignatureId signature;
  uint16_t op = 0, thread = 0;
  int depth = 0;  // among the traced ops of its thread if traced, else among the eager ones
  int64_t inner = 0;  // time taken by the ops inside it
};

struct RandomSession {
  // About `ops` op events, in the order in which they ended, as a recorder writes them.
  RandomSession(uint32_t seed, size_t ops, int threads);

  std::vector<PlainOp> ops;
  std::vector<session::CallRecord> calls;
  std::vector<session::DeviceRecord> device;
  std::vector<session::TraceRecord> traces;
  std::vector<session::GraphRecord> graphs;
  std::vector<session::SignatureRecord> signatures;
  static constexpr uint32_t kFunctions = 5, kTraces = 9, kNodes = 12, kOps = 7, kLines = 30;

  void write_records(session::Writer& writer) const;
  // Rows [from, to) of each kind, as fractions of the whole; calls after the ops that they contain.
  void write_rows(session::Writer& writer, double from, double to) const;
  // An unfinished log, in `pieces` chunks of each kind; or one file.
  void write(const std::string& path, int pieces, bool finish) const;

 private:
  void run(std::mt19937& random, uint16_t thread, int64_t& now, int depth, CallId call, TraceId trace, size_t& left);
  std::vector<std::vector<PlainOp>> threads_;
};

}  // namespace footlight::query
