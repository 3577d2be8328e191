// A libcupti without a GPU: it follows the rules of the real one (callbacks for buffers, external correlations before
// API records, device records in buffers of their own) and lays out records as the version that it claims to be.
// Offsets are written as numbers, from the toolkit's headers, not taken from the code under test. It is as strict
// as the worst of the real ones: without a driver cuptiGetVersion ends the process (13.2 recurses there until the stack
// is full), and so does every call after its static objects are destroyed.
#include "tests/gpu/fake_cupti.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <vector>

namespace {

using Requested = void (*)(uint8_t**, size_t*, size_t*);
using Completed = void (*)(void*, uint32_t, uint8_t*, size_t, size_t);

struct Buffer {
  uint8_t* data = nullptr;
  size_t size = 0, used = 0;
};

struct State {
  FakeCupti control;
  std::mutex mutex;
  Requested requested = nullptr;
  Completed completed = nullptr;
  Buffer api, device;
  std::set<uint32_t> kinds, muted_driver, muted_runtime;
  size_t dropped = 0;
  uint32_t correlation = 0;
  bool subscribed = false;
};

State& state() {
  static auto* s = new State;
  return *s;
}

thread_local std::vector<uint64_t> externals[8];

bool torn_down = false;
// As in the real libcupti: its destructor is registered when the library is opened, and so runs before exit handlers
// that were registered earlier.
struct StaticObjects {
  StaticObjects() {}
  ~StaticObjects() { torn_down = true; }
} static_objects;

void alive(const char* called) {
  if (!torn_down) return;
  std::fprintf(stderr, "%s was called after libcupti was torn down\n", called);
  _exit(97);
}

void note(const char* what) {
  alive(what);
  FakeCupti& c = state().control;
  std::lock_guard lock(state().mutex);
  if (std::strlen(c.order) + std::strlen(what) + 2 < sizeof(c.order)) {
    std::strcat(c.order, what);
    std::strcat(c.order, " ");
  }
}

class Record {
 public:
  Record(uint32_t kind, size_t bytes) : bytes_(bytes + state().control.extra_bytes, 0) {
    // The bytes after the known fields must not be interpreted.
    std::memset(bytes_.data() + bytes, 0xEE, state().control.extra_bytes);
    put<uint32_t>(0, kind);
  }
  template <class T>
  Record& put(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  void append(Buffer& buffer) const {
    State& s = state();
    if (buffer.data && buffer.used + bytes_.size() > buffer.size) finish(buffer);
    if (!buffer.data) {
      size_t most = 0;
      s.requested(&buffer.data, &buffer.size, &most);
      buffer.used = 0;
    }
    if (!buffer.data) {
      ++s.dropped;
      return;
    }
    std::memcpy(buffer.data + buffer.used, bytes_.data(), bytes_.size());
    buffer.used += bytes_.size();
  }
  static void finish(Buffer& buffer) {
    if (!buffer.data) return;
    const size_t cut = state().control.cut_last_record && buffer.used > 20 ? 20 : 0;
    state().completed(nullptr, 0, buffer.data, buffer.size, buffer.used - cut);
    buffer = {};
  }

 private:
  std::vector<uint8_t> bytes_;
};

size_t bytes_of(uint32_t kind) {
  const uint32_t v = state().control.version;
  size_t bytes = 0;
  switch (kind) {
    case 1: bytes = v >= 26 ? 96 : 88; break;
    case 2: bytes = 88; break;
    case 4: case 5: bytes = 40; break;
    case 10: bytes = v >= 130000 ? 216 : 208; break;
    case 17: bytes = v >= 130000 ? 56 : v >= 20 ? 48 : 40; break;
    case 38: bytes = v >= 26 ? 56 : 40; break;
    case 39: bytes = 24; break;
    default: return 0;
  }
  return bytes + state().control.extra_bytes;
}

void api_records(uint32_t correlation, uint32_t runtime_function, uint32_t driver_function, uint64_t at) {
  State& s = state();
  if (s.kinds.count(39))
    for (uint32_t kind = 1; kind < 8; ++kind)
      if (!externals[kind].empty())
        Record(39, 24)
            .put<uint32_t>(4, kind)
            .put<uint64_t>(8, externals[kind].back())
            .put<uint32_t>(16, correlation)
            .append(s.api);
  if (s.kinds.count(4) && !s.muted_driver.count(driver_function))
    Record(4, 40).put<uint32_t>(4, driver_function).put<uint64_t>(8, at - 800).put<uint64_t>(16, at - 300)
        .put<uint32_t>(28, 77).put<uint32_t>(32, correlation).append(s.api);
  if (s.kinds.count(5) && !s.muted_runtime.count(runtime_function))
    Record(5, 40).put<uint32_t>(4, runtime_function).put<uint64_t>(8, at - 1000).put<uint64_t>(16, at - 200)
        .put<uint32_t>(28, 77).put<uint32_t>(32, correlation).append(s.api);
}

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE FakeCupti* fake_cupti() { return &state().control; }

FAKE void fake_reset() {
  State& s = state();
  new (&s.control) FakeCupti;
  s.kinds.clear();
  s.muted_driver.clear();
  s.muted_runtime.clear();
  s.dropped = 0;
  s.api = s.device = {};
  s.subscribed = false;
}

FAKE uint32_t fake_launch(const char* kernel, uint64_t start, uint64_t end) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  const uint32_t correlation = ++s.correlation;
  api_records(correlation, 211, 307, start);
  if (s.kinds.count(10)) {
    const uint64_t on = s.control.untimed ? 0 : 1;
    Record(10, s.control.version >= 130000 ? 216 : 208).put<uint64_t>(16, on * start).put<uint64_t>(24, on * end)
        .put<uint32_t>(40, 0).put<uint32_t>(44, 1).put<uint32_t>(48, 7).put<uint32_t>(92, correlation)
        .put<const char*>(104, kernel).append(s.device);
  }
  return correlation;
}

FAKE uint32_t fake_copy(uint8_t kind, uint64_t bytes, uint64_t start, uint64_t end) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  const uint32_t correlation = ++s.correlation;
  api_records(correlation, 41, 279, start);
  if (s.kinds.count(1))
    Record(1, s.control.version >= 26 ? 96 : 88)
        .put<uint8_t>(4, kind)
        .put<uint64_t>(8, bytes)
        .put<uint64_t>(16, start)
        .put<uint64_t>(24, end)
        .put<uint32_t>(36, 1)
        .put<uint32_t>(40, 7)
        .put<uint32_t>(44, correlation)
        .append(s.device);
  return correlation;
}

FAKE void fake_overhead(uint64_t start, uint64_t end) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  if (!s.kinds.count(17)) return;
  const uint32_t v = s.control.version;
  Record record(17, v >= 130000 ? 56 : v >= 20 ? 48 : 40);
  record.put<uint32_t>(4, 6u << 16).put<uint64_t>(24, start).put<uint64_t>(32, end);
  if (v >= 130000) {
    record.put<void*>(48, std::malloc(12));  // a leak checker notices if nobody frees it
    ++s.control.overheads_allocated;
  }
  record.append(s.api);
}

FAKE int32_t cuptiGetVersion(uint32_t* version) {
  if (!std::getenv("FAKE_CUDA_STARTED")) {
    std::fprintf(stderr, "cuptiGetVersion was called without a driver\n");
    std::abort();
  }
  *version = state().control.version;
  return 0;
}

struct SubscriberParams {
  size_t structSize;
  const char* subscriberName;
  char* oldSubscriberName;
  size_t oldSubscriberSize;
};
FAKE int32_t cuptiSubscribe_v2(void** subscriber, void*, void*, SubscriberParams* params) {
  State& s = state();
  note("subscribe");
  if (params && params->structSize != 32) return 1;
  if (s.control.subscribe_result) {
    if (params && params->oldSubscriberName)
      std::strncpy(params->oldSubscriberName, s.control.other_subscriber, params->oldSubscriberSize);
    return s.control.subscribe_result;
  }
  s.subscribed = true;
  *subscriber = &s;
  return 0;
}
FAKE int32_t cuptiSubscribe(void** subscriber, void* callback, void* user) {
  return cuptiSubscribe_v2(subscriber, callback, user, nullptr);
}
FAKE int32_t cuptiUnsubscribe(void*) {
  note("unsubscribe");
  state().subscribed = false;
  return 0;
}
FAKE int32_t cuptiSetThreadIdType(uint32_t type) {
  note(type == 1 ? "thread_id" : "thread_id?");
  return 0;
}
FAKE int32_t cuptiActivitySetAttribute(uint32_t, size_t*, void*) {
  note("attribute");
  return 0;
}
FAKE int32_t cuptiActivityRegisterCallbacks(Requested requested, Completed completed) {
  note("callbacks");
  state().requested = requested;
  state().completed = completed;
  return 0;
}
FAKE int32_t cuptiActivityEnable(uint32_t kind) {
  note(("enable" + std::to_string(kind)).c_str());
  if (kind == state().control.refuse_kind) return 21;
  state().kinds.insert(kind);
  return 0;
}
FAKE int32_t cuptiActivityEnableAndDump(uint32_t kind) {
  note(("dump" + std::to_string(kind)).c_str());
  state().kinds.insert(kind);
  return 0;
}
FAKE int32_t cuptiActivityDisable(uint32_t kind) {
  note("disable");
  state().kinds.erase(kind);
  return 0;
}
FAKE int32_t cuptiActivityEnableDriverApi(uint32_t function, uint8_t on) {
  if (!on) state().muted_driver.insert(function), ++state().control.muted;
  return 0;
}
FAKE int32_t cuptiActivityEnableRuntimeApi(uint32_t function, uint8_t on) {
  if (!on) state().muted_runtime.insert(function), ++state().control.muted;
  return 0;
}
FAKE int32_t cuptiActivityFlushAll(uint32_t flag) {
  alive("cuptiActivityFlushAll");
  State& s = state();
  if (flag == 1) note("flush_forced");
  if (s.control.on_flush) s.control.on_flush();
  std::lock_guard lock(s.mutex);
  if (s.control.kernel_first) {
    // As the real one does if a thread's buffer is not complete yet: device records now, their causes a flush later.
    if (s.device.data) return Record::finish(s.device), 0;
  }
  Record::finish(s.api);
  Record::finish(s.device);
  return 0;
}
FAKE int32_t cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  alive("cuptiActivityGetNumDroppedRecords");
  std::lock_guard lock(state().mutex);
  *dropped = state().dropped;
  state().dropped = 0;
  return 0;
}
FAKE int32_t cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, uint8_t** record) {
  alive("cuptiActivityGetNextRecord");
  uint8_t* next = buffer;
  if (*record) {
    uint32_t kind;
    std::memcpy(&kind, *record, 4);
    next = *record + bytes_of(kind);
  }
  if (next >= buffer + valid) return 12;
  uint32_t kind;
  std::memcpy(&kind, next, 4);
  if (!bytes_of(kind)) return 21;
  *record = next;
  return 0;
}
FAKE int32_t cuptiGetTimestamp(uint64_t* time) {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  *time = static_cast<uint64_t>(t.tv_sec * 1'000'000'000 + t.tv_nsec + state().control.clock_offset);
  return 0;
}
FAKE int32_t cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id) {
  alive("cuptiActivityPushExternalCorrelationId");
  externals[kind].push_back(id);
  ++state().control.pushed;
  return 0;
}
FAKE int32_t cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t* last) {
  if (externals[kind].empty()) return 18;
  *last = externals[kind].back();
  externals[kind].pop_back();
  ++state().control.popped;
  return 0;
}
FAKE int32_t cuptiGetCallbackName(uint32_t domain, uint32_t function, const char** name) {
  static const std::map<std::pair<uint32_t, uint32_t>, const char*> kNames = {{{2, 211}, "cudaLaunchKernel_v7000"},
                                                                              {{2, 41}, "cudaMemcpyAsync_v3020"},
                                                                              {{1, 307}, "cuLaunchKernel"},
                                                                              {{1, 279}, "cuMemcpyHtoDAsync_v2"}};
  const auto at = kNames.find({domain, function});
  if (at == kNames.end()) return 1;
  *name = at->second;
  return 0;
}
