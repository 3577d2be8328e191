// Skips work whose result nobody reads. Tells which inputs of the op being differentiated lead to a source:
// costly gradients check it. (The input gradient of a network's first convolution is half of its work.) Also tells
// which results of the current op are read.
#pragma once

#include <cstddef>
#include <vector>

namespace footlight {

// True if not known.
bool gradient_wanted(size_t input);

// Set by the tape for one op, while this object lives.
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

// False if only the first result is read: the others may be left uninitialised. Must be called on the thread
// that calls the kernel.
bool result_wanted(size_t output);

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
