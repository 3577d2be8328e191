// Compares the state that a trace has read with what is there at a later call.
#include "engine/base/recording.h"
#include "engine/python/function/observed/state_records.h"
#include "engine/python/function/observed/state_watch.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/weak.h"
#include "engine/session/records/leak_notes.h"
#include "engine/session/writer.h"

#include <optional>
#include <utility>

namespace footlight::python {

using autograph::OutsideAccess;
using session::ObservationKind;
using session::ObservationRecord;

static constexpr int kMaxChanges = 1000;      // recorded changes of one place
static constexpr int kExactComparisons = 1024;  // one at each call; the later ones spend a share of the time
static constexpr int64_t kShare = 8;

void TraceState::compare(int64_t now) {
  if (recording != recording_number.load(std::memory_order_relaxed)) return;
  const uint64_t calls = std::exchange(uncompared_, 0);
  quietly([&] { compare_for(trace, now, calls, 0); });
  if (++comparisons_ > kExactComparisons) next_ns_ = now + kShare * (now_ns() - now);
}

// What is at the place by now; nothing if what the path begins at is gone.
static std::optional<Spot> spot_of(const TraceState::StateRead& place) {
  const Ref made = weak_target(place.function.get());
  if (!made || !PyFunction_Check(made.get())) return {};
  const void* holder = nullptr;
  const Ref start = place.object ? weak_target(place.object.get())
                                 : start_of(made.get(), *place.body, place.access, &holder);
  if (!start) return {};
  return walk(start, place.object ? start.get() : holder, place.body->outside.accesses[place.access].path,
              place.body->names[place.access], place.steps);
}

// The graph stores nothing: a call is right only if the program has put back what the trace has read. `calls`: since
// the last look, with this one.
void TraceState::compare_frozen(int64_t now, uint64_t calls) {
  if (!calls || now < made_ns) return;
  for (Frozen& one : frozen) {
    StateRead& place = one.place;
    if (place.changes >= kMaxChanges) continue;
    const std::optional<Spot> spot = spot_of(place);
    if (!spot) continue;
    PyObject* const there = spot->value.get();
    const SeenValue value = see(there);
    const bool stored_again = !value.same(place.value);
    place.value = value;
    const bool put_back = stored_again && value.kind != SeenValue::kSymbolic && contents_of(there) == one.contents;
    // Whether None was stored once more since the last call cannot be seen.
    const bool unknown = !stored_again && value.kind != SeenValue::kSymbolic && value.kind != SeenValue::kTensor;
    session::Writer* writer = session::active_writer();
    if (!writer) return;
    if (unknown || (!put_back && std::exchange(one.used, true))) continue;
    place.changes += put_back;
    ObservationRecord record = observation(*writer, ObservationKind::kTensorLeak, function, trace, now, *place.body,
                                           place.body->outside.accesses[place.access].line, place.path);
    record.count = calls;
    record.note = put_back ? session::kPutBack : session::kUsedOldValue;
    writer->add(std::move(record));
  }
}

void TraceState::compare_for(TraceId hit, int64_t now, uint64_t calls, int depth) {
  compare_frozen(now, calls);
  for (StateRead& place : places) {
    if (place.changes >= kMaxChanges) continue;
    const Ref made = weak_target(place.function.get());
    if (!made || !PyFunction_Check(made.get())) continue;
    const OutsideAccess& access = place.body->outside.accesses[place.access];
    const void* holder = nullptr;
    const Ref start = place.object ? weak_target(place.object.get())
                                   : start_of(made.get(), *place.body, place.access, &holder);
    if (!start) continue;
    const Spot spot = walk(start, holder, access.path, place.body->names[place.access], place.steps);
    const SeenValue value = see(spot.value.get());
    if (value.same(place.value) || !value.known() || value.kind == SeenValue::kAbsent ||
        value.kind == SeenValue::kSymbolic)
      continue;
    session::Writer* writer = session::active_writer();
    if (!writer) return;
    std::string text = text_of(spot.value.get());
    ObservationRecord record = observation(*writer, ObservationKind::kStateChanged, function, hit, now, *place.body,
                                           access.line, place.path);
    record.values = {place.text, text};
    record.count = calls;
    if (value.same(place.read)) record.note = session::kCameBack;
    else if (place.changes + 1 == kMaxChanges) record.note = session::kLastWatched;
    if (!place.changes) {
      const WatchedEntry entry{.function = made, .start = start, .body = place.body, .access = place.access,
                               .steps = place.steps, .parameter = static_cast<bool>(place.object)};
      add_lines(*writer, record, uses_of(*place.body, elsewhere(entry).name, {place.body.get()}), true, "change");
    }
    writer->add(std::move(record));
    ++place.changes;
    place.value = value;
    place.text = std::move(text);
  }
  if (depth < 16)
    for (const auto& one : inner) one->compare_for(hit, now, calls, depth + 1);
}

static std::vector<std::shared_ptr<TraceState>>& states_of_datasets() {
  static auto& states = *new std::vector<std::shared_ptr<TraceState>>;
  return states;
}

void watch_elements(const std::shared_ptr<TraceState>& state) {
  constexpr size_t kMaxStates = 256;
  auto& states = states_of_datasets();
  const auto is_gone = [](const TraceState::StateRead& place) { return !weak_target(place.function.get()); };
  std::erase_if(states, [&](const std::shared_ptr<TraceState>& one) {
    return one == state || one->recording != state->recording || std::ranges::all_of(one->places, is_gone);
  });
  if (states.size() < kMaxStates) states.push_back(state);
}

void note_element() {
  if (states_of_datasets().empty()) return;
  const int64_t now = now_ns();
  for (const std::shared_ptr<TraceState>& state : states_of_datasets()) state->note_call(now);
}

}  // namespace footlight::python
