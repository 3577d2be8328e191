// Records what the GPU does while a session is recorded: kernels, copies, API calls, with the op events
// behind them.
#pragma once

#include "engine/record/cupti_buffers.h"
#include "engine/record/cupti_records.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace footlight::cupti {

// Receives the records; called from the recorder's own thread, and from stop().
class DeviceSink {
 public:
  virtual ~DeviceSink() = default;
  virtual void records(std::vector<session::DeviceRecord> records) = 0;
  virtual void dropped(const std::string& why, uint64_t count) = 0;
  virtual void note(const std::string& words) = 0;
};

struct RecorderOptions {
  std::string driver = "libcuda.so.1";
  std::vector<std::string> candidates = library_candidates();
  int flush_ms = 100;
  size_t buffer_bytes = size_t{4} << 20;
  size_t most_buffers = 16;
  void (*synchronize)() = nullptr;  // waits for all device work; called before the last flush
};

class Recorder {
 public:
  // Null if the device cannot be recorded: `words` says why. Only one per process at a time.
  static std::unique_ptr<Recorder> start(DeviceSink& sink, std::string& words, RecorderOptions options = {});
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // When it returns, everything recorded is in the sink. Further calls do nothing.
  void stop();

  uint32_t version() const { return library_->version(); }

 private:
  Recorder(std::shared_ptr<Library> library, DeviceSink& sink, RecorderOptions options);
  bool subscribe(std::string& words);
  bool enable(std::string& words);
  void disable();
  void pause(bool paused);
  void deliver_now();    // waits until the flush thread has delivered what is finished
  void end_pauses();     // nobody can pause it from now on
  int64_t measure_clock_shift();
  void flush_loop();
  void deliver(bool last);
  void watch_clock();

  std::shared_ptr<Library> library_;
  DeviceSink& sink_;
  const RecorderOptions options_;
  void* subscriber_ = nullptr;
  std::vector<Kind> enabled_;
  BufferPool pool_;
  std::unique_ptr<RecordReader> reader_;
  int64_t real_minus_monotonic_ = 0;
  uint64_t said_unreadable_ = 0, said_untimed_ = 0;

  // Separate, because a forked child can neither join the thread nor destroy what it waits on.
  struct Loop {
    std::thread thread;
    std::mutex mutex;  // guards the next three, and is never held while CUPTI is called
    std::condition_variable wake;
    bool stopping = false;
    uint64_t rounds = 0, wanted_rounds = 0;  // finished flushes; the number that somebody waits for
  };
  std::unique_ptr<Loop> loop_ = std::make_unique<Loop>();
  bool stopped_ = true;  // false while the flush thread runs
  const int process_;
};

}  // namespace footlight::cupti
