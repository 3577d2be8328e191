// The gradients and results that are needed of the current op, per thread.
#include "engine/ops/wanted.h"

#include <utility>

namespace footlight {

namespace {
thread_local const GradientWanted* current = nullptr;
thread_local bool first_alone = false;
}

GradientWanted::GradientWanted(std::vector<bool> wanted) : wanted_(std::move(wanted)), before_(current) {
  current = this;
}
GradientWanted::~GradientWanted() { current = before_; }

bool gradient_wanted(size_t input) { return !current || input >= current->wanted_.size() || current->wanted_[input]; }

FirstResultWanted::FirstResultWanted() : before_(std::exchange(first_alone, true)) {}
FirstResultWanted::~FirstResultWanted() { first_alone = before_; }

bool result_wanted(size_t output) { return output == 0 || !first_alone; }

}  // namespace footlight
