// Records what tensors hold on a device: not every change, but each that a picture would show, and every new peak.
#pragma once

#include "engine/base/clock.h"
#include "engine/base/recording.h"

#include <algorithm>
#include <atomic>

namespace footlight {

class MemoryWatch {
 public:
  static constexpr uint64_t kStep = 4 << 10;      // smaller changes are not recorded
  static constexpr uint64_t kShare = 64;          // nor are changes by a smaller share of what is held
  static constexpr uint64_t kPeakStep = 64 << 10; // a peak is recorded with this precision

  explicit constexpr MemoryWatch(uint8_t device) : device_(device) {}

  // Allocators call it with what is held after a change.
  void changed(uint64_t bytes) {
    if (recording_ops()) [[unlikely]] look(bytes);
  }

 private:
  void look(uint64_t bytes) {
    const uint32_t recording = recording_number.load(std::memory_order_relaxed);
    const bool first = recording_.load(std::memory_order_relaxed) != recording;
    const uint64_t last = last_.load(std::memory_order_relaxed);
    const uint64_t most = first ? 0 : most_.load(std::memory_order_relaxed);
    const uint64_t change = bytes > last ? bytes - last : last - bytes;
    const uint64_t above = std::clamp(most / kShare, kStep, kPeakStep);
    if (!first && bytes < most + above && change < std::max(kStep, last / kShare)) return;
    if (first) recording_.store(recording, std::memory_order_relaxed);
    last_.store(bytes, std::memory_order_relaxed);
    most_.store(std::max(most, bytes), std::memory_order_relaxed);
    MemoryEvent event;
    event.time_ns = now_ns();
    event.bytes = bytes;
    event.device = device_;
    thread_rings().record(event);
  }

  const uint8_t device_;                          // as in OpEvent::device
  std::atomic<uint32_t> recording_{0};            // number of the recording that the others belong to
  std::atomic<uint64_t> last_{0}, most_{0};       // as recorded
};

}  // namespace footlight
