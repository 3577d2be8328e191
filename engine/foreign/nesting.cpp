// The sweep, and what follows from it for gradients and for device work.
#include "engine/foreign/nesting.h"

#include <algorithm>
#include <cstring>

namespace footlight::foreign {
namespace {
constexpr size_t kMaxOpen = 100'000;        // events inside each other, on one lane
constexpr size_t kMaxFlows = size_t{1} << 20;
}  // namespace

void Nesting::add(uint32_t lane, int64_t start, int64_t end, const Item& item) {
  char bytes[sizeof item];
  std::memcpy(bytes, &item, sizeof item);
  // An outer event before the inner ones.
  items_.add({int64_t{lane}, start, -end}, {bytes, sizeof bytes});
}

void Nesting::add_op(uint32_t lane, int64_t start, int64_t end, uint32_t op) {
  at(locations_of_, op);
  add(lane, start, end, {op, 0, What::kOp, false});
}
void Nesting::add_span(uint32_t lane, int64_t start, int64_t end, uint32_t span) {
  add(lane, start, end, {span, 0, What::kSpan, false});
}
void Nesting::add_frame(uint32_t lane, int64_t start, int64_t end, Locations::Frame frame) {
  add(lane, start, end, {frame, 0, What::kFrame, false});
}
void Nesting::add_note(uint32_t lane, int64_t start, int64_t end, uint32_t span, uint32_t name) {
  add(lane, start, end, {span, name, What::kNote, false});
}
void Nesting::add_launch(uint32_t lane, int64_t start, int64_t end, uint64_t correlation) {
  add(lane, start, end, {correlation, 0, What::kLaunch, false});
}
void Nesting::add_flow(uint32_t lane, int64_t time, uint64_t number, bool ends) {
  add(lane, time, time, {number, 0, What::kFlow, ends});
}

void Nesting::add_sequence(uint32_t op, uint64_t sequence, bool is_gradient) {
  if (is_gradient) {
    gradient_of_.emplace(op, static_cast<uint32_t>(backward_.size()));
    backward_.push_back({sequence, op});
  } else {
    forward_.push_back({sequence, op});
  }
}

void Nesting::meet(const SortKey& key, const Item& item, std::vector<Open>& open, Locations& locations) {
  const int64_t start = key.second, end = -key.third;
  // Events that ended before this one begins, or are too short to hold it, are closed.
  while (!open.empty() && (open.back().end < start || (open.back().end == start && end > start))) open.pop_back();
  const Open* const outer = open.empty() ? nullptr : &open.back();
  Open inner{outer ? std::min(end, outer->end) : end, item, outer ? outer->location : kNoLocation,
             outer ? outer->gradient : kNone};
  switch (item.what) {
    case What::kFrame:
      inner.location = locations.called(inner.location, static_cast<Locations::Frame>(item.number));
      break;
    case What::kOp: {
      const auto op = static_cast<uint32_t>(item.number);
      if (const auto own = gradient_of_.find(op); own != gradient_of_.end()) inner.gradient = own->second;
      LocationNumber& location = locations_of_[op];
      if (location == kNoLocation) location = locations.users(inner.location);
      if (location == kNoLocation && inner.gradient != kNone) inside_.emplace_back(op, inner.gradient);
      break;
    }
    case What::kLaunch: {
      Launch launch{item.number, {kNone, kNone, start}};
      for (auto o = open.rbegin(); o != open.rend(); ++o) {
        if (o->item.what == What::kOp && launch.cause.op == kNone)
          launch.cause.op = static_cast<uint32_t>(o->item.number);
        if (o->item.what == What::kNote && launch.cause.note == kNone) launch.cause.note = o->item.name;
        if (launch.cause.op != kNone && launch.cause.note != kNone) break;
      }
      launches_.push_back(launch);
      return;
    }
    case What::kFlow: {
      const auto span = std::find_if(open.rbegin(), open.rend(), [](const Open& o) {
        return o.item.what == What::kSpan || o.item.what == What::kNote;
      });
      if (span == open.rend() || flows_.size() >= kMaxFlows) return;
      Flow& flow = flows_[static_cast<uint32_t>(span->item.number)];
      (item.ends ? flow.in : flow.out) = item.number;
      return;
    }
    default: break;
  }
  if (open.size() < kMaxOpen) open.push_back(inner);
}

void Nesting::sweep(Locations& locations, Progress& progress, uint64_t of) {
  std::vector<Open> open;
  int64_t lane = -1;
  uint64_t seen = 0;
  items_.merge([&](const SortKey& key, std::string_view bytes) {
    if ((seen++ & 0xFFFF) == 0)
      progress.at(of ? std::min(1.0, static_cast<double>(seen) / static_cast<double>(of)) : 1);
    Item item;
    std::memcpy(static_cast<void*>(&item), bytes.data(), sizeof item);
    if (key.first != lane) open.clear(), lane = key.first;
    meet(key, item, open, locations);
  });
  std::ranges::stable_sort(launches_, {}, [](const Launch& l) { return std::pair(l.correlation, l.cause.start); });
  std::ranges::stable_sort(externals_, {}, &External::external);
  resolve_gradients();
  resolve_devices();
}

// A gradient has the line of the op of the forward pass that has its number.
void Nesting::resolve_gradients() {
  std::ranges::stable_sort(forward_, {}, &Sequence::sequence);
  for (const auto& [op, gradient] : inside_) {
    const uint64_t sequence = backward_[gradient].sequence;
    auto forward = std::ranges::lower_bound(forward_, sequence, {}, &Sequence::sequence);
    for (; forward != forward_.end() && forward->sequence == sequence; ++forward) {
      if (locations_of_[forward->op] == kNoLocation) continue;
      locations_of_[op] = locations_of_[forward->op];
      break;
    }
  }
  forward_ = {};
  backward_ = {};
  inside_ = {};
  gradient_of_ = {};
}

void Nesting::resolve_devices() {
  for (const Work& work : works_) {
    const Cause found = cause(work.correlation, 0, INT64_MAX);
    if (found.op != kNone) at(devices_of_, found.op) = work.device;
  }
  works_ = {};
}

Nesting::Cause Nesting::cause(uint64_t correlation, uint64_t external, int64_t start) const {
  Cause found;
  if (correlation) {
    const auto [first, last] = std::ranges::equal_range(launches_, correlation, {}, &Launch::correlation);
    // Several launches may have one number: the last one before the work counts. The first one always does, since the
    // clocks of host and device may differ a little.
    for (auto launch = first; launch != last; ++launch)
      if (launch == first || launch->cause.start <= start) {
        const Cause next = launch->cause;
        found = {next.op == kNone ? found.op : next.op, next.note == kNone ? found.note : next.note, next.start};
      }
  }
  if (found.op == kNone && external) {
    const auto op = std::ranges::lower_bound(externals_, external, {}, &External::external);
    if (op != externals_.end() && op->external == external) found.op = op->op;
  }
  return found;
}

}  // namespace footlight::foreign
