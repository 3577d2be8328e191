// Turns CUPTI's raw buffers into device records: reads what the run-time version wrote, joins each piece of device work
// with the op event and the call that caused it, and counts unreadable records.
#pragma once

#include "engine/record/cupti_library.h"
#include "engine/session/records.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::cupti {

class RecordReader {
 public:
  // `clock_shift` is subtracted from every time: CUPTI's clock minus the host events'.
  RecordReader(std::shared_ptr<Library> library, int64_t clock_shift);

  // Reads the records of one buffer. Device work whose cause is not known yet is held back.
  void read(uint8_t* buffer, size_t valid);
  // Call after each flush: records held back for this many flushes are released without a cause.
  static constexpr unsigned kMaxFlushesToWait = 3;
  void flushed();
  // The records that are complete; with `all`, also those held back.
  std::vector<session::DeviceRecord> take(bool all = false);

  uint64_t unreadable() const { return unreadable_; }  // records cut short, or buffers that CUPTI could not walk
  uint64_t untimed() const { return untimed_; }        // device work without times, which is left out
  size_t waiting() const { return waiting_.size(); }

 private:
  struct Cause {
    uint64_t op_event = 0;
    CallId call;
    bool api_seen = false;  // whether its API record was read, so that nothing more will be learned
  };
  struct Waiting {
    session::DeviceRecord record;
    unsigned flushes = 0;
  };

  void read_one(const Activity*);
  void external(const ExternalCorrelation&);
  void api(const Api&, CallbackDomain, const char* kind);
  void device_work(session::DeviceRecord, uint64_t start, uint64_t end);
  template <class Work>  // any record of stream work: the fields common to all
  void stream_work(session::DeviceRecord, const Work&);
  Cause& cause_of(uint32_t correlation);
  bool apply_cause(session::DeviceRecord&);
  const std::string& readable_name(const char* mangled);
  const std::string& api_name(CallbackDomain, uint32_t function);

  std::shared_ptr<Library> library_;
  const int64_t shift_;
  std::vector<session::DeviceRecord> ready_;
  std::vector<Waiting> waiting_;
  std::unordered_map<uint32_t, Cause> causes_;
  std::deque<uint32_t> oldest_causes_;
  std::unordered_map<std::string, std::string> names_;
  std::unordered_map<uint64_t, std::string> api_names_;
  std::unordered_map<uint32_t, uint32_t> device_of_context_;
  uint64_t unreadable_ = 0, untimed_ = 0;
};

}  // namespace footlight::cupti
