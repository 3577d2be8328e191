// Passes device records, drops and notes to the session's writer.
#include "engine/record/cupti_session.h"

#include "engine/base/clock.h"
#include "engine/base/device_hooks.h"
#include "engine/record/cupti_recorder.h"

#include <exception>

namespace footlight::cupti {
namespace {

class SessionSink final : public DeviceSink {
 public:
  explicit SessionSink(session::Writer& writer) : writer_(writer) {}

  void records(std::vector<session::DeviceRecord> records) override {
    name_devices();
    for (session::DeviceRecord& record : records) writer_.add(std::move(record));
  }
  void dropped(const std::string& why, uint64_t count) override { writer_.add_dropped("device events", why, count); }
  void note(const std::string& words) override {
    writer_.add(session::ConsoleRecord{now_ns(), session::ConsoleStream::kNote, words});
  }

  // Uses numbers as in OpEvent::device; called once, after the program has asked for its GPUs.
  void name_devices() {
    const OpenDevices* const open = open_devices.load(std::memory_order_acquire);
    if (named_ || !open) return;
    named_ = true;
    for (size_t i = 0; i < open->names.size(); ++i)
      writer_.add(session::DeviceNameRecord{session::DeviceNumber(static_cast<uint32_t>(i + 1)), open->names[i].name,
                                            open->names[i].description});
  }

 private:
  session::Writer& writer_;
  bool named_ = false;
};

// A failed device has no work to wait for; the program learns of the failure from its own calls.
void synchronize_quietly() {
  try {
    if (const OpenDevices* open = open_devices.load(std::memory_order_acquire)) open->synchronize();
  } catch (const std::exception&) {
  }
}

struct Active {
  std::unique_ptr<SessionSink> sink;
  std::unique_ptr<Recorder> recorder;
  std::string refusal;
};

Active& active() {
  static auto* const it = new Active;  // never destroyed: threads and exit handlers may still use it
  return *it;
}

}  // namespace

bool start_into(session::Writer& writer) {
  Active& a = active();
  if (a.sink) return false;
  a.sink = std::make_unique<SessionSink>(writer);
  std::string words;
  RecorderOptions options;
  options.synchronize = synchronize_quietly;
  a.recorder = Recorder::start(*a.sink, words, std::move(options));
  if (!a.recorder) a.refusal = std::move(words);
  return a.recorder != nullptr;
}

void stop_into_session() {
  Active& a = active();
  if (!a.sink) return;
  if (a.recorder) a.recorder->stop();
  // Only relevant to a program that used a GPU.
  if (!a.recorder && open_devices.load())
    a.sink->note("What the GPU did was not recorded: " + a.refusal + ". The ops' own times were.");
  a.sink->name_devices();
  a.recorder.reset();
  a.sink.reset();
}

void forget_session() noexcept {
  Active& a = active();
  static_cast<void>(a.recorder.release());
  static_cast<void>(a.sink.release());
}

}  // namespace footlight::cupti
