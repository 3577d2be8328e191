// The recording switch, the events and the per-thread rings they go to. Emitters (eager, runtime, trace) only look at
// `recording_level` and push; who drains the rings and where the events go is not known here.
#pragma once

#include "engine/base/hooks.h"
#include "engine/base/ids.h"
#include "engine/base/ring.h"
#include "engine/base/thread_context.h"

#include <atomic>
#include <cstdint>

namespace footlight {

using KeyId = Id<struct KeyTag>;  // a cache key that was asked for

enum class RecordingLevel : uint8_t { kOff, kStructure, kOps };

// Read on every op: with recording off this load and branch is the whole cost.
extern std::atomic<RecordingLevel> recording_level;

// How many recordings were begun: what was described to an earlier one has to be described again.
extern std::atomic<uint32_t> recording_number;

inline bool recording_ops() {
  return recording_level.load(std::memory_order_relaxed) == RecordingLevel::kOps;
}
inline bool recording_structure() {
  return recording_level.load(std::memory_order_relaxed) != RecordingLevel::kOff;
}

// One op that ran; 56 bytes, with ids and times only.
struct OpEvent {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  CallId call;            // the traced call it belongs to; none: eager
  SignatureId signature;  // what it ran on, and so its cost (signatures.h)
  OpId op;
  uint8_t device = 0;
  bool in_graph = false;  // whether its place is a node of a graph
  uint32_t sequence = 0;  // filled by the ring
  SourceRef caller;       // the user's line, for an eager op that a library runs

  // For an eager op, its line; in a graph, the node, which knows its line.
  void set_source(SourceRef source) {
    place_[0] = source.code.value, place_[1] = source.offset;
    in_graph = false;
  }
  void set_node(GraphId graph, NodeId node) {
    place_[0] = graph.value, place_[1] = node.value;
    in_graph = true;
  }
  SourceRef source() const { return in_graph ? SourceRef{} : SourceRef{CodeId(place_[0]), place_[1]}; }
  GraphId graph() const { return in_graph ? GraphId(place_[0]) : GraphId(); }
  NodeId node() const { return in_graph ? NodeId(place_[1]) : NodeId(); }

 private:
  uint32_t place_[2] = {CodeId::kNone, 0};
};
static_assert(sizeof(OpEvent) == 56);

enum class CallOutcome : uint8_t { kHit, kTrace, kEager, kFailed, kDispatchMiss, kCompile };

// One call of a traced function. At level structure, only these are recorded, no op events.
struct CallEvent {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  CallId call;
  CallId parent;     // the call in which it was made
  SourceRef source;  // the call's line
  FunctionId function;
  TraceId trace;
  KeyId key;         // the key that the call asked for
  CallOutcome outcome = CallOutcome::kHit;
  uint8_t reserved[3] = {};
  uint32_t sequence = 0;  // filled by the ring
};
static_assert(sizeof(CallEvent) == 64);

// The memory that tensors hold on a device from this time on.
struct MemoryEvent {
  int64_t time_ns = 0;
  uint64_t bytes = 0;
  uint8_t device = 0;
  uint8_t reserved[3] = {};
  uint32_t sequence = 0;  // filled by the ring
};
static_assert(sizeof(MemoryEvent) == 24);

using OpRing = Ring<OpEvent, 1u << 14>;
using CallRing = Ring<CallEvent, 1u << 12>;
using MemoryRing = Ring<MemoryEvent, 1u << 12>;

// The buffers into which one thread records. They outlive the thread until they are drained.
class ThreadRings {
 public:
  uint16_t number() const { return number_; }         // 0 for the first thread that recorded
  uint32_t system_id() const { return system_id_; }   // gettid()
  const char* name() const { return name_; }          // as the system knew the thread at its first event

  void record(const OpEvent& event) {
    if (ops_.push(event)) [[unlikely]] wake();
  }
  void record(const CallEvent& event) {
    if (calls_.push(event)) [[unlikely]] wake();
  }
  void record(const MemoryEvent& event) {
    if (memory_.push(event)) [[unlikely]] wake();
  }

  // Numbers start small in the first thread and are unique over all threads, without a shared counter.
  CallId next_call() { return CallId((uint64_t{number_} << 40) | next_call_++); }
  // The id of this thread's next op event: device work names its cause by it (device_hooks.h).
  uint64_t next_op_event() const { return op_event_id(number_, ops_.next_sequence()); }

  static constexpr uint64_t op_event_id(uint16_t thread, uint32_t sequence) {
    return ((uint64_t{thread} + 1) << 40) | sequence;
  }

  // The signatures that this thread used last, by their hashes (signatures.h).
  struct KnownSignature { uint64_t hash = 0; SignatureId id; };
  KnownSignature& known_signature(uint64_t hash) { return signatures_[hash % kKnownSignatures]; }

  OpRing& ops() { return ops_; }
  CallRing& calls() { return calls_; }
  MemoryRing& memory() { return memory_; }

 private:
  friend struct RingRegistry;
  static void wake();

  uint16_t number_ = 0;
  uint32_t system_id_ = 0;
  char name_[16] = {};
  std::atomic<bool> thread_ended_{false};
  uint64_t next_call_ = 0;
  static constexpr size_t kKnownSignatures = 256;
  KnownSignature signatures_[kKnownSignatures];
  OpRing ops_;
  CallRing calls_;
  MemoryRing memory_;
};

ThreadRings* make_rings_of_this_thread();

inline ThreadRings& thread_rings() {
  ThreadRings* rings = this_thread.rings;
  if (!rings) [[unlikely]] rings = make_rings_of_this_thread();
  return *rings;
}

inline void record_op(const OpEvent& event) { thread_rings().record(event); }
inline void record_call(const CallEvent& event) { thread_rings().record(event); }
inline CallId next_call_id() { return thread_rings().next_call(); }

// For the drainer only: visits all rings under the registry's lock. `last`: the thread has ended, so nothing more
// follows. A visit that returns true says that the ring is empty, and it is freed.
using RingVisitor = bool (*)(void* context, ThreadRings& rings, bool last);
void visit_rings(RingVisitor visit, void* context);

// For forks while rings are in use: `before_fork` takes the registry's lock, the others release it. The child keeps the
// emptied ring of its one thread and forgets the rest.
void rings_before_fork();
void rings_after_fork(bool child);

// The user's line that runs, if a front end knows it.
inline SourceRef current_source() { return front_end_hooks.source ? front_end_hooks.source() : SourceRef{}; }

}  // namespace footlight
