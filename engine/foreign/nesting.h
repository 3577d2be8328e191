// What lies inside what on the host: the op and the part of the program behind each launch, the line of each op, the
// event at each end of an arrow. Sorted outside of memory, then one sweep with a stack for each lane.
#pragma once

#include "engine/foreign/progress.h"
#include "engine/foreign/spill.h"
#include "engine/foreign/texts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::foreign {

class Nesting {
 public:
  explicit Nesting(const std::string& beside) : items_(beside) {}

  void add_op(uint32_t lane, int64_t start, int64_t end, uint32_t op);
  void add_span(uint32_t lane, int64_t start, int64_t end, uint32_t span);
  void add_frame(uint32_t lane, int64_t start, int64_t end, Locations::Frame frame);
  void add_note(uint32_t lane, int64_t start, int64_t end, uint32_t span, uint32_t name);
  void add_launch(uint32_t lane, int64_t start, int64_t end, uint64_t correlation);
  void add_flow(uint32_t lane, int64_t time, uint64_t number, bool ends);
  // An op's number in the program's own order, which its gradient has too.
  void add_sequence(uint32_t op, uint64_t sequence, bool is_gradient);
  void add_external(uint32_t op, uint64_t external) { externals_.push_back({external, op}); }
  void set_location(uint32_t op, LocationNumber location) { at(locations_of_, op) = location; }
  // Device work that a launch asked for.
  void add_work(uint64_t correlation, uint32_t device) { works_.push_back({correlation, device}); }

  void sweep(Locations& locations, Progress& progress, uint64_t of);

  static constexpr uint32_t kNone = UINT32_MAX;
  struct Cause {
    uint32_t op = kNone;      // the innermost op around the launch
    uint32_t note = kNone;    // number of the text
    int64_t start = 0;        // of the launch
  };
  // The launch behind device work that began at `start`.
  Cause cause(uint64_t correlation, uint64_t external, int64_t start) const;
  LocationNumber location(uint32_t op) const { return op < locations_of_.size() ? locations_of_[op] : kNoLocation; }
  uint32_t device(uint32_t op) const { return op < devices_of_.size() ? devices_of_[op] : kNone; }
  struct Flow { uint64_t in = 0, out = 0; };
  Flow flow(uint32_t span) const {
    const auto found = flows_.find(span);
    return found == flows_.end() ? Flow{} : found->second;
  }

 private:
  enum class What : uint8_t { kFrame, kNote, kSpan, kOp, kLaunch, kFlow };
  struct Item {
    uint64_t number = 0;
    uint32_t name = 0;
    What what = What::kOp;
    bool ends = false;
  };
  struct Open {
    int64_t end;
    Item item;
    LocationNumber location;  // of ops inside it
    uint32_t gradient;        // the gradient that it is or lies in, as a place in `backward_`
  };
  struct Launch { uint64_t correlation; Cause cause; };
  struct External { uint64_t external; uint32_t op; };
  struct Sequence { uint64_t sequence; uint32_t op; };
  struct Work { uint64_t correlation; uint32_t device; };

  template <class T>
  static T& at(std::vector<T>& all, uint32_t i) {
    if (all.size() <= i) all.resize(std::max<size_t>(i + 1, all.size() + all.size() / 4), static_cast<T>(UINT32_MAX));
    return all[i];
  }
  void add(uint32_t lane, int64_t start, int64_t end, const Item& item);
  void meet(const SortKey& key, const Item& item, std::vector<Open>& open, Locations& locations);
  void resolve_gradients();
  void resolve_devices();

  Spill items_;
  std::vector<LocationNumber> locations_of_;
  std::vector<uint32_t> devices_of_;
  std::vector<Launch> launches_;
  std::vector<External> externals_;
  std::vector<Sequence> forward_;
  std::vector<Sequence> backward_;                       // ops of gradients
  std::unordered_map<uint32_t, uint32_t> gradient_of_;   // an op of a gradient: its place in `backward_`
  std::vector<std::pair<uint32_t, uint32_t>> inside_;    // an op, and the place in `backward_` that it lies in
  std::vector<Work> works_;
  std::unordered_map<uint32_t, Flow> flows_;
};

}  // namespace footlight::foreign
