// What nobody will read need not be computed. Which inputs of the op whose gradient is being computed lead to a source:
// costly gradients ask. (The gradient for the images of a network's first convolution is half of its work.) And which
// results of the op at hand are read.
#pragma once

#include <cstddef>
#include <vector>

namespace footlight {

// True where nothing is known.
bool gradient_wanted(size_t input);

// What the tape says for one op, while this object lives.
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

// False where only the first result is read: the others may stay as they are, uninitialised. To be asked on the thread
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
