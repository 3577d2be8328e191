// The caching allocator of the host: small blocks from thread-local lists, large ones from one shared list.
#include "engine/tensor/buffer.h"

#include "engine/base/memory_watch.h"
#include "engine/base/text.h"
#include "engine/tensor/free_list.h"
#include "engine/tensor/size_class.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

namespace footlight {

namespace {

constexpr size_t kAlignment = 64;
constexpr uint32_t kSmallKept = 64;             // per class and thread
constexpr size_t kLargeKept = size_t{512} << 20;

void* from_system(size_t bytes) {
  void* memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (!memory) {
    fail(ErrorKind::kResourceExhausted, "out of memory: ", bytes, " bytes wanted on /CPU:0, ",
         memory_use(Device::cpu()).current, " bytes are in use by tensors");
  }
  return memory;
}

// Fresh memory costs a page fault per page, more than most ops do with it: large blocks ask for huge pages.
constexpr size_t kLargePage = size_t{2} << 20;
void* pages_from_system(size_t bytes) {
  if (bytes < 2 * kLargePage) return std::aligned_alloc(kAlignment, bytes);
  const size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* memory = std::aligned_alloc(kLargePage, whole);
#if defined(MADV_HUGEPAGE)
  if (memory) madvise(memory, whole, MADV_HUGEPAGE);  // failure does not matter
#endif
  return memory;
}

// Below zero for a moment: one thread has published what it released, and none yet what another one allocated.
std::atomic<int64_t> current_bytes{0};
std::atomic<size_t> peak_bytes{0};
constinit MemoryWatch watch{0};

size_t change_use(int64_t bytes) {
  const int64_t now = current_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  return static_cast<size_t>(std::max<int64_t>(now, 0));
}
size_t add_use(size_t bytes) {
  const size_t now = change_use(static_cast<int64_t>(bytes));
  size_t peak = peak_bytes.load(std::memory_order_relaxed);
  while (now > peak && !peak_bytes.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  return now;
}
size_t take_use(size_t bytes) { return change_use(-static_cast<int64_t>(bytes)); }

// Use by small blocks is summed per thread and published in steps, so that the counters need no locked instruction.
constexpr int64_t kUseStep = 4 << 10;

struct ThreadCache {
  FreeList lists[kSmallClasses];
  int64_t untold;
  bool watched;  // the cleaner of this thread is installed
  bool closed;

  void tell() {
    if (!untold) return;
    const size_t now =
        untold > 0 ? add_use(static_cast<size_t>(untold)) : take_use(static_cast<size_t>(-untold));
    untold = 0;
    note(now);
  }
  void note(size_t now) const {
    if (!closed) watch.changed(now);  // otherwise the thread's rings no longer exist
  }
  void use(int64_t bytes) {
    untold += bytes;
    if (untold > kUseStep || untold < -kUseStep) tell();
  }
};
// A cache: blocks that this thread has freed.
thread_local constinit ThreadCache thread_cache{};

struct ThreadCleaner {
  ~ThreadCleaner() {
    ThreadCache& cache = thread_cache;
    cache.closed = true;
    cache.tell();
    for (FreeList& list : cache.lists)
      while (void* block = list.pop()) std::free(block);
  }
};

void watch_thread() {
  static thread_local ThreadCleaner cleaner;
  (void)cleaner;
  thread_cache.watched = true;
}

class HostAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    if (bytes <= kSmallLimit) {
      ThreadCache& cache = thread_cache;
      const size_t c = class_of(bytes ? bytes : 1);
      cache.use(static_cast<int64_t>(class_size(c)));
      if (void* block = cache.lists[c].pop()) return block;
      if (!cache.watched && !cache.closed) watch_thread();
      return from_system(class_size(c));
    }
    const size_t c = class_of(bytes);
    const size_t size = class_size(c);
    void* block = nullptr;
    {
      std::lock_guard lock(mutex_);
      if (c < kLargeClasses && (block = large_[c].pop())) kept_ -= size;
    }
    if (!block) {
      block = pages_from_system(size);
      if (!block) {
        drop_cache();
        block = from_system(size);
      }
    }
    thread_cache.note(add_use(size));
    return block;
  }

  void release(void* memory, size_t bytes) override {
    const size_t c = class_of(bytes ? bytes : 1);
    const size_t size = class_size(c);
    if (bytes <= kSmallLimit) {
      ThreadCache& cache = thread_cache;
      cache.use(-static_cast<int64_t>(size));
      if (FL_CACHE_MEMORY && cache.lists[c].count < kSmallKept && !cache.closed) {
        if (!cache.watched) watch_thread();
        cache.lists[c].push(memory);
      } else {
        std::free(memory);
        if (cache.closed) cache.tell();
      }
      return;
    }
    thread_cache.note(take_use(size));
    if (FL_CACHE_MEMORY && c < kLargeClasses) {
      std::lock_guard lock(mutex_);
      if (kept_ + size <= kLargeKept) {
        kept_ += size;
        large_[c].push(memory);
        return;
      }
    }
    std::free(memory);
  }

 private:
  static constexpr size_t kLargeClasses = 160;

  void drop_cache() {
    std::lock_guard lock(mutex_);
    for (FreeList& list : large_)
      while (void* block = list.pop()) std::free(block);
    kept_ = 0;
  }

  std::mutex mutex_;
  size_t kept_ = 0;
  FreeList large_[kLargeClasses] = {};
};

constexpr size_t kDevices = 2 * 256;
Allocator* registered[kDevices];

size_t slot(Device d) { return static_cast<size_t>(d.type) * 256 + d.index; }

}  // namespace

void count_small_use(int64_t bytes) { thread_cache.use(bytes); }

Allocator& host_allocator() {
  static HostAllocator* const allocator = new HostAllocator;  // outlives every static tensor
  return *allocator;
}

Allocator& allocator_of(Device device) {
  if (Allocator* a = registered[slot(device)]) return *a;
  if (device.type == DeviceType::kCpu) return host_allocator();
  fail(ErrorKind::kInvalidArgument, "no memory can be had on ", full_name(device), ": there is no such device here");
}

void register_allocator(Device device, Allocator* allocator) { registered[slot(device)] = allocator; }

MemoryUse memory_use(Device device) {
  if (registered[slot(device)]) return registered[slot(device)]->use();
  if (device.type != DeviceType::kCpu) return {};
  thread_cache.tell();
  return {change_use(0), peak_bytes.load(std::memory_order_relaxed)};
}

namespace {

// Device memory, returned to its allocator.
class DeviceBuffer final : public Buffer {
 public:
  DeviceBuffer(Allocator& allocator, size_t bytes) : allocator_(allocator) {
    data_ = allocator.allocate(bytes);
    bytes_ = bytes;
  }
  ~DeviceBuffer() override { allocator_.release(data_, bytes_); }

 private:
  Allocator& allocator_;
};

// Allocates the control blocks of buffers from the same small lists.
template <class T>
struct ListAllocator {
  using value_type = T;
  ListAllocator() = default;
  template <class U>
  ListAllocator(const ListAllocator<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(host_allocator().allocate(n * sizeof(T))); }
  void deallocate(T* p, size_t n) { host_allocator().release(p, n * sizeof(T)); }
  friend bool operator==(const ListAllocator&, const ListAllocator&) { return true; }
};

}  // namespace

BufferPtr allocate_buffer(Device device, size_t bytes) {
  return std::allocate_shared<DeviceBuffer>(ListAllocator<DeviceBuffer>(), allocator_of(device), bytes);
}

}  // namespace footlight
