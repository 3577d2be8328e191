// Sums up chunks, and fills columns from them.
#include "engine/query/counters.h"

#include "engine/base/errors.h"

#include <algorithm>
#include <cmath>

namespace footlight::query {

constexpr size_t kMaxTracks = 1024;  // more are not drawn

void Counters::add(const std::vector<session::CounterRecord>& chunk, uint32_t number, const Shown& shown) {
  for (const session::CounterRecord& c : chunk) {
    if (!std::isfinite(c.value)) continue;
    const uint32_t track = shown(c.track);
    if (counters_.size() >= kMaxTracks && !counters_.contains(track)) continue;
    if (track != c.track.value) shown_.try_emplace(c.track.value, track);
    Counter& counter = counters_[track];
    if (counter.parts.empty() || counter.parts.back().chunk != number)
      counter.parts.push_back({number, c.time_ns, c.time_ns, c.value, c.value, c.time_ns});
    Part& part = counter.parts.back();
    part.first = std::min(part.first, c.time_ns);
    if (c.time_ns >= part.last) part.last = c.time_ns, part.last_value = c.value;
    if (c.value > part.greatest) part.greatest = c.value, part.greatest_at = c.time_ns;
    counter.least = std::min(counter.least, c.value);
    if (c.value > counter.greatest) counter.greatest = c.value, counter.greatest_at = c.time_ns;
    ++counter.count;
  }
}

std::vector<CounterPicture> Counters::draw(const session::CounterStore& store, int64_t from, int64_t to, int columns,
                                           const Cancel& cancel) const {
  std::vector<CounterPicture> all;
  const auto count = static_cast<size_t>(std::max(1, columns));
  const double per = static_cast<double>(std::max<int64_t>(1, to - from)) / static_cast<double>(count);
  for (const auto& [track, counter] : counters_) {
    cancel.check();
    CounterPicture& picture = all.emplace_back();
    picture.track = track;
    picture.count = counter.count;
    picture.least = counter.least;
    picture.greatest = counter.greatest;
    picture.greatest_at = counter.greatest_at;
    // The greatest of each column, and what holds after it.
    std::vector<float> greatest(count, NAN), after(count, NAN);
    std::vector<int64_t> latest(count, INT64_MIN);
    float before = NAN;
    int64_t before_at = INT64_MIN;
    const auto put = [&](int64_t first, int64_t last, double most, double last_value) {
      if (last < from && last >= before_at) before_at = last, before = static_cast<float>(last_value);
      if (last < from || first >= to) return;
      const auto column = [&](int64_t t) {
        return static_cast<size_t>(
            std::clamp(static_cast<double>(t - from) / per, 0.0, static_cast<double>(count - 1)));
      };
      const auto value = static_cast<float>(most);
      for (size_t c = column(first); c <= column(last); ++c) {
        if (!(greatest[c] >= value)) greatest[c] = value;
      }
      const size_t end = column(last);
      if (last >= latest[end]) latest[end] = last, after[end] = static_cast<float>(last_value);
    };
    for (const Part& part : counter.parts) {
      const bool outside = part.last < from || part.first >= to;
      if (outside || static_cast<double>(part.last - part.first) < per) {
        put(part.first, part.last, part.greatest, part.last_value);
        continue;
      }
      cancel.check();
      try {
        for (const session::CounterRecord& c : *store.chunk(part.chunk)) {
          if (is_of(c, track) && std::isfinite(c.value)) put(c.time_ns, c.time_ns, c.value, c.value);
        }
      } catch (const Error&) {
        put(part.first, part.last, part.greatest, part.last_value);
      }
    }
    picture.values.resize(count);
    float holds = before;
    for (size_t c = 0; c < count; ++c) {
      picture.values[c] = std::isnan(greatest[c]) ? holds : greatest[c];
      if (!std::isnan(after[c])) holds = after[c];
    }
  }
  return all;
}

std::vector<CounterPeak> Counters::peaks(const session::CounterStore& store, int64_t from, int64_t to,
                                         const Cancel& cancel) const {
  std::vector<CounterPeak> all;
  for (const auto& [track, counter] : counters_) {
    CounterPeak peak{track, 0, 0};
    bool any = false;
    int64_t before_at = INT64_MIN;  // time of the value that holds at `from`
    double before = 0;
    const auto put = [&](int64_t first, int64_t last, double most, int64_t most_at, double last_value) {
      if (last <= from) {
        if (last >= before_at) before_at = last, before = last_value;
      } else if (first < to && (!any || most > peak.value)) {
        any = true;
        peak.value = most, peak.at = most_at;
      }
    };
    for (const Part& part : counter.parts) {
      if (part.last <= from || part.first >= to || (part.first > from && part.last < to)) {
        put(part.first, part.last, part.greatest, part.greatest_at, part.last_value);
        continue;
      }
      cancel.check();
      try {
        for (const session::CounterRecord& c : *store.chunk(part.chunk)) {
          if (is_of(c, track) && std::isfinite(c.value)) put(c.time_ns, c.time_ns, c.value, c.time_ns, c.value);
        }
      } catch (const Error&) {
        put(part.first, part.last, part.greatest, part.greatest_at, part.last_value);
      }
    }
    if (before_at != INT64_MIN && (!any || before > peak.value)) {
      any = true;
      peak.value = before, peak.at = from;
    }
    if (any) all.push_back(peak);
  }
  return all;
}

size_t Counters::bytes() const {
  size_t sum = 0;
  for (const auto& [track, counter] : counters_) sum += sizeof counter + counter.parts.capacity() * sizeof(Part);
  return sum;
}

}  // namespace footlight::query
