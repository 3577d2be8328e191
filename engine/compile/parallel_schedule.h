// Decides from the times of the first runs which steps of a program run on several threads, and builds an executable
// for that, in which no two values share a slot.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace footlight::compile {

class Program;
struct Executable;

// Time of an instruction or a fused loop, and the part of it that it spent in loops on all threads of the pool.
struct Cost {
  int64_t ns = 0, pool_ns = 0;
};

// Steps that run one after the other, on any thread, once the predecessors of the task have finished.
struct Task {
  std::vector<uint32_t> steps;   // instructions, in the order of the program
  std::vector<uint32_t> successors;
  std::vector<uint32_t> shared;  // values that it reads, as indexes of Section::shared
  uint32_t num_predecessors = 0;
  int64_t critical_ns = 0;       // length of the longest path from its start to the end of the section
};

// Instructions [first, end) of an executable, none of which has an effect.
struct Section {
  // A value that several tasks read; the last of them releases it.
  struct Shared {
    uint32_t slot = 0, readers = 0;
  };
  uint32_t first = 0, end = 0;
  std::vector<Task> tasks;
  std::vector<Shared> shared;
  std::vector<uint32_t> released;  // slots that the calling thread releases after all tasks
  int64_t serial_ns = 0;    // measured, one after the other
  int64_t parallel_ns = 0;  // predicted
};

// The measurements of a program's runs, and the decision that follows from them.
class ParallelSchedule {
 public:
  enum class State : uint8_t { kMeasuring, kSerial, kParallel };

  ParallelSchedule() = default;
  ~ParallelSchedule();
  ParallelSchedule(const ParallelSchedule&) = delete;
  ParallelSchedule& operator=(const ParallelSchedule&) = delete;

  State state() const { return state_.load(std::memory_order_acquire); }
  // The executable with sections. Valid in state kParallel.
  const Executable& executable() const { return *executable_.load(std::memory_order_acquire); }
  void stay_serial() { state_.store(State::kSerial, std::memory_order_release); }

  // Whether inputs of this size are too small for the decision.
  bool is_too_small(int64_t elements) const {
    return elements < measured_elements_.load(std::memory_order_relaxed) / 2;
  }
  // Measures again if the inputs are much larger than those that were measured.
  void note_size(int64_t elements);

  // Adds the times of a run's instructions; decides after a few runs.
  void add_run(const Program&, std::span<const Cost>, int64_t elements);
  // A decision is on trial for a few runs, and revoked if the sections turn out not to save time.
  bool on_trial() const { return trials_left_.load(std::memory_order_relaxed) > 0; }
  // Adds the time of all sections in a run of the trial.
  void add_trial(int64_t sections_ns);

  // Decides by these costs at once, without a trial. For tests.
  void decide_now(const Program&, std::span<const Cost>, int threads);

  // From the last measurement: the time of all steps, and the saving of the best plan.
  int64_t serial_ns() const { return serial_ns_.load(std::memory_order_relaxed); }
  int64_t saving_ns() const { return saving_ns_.load(std::memory_order_relaxed); }

 private:
  static constexpr int kRuns = 3, kTrials = 10, kMaxDecisions = 8;
  void decide(const Program&, std::span<const Cost>, int threads, int trials);

  std::atomic<State> state_{State::kMeasuring};
  std::atomic<const Executable*> executable_{nullptr};
  std::atomic<int64_t> measured_elements_{0}, serial_ns_{0}, saving_ns_{0};
  std::atomic<int> trials_left_{0};
  std::mutex mutex_;
  std::vector<Cost> min_costs_;                               // smallest cost of each instruction
  int runs_ = 0;
  int64_t min_trial_ns_ = 0;
  std::vector<std::unique_ptr<const Executable>> executables_;  // all that were built: runs may still use earlier ones
};

// Whether neither the program nor a callee has an effect or needs a certain thread.
bool is_pure(const Program&);
// Whether at least two steps could run in parallel.
bool may_run_in_parallel(const Program&);

}  // namespace footlight::compile
