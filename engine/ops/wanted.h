// Which inputs of the op whose gradient is being computed lead to a source: costly gradients ask before they compute
// one that nobody will read. (The gradient for the images of a network's first convolution is half of its work.)
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

}  // namespace footlight
