// Logs what a thread does in each moment while a call is compared: each mark says what begins, in a preallocated
// buffer. Callers mark behind branches that they have anyway.
#pragma once

#include "engine/base/clock.h"
#include "engine/base/recording.h"

#include <atomic>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace footlight {

// kWaiting: waits for the device. kInput: waits for an element of a pipeline, or makes it, whatever that takes.
// kGuards: another engine looks for the trace that serves a call.
enum class Activity : uint8_t {
  kPython, kConversion, kDispatch, kAllocation, kKernel, kWaiting, kLaunch, kRecording, kMachineCode, kInput, kGuards
};
constexpr const char* kActivities[] = {"python", "conversion", "dispatch",     "allocation", "kernel", "waiting",
                                       "launch", "recording",  "machine code", "input",      "guards"};

class ActivityLog {
 public:
  struct Mark {
    int64_t start_ns = 0;
    Activity activity = Activity::kPython;
    uint32_t op = kNoOp;                   // an index into ops()
  };
  static constexpr uint32_t kNoOp = UINT32_MAX;

  explicit ActivityLog(size_t most_marks) : most_(most_marks) {
    marks_.reserve(most_);
    ops_.reserve(most_ / 2);
  }

  // The thread starts this activity now; returns the one before.
  Activity begin(Activity activity) {
    if (activity == now_ || closed_) return now_;
    if (marks_.size() < most_) [[likely]] marks_.push_back({now_ns(), activity, kNoOp});
    else ++lost_;
    if (activity == Activity::kKernel || activity == Activity::kLaunch)
      kernel_ = lost_ ? kNoOp : static_cast<uint32_t>(marks_.size() - 1);
    return std::exchange(now_, activity);
  }
  // Marks that this op's kernel has begun.
  void add(const OpEvent& event) {
    if (closed_ || kernel_ == kNoOp || ops_.size() == ops_.capacity()) return;
    marks_[kernel_].op = static_cast<uint32_t>(ops_.size());
    ops_.push_back(event);
    kernel_ = kNoOp;
  }
  // Ops whose work one kernel does; its time is divided by their weights.
  struct Parts {
    std::vector<OpEvent> events;
    std::vector<uint32_t> weights;
  };
  // A kernel of a program, and what it ran on.
  struct Kernel {
    const void* instruction = nullptr;     // the address of the instruction
    uint32_t graph = 0, node = 0;          // its first op; it tells apart instructions that had one address
    uint64_t inputs = 0;                   // a hash of its inputs
    friend bool operator==(const Kernel&, const Kernel&) = default;
  };
  // Marks that this kernel has begun. False: its parts are unknown, and the caller must call `describe`.
  bool add_parts(const Kernel& kernel) {
    const auto known = parts_.find(kernel);
    if (known == parts_.end()) return false;
    if (!closed_ && kernel_ != kNoOp) split_.push_back({std::exchange(kernel_, kNoOp), &known->second});
    return true;
  }
  void describe(const Kernel& kernel, Parts parts) {
    if (parts_.size() < kMaxKernels) parts_.emplace(kernel, std::move(parts));
  }
  // While the log is closed, all time counts as the activity that began last. Returns whether it was closed before.
  bool close(bool closed) { return std::exchange(closed_, closed); }
  void clear() {
    marks_.clear();
    ops_.clear();
    split_.clear();
    closed_ = false;
    lost_ = 0;
    kernel_ = kNoOp;
    now_ = Activity::kPython;
  }

  const std::vector<Mark>& marks() const { return marks_; }
  const std::vector<OpEvent>& ops() const { return ops_; }
  // Marks of kernels that did the work of several ops, in order.
  struct Split {
    uint32_t mark;
    const Parts* parts;
  };
  const std::vector<Split>& split() const { return split_; }
  uint64_t lost() const { return lost_; }

 private:
  static constexpr size_t kMaxKernels = 10'000;
  struct KernelHash {
    size_t operator()(const Kernel& k) const {
      const uint64_t node = uint64_t{k.graph} << 32 | k.node;
      return k.inputs ^ (node ^ reinterpret_cast<uintptr_t>(k.instruction)) * 0x9e3779b97f4a7c15u;
    }
  };

  size_t most_;
  std::vector<Mark> marks_;
  std::vector<OpEvent> ops_;
  std::unordered_map<Kernel, Parts, KernelHash> parts_;  // parts of all kernels so far; clear() keeps them
  std::vector<Split> split_;
  uint64_t lost_ = 0;
  uint32_t kernel_ = kNoOp;
  Activity now_ = Activity::kPython;
  bool closed_ = false;
};

// True while a call is repeated for a comparison: what happens then is no part of the program.
extern std::atomic<bool> repeating_call;

// The thread does this activity while the scope lives, then its former one again. A null log is ignored.
class ActivityScope {
 public:
  ActivityScope(ActivityLog* log, Activity activity) : log_(log) {
    if (log_) [[unlikely]] before_ = log_->begin(activity);
  }
  [[gnu::always_inline]] ~ActivityScope() {
    if (log_) [[unlikely]] log_->begin(before_);
  }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

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
