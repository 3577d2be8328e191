// Adds up the device's events, chunk by chunk.
#include "engine/query/device_sums.h"

#include "engine/session/readable_chunks.h"


#include <algorithm>
#include <map>
#include <utility>

namespace footlight::query {

double DeviceSum::bytes_per_second() const {
  return bytes && whole_ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(whole_ns) : 0;
}

RepeatedTimes::RepeatedTimes(const session::Reader& reader) {
  for (const session::ComparisonRecord& c : reader.contents().comparisons)
    if (c.start_ns > 0 && c.end_ns >= c.start_ns) times_.emplace_back(c.start_ns, c.end_ns);
  std::sort(times_.begin(), times_.end());
  size_t kept = 0;
  for (const auto& time : times_) {
    if (kept && time.first <= times_[kept - 1].second)
      times_[kept - 1].second = std::max(times_[kept - 1].second, time.second);
    else times_[kept++] = time;
  }
  times_.resize(kept);
}

bool RepeatedTimes::has(const session::DeviceRecord& event) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), std::pair(event.start_ns, INT64_MAX));
  return after != times_.begin() && event.start_ns <= (after - 1)->second;
}

std::vector<DeviceSum> device_sums(const session::Reader& reader, const Cancel& cancel, int64_t from, int64_t to) {
  std::map<DeviceName, DeviceSum> sums;
  const RepeatedTimes repeated(reader);
  each_record(reader.device_events(), from, to, [&] { cancel.check(); }, [&](const session::DeviceRecord& d) {
    if (d.start_ns >= to || std::max(d.start_ns + 1, d.end_ns) <= from || repeated.has(d)) return;
    DeviceSum& sum = sums[{d.kind, d.name}];
    const int64_t took = std::max<int64_t>(0, d.end_ns - d.start_ns);
    sum.least_ns = sum.count ? std::min(sum.least_ns, took) : took;
    sum.most_ns = std::max(sum.most_ns, took);
    sum.whole_ns += took;
    sum.total_ns += std::max<int64_t>(0, std::min(d.end_ns, to) - std::max(d.start_ns, from));
    sum.bytes += d.bytes;
    sum.durations.add(took);
    ++sum.count;
  });
  std::vector<DeviceSum> all;
  for (auto& [key, sum] : sums) {
    static_cast<DeviceName&>(sum) = key;
    sum.on_device = sum.kind == "kernel" || sum.kind == "memcpy" || sum.kind == "memset";
    all.push_back(std::move(sum));
  }
  std::ranges::stable_sort(all, [](const DeviceSum& a, const DeviceSum& b) {
    return std::pair(!a.on_device, -a.total_ns) < std::pair(!b.on_device, -b.total_ns);
  });
  return all;
}

}  // namespace footlight::query
