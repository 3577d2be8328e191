// Computes what to draw for a stretch of time: bars that are wide enough one by one, the rest as columns of pixels.
// Also finds the row behind a point of a picture, and its neighbours.
#pragma once

#include "engine/query/store.h"

namespace footlight::query {

// One bar, with the data for its text.
struct Bar {
  int64_t start = 0, end = 0;
  uint64_t row = 0;        // row of calls, op events or device events
  uint32_t what = 0;       // FunctionId, OpId, number of a name in `names`
  uint32_t detail = 0;     // TraceId, SignatureId
  CallId call;             // the call, or the call of an op
  uint16_t look = 0;       // CallOutcome, OpId
};

struct LanePicture {
  std::vector<Bar> bars;             // sorted by start
  // One entry per column of pixels: how much of it was busy and what took longest there. Empty: no bars that narrow.
  std::vector<float> cover;
  std::vector<uint16_t> look;
};

struct TrackPicture {
  TrackKey key;
  uint64_t count = 0;                // bars of the whole track
  std::vector<LanePicture> lanes;
  bool is_summary = false;           // of several processes: shown while the process is folded
};

// How busy a device was in each column: its busiest stream, of which no two kernels run at once.
struct DevicePicture {
  uint32_t device = 0;
  std::vector<float> busy;           // 0 to 1
};

struct Picture {
  int64_t from = 0, to = 0;
  int columns = 0;
  std::vector<TrackPicture> tracks;
  std::vector<DevicePicture> devices;
  std::vector<CounterPicture> counters;
  std::vector<std::string> names;    // names of kernels and API calls
};

// Bars at least one and a half columns wide are drawn one by one.
Picture draw(const Store& store, int64_t from, int64_t to, int columns, const Cancel& cancel);

// How busy each of `columns` equal slices of [first, last) was, with the share that was tracing.
struct OverviewColumn {
  float busy = 0, tracing = 0;
};
std::vector<OverviewColumn> overview(const Store& store, int64_t first, int64_t last, int columns,
                                     const Cancel& cancel);

// A bar with its place among the tracks.
struct Placed {
  TrackKey track;
  int lane = 0;
  Bar bar;
  std::string name;  // name of a device event
};

// The bar at `time`, or the nearest one within `slack` ns.
std::optional<Placed> nearest(const Store& store, const TrackKey& track, int lane, int64_t time, int64_t slack,
                              const Cancel& cancel);
// The first bar that starts at or after `time`; if there is no such bar, the last one of the lane.
std::optional<Placed> at_or_after(const Store& store, const TrackKey& track, int lane, int64_t time,
                                  const Cancel& cancel);
// The next (`by` > 0) or previous bar of the lane, if any.
std::optional<Placed> neighbour(const Store& store, const Placed& from, int by, const Cancel& cancel);
// The place of a row on the tracks.
std::optional<Placed> place(const Store& store, TrackKind kind, uint64_t row);
// The op that caused device work, the calls that asked for it, and the work itself, by start; of any of them. Empty if
// there is nothing but itself.
std::vector<Placed> flow_of(const Store& store, const Placed& bar, size_t most, const Cancel& cancel);
// The first bars, by chunk, that match the filter within [from, to).
std::vector<Placed> placed(const Store& store, const OpFilter& filter, int64_t from, int64_t to, size_t most,
                           const Cancel& cancel);

}  // namespace footlight::query
