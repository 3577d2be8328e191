// Compiling takes about 60 us, as long as a hundred small loops, so only a loop that has run for longer is compiled.
#include "engine/jit/jit_loop.h"

#include "engine/base/activity.h"
#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/base/thread_context.h"
#include "engine/jit/hooks.h"

namespace footlight::jit {

constinit Hooks hooks;

using fusion::FusedGroup;
using fusion::Level;
using fusion::JitState;

namespace {

std::atomic<int64_t> threshold_ns{kDefaultJitThreshold};

bool is_whole(const FusedGroup& group, size_t step) {
  return group.values[group.steps[step].out].level == Level::kWhole;
}

// Whether two values of different element sizes share a tile in these steps: then an iteration would overwrite elements
// that a later one reads.
bool overwrites_tile(const FusedGroup& group, StepRange range) {
  const auto in_tile = [&](uint16_t v) {
    return group.values[v].storage == FusedGroup::Storage::kTile && group.values[v].level == Level::kWhole;
  };
  const auto steps = std::span(group.steps).subspan(range.first, range.count);
  for (const FusedGroup::Step& reads : steps)
    for (uint8_t k = 0; k < reads.inputs; ++k) {
      const FusedGroup::Value& in = group.values[reads.in[k]];
      if (!in_tile(reads.in[k])) continue;
      for (const FusedGroup::Step& makes : steps) {
        const FusedGroup::Value& out = group.values[makes.out];
        if (in_tile(makes.out) && out.index == in.index && out.size != in.size) return true;
      }
    }
  return false;
}

}  // namespace

std::unique_ptr<const JitLoop> JitLoop::compile(const FusedGroup& group, ScalarMask scalars, const char*& why) {
  const int64_t start = now_ns();
  if ((why = why_no_machine_code())) return nullptr;
  auto jit = std::make_unique<JitLoop>();
  jit->scalars_ = scalars;
  std::vector<std::byte> all_code;
  std::vector<size_t> offsets;  // of each part's code, or SIZE_MAX
  const size_t steps = group.steps.size();
  for (size_t s = 0; s < steps;) {
    size_t count = 0;
    while (s + count < steps && has_instructions(group, group.steps[s + count]) &&
           is_whole(group, s + count) == is_whole(group, s))
      ++count;
    std::vector<std::byte> code;
    while (count > 1) {
      if (!overwrites_tile(group, {s, count})) code = assemble(group, {s, count}, scalars);
      if (!code.empty()) break;
      count -= (count + 3) / 4;
    }
    jit->parts_.push_back({static_cast<uint16_t>(s), nullptr});
    if (code.empty()) {
      ++s;
      continue;
    }
    offsets.resize(jit->parts_.size(), SIZE_MAX);
    offsets.back() = all_code.size();
    all_code.insert(all_code.end(), code.begin(), code.end());
    all_code.resize((all_code.size() + 63) / 64 * 64);
    ++jit->loops_;
    jit->compiled_steps_ += count;
    s += count;
  }
  why = "no two steps in a row have instructions for their dtypes";
  if (all_code.empty()) return nullptr;
  why = "the system refused executable memory";
  if (!jit->memory_.hold(all_code)) return nullptr;
  for (size_t p = 0; p < offsets.size(); ++p)
    if (offsets[p] != SIZE_MAX)
      jit->parts_[p].loop = reinterpret_cast<MachineLoop>(reinterpret_cast<uintptr_t>(jit->memory_.at() + offsets[p]));
  jit->steps_ = steps;
  jit->compile_ns_ = now_ns() - start;
  return jit;
}

std::string JitLoop::describe() const {
  return str("machine code for ", compiled_steps_, " of ", steps_, " steps, ", loops_,
             loops_ == 1 ? " loop, " : " loops, ", memory_.bytes(), " B, compiled in ",
             (compile_ns_ + 500) / 1000, " us");
}

const JitLoop* compile_if_hot(const FusedGroup& group, ScalarMask scalars, int64_t elements) {
  const int64_t threshold = threshold_ns.load(std::memory_order_relaxed);
  if (threshold == kJitOff) return nullptr;
  JitState& state = *group.jit;
  // Estimates 4 ns for each step and 1 ns for 16 additions. Concurrent runs may lose a count.
  const int64_t before = state.work_ns.load(std::memory_order_relaxed);
  state.work_ns.store(before + static_cast<int64_t>(group.steps.size()) * 4 + elements * group.weight / 16,
                   std::memory_order_relaxed);
  if (before < threshold) return nullptr;
  if (state.was_tried.exchange(true)) return nullptr;
  const char* why = nullptr;
  const ActivityScope compiling(this_thread.activity, Activity::kMachineCode);
  const int64_t start = now_ns();
  std::unique_ptr<const JitLoop> jit = JitLoop::compile(group, scalars, why);
  const int64_t end = now_ns();
  this_thread.jit_compile_ns += end - start;
  if (!jit) state.why_no_code = why;
  else state.code.store(jit.get(), std::memory_order_release);
  if (auto* const hook = hooks.compiled.load(std::memory_order_acquire)) hook(start, end);
  return jit.release();
}

void set_jit_threshold(int64_t ns) { threshold_ns = ns; }

}  // namespace footlight::jit
