// Compares the state that a trace has read with what is there at a later call.
#include "engine/base/recording.h"
#include "engine/python/function/observed/state_records.h"
#include "engine/python/function/observed/state_watch.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/weak.h"
#include "engine/session/writer.h"

namespace footlight::python {

using autograph::OutsideAccess;
using session::ObservationKind;
using session::ObservationRecord;

static constexpr int kMaxChanges = 8;   // recorded changes of one place

void TraceState::compare(int64_t now) {
  compared_ns_ = now;
  if (recording != recording_number.load(std::memory_order_relaxed)) return;
  quietly([&] { compare_for(trace, now, 0); });
}

void TraceState::compare_for(TraceId hit, int64_t now, int depth) {
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
    if (value.same(place.read)) record.note = session::kCameBack;
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
    for (const auto& one : inner) one->compare_for(hit, now, depth + 1);
}

}  // namespace footlight::python
