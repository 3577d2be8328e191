// The gradient tape: the ops applied to watched tensors, and the backward pass over them.
#pragma once

#include "engine/ops/builder.h"
#include "engine/tensor/variable.h"

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace footlight {

// A backward pass that is not one op's: a user's custom gradient.
class Backward {
 public:
  virtual ~Backward() = default;
  // Takes a gradient for each output, which may be zeros but never empty; returns one for each input, or empty ones.
  virtual std::vector<Tensor> run(std::span<const Tensor> output_gradients) = 0;
  // False: an output without a gradient comes as an empty tensor instead.
  virtual bool wants_zeros() const { return true; }
  // Whether it calls back into the user's program.
  virtual bool is_users() const { return false; }
};

enum class Unconnected : uint8_t { kNone, kZero };
// What a non-persistent tape does after computing a gradient: forget everything, or keep it for the next gradient of
// the same targets (the rows of a jacobian).
enum class After : uint8_t { kForget, kKeep };

struct Recorders;

// Sees the ops that one thread applies, from start() to stop(), through that thread's own list.
class Recorder {
 public:
  bool recording() const { return recording_; }
  bool records_on(const Recorders& list) const { return recording_ && list_ == &list; }

 protected:
  Recorder() = default;
  ~Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Shared by start() and stop(); false if nothing changes.
  bool begin();
  bool end();

 private:
  bool recording_ = false;
  const Recorders* list_ = nullptr;  // the last list that it was on
  bool left_behind_ = false;         // another thread stopped it: that list may still name it

  friend struct RecorderDeleter;
};

// A recorder that a list of another thread may still name stays in memory.
struct RecorderDeleter {
  template <class R>
  void operator()(R* recorder) const {
    recorder->stop();
    if (!recorder->left_behind_) delete recorder;
  }
};

class Tape : public Recorder {
 public:
  explicit Tape(bool persistent = false, bool watch_accessed_variables = true);
  ~Tape();

  // Records on this thread until stop(); may be started again. A tape sees the ops applied while it records.
  void start();
  void stop();
  bool persistent() const { return persistent_; }
  // Watches a tensor, or the variable behind a handle.
  void watch(const Tensor&);
  // Whether any of these is watched, or is a variable that becomes watched when it is read.
  bool watches_any(std::span<const Tensor>) const;
  // Forgets everything.
  void reset();
  // Variables that were read or are watched: the first in order of first use, the second in order of creation.
  const std::vector<Tensor>& watched_variables() const { return variables_; }
  std::vector<Tensor> variables_in_order() const;

  // The gradients of the sum of the targets, each times its entry of `output_gradients` (empty tensor or
  // missing: ones). A source that the targets do not depend on: an empty tensor, or zeros. A source whose rows were
  // gathered: possibly an ops::indexed_slices(). A non-persistent tape can be used once (kRuntime afterwards) and
  // stops.
  std::vector<Tensor> gradient(std::span<const Tensor> targets, std::span<const Tensor> sources,
                               std::span<const Tensor> output_gradients = {}, Unconnected = Unconnected::kNone,
                               After = After::kForget);

  // Calls look(backward) for each of the user's gradients that only this tape owns, for a garbage collector. Like
  // everything of the user's, they are guarded by the interpreter's lock, without which see() may run.
  template <class Look>
  void each_own_gradient(Look&& look) const {
    for (const std::weak_ptr<Backward>& users : users_gradients_) {
      const std::shared_ptr<Backward> gradient = users.lock();
      if (gradient && gradient.use_count() == 2) look(*gradient);
    }
  }

  void see(const OpRow*, const Attrs&, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
           std::shared_ptr<Backward>);
  // Runs the backward pass of one entry.
  static void run_back(const OpRow*, const Attrs&, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                       const std::shared_ptr<Backward>&, std::span<const Tensor> output_gradients,
                       std::span<Tensor> input_gradients);

 private:
  struct Entry {
    const OpRow* row;
    Attrs attrs;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    std::shared_ptr<Backward> custom;
  };
  void reset_after_use();

  const bool persistent_;
  const bool watch_variables_;
  bool used_ = false;
  std::vector<Entry> entries_;
  std::vector<std::weak_ptr<Backward>> users_gradients_;
  std::unordered_set<uint64_t> watched_;
  std::vector<Tensor> variables_;
  std::vector<Tensor> kept_;  // watched tensors live as long as the tape, so that their ids are never reused
};

// Records something with a custom gradient on every active tape of this thread. Forward accumulators that saw the ops
// it consists of have its tangent already; others compute it from the gradient.
void record_custom(std::span<const Tensor> inputs, std::span<const Tensor> outputs, std::shared_ptr<Backward>);
// Tells every recorder of this thread that outputs depend on inputs in a custom way that is linear in reverse.
void record_backward(std::span<const Tensor> inputs, std::span<const Tensor> outputs, std::shared_ptr<Backward>);
bool any_tape_recording();
// How many recorders of this thread watch any of these: its results may be differentiated as many times.
size_t recorders_watching(std::span<const Tensor>);

// While one lives, no tape of this thread records, nor does a forward accumulator unless it is exempted.
enum class Pause : uint8_t { kAll, kTapes };
class PauseTapes {
 public:
  explicit PauseTapes(Pause = Pause::kAll);
  ~PauseTapes();
  PauseTapes(const PauseTapes&) = delete;
  PauseTapes& operator=(const PauseTapes&) = delete;

 private:
  std::unique_ptr<Recorders> hidden_;
};

// The same, named for tracing: outer tapes do not see the ops of a function's body, tapes made inside it do.
using HideTapes = PauseTapes;

}  // namespace footlight
