// Steps of a program that run side by side, on several threads: which ones is decided by what they took in the first
// runs. The tape for that is made then, with slots that no two such steps share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace footlight::compile {

class Program;
struct Tape;

// What an instruction, or a walk, took; `pool_ns` of it in loops that all threads shared.
struct Cost {
  int64_t ns = 0, pool_ns = 0;
};

// Steps that run one after the other, on any thread, once all tasks have run whose values they use.
struct Task {
  std::vector<uint32_t> steps;   // instructions, in the order of the program
  std::vector<uint32_t> next;    // the tasks that use its values
  std::vector<uint32_t> shared;  // into Section::shared: what it reads
  uint32_t waits = 0;            // for so many tasks
  int64_t rest_ns = 0;           // it and what waits for it, and so on: the largest is begun first
};

// Instructions [first, end) of a tape. None of them has an effect.
struct Section {
  // A value that several tasks read: the last of them lets it go.
  struct Shared {
    uint32_t slot = 0, readers = 0;
  };
  uint32_t first = 0, end = 0;
  std::vector<Task> tasks;
  std::vector<Shared> shared;
  std::vector<uint32_t> released;  // slots that the thread of the run lets go when all tasks have run
  int64_t straight_ns = 0, split_ns = 0;  // one after the other; side by side, as planned
};

// What of a program's runs was measured, and what follows from it.
class Lanes {
 public:
  enum class State : uint8_t { kMeasuring, kStraight, kSplit };

  Lanes() = default;
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  State state() const { return state_.load(std::memory_order_acquire); }
  // With sections, once split.
  const Tape& tape() const { return *tape_.load(std::memory_order_acquire); }
  void stay_straight() { state_.store(State::kStraight, std::memory_order_release); }

  // Inputs of so many elements are too few for what was decided.
  bool too_small(int64_t elements) const { return elements < measured_elements_.load(std::memory_order_relaxed) / 2; }
  // Measures again for inputs that are much larger than those before.
  void grown(int64_t elements);

  // Notes what each instruction of the program took in a run; from a few runs it decides.
  void measured(const Program&, std::span<const Cost>, int64_t elements);
  // The sections of a run took so long in all: if they turn out to gain nothing, it goes on straight.
  bool on_trial() const { return trials_left_.load(std::memory_order_relaxed) > 0; }
  void tried(int64_t sections_ns);

  // Splits by these costs, without a trial.
  void split(const Program&, std::span<const Cost>, int threads);

  // Of what was measured last: all steps one after the other; what the best split would save.
  int64_t straight_ns() const { return straight_ns_.load(std::memory_order_relaxed); }
  int64_t saving_ns() const { return saving_ns_.load(std::memory_order_relaxed); }

 private:
  static constexpr int kRuns = 3, kTrials = 10, kMostDecisions = 8;
  void decide(const Program&, std::span<const Cost>, int threads, int trials);

  std::atomic<State> state_{State::kMeasuring};
  std::atomic<const Tape*> tape_{nullptr};
  std::atomic<int64_t> measured_elements_{0}, straight_ns_{0}, saving_ns_{0};
  std::atomic<int> trials_left_{0};
  std::mutex mutex_;
  std::vector<Cost> least_;                        // of each instruction
  int runs_ = 0;
  int64_t least_trial_ = 0;
  std::vector<std::unique_ptr<const Tape>> made_;  // runs may still be on the earlier ones
};

// Nothing in it has an effect or needs a certain thread, nor in its callees, whose `pure` says so.
bool is_pure(const Program&);
// False: no two steps of it could ever run side by side.
bool may_split(const Program&);

}  // namespace footlight::compile
