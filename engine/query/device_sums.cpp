// Adds up the device's events, chunk by chunk.
#include "engine/query/device_sums.h"

#include "engine/base/errors.h"

#include <algorithm>
#include <map>
#include <utility>

namespace footlight::query {

std::vector<DeviceSum> device_sums(const session::Reader& reader, const Cancel& cancel) {
  std::map<std::pair<std::string, std::string>, DeviceSum> sums;
  for (size_t i = 0; i < reader.device_events().index().size(); ++i) {
    cancel.check();
    try {
      for (const session::DeviceRecord& d : *reader.device_events().chunk(i)) {
        DeviceSum& sum = sums[{d.kind, d.name}];
        const int64_t took = std::max<int64_t>(0, d.end_ns - d.start_ns);
        sum.least_ns = sum.count ? std::min(sum.least_ns, took) : took;
        sum.most_ns = std::max(sum.most_ns, took);
        sum.total_ns += took;
        sum.bytes += d.bytes;
        ++sum.count;
      }
    } catch (const Error&) {
      // a damaged chunk: its events are missing from the sums
    }
  }
  std::vector<DeviceSum> all;
  for (auto& [key, sum] : sums) {
    sum.kind = key.first;
    sum.name = key.second;
    sum.on_device = sum.kind == "kernel" || sum.kind == "memcpy" || sum.kind == "memset";
    all.push_back(std::move(sum));
  }
  std::ranges::stable_sort(all, [](const DeviceSum& a, const DeviceSum& b) {
    return std::pair(!a.on_device, -a.total_ns) < std::pair(!b.on_device, -b.total_ns);
  });
  return all;
}

}  // namespace footlight::query
