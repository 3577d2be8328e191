// Where the difference between two ways of running a function goes: totals, shares that add up, what became of each op.
// Made from the repetitions that a session holds (session/records/comparison.h). All times are nanoseconds.
#pragma once

#include "engine/explain/compare/share.h"
#include "engine/explain/evidence.h"
#include "engine/session/reader.h"

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace footlight::explain {

// Over the repetitions: the mean of the middle half (by total), and where the middle 90 % of them lie.
struct Spread {
  double mean = 0;
  double p5 = 0, p95 = 0;
};

// What became of eager ops in the graph.
enum class Group : uint8_t {
  kSame, kFused, kFolded, kPruned, kHoisted, kJoined, kOnlyTraced, kUnmatched, kCompiled,
  kCounts, kOnlyLeft, kOnlyRight, kOneRecorded,  // of recordings
};
constexpr size_t kGroups = 13;
const char* name_of(Group);     // "same", "fused", ..., "only traced", "only eager"
const char* meaning_of(Group);  // "op and node one to one", ...

// One bar of the waterfall. The parts of a comparison add up to `difference` exactly.
struct Part {
  enum class Kind : uint8_t { kShare, kGroup, kCall, kOthers };
  Kind kind = Kind::kShare;
  Share share = Share::kPython;     // of kShare
  Group group = Group::kSame;       // of kGroup
  std::string name = {};            // "Python", "dispatch", "fused", "same ops", "small parts", ...
  std::string meaning = {};         // of kShare, kGroup, and kCall of recordings
  double eager = 0, traced = 0;     // what it took of each side
  Spread difference = {};           // traced - eager: below zero is time saved
  std::vector<Part> joined = {};    // of kOthers: the parts below 2 % of the difference
};

// One line of the table, in program order.
struct Row {
  Line at;                          // the user's line; none: unknown
  Line right_at = {};               // of recordings: that of the right side, and `at` is the left's
  std::string place = {};           // of recordings: "train.py:11", "train.py:11 → 13"
  std::string function;             // the Python function around it
  std::string eager_ops;            // "AddV2, Relu", "40 x Mul"; empty: none
  std::string graph_nodes;          // names of nodes, and how often they ran where that differs: "while/Mul, 40 runs"
  uint64_t eager_count = 0, traced_count = 0;  // ops that ran in one repetition
  Spread eager, traced, difference;
  Group group = Group::kSame;
  std::string why;                  // "pass fold_constants", "ran 40 times eagerly, once in the graph", ...
  std::vector<session::NodeOrigin> nodes;  // those nodes
  std::vector<session::NodeOrigin> right_nodes = {};  // of recordings: the right side's, and `nodes` the left's
  uint64_t eager_bytes = 0, traced_bytes = 0;  // read and written
  uint64_t flops = 0;               // of the eager ops; of the nodes where there are none

  // What the other side took for it is known.
  bool has_difference() const { return group != Group::kCompiled; }
};

// A piece of a run's picture. Times count from the start of the run.
struct Piece {
  int64_t start = 0, end = 0;
  Share share = Share::kUnexplained;
  int32_t row = -1;                 // in Comparison::rows; -1: belongs to none
  std::string label = {};           // "MatMul", "Python", name of a kernel or of an API call
  Line at = {};                     // where it is known
  int64_t gap = 0;                  // nothing ran on this lane for so long before it
  Share gap_share = Share::kUnexplained;  // what most of that went into
};

struct Lane {
  enum class Kind : uint8_t { kHost, kCalls, kStream };
  Kind kind = Kind::kHost;
  std::string name = {};            // "host", "CUDA API, 34 launches", "stream 7"
  std::optional<double> busy = 0.0; // share of the run; none: its kernels were not recorded
  std::vector<Piece> pieces = {};   // by start, none overlaps on the host
};

// The repetition that is nearest to the mean, without what the recorder did in it.
struct Picture {
  int64_t total = 0;
  uint32_t repetition = 0;          // its number among the repetitions with events
  std::vector<Lane> lanes;
};

// One of the two ways.
struct Side {
  std::string name;                 // "eager", "traced", "call 3", "#2"
  std::string session = {};         // of recordings: the file
  Spread total;                     // without events, beside those with: what it really takes
  Spread recorded;                  // the same with events
  double recording = 0;             // mean of recorded - mean of total: what events add
  double recorder = 0;              // of that, the recorder's own work, measured by itself
  double unexplained = 0;           // of the total: what neither the shares nor the recorder's work explain; signed
  std::array<double, kShares> shares{};      // means, those of the recorder among them; they add up to recorded.mean
  std::array<Spread, kShares> share_spread{};
  Picture picture;
  uint64_t ops = 0;                 // that ran in the picture's repetition
  uint64_t lost = 0;                // marks that were not kept; their time is unexplained
  uint64_t calls = 0;               // of recordings: how many were taken
};

struct Comparison {
  bool recorded = false;            // of what was recorded (recorded.h), not of repetitions made for it
  std::string title = {};           // of recordings: "step: call 1 against call 2"
  FunctionId function;
  TraceId trace;
  std::string name;                 // of the function
  uint64_t call = 0;                // whose arguments: from 1, among the calls of the function
  SourceRef source;                 // of that call
  Side eager, traced;               // left and right
  Spread difference;                // traced - eager, by pair, of those that the totals are of
  double known_within = 0;          // from these pairs: the mean is known to this share of it; 0.02: 2 %
  std::vector<Part> parts;          // of the waterfall, in its order
  std::vector<Row> rows;            // in program order
  uint32_t pairs = 0;               // that count: those with events and those without
  uint32_t pairs_with_events = 0, warm_up = 0;
  uint32_t interrupted = 0;         // pairs that do not count, since another program took the processor meanwhile
  std::string stopped;              // why there were not more: "the difference is known within 2 %", ...
  std::string error;                // a repetition failed; empty: none did
  int64_t tracing_ns = 0;           // what making the trace took
  std::optional<uint64_t> worth_from;  // tracing pays from this call on; none: it never does
  uint64_t trace_calls = 0;         // calls of the program that the trace served
  double unexplained = 0;           // the larger side's: a share of its total
  bool simulated = false;           // the device is simulated
  std::string device;               // "GPU 0: NVIDIA H100"; empty: none was used
  std::vector<std::string> notes;   // "prints; what the repetitions printed was dropped", ...
  std::string other_work = {};      // how repetitions differ from the recorded call, in sentences; empty: in nothing

  double factor() const { return traced.total.mean > 0 ? eager.total.mean / traced.total.mean : 0; }
  static double unexplained_share(const Side& side) {
    return side.total.mean > 0 ? std::abs(side.unexplained) / side.total.mean : 0;
  }
};

// The comparisons in a session, in the order in which they were made. Throws Error when events cannot be read.
std::vector<Comparison> comparisons_of(const session::Reader& reader);

// "412 us eager, 96 us traced: 4.3 times as fast. Python is the largest reason: 118 us of 316 us. ..."
std::string sentence_of(const Comparison& comparison);
// "Tracing took 6.1 ms; each traced call saves 316 us: worth it from call 20. The program called this trace 3 times."
std::string worth_of(const Comparison& comparison);

// "Noting when each part began and ended added 17.2 us to an eager repetition ..." Empty when that is not known. It is
// not what recording adds to the program's own calls: those go through the recorder, repetitions do not.
std::string recording_of(const Comparison& comparison);

}  // namespace footlight::explain
