// The time of a range as a tree: thread, calls within calls, tracing with its phases, the body of a loop or branch,
// ops. The part of a call that its children leave is its own: Python, dispatch.
#pragma once

#include "engine/query/cancel.h"
#include "engine/query/store.h"

#include <string>
#include <vector>

namespace footlight::query {

enum class FrameKind : uint8_t { kRoot, kThread, kFunction, kTracing, kPhase, kGraph, kOp };

struct Frame {
  FrameKind kind = FrameKind::kRoot;
  uint32_t what = 0;         // ThreadId, FunctionId, GraphId, OpNumber; of a phase, its place in StackTree::phases
  uint32_t parent = 0;       // index in the tree; the root is its own parent
  uint64_t count = 0;        // calls, or op events
  int64_t total = 0;         // within the range, children included; of an op without the ops inside it
  int64_t self = 0;          // without them
  std::vector<uint32_t> children;  // the longest first
};

struct StackTree {
  std::vector<Frame> frames;  // the root first, parents before children
  uint64_t events = 0, calls = 0;
  std::vector<std::string> phases;  // names
};

StackTree stacks(const Store& store, int64_t from, int64_t to, const Cancel& cancel);

// The same upside down: for each function and op its own time, and from where it was called.
struct Caller {
  FrameKind kind = FrameKind::kRoot;
  uint32_t what = 0;
  uint32_t parent = UINT32_MAX;   // the entry that this one called; none: the first of a row
  uint64_t count = 0;
  int64_t self = 0;
  std::vector<uint32_t> children;
};
struct BottomUp {
  std::vector<Caller> entries;
  std::vector<uint32_t> roots;    // the longest first
};
BottomUp bottom_up(const StackTree& tree);

}  // namespace footlight::query
