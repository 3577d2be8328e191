// Keeps per thread which gradients and results of the current op are needed.
#include "engine/ops/wanted.h"

#include "engine/base/thread_context.h"

#include <utility>

namespace footlight {

GradientWanted::GradientWanted(std::vector<bool> wanted)
    : wanted_(std::move(wanted)), before_(this_thread.gradient_wanted) {
  this_thread.gradient_wanted = this;
}
GradientWanted::~GradientWanted() { this_thread.gradient_wanted = before_; }

bool gradient_wanted(size_t input) {
  const GradientWanted* const current = this_thread.gradient_wanted;
  return !current || input >= current->wanted_.size() || current->wanted_[input];
}

FirstResultWanted::FirstResultWanted() : before_(std::exchange(this_thread.wants_first_result_only, true)) {}
FirstResultWanted::~FirstResultWanted() { this_thread.wants_first_result_only = before_; }

bool result_wanted(size_t output) { return output == 0 || !this_thread.wants_first_result_only; }

}  // namespace footlight
