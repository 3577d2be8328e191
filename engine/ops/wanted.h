// Lets gradients and kernels skip results that nobody reads. Gradient functions ask which input gradients are needed:
// the input gradient of a network's first convolution would be half of its work. Kernels ask which of their outputs are
// read.
#pragma once

#include <cstddef>
#include <vector>

namespace footlight {

// Whether the gradient of this input of the op being differentiated is needed. True if that is not known.
bool gradient_wanted(size_t input);

// Says which gradients are needed, for the op that the tape differentiates while this object lives.
class GradientWanted {
 public:
  explicit GradientWanted(std::vector<bool> wanted);
  ~GradientWanted();
  GradientWanted(const GradientWanted&) = delete;
  GradientWanted& operator=(const GradientWanted&) = delete;

 private:
  friend bool gradient_wanted(size_t);
  std::vector<bool> wanted_;
  const GradientWanted* before_;
};

// Whether an output of the current kernel is read. If not, the kernel may leave it uninitialised. Must be called on the
// thread that calls the kernel.
bool result_wanted(size_t output);

// While the object lives, only the first output of kernels that this thread calls is read.
class FirstResultWanted {
 public:
  FirstResultWanted();
  ~FirstResultWanted();
  FirstResultWanted(const FirstResultWanted&) = delete;
  FirstResultWanted& operator=(const FirstResultWanted&) = delete;

 private:
  const bool before_;
};

}  // namespace footlight
