// A single-producer, single-consumer ring of events. When it is full the event is dropped and counted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace footlight {

// `Event` has a `uint32_t sequence`, which push() fills: the event's number in its thread, counting dropped ones.
template <class Event, uint32_t Capacity>
class Ring {
 public:
  static constexpr uint32_t kCapacity = Capacity;
  static_assert((Capacity & (Capacity - 1)) == 0);

  // True once per quarter of the ring filled: time to wake the drainer.
  bool push(const Event& event) {
    const uint32_t head = head_.load(std::memory_order_relaxed);
    const uint32_t sequence = next_sequence_++;
    if (head - tail_.load(std::memory_order_acquire) == kCapacity) [[unlikely]] {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return (sequence & (kCapacity / 4 - 1)) == 0;
    }
    Event& slot = events()[head & (kCapacity - 1)];
    slot = event;
    slot.sequence = sequence;
    head_.store(head + 1, std::memory_order_release);
    return ((head + 1) & (kCapacity / 4 - 1)) == 0;
  }

  // Passes the pending events to `sink(const Event*, count)`, in contiguous runs; returns how many.
  template <class Sink>
  uint32_t drain(Sink&& sink) {
    uint32_t tail = tail_.load(std::memory_order_relaxed);
    const uint32_t head = head_.load(std::memory_order_acquire);
    const uint32_t count = head - tail;
    while (tail != head) {
      const uint32_t at = tail & (kCapacity - 1);
      const uint32_t run = std::min(head - tail, kCapacity - at);
      sink(static_cast<const Event*>(events() + at), run);
      tail += run;
      tail_.store(tail, std::memory_order_release);
    }
    return count;
  }

  // Discards the contents. Only while neither side is active: in a forked child.
  void reset() { tail_.store(head_.load(std::memory_order_relaxed), std::memory_order_relaxed); }

  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  uint32_t next_sequence() const { return next_sequence_; }  // of the owning thread

 private:
  Event* events() { return reinterpret_cast<Event*>(storage_); }

  alignas(64) std::atomic<uint32_t> head_{0};
  uint32_t next_sequence_ = 0;  // owner only
  alignas(64) std::atomic<uint32_t> tail_{0};
  alignas(64) std::atomic<uint64_t> dropped_{0};
  // Raw, so that making a ring touches none of its pages.
  alignas(64) unsigned char storage_[sizeof(Event) * Capacity];
};

}  // namespace footlight
