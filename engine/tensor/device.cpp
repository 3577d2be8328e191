// Device names.
#include "engine/tensor/device.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cctype>

namespace footlight {

std::string full_name(Device device) {
  return str("/job:localhost/replica:0/task:0/device:", device.type == DeviceType::kGpu ? "GPU:" : "CPU:",
             int{device.index});
}

Device parse_device(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  auto bad = [&] {
    fail(ErrorKind::kValue, "Failed to parse device name: '", text,
         "'. A device is written \"/CPU:0\", \"/GPU:0\", \"/device:GPU:0\" or \"\"");
  };
  Device device;
  bool typed = false;
  std::string_view rest = lower;
  while (!rest.empty()) {
    if (rest.front() == '/') rest.remove_prefix(1);
    std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    for (std::string_view key : {"replica:", "task:"})
      if (part.starts_with(key)) {
        const std::string_view number = part.substr(key.size());
        if (number.empty() || number.find_first_not_of("0123456789") != number.npos) bad();
        part = {};
      }
    if (part.starts_with("job:")) part = {};
    if (part.empty()) continue;
    if (typed) bad();  // two devices in one name
    typed = true;
    if (part.starts_with("device:")) {
      part.remove_prefix(7);
      if (part.find(':') == part.npos) bad();
    }
    const size_t colon = part.find(':');
    const std::string_view type = part.substr(0, colon);
    if (type == "gpu") {
      device.type = DeviceType::kGpu;
    } else if (type == "cpu") {
      device.type = DeviceType::kCpu;
    } else {
      bad();
    }
    if (colon == std::string_view::npos) continue;
    const std::string_view number = part.substr(colon + 1);
    if (number == "*") continue;
    int index = 0;
    if (number.empty() || number.size() > 3) bad();
    for (char c : number) {
      if (!std::isdigit(static_cast<unsigned char>(c))) bad();
      index = index * 10 + (c - '0');
    }
    if (index > 255) bad();
    device.index = static_cast<uint8_t>(index);
  }
  return device;
}

std::string merged_device(std::string_view around, std::string_view within) {
  std::string parts[4];  // job, replica, task, device
  for (const std::string_view name : {around, within}) {
    for (size_t at = 0; at < name.size();) {
      const size_t end = std::min(name.find('/', at), name.size());
      const std::string_view part = name.substr(at, end - at);
      at = end + 1;
      if (part.empty()) continue;
      size_t place = 0;
      for (const std::string_view key : {"job:", "replica:", "task:"})
        if (!part.starts_with(key)) ++place;
        else break;
      if (place < 3) {
        parts[place] = part;
        continue;
      }
      std::string device(part.starts_with("device:") ? part.substr(7) : part);
      const size_t colon = std::min(device.find(':'), device.size());
      std::transform(device.begin(), device.begin() + static_cast<ptrdiff_t>(colon), device.begin(),
                     [](unsigned char c) { return std::toupper(c); });
      parts[place] = "device:" + device + (colon == device.size() ? ":*" : "");
    }
  }
  std::string merged;
  for (const std::string& part : parts)
    if (!part.empty()) merged += '/' + part;
  return merged;
}

}  // namespace footlight
