// Starts, flushes and stops the recording of device activity, in the order that CUPTI requires.
#include "engine/record/cupti_recorder.h"

#include "engine/base/background_thread.h"
#include "engine/base/clock.h"
#include "engine/base/device_hooks.h"
#include "engine/base/device_pause.h"
#include "engine/record/cuda_driver.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>

namespace footlight::cupti {
namespace {

// CUPTI's callbacks carry no user pointer, and it may still call them a moment after the last flush.
std::atomic<BufferPool*> active_pool{nullptr};
std::atomic<const Functions*> active_functions{nullptr};

void buffer_requested(uint8_t** buffer, size_t* size, size_t* max_records) {
  BufferPool* pool = active_pool.load(std::memory_order_acquire);
  *buffer = pool ? pool->request() : nullptr;
  *size = *buffer ? pool->buffer_bytes() : 0;
  *max_records = 0;
}

void buffer_completed(void*, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  if (BufferPool* pool = active_pool.load(std::memory_order_acquire); pool && buffer) pool->complete(buffer, valid);
}

void begin_work(uint64_t op_event, CallId call) {
  const Functions* f = active_functions.load(std::memory_order_acquire);
  if (!f) return;
  if (call.valid()) f->push_external(kCustom1, call.value);
  f->push_external(kCustom0, op_event);
}

void end_work(bool had_call) {
  const Functions* f = active_functions.load(std::memory_order_acquire);
  if (!f) return;
  uint64_t last = 0;
  f->pop_external(kCustom0, &last);
  if (had_call) f->pop_external(kCustom1, &last);
}

constexpr DeviceHooks kHooks{begin_work, end_work};

std::mutex active_mutex;  // held while the recorder is paused or delivers, so that it cannot be stopped then
Recorder* active_recorder = nullptr;

// The subscription is for activities only; a callback is required all the same.
void no_callback(void*, uint32_t, uint32_t, const void*) {}

// Cheap calls that runtime libraries make all the time: their records would drown out the others.
constexpr uint32_t kNoisyRuntime[] = {
    1, 2, 3, 4, 10, 11, 12, 16, 17, 138, 200, 317, 318, 324, 325, 406, 407, 409, 410, 440, 461, 462, 468, 469};
constexpr uint32_t kNoisyDriver[] = {2,   3,   4,   5,   7,   9,   14,  15,  16,  120, 135,
                                     259, 303, 304, 323, 324, 372, 373, 392, 482, 499, 500,
                                     536, 537, 626, 629, 630, 647, 677, 729, 730};

int64_t monotonic_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::string milliseconds(int64_t ns) { return std::to_string(ns / 1'000'000) + " ms"; }

}  // namespace

Recorder::Recorder(std::shared_ptr<Library> library, DeviceSink& sink, RecorderOptions options)
    : library_(std::move(library)),
      sink_(sink),
      options_(std::move(options)),
      pool_(options_.buffer_bytes, options_.most_buffers),
      process_(getpid()) {}

std::unique_ptr<Recorder> Recorder::start(DeviceSink& sink, std::string& words, RecorderOptions options) {
  if (active_pool.load()) {
    words = "the device is being recorded already";
    return nullptr;
  }
  words = why_no_driver(options.driver);
  if (!words.empty()) return nullptr;
  std::shared_ptr<Library> library = Library::open(options.candidates, words);
  if (!library) return nullptr;
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(library), sink, std::move(options)));
  if (!recorder->subscribe(words)) return nullptr;
  if (!recorder->enable(words)) {
    recorder->disable();
    return nullptr;
  }
  recorder->loop_->thread = quiet_thread([r = recorder.get()] { r->flush_loop(); });
  recorder->stopped_ = false;
  words = "recorded with CUPTI " + version_text(recorder->version());
  return recorder;
}

Recorder::~Recorder() {
  if (getpid() == process_) {
    stop();
  } else {
    // In a forked child, the thread and CUPTI's state are the parent's: there is nothing to join or call.
    static_cast<void>(loop_.release());
  }
}

// Subscribing is the test: without a driver it fails at once and changes nothing.
bool Recorder::subscribe(std::string& words) {
  const Functions& f = library_->f();
  char other[kOtherNameSize] = {};
  Result result;
  if (f.subscribe_v2) {
    SubscriberParameters parameters{sizeof(SubscriberParameters), "Footlight", other, sizeof(other)};
    result = f.subscribe_v2(&subscriber_, reinterpret_cast<void*>(no_callback), nullptr, &parameters);
  } else {
    result = f.subscribe(&subscriber_, reinterpret_cast<void*>(no_callback), nullptr);
  }
  if (result == kSuccess) return true;
  other[sizeof(other) - 1] = 0;
  words = refusal_in_words(result, other);
  subscriber_ = nullptr;
  return false;
}

bool Recorder::enable(std::string& words) {
  const Functions& f = library_->f();
  f.set_thread_id_type(kThreadIdSystem);
  uint8_t on = 1;
  size_t size = sizeof(on);
  f.set_attribute(kZeroedOutBuffers, &size, &on);

  reader_ = std::make_unique<RecordReader>(library_, measure_clock_shift());
  real_minus_monotonic_ = now_ns() - monotonic_ns();
  active_pool.store(&pool_, std::memory_order_release);
  if (const Result result = f.register_callbacks(buffer_requested, buffer_completed); result != kSuccess) {
    words = refusal_in_words(result);
    return false;
  }
  // Causes come first: a launch must never be recorded without them.
  constexpr Kind kKinds[] = {Kind::kExternalCorrelation, Kind::kContext,  Kind::kConcurrentKernel,
                             Kind::kMemcpy,              Kind::kMemcpy2,  Kind::kMemset,
                             Kind::kSynchronization,     Kind::kOverhead, Kind::kRuntime,
                             Kind::kDriver};
  for (const Kind kind : kKinds) {
    // CUPTI reports existing contexts again, because the device was in use before.
    const bool dump = kind == Kind::kContext && f.enable_and_dump;
    const Result result = dump ? f.enable_and_dump(kind) : f.enable(kind);
    if (result == kSuccess) {
      enabled_.push_back(kind);
    } else if (kind == Kind::kConcurrentKernel || kind == Kind::kExternalCorrelation) {
      words = refusal_in_words(result);
      return false;
    }
  }
  if (f.enable_runtime_api)
    for (const uint32_t function : kNoisyRuntime) f.enable_runtime_api(function, 0);
  if (f.enable_driver_api)
    for (const uint32_t function : kNoisyDriver) f.enable_driver_api(function, 0);
  active_functions.store(&f, std::memory_order_release);
  static const int forget_in_children =
      pthread_atfork(nullptr, nullptr, [] { recorder_hooks.device_work.store(nullptr); });
  static_cast<void>(forget_in_children);
  recorder_hooks.device_work.store(&kHooks, std::memory_order_release);
  {
    std::lock_guard lock(active_mutex);
    active_recorder = this;
  }
  recorder_hooks.pause_devices.store([](bool paused) {
    std::lock_guard lock(active_mutex);
    if (active_recorder) active_recorder->pause(paused);
  });
  recorder_hooks.deliver_devices.store([] {
    std::lock_guard lock(active_mutex);
    if (active_recorder) active_recorder->deliver_now();
  });
  return true;
}

// Records in CUPTI's buffers stay. Contexts are still reported: later records name them.
void Recorder::pause(bool paused) {
  if (getpid() != process_) return;  // in a forked child, CUPTI is the parent's
  const Functions& f = library_->f();
  if (paused) recorder_hooks.device_work.store(nullptr, std::memory_order_release);
  for (const Kind kind : enabled_)
    if (kind != Kind::kContext) static_cast<void>(paused ? f.disable(kind) : f.enable(kind));
  if (!paused) recorder_hooks.device_work.store(&kHooks, std::memory_order_release);
}

void Recorder::end_pauses() {
  recorder_hooks.pause_devices.store(nullptr);
  recorder_hooks.deliver_devices.store(nullptr);
  std::lock_guard lock(active_mutex);
  if (active_recorder == this) active_recorder = nullptr;
}

void Recorder::disable() {
  end_pauses();
  recorder_hooks.device_work.store(nullptr, std::memory_order_release);
  const Functions& f = library_->f();
  for (const Kind kind : enabled_) f.disable(kind);
  enabled_.clear();
  if (subscriber_) f.unsubscribe(subscriber_);
  subscriber_ = nullptr;
  active_pool.store(nullptr, std::memory_order_release);
}

// CUPTI's clock minus ours; 0 if within the time that the query took, as both read CLOCK_REALTIME.
int64_t Recorder::measure_clock_shift() {
  int64_t best = INT64_MAX, shift = 0;
  for (int i = 0; i < 5; ++i) {
    uint64_t theirs = 0;
    const int64_t before = now_ns();
    if (library_->f().get_timestamp(&theirs) != kSuccess) return 0;
    const int64_t after = now_ns();
    if (after - before >= best) continue;
    best = after - before;
    const auto t = static_cast<int64_t>(theirs);
    shift = t < before ? t - before : t > after ? t - after : 0;
  }
  if (shift != 0 && std::llabs(shift) > 1'000'000)
    sink_.note("CUPTI's clock is " + milliseconds(shift) + " off the host's: device times were moved by that much");
  return shift;
}

void Recorder::flush_loop() {
  std::unique_lock lock(loop_->mutex);
  for (;;) {
    loop_->wake.wait_for(lock, std::chrono::milliseconds(options_.flush_ms),
                         [this] { return loop_->stopping || loop_->rounds < loop_->wanted_rounds; });
    if (loop_->stopping) return;
    lock.unlock();
    library_->f().flush_all(0);
    deliver(false);
    lock.lock();
    ++loop_->rounds;
    if (loop_->rounds == loop_->wanted_rounds) loop_->wake.notify_all();
  }
}

void Recorder::deliver_now() {
  if (getpid() != process_) return;  // in a forked child, the thread is the parent's
  std::unique_lock lock(loop_->mutex);
  // One round may have begun before; then as many follow as a record is held back for.
  const uint64_t wanted = loop_->rounds + 2 + RecordReader::kMaxFlushesToWait;
  loop_->wanted_rounds = std::max(loop_->wanted_rounds, wanted);
  loop_->wake.notify_all();
  loop_->wake.wait(lock, [&] { return loop_->stopping || loop_->rounds >= wanted; });
}

// Called on the flush thread, or in stop() after that thread has ended.
void Recorder::deliver(bool last) {
  for (BufferPool::Full full = pool_.take(); full.data; full = pool_.take()) {
    reader_->read(full.data, full.valid);
    pool_.recycle(full.data);
  }
  reader_->flushed();
  std::vector<session::DeviceRecord> records = reader_->take(last);
  if (!records.empty()) sink_.records(std::move(records));

  size_t dropped = 0;
  if (library_->f().dropped_records(nullptr, 0, &dropped) == kSuccess && dropped > 0)
    sink_.dropped("CUPTI's buffers were full", dropped);
  if (const uint64_t now = reader_->unreadable(); now > said_unreadable_) {
    sink_.dropped("CUPTI's record could not be read", now - said_unreadable_);
    said_unreadable_ = now;
  }
  if (const uint64_t now = reader_->untimed(); now > said_untimed_) {
    sink_.dropped("CUPTI gave no times", now - said_untimed_);
    said_untimed_ = now;
  }
  watch_clock();
}

// Host and device times follow the wall clock: if it is set, times jump.
void Recorder::watch_clock() {
  const int64_t now = now_ns() - monotonic_ns();
  const int64_t step = now - real_minus_monotonic_;
  if (std::llabs(step) < 10'000'000) return;
  sink_.note("the system's clock was moved by " + milliseconds(step) + " during the recording: times jump there");
  real_minus_monotonic_ = now;
}

void Recorder::stop() {
  if (stopped_) return;
  stopped_ = true;
  end_pauses();
  // Stops adding causes; calls in progress still close their brackets, since the functions stay.
  recorder_hooks.device_work.store(nullptr, std::memory_order_release);
  if (options_.synchronize) options_.synchronize();
  {
    std::lock_guard lock(loop_->mutex);
    loop_->stopping = true;
  }
  loop_->wake.notify_all();
  loop_->thread.join();
  library_->f().flush_all(kFlushForced);
  deliver(false);
  disable();
  deliver(true);
}

}  // namespace footlight::cupti
