// The gradient tape: what was applied to watched tensors, and the way back through it.
#pragma once

#include "engine/ops/builder.h"
#include "engine/tensor/variable.h"

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace footlight {

// The way back through something that is not one op: a user's custom gradient.
class Backward {
 public:
  virtual ~Backward() = default;
  // One gradient per input (empty: none flows) from one per output (never empty: zeros where nothing flows).
  virtual std::vector<Tensor> run(std::span<const Tensor> output_gradients) = 0;
  // False: an output to which nothing flows comes as an empty tensor instead.
  virtual bool wants_zeros() const { return true; }
};

enum class Unconnected : uint8_t { kNone, kZero };
// What a tape that is not persistent does after it was asked: forget everything, or keep it for the next question about
// the same (the rows of a jacobian).
enum class After : uint8_t { kForget, kKeep };

class Tape {
 public:
  explicit Tape(bool persistent = false, bool watch_accessed_variables = true);
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // On this thread from now on, until stop(); again is allowed. A tape sees what is applied while it records.
  void start();
  void stop();
  bool recording() const { return recording_; }
  bool persistent() const { return persistent_; }
  // A tensor, or the handle of a variable.
  void watch(const Tensor&);
  // Whether one of these is watched, or is a variable that would be when it is read.
  bool watches_any(std::span<const Tensor>) const;
  // Forgets everything.
  void reset();
  // Variables that were read or are watched: as they were met, and as they were made.
  const std::vector<Tensor>& watched_variables() const { return variables_; }
  std::vector<Tensor> variables_in_order() const;

  // The gradients of the sum of the targets, each times its entry of `output_gradients` (empty tensor or
  // missing: ones). A source that the targets do not depend on: an empty tensor, or zeros. A source of which rows were
  // gathered: perhaps an ops::indexed_slices(). A tape that is not persistent serves once (kRuntime afterwards) and
  // stops.
  std::vector<Tensor> gradient(std::span<const Tensor> targets, std::span<const Tensor> sources,
                               std::span<const Tensor> output_gradients = {}, Unconnected = Unconnected::kNone,
                               After = After::kForget);

  void see(const OpRow*, const Attrs&, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
           std::shared_ptr<Backward>);
  // Back through one thing that was applied.
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
  bool recording_ = false;
  bool used_ = false;
  std::vector<Entry> entries_;
  std::unordered_set<uint64_t> watched_;
  std::vector<Tensor> variables_;
  std::vector<Tensor> kept_;  // watched tensors live as long as the tape, so that no id comes to mean another
};

// Tells every recording tape of this thread about something with a gradient of its own. Forward accumulators saw what
// it consists of.
void record_custom(std::span<const Tensor> inputs, std::span<const Tensor> outputs, std::shared_ptr<Backward>);
// Tells every recorder of this thread that outputs depend on inputs in a way of their own, which is linear backwards.
void record_backward(std::span<const Tensor> inputs, std::span<const Tensor> outputs, std::shared_ptr<Backward>);
// Installed by tracing: the graph that is being built remembers it as well, for gradients through calls of
// the function.
extern void (*custom_gradient_in_graph)(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                                        const std::shared_ptr<Backward>&);
bool any_tape_recording();

struct Recorders;

// No tape of this thread sees anything while one lives, nor does a forward accumulator unless it is left.
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

// The same under the name that fits tracing: tapes from outside do not see a function's body being traced, tapes made
// inside it work.
using HideTapes = PauseTapes;

}  // namespace footlight
