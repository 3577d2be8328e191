// Making takes about 60 us, as long as a hundred and more small walks, so a walk first has to take long without it.
#include "engine/runtime/made_walk.h"

#include "engine/base/clock.h"
#include "engine/base/text.h"

#include <algorithm>

namespace footlight::runtime {

using compile::FusedGroup;
using compile::Level;
using compile::MadeLater;

namespace {

std::atomic<int64_t> made_after{kUsual};

bool is_whole(const FusedGroup& group, size_t step) {
  return group.values[group.steps[step].out].level == Level::kWhole;
}

// A turn of the loop would write to a tile over elements of another size that a later turn reads.
bool overlap(const FusedGroup& group, Piece piece) {
  const auto in_tile = [&](uint16_t v) {
    return group.values[v].place == FusedGroup::Place::kTile && group.values[v].level == Level::kWhole;
  };
  const auto steps = std::span(group.steps).subspan(piece.first, piece.count);
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

std::unique_ptr<const MadeWalk> MadeWalk::make(const FusedGroup& group, Singles singles, const char*& why) {
  const int64_t start = now_ns();
  if ((why = no_machine_code())) return nullptr;
  auto made = std::make_unique<MadeWalk>();
  made->singles_ = singles;
  std::vector<std::byte> all;
  std::vector<size_t> places;  // of the code of each part that has some
  const size_t steps = group.steps.size();
  for (size_t s = 0; s < steps;) {
    size_t most = 0;
    while (s + most < steps && has_instructions(group, group.steps[s + most]) &&
           is_whole(group, s + most) == is_whole(group, s))
      ++most;
    std::vector<std::byte> code;
    while (most > 1) {
      if (!overlap(group, {s, most})) code = assemble(group, {s, most}, singles);
      if (!code.empty()) break;
      most -= (most + 3) / 4;
    }
    made->parts_.push_back({static_cast<uint16_t>(s), nullptr});
    if (code.empty()) {
      ++s;
      continue;
    }
    places.resize(made->parts_.size(), SIZE_MAX);
    places.back() = all.size();
    all.insert(all.end(), code.begin(), code.end());
    all.resize((all.size() + 63) / 64 * 64);
    ++made->loops_;
    made->made_steps_ += most;
    s += most;
  }
  why = "no two steps in a row have instructions for their dtypes";
  if (all.empty()) return nullptr;
  why = "no memory that may be run is left for it";
  if (!made->memory_.hold(all)) return nullptr;
  for (size_t p = 0; p < places.size(); ++p)
    if (places[p] != SIZE_MAX)
      made->parts_[p].loop = reinterpret_cast<MachineLoop>(reinterpret_cast<uintptr_t>(made->memory_.at() + places[p]));
  made->steps_ = steps;
  made->took_ns_ = now_ns() - start;
  return made;
}

std::string MadeWalk::describe() const {
  return str("machine code for ", made_steps_, " of ", steps_, " steps, ", loops_, loops_ == 1 ? " loop, " : " loops, ",
             memory_.bytes(), " B, made in ", (took_ns_ + 500) / 1000, " us");
}

const MadeWalk* make_if_worth(const FusedGroup& group, Singles singles, int64_t elements) {
  const int64_t after = made_after.load(std::memory_order_relaxed);
  if (after == kNever) return nullptr;
  MadeLater& later = *group.made;
  // About 4 ns for each step, and one for 16 additions. What threads note at the same time may be lost.
  const int64_t before = later.work.load(std::memory_order_relaxed);
  later.work.store(before + static_cast<int64_t>(group.steps.size()) * 4 + elements * group.weight / 16,
                   std::memory_order_relaxed);
  if (before < after) return nullptr;
  if (later.tried.exchange(true)) return nullptr;
  const char* why = nullptr;
  std::unique_ptr<const MadeWalk> made = MadeWalk::make(group, singles, why);
  if (!made) later.none = why;
  else later.code.store(made.get(), std::memory_order_release);
  return made.release();
}

void make_code_after(int64_t ns) { made_after = ns; }

}  // namespace footlight::runtime
