// The recording switch and the registry of rings: who has one, and what happens to it when its thread ends.
#include "engine/base/recording.h"

#include "engine/base/activity.h"
#include "engine/base/signatures.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <vector>

namespace footlight {

std::atomic<int64_t> ring_bytes_left{int64_t{256} << 20};
std::atomic<uint32_t> recording_number{0};
std::atomic<RecordingLevel> recording_level{RecordingLevel::kOff};
std::atomic<bool> repeating_call{false};

// Never destroyed: threads may end after the statics of this library are gone.
struct RingRegistry {
  std::mutex mutex;
  std::vector<std::unique_ptr<ThreadRings>> rings;
  uint16_t next_number = 0;

  static RingRegistry& get() {
    static RingRegistry* registry = new RingRegistry;
    return *registry;
  }

  ThreadRings* add() {
    std::unique_ptr<ThreadRings> rings_of_thread(new ThreadRings);  // not make_unique: it would zero the events
    ThreadRings* made = rings_of_thread.get();
    made->system_id_ = static_cast<uint32_t>(syscall(SYS_gettid));
    pthread_getname_np(pthread_self(), made->name_, sizeof made->name_);
    std::lock_guard lock(mutex);
    made->number_ = next_number++;
    rings.push_back(std::move(rings_of_thread));
    return made;
  }

  static void thread_ended(ThreadRings* rings) { rings->thread_ended_.store(true, std::memory_order_release); }

  void visit(RingVisitor visitor, void* context) {
    std::lock_guard lock(mutex);
    for (size_t i = 0; i < rings.size();) {
      const bool last = rings[i]->thread_ended_.load(std::memory_order_acquire);  // before the drain: all is in it
      const bool empty = visitor(context, *rings[i], last);
      if (last && empty) {
        rings.erase(rings.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }

  void after_fork_in_child() {
    std::erase_if(rings, [](auto& r) { return r.get() != this_thread.rings; });
    for (auto& r : rings) {
      r->ops_.reset();
      r->calls_.reset();
      r->memory_.reset();
      r->system_id_ = static_cast<uint32_t>(syscall(SYS_gettid));
    }
  }
};

namespace {
// Its destructor runs when a thread that recorded ends.
struct RingOwner {
  ThreadRings* rings = nullptr;
  ~RingOwner() {
    if (rings) RingRegistry::thread_ended(rings);
    this_thread.rings = nullptr;
  }
};
}  // namespace

ThreadRings* make_rings_of_this_thread() {
  static thread_local RingOwner owner;
  ThreadRings* rings = RingRegistry::get().add();
  if (owner.rings) RingRegistry::thread_ended(owner.rings);  // an event after the owner's end: rare, one ring each
  owner.rings = rings;
  this_thread.rings = rings;
  return rings;
}

void ThreadRings::wake() {
  if (auto* filling = recorder_hooks.ring_filling.load(std::memory_order_acquire)) filling();
}

void visit_rings(RingVisitor visit, void* context) { RingRegistry::get().visit(visit, context); }

void rings_before_fork() {
  RingRegistry::get().mutex.lock();
  signatures_before_fork();
}

void rings_after_fork(bool child) {
  signatures_after_fork();
  if (child) RingRegistry::get().after_fork_in_child();
  RingRegistry::get().mutex.unlock();
}

}  // namespace footlight
