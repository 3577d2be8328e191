// Tracks of a timeline over flat arrays, with a power-of-two pyramid so that any zoom draws in time of its pixels.
#pragma once

#include "app/models/document.h"

#include <QString>

#include <algorithm>

#include <cstdint>
#include <vector>

namespace footlight::app {

// One bar. `paint` is an index into the track's palette, `ref` says what it is to the one who made the track.
struct Span {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t ref = 0;
  uint16_t paint = 0;
  uint16_t flags = 0;
};

// What a group of 2^level neighbours amounts to.
struct SpanGroup {
  int64_t start = 0, end = 0;
  int64_t busy = 0;
  uint32_t dominant = 0;  // index of the longest
  uint32_t count = 0;
};

// Bars of one row that do not overlap, in order of start.
class Lane {
 public:
  void assign(std::vector<Span> spans);
  const std::vector<Span>& spans() const { return spans_; }
  size_t size() const { return spans_.size(); }

  // What to draw for [from, to) when one pixel is `per_pixel` ns: wide bars one by one, the rest as groups of less
  // than a pixel. Calls wide(index) and narrow(group).
  template <class Wide, class Narrow>
  void visit(int64_t from, int64_t to, double per_pixel, Wide&& wide, Narrow&& narrow) const;

  // The bar at `time`, or the nearest within `slack` ns; -1: none.
  ptrdiff_t at(int64_t time, int64_t slack) const;
  // First bar that starts at or after `time`.
  size_t lower(int64_t time) const;

 private:
  static constexpr int kFirstLevel = 3;  // smaller groups cost more memory than the walk they save
  const SpanGroup& group(int level, size_t index) const {
    return levels_[static_cast<size_t>(level - kFirstLevel)][index];
  }
  template <class Wide, class Narrow>
  void descend(int level, size_t index, int64_t from, int64_t to, double per_pixel, Wide& wide, Narrow& narrow) const;

  std::vector<Span> spans_;
  std::vector<std::vector<SpanGroup>> levels_;
};

struct Track {
  enum class Kind { kCalls, kOps, kDevice, kApi };
  Kind kind = Kind::kOps;
  QString title, subtitle;
  uint32_t thread = 0;      // kOps
  std::vector<Lane> lanes;  // nested bars go to the next lane
};

// Bits of Span::flags.
constexpr uint16_t kSpanTrace = 1, kSpanHit = 2, kSpanPhase = 4, kSpanFailed = 8, kSpanEager = 16;

struct TimelineData {
  std::vector<Track> tracks;
  std::vector<QString> paints;  // theme colour names, by Span::paint
  int64_t first = 0, last = 0;
};

// Builds all tracks. Bars of kCalls lanes refer to Document::calls (lane phases: kSpanPhase, ref = call),
// kOps to the thread's events, kDevice and kApi to Document::device.
TimelineData build_timeline(const Document& document,
                            const std::vector<std::pair<std::string, QString>>& family_colours);

// How busy each of `columns` equal slices of the whole was, with the share that was tracing: the overview strip.
struct OverviewColumn {
  float busy = 0, tracing = 0;
};
std::vector<OverviewColumn> overview(const TimelineData& data, int columns);

// The table of a selected range.
struct OpStatistics {
  QString name;
  std::string family;
  uint64_t count = 0;
  int64_t total = 0, self = 0, median = 0, p95 = 0;
  uint64_t bytes = 0, flops = 0;  // of all together; bytes in and out
};
struct RangeStatistics {
  std::vector<OpStatistics> rows;  // most total time first
  uint64_t calls = 0, events = 0;
  double busy = 0;                 // share of the range in which an op ran on some thread
};
RangeStatistics range_statistics(const Document& document, int64_t from, int64_t to);

// Step of the time axis: 1, 2 or 5 times a power of ten, at least `least` ns.
int64_t nice_step(double least);

// --- inline walk ---------------------------------------------------------------------------------------------------

template <class Wide, class Narrow>
void Lane::descend(int level, size_t index, int64_t from, int64_t to, double per_pixel, Wide& wide,
                   Narrow& narrow) const {
  if (level < kFirstLevel) {
    const size_t first = index << kFirstLevel;
    const size_t last = std::min(spans_.size(), first + (size_t{1} << kFirstLevel));
    for (size_t i = first; i < last; ++i) {
      const Span& span = spans_[i];
      if (span.end < from || span.start >= to) continue;
      if (static_cast<double>(span.end - span.start) >= per_pixel) {
        wide(i);
      } else {
        narrow(SpanGroup{span.start, span.end, span.end - span.start, static_cast<uint32_t>(i), 1});
      }
    }
    return;
  }
  const SpanGroup& g = group(level, index);
  if (g.end < from || g.start >= to) return;
  if (static_cast<double>(g.end - g.start) < per_pixel) {
    narrow(g);
    return;
  }
  if (level == kFirstLevel) {
    descend(level - 1, index, from, to, per_pixel, wide, narrow);
    return;
  }
  const size_t below = levels_[static_cast<size_t>(level - 1 - kFirstLevel)].size();
  descend(level - 1, index * 2, from, to, per_pixel, wide, narrow);
  if (index * 2 + 1 < below) descend(level - 1, index * 2 + 1, from, to, per_pixel, wide, narrow);
}

template <class Wide, class Narrow>
void Lane::visit(int64_t from, int64_t to, double per_pixel, Wide&& wide, Narrow&& narrow) const {
  if (spans_.empty()) return;
  descend(static_cast<int>(levels_.size()) + kFirstLevel - 1, 0, from, to, per_pixel, wide, narrow);
}

}  // namespace footlight::app
