// Keeps a repeated call from affecting the program: printing again, reading its input, drawing its random numbers,
// changing its variables.
#pragma once

#include "engine/base/print_sink.h"
#include "engine/ops/random_seeds.h"
#include "engine/python/interpreter/ref.h"
#include "engine/tensor/kept_states.h"

#include <array>
#include <cstdint>

namespace footlight::python {

// While it lives, output of the process is counted and dropped, and its input is empty.
class SuppressSideEffects {
 public:
  SuppressSideEffects();
  ~SuppressSideEffects();
  SuppressSideEffects(const SuppressSideEffects&) = delete;
  SuppressSideEffects& operator=(const SuppressSideEffects&) = delete;
  uint64_t take_printed();   // bytes since the last call

 private:
  std::array<int, 3> before_{-1, -1, -1};
  int printed_ = -1;
  PrintSink sink_;
};

// Variables and random numbers: the engine's, Python's and NumPy's.
class KeptProgram {
 public:
  explicit KeptProgram(uint64_t most_bytes);
  void put_back() const;

 private:
  KeptStates states_;
  random::KeptSeeds seeds_;
  Ref python_, numpy_;       // results of getstate(); empty if the module is not loaded
};

}  // namespace footlight::python
