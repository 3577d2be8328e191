// The gradients that are wanted of the op at hand, per thread.
#include "engine/ops/wanted.h"

#include <utility>

namespace footlight {

namespace {
thread_local const GradientWanted* current = nullptr;
}

GradientWanted::GradientWanted(std::vector<bool> wanted) : wanted_(std::move(wanted)), before_(current) {
  current = this;
}
GradientWanted::~GradientWanted() { current = before_; }

bool gradient_wanted(size_t input) { return !current || input >= current->wanted_.size() || current->wanted_[input]; }

}  // namespace footlight
