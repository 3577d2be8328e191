// When code of the machine is made for the steps of a walk, and what it leaves to the loops of the kernels.
#pragma once

#include "engine/runtime/code_memory.h"
#include "engine/runtime/machine_code.h"

#include <memory>
#include <span>
#include <string>

namespace footlight::runtime {

class MadeWalk final : public compile::MadeCode {
 public:
  // A step of the group, or, with a loop, several in place of it.
  struct Part {
    uint16_t step = 0;
    MachineLoop loop = nullptr;
  };

  // None, and `why`: no two steps in a row could be made, or the system gives no memory for it.
  static std::unique_ptr<const MadeWalk> make(const compile::FusedGroup& group, Singles singles, const char*& why);

  std::span<const Part> parts() const { return parts_; }
  // Those of the first so many steps, if no part goes on after them.
  std::span<const Part> parts_of(size_t steps) const { return parts().first(parts_.size() - (steps_ - steps)); }
  bool one_loop_for(size_t steps) const { return parts_[0].loop && parts_of(steps).size() == 1; }
  Singles singles() const { return singles_; }
  std::string describe() const override;

 private:
  Singles singles_ = 0;
  std::vector<Part> parts_;
  CodeMemory memory_;
  size_t steps_ = 0, made_steps_ = 0, loops_ = 0;
  int64_t took_ns_ = 0;
};

// Code is made for a walk that took so long without it, in ns: it takes about a third of that to make, and saves a
// third of such a walk.
void make_code_after(int64_t ns);
inline constexpr int64_t kUsual = 200'000, kNever = INT64_MAX;

// Notes that a walk over so many elements is about to run; makes the code for it if it is time.
const MadeWalk* make_if_worth(const compile::FusedGroup& group, Singles singles, int64_t elements);

// Null: the loops of the kernels serve. `elements`: how many the walk is about to go over.
inline const MadeWalk* made_for(const compile::FusedGroup& group, Singles singles, int64_t elements) {
  const compile::MadeLater* const later = group.made.get();
  if (!later) return nullptr;
  if (const auto* made = static_cast<const MadeWalk*>(later->code.load(std::memory_order_acquire)))
    return made->singles() == singles ? made : nullptr;
  return later->tried.load(std::memory_order_relaxed) ? nullptr : make_if_worth(group, singles, elements);
}

}  // namespace footlight::runtime
