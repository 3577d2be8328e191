// What a thread does in each moment while a call is being compared: marks, each saying what begins, in a buffer that is
// made before. The places that mark do so behind branches that they have anyway.
#pragma once

#include "engine/base/clock.h"
#include "engine/base/recording.h"

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace footlight {

// kWaiting: for the device. kInput: an element of a pipeline is made or waited for, whatever that takes.
enum class Activity : uint8_t {
  kPython, kConversion, kDispatch, kAllocation, kKernel, kWaiting, kLaunch, kRecording, kMachineCode, kInput
};
constexpr const char* kActivities[] = {"python",  "conversion", "dispatch",  "allocation",   "kernel",
                                       "waiting", "launch",     "recording", "machine code", "input"};

class ActivityLog {
 public:
  struct Mark {
    int64_t start_ns = 0;
    Activity activity = Activity::kPython;
    uint32_t op = kNoOp;                   // into ops()
  };
  static constexpr uint32_t kNoOp = UINT32_MAX;

  explicit ActivityLog(size_t most_marks) : most_(most_marks) {
    marks_.reserve(most_);
    ops_.reserve(most_ / 2);
  }

  // From here on the thread does that; returns what it did before.
  Activity begin(Activity activity) {
    if (activity == now_ || closed_) return now_;
    if (marks_.size() < most_) [[likely]] marks_.push_back({now_ns(), activity, kNoOp});
    else ++lost_;
    if (activity == Activity::kKernel || activity == Activity::kLaunch)
      kernel_ = lost_ ? kNoOp : static_cast<uint32_t>(marks_.size() - 1);
    return std::exchange(now_, activity);
  }
  // The op whose kernel began last.
  void add(const OpEvent& event) {
    if (closed_ || kernel_ == kNoOp || ops_.size() == ops_.capacity()) return;
    marks_[kernel_].op = static_cast<uint32_t>(ops_.size());
    ops_.push_back(event);
    kernel_ = kNoOp;
  }
  // The kernel that began last did the work of several ops: its time is theirs by weight.
  void add(const OpEvent* events, const uint32_t* weights, size_t count) {
    const uint32_t kernel = kernel_;
    if (closed_ || kernel == kNoOp || kernel + 1 >= marks_.size()) return;
    add(events[0]);
    if (marks_[kernel].op == kNoOp) return;
    const int64_t start = marks_[kernel].start_ns, all = marks_[kernel + 1].start_ns - start;
    double before = 0, whole = 0;
    for (size_t i = 0; i < count; ++i) whole += weights[i];
    std::vector<Mark> more;
    for (size_t i = 1; i < count && ops_.size() < ops_.capacity(); ++i) {
      before += weights[i - 1];
      const auto part = static_cast<int64_t>(static_cast<double>(all) * before / whole);
      more.push_back({start + part, Activity::kKernel, static_cast<uint32_t>(ops_.size())});
      ops_.push_back(events[i]);
    }
    marks_.insert(marks_.begin() + kernel + 1, more.begin(), more.end());
  }
  // While it is closed, what the thread does is part of the activity that began last. Returns whether it was before.
  bool close(bool closed) { return std::exchange(closed_, closed); }
  void clear() {
    marks_.clear();
    ops_.clear();
    closed_ = false;
    lost_ = 0;
    kernel_ = kNoOp;
    now_ = Activity::kPython;
  }

  const std::vector<Mark>& marks() const { return marks_; }
  const std::vector<OpEvent>& ops() const { return ops_; }
  uint64_t lost() const { return lost_; }

 private:
  size_t most_;
  std::vector<Mark> marks_;
  std::vector<OpEvent> ops_;
  uint64_t lost_ = 0;
  uint32_t kernel_ = kNoOp;
  Activity now_ = Activity::kPython;
  bool closed_ = false;
};

// A call is being repeated for a comparison: what happens meanwhile is no part of the program.
extern std::atomic<bool> repeating_call;

// Null: nothing is being compared on this thread.
extern constinit thread_local ActivityLog* this_thread_activity FL_FAST_TLS;

// In its scope the thread does that, and afterwards what it did before. A null log: nothing.
class Doing {
 public:
  Doing(ActivityLog* log, Activity activity) : log_(log) {
    if (log_) [[unlikely]] before_ = log_->begin(activity);
  }
  ~Doing() {
    if (log_) [[unlikely]] log_->begin(before_);
  }
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  ActivityLog* const log_;
  Activity before_ = Activity::kPython;
};

// While it lives, the thread takes an element from a pipeline.
class TakingInput {
 public:
  explicit TakingInput(ActivityLog* log) : log_(log) {
    if (!log_) [[likely]] return;
    before_ = log_->begin(Activity::kInput);
    was_closed_ = log_->close(true);
  }
  ~TakingInput() {
    if (!log_) [[likely]] return;
    log_->close(was_closed_);
    log_->begin(before_);
  }
  TakingInput(const TakingInput&) = delete;
  TakingInput& operator=(const TakingInput&) = delete;

 private:
  ActivityLog* const log_;
  Activity before_ = Activity::kPython;
  bool was_closed_ = false;
};

}  // namespace footlight
