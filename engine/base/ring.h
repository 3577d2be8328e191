// A single-producer, single-consumer queue of events in blocks. It grows while the consumer is late, up to a budget
// that all rings share; only past that budget events are dropped, and counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace footlight {

// Memory left for blocks of all rings: at first 256 MB, which hold five million op events.
extern std::atomic<int64_t> ring_bytes_left;

// `Event` has a `uint32_t sequence`, which push() fills: the event's number in its thread, counting dropped ones.
template <class Event, uint32_t Block>
class Ring {
 public:
  static constexpr uint32_t kBlock = Block;
  static_assert((Block & (Block - 1)) == 0);

  explicit Ring(std::atomic<int64_t>& bytes_left = ring_bytes_left) : bytes_left_(bytes_left) {}
  ~Ring() {
    Piece* piece = first_ ? first_ : head_.load(std::memory_order_relaxed);
    while (piece) release(std::exchange(piece, piece->next.load(std::memory_order_relaxed)));
    if (Piece* spare = spare_.load(std::memory_order_relaxed)) release(spare);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // True twice per block: time to wake the drainer.
  bool push(const Event& event) {
    const uint32_t sequence = next_sequence_++;
    if (filled_ == kBlock && !extend()) [[unlikely]] {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return (sequence & (kBlock / 2 - 1)) == 0;
    }
    Event& slot = last_->events()[filled_++];
    slot = event;
    slot.sequence = sequence;
    last_->written.store(filled_, std::memory_order_release);
    return (filled_ & (kBlock / 2 - 1)) == 0;
  }

  // Passes up to `most` pending events to `sink(const Event*, count)` in contiguous runs; returns their number.
  template <class Sink>
  uint32_t drain(Sink&& sink, uint32_t most = UINT32_MAX) {
    if (!first_ && !(first_ = head_.load(std::memory_order_acquire))) return 0;
    uint32_t count = 0;
    while (count < most) {
      const uint32_t written = first_->written.load(std::memory_order_acquire);
      const uint32_t run = written - taken_ < most - count ? written - taken_ : most - count;
      if (run) sink(static_cast<const Event*>(first_->events() + taken_), run);
      taken_ += run;
      count += run;
      if (taken_ < kBlock) break;
      Piece* const next = first_->next.load(std::memory_order_acquire);
      if (!next) break;
      if (Piece* const other = spare_.exchange(std::exchange(first_, next), std::memory_order_acq_rel)) release(other);
      taken_ = 0;
    }
    return count;
  }

  // Discards the contents. Called in a forked child, where neither side is active.
  void reset() { drain([](const Event*, uint32_t) {}); }

  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  uint32_t next_sequence() const { return next_sequence_; }  // called by the owning thread

 private:
  struct Piece {
    std::atomic<uint32_t> written{0};
    std::atomic<Piece*> next{nullptr};
    // Raw storage, so that allocating a block touches none of its pages.
    alignas(64) unsigned char storage[sizeof(Event) * Block];
    Event* events() { return reinterpret_cast<Event*>(storage); }
  };

  // Appends a block: the one that the drainer emptied, or a new one.
  bool extend() {
    Piece* piece = nullptr;
    if (spare_.load(std::memory_order_relaxed)) piece = spare_.exchange(nullptr, std::memory_order_acq_rel);
    if (piece) {
      piece->written.store(0, std::memory_order_relaxed);
      piece->next.store(nullptr, std::memory_order_relaxed);
    } else {
      constexpr auto kBytes = static_cast<int64_t>(sizeof(Piece));
      // Every thread gets its first block.
      if (last_ && bytes_left_.load(std::memory_order_relaxed) < kBytes) return false;
      void* const memory = bytes_left_.fetch_sub(kBytes, std::memory_order_relaxed) < kBytes && last_
                               ? nullptr
                               : std::aligned_alloc(alignof(Piece), sizeof(Piece));
      if (!memory) {
        bytes_left_.fetch_add(kBytes, std::memory_order_relaxed);
        return false;
      }
      piece = ::new (memory) Piece;
    }
    (last_ ? last_->next : head_).store(piece, std::memory_order_release);
    last_ = piece;
    filled_ = 0;
    return true;
  }
  void release(Piece* piece) {
    std::free(piece);
    bytes_left_.fetch_add(static_cast<int64_t>(sizeof(Piece)), std::memory_order_relaxed);
  }

  std::atomic<int64_t>& bytes_left_;
  // Used by the producer.
  alignas(64) Piece* last_ = nullptr;
  uint32_t filled_ = Block;  // events in the last block; Block before the first one
  uint32_t next_sequence_ = 0;
  std::atomic<uint64_t> dropped_{0};
  // Used by the consumer: the block being emptied, and its position in it.
  alignas(64) Piece* first_ = nullptr;
  uint32_t taken_ = 0;
  // Passed between producer and consumer.
  alignas(64) std::atomic<Piece*> head_{nullptr}, spare_{nullptr};
};

}  // namespace footlight
