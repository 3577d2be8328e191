// Forward mode: tangents that travel with the values, beside the tape.
#pragma once

#include "engine/eager/tape.h"

#include <unordered_map>
#include <vector>

namespace footlight {

class ForwardAccumulator {
 public:
  ForwardAccumulator() = default;
  ~ForwardAccumulator();
  ForwardAccumulator(const ForwardAccumulator&) = delete;
  ForwardAccumulator& operator=(const ForwardAccumulator&) = delete;

  // On this thread from now on, until stop(). An accumulator that started earlier sees what a later one computes.
  void start();
  void stop();
  bool recording() const { return recording_; }
  // The direction in which a tensor, or the variable of a handle, moves. Before start(), or any time later.
  void watch(const Tensor& primal, const Tensor& tangent);
  // How a value that was computed since moves along; empty when it does not.
  Tensor tangent_of(const Tensor&) const;

  void see(const OpRow*, const Attrs&, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
           const std::shared_ptr<Backward>&);

 private:
  bool recording_ = false;
  std::unordered_map<uint64_t, Tensor> tangents_;
  std::vector<Tensor> kept_;
};

}  // namespace footlight
