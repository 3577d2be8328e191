// The recording switch, the op event and the per-thread ring it goes to. Emitters (eager, runtime) only look at
// `recording_level` and push; who drains the rings and where the events go is not known here.
#pragma once

#include "engine/base/ids.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace footlight {

enum class RecordingLevel : uint8_t { kOff, kStructure, kOps };

// Read on every op: with recording off this load and branch is the whole cost.
extern std::atomic<RecordingLevel> recording_level;

inline bool recording_ops() {
  return recording_level.load(std::memory_order_relaxed) == RecordingLevel::kOps;
}
inline bool recording_structure() {
  return recording_level.load(std::memory_order_relaxed) != RecordingLevel::kOff;
}

// One op that ran. Ids and times only; 48 bytes.
struct OpEvent {
  int64_t start_ns;
  int64_t end_ns;
  CallId call;       // the traced call it belongs to; none: eager
  SourceRef source;  // eager: the user's line; traced: the node has it
  NodeId node;       // node of the trace's graph; none: eager
  uint32_t bytes;    // of the outputs, saturated
  OpId op;
  uint8_t device;
  uint8_t reserved;
  uint32_t launch;   // numbers the device work it caused on its thread (device_hooks.h); 0: none. record_op fills it
};
static_assert(sizeof(OpEvent) == 48);

// Single producer (the thread that owns it), single consumer (the drainer). Full: the event is dropped and counted.
class EventRing {
 public:
  static constexpr uint32_t kCapacity = 1u << 14;

  bool push(const OpEvent& event) {
    const uint32_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) == kCapacity) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    events_[head & (kCapacity - 1)] = event;
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // Hands at most `max` events to `sink(const OpEvent*, count)`, in runs; returns how many.
  template <class Sink>
  uint32_t drain(Sink&& sink) {
    uint32_t tail = tail_.load(std::memory_order_relaxed);
    const uint32_t head = head_.load(std::memory_order_acquire);
    const uint32_t count = head - tail;
    while (tail != head) {
      const uint32_t at = tail & (kCapacity - 1);
      const uint32_t run = std::min(head - tail, kCapacity - at);
      sink(events_ + at, run);
      tail += run;
    }
    tail_.store(tail, std::memory_order_release);
    return count;
  }

  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  uint32_t thread_number() const { return thread_number_; }

 private:
  friend EventRing* make_ring_of_this_thread();
  alignas(64) std::atomic<uint32_t> head_{0};
  alignas(64) std::atomic<uint32_t> tail_{0};
  std::atomic<uint64_t> dropped_{0};
  uint32_t thread_number_ = 0;
  OpEvent events_[kCapacity];
};

EventRing* make_ring_of_this_thread();
inline thread_local EventRing* this_thread_ring = nullptr;

// Of the op that is running on this thread: set when it starts device work, taken by its event.
inline constinit thread_local uint32_t this_thread_launch = 0;

inline void record_op(OpEvent event) {
  event.launch = std::exchange(this_thread_launch, 0);
  EventRing* ring = this_thread_ring;
  if (!ring) ring = make_ring_of_this_thread();
  ring->push(event);
}

// Installed by the Python layer: where the user's program stands. Null: nobody knows.
using SourceProvider = SourceRef (*)();
extern SourceProvider source_provider;

inline SourceRef current_source() { return source_provider ? source_provider() : SourceRef{}; }

}  // namespace footlight
