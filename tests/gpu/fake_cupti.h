// Settings that the tests give the fake libcupti (fake_cupti.cpp, a shared library), and what it noted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

struct FakeCupti {
  // settings
  uint32_t version = 130001;
  int32_t subscribe_result = 0;
  char other_subscriber[64] = {};
  int64_t clock_offset = 0;        // its clock minus CLOCK_REALTIME
  size_t extra_bytes = 0;          // appended to every record, as a newer version would
  bool cut_last_record = false;    // report a valid size that ends inside the last record
  bool untimed = false;            // kernels have no times
  bool kernel_first = false;       // deliver device buffers before those of the launching threads
  uint32_t refuse_kind = 0;        // cuptiActivityEnable returns "invalid kind" for this one
  void (*on_flush)() = nullptr;    // called inside cuptiActivityFlushAll
  // noted
  char order[4096] = {};           // "subscribe thread_id attribute ... "
  int muted = 0;
  std::atomic<int> pushed{0}, popped{0};
  size_t overheads_allocated = 0;
};

extern "C" {
FakeCupti* fake_cupti();
// Records what CUDA calls of this thread would: a launch (external correlations, API records, a kernel), ...
uint32_t fake_launch(const char* kernel, uint64_t start, uint64_t end);
uint32_t fake_copy(uint8_t kind, uint64_t bytes, uint64_t start, uint64_t end);
void fake_overhead(uint64_t start, uint64_t end);
void fake_reset();
}
