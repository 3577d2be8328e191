// Forward mode: tangents that are computed along with the values, separately from the tape.
#pragma once

#include "engine/eager/tape.h"

#include <unordered_map>
#include <vector>

namespace footlight {

class ForwardAccumulator : public Recorder {
 public:
  ~ForwardAccumulator();

  // Records on this thread until stop(). An accumulator that started earlier sees what a later one computes.
  void start();
  void stop();
  // Sets the tangent of a tensor, or of the variable behind a handle. May be called at any time.
  void watch(const Tensor& primal, const Tensor& tangent);
  // The tangent of a value computed since then; empty if it has none.
  Tensor tangent_of(const Tensor&) const;
  // `to` is a copy of `from` that the accumulator did not see: gives it the same tangent.
  void copy_tangent(const Tensor& from, const Tensor& to);

  void see(const OpRow*, const Attrs&, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
           const std::shared_ptr<Backward>&);

 private:
  std::unordered_map<uint64_t, Tensor> tangents_;
  std::vector<Tensor> kept_;
};

// Whether any accumulator of the calling thread records.
bool any_accumulator_recording();
void copy_tangents(const Tensor& from, const Tensor& to);

}  // namespace footlight
