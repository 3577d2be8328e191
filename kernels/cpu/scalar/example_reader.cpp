// Reads Example messages.
#include "kernels/cpu/scalar/example_reader.h"

#include <algorithm>

namespace footlight {

int64_t Values::size() const {
  return static_cast<int64_t>(dtype == DType::kString    ? strings.size()
                              : dtype == DType::kFloat32 ? reals.size()
                                                         : numbers.size());
}

Tensor Values::tensor(const Shape& shape) const {
  Tensor out = Tensor::empty(dtype, shape);
  if (dtype == DType::kString)
    std::copy(strings.begin(), strings.end(), out.data<std::string>());
  else if (dtype == DType::kFloat32)
    std::copy(reals.begin(), reals.end(), out.data<float>());
  else
    std::copy(numbers.begin(), numbers.end(), out.data<int64_t>());
  return out;
}

bool read_feature(std::string_view bytes, FeatureBytes& out) {
  out = {};
  wire::ProtobufReader in(bytes);
  while (in.next()) {
    if (in.type != wire::kBytes) continue;
    const DType dtype = in.field == 1   ? DType::kString
                        : in.field == 2 ? DType::kFloat32
                        : in.field == 3 ? DType::kInt64
                                        : DType::kInvalid;
    if (dtype != DType::kInvalid) out = {dtype, in.bytes};
  }
  return in.ok();
}

bool read_values(const FeatureBytes& feature, Values& to, int64_t& count) {
  const int64_t before = to.size();
  wire::ProtobufReader in(feature.list);
  while (in.next()) {
    if (in.field != 1) continue;
    const bool packed = in.type == wire::kBytes;
    switch (feature.dtype) {
      case DType::kString:
        if (!packed) return false;
        to.strings.emplace_back(in.bytes);
        break;
      case DType::kFloat32:
        if (in.type == wire::kFixed32) {
          to.reals.push_back(wire::fixed_at<float>(in.bytes.data()));
        } else {
          if (!packed || in.bytes.size() % 4) return false;
          const size_t at = to.reals.size(), more = in.bytes.size() / 4;
          to.reals.resize(at + more);
          if (more) std::memcpy(to.reals.data() + at, in.bytes.data(), more * 4);
        }
        break;
      default:
        if (in.type == wire::kVarint) {
          to.numbers.push_back(static_cast<int64_t>(in.number));
        } else {
          if (!packed) return false;
          std::string_view rest = in.bytes;
          while (!rest.empty()) {
            uint64_t number;
            if (!wire::take_varint(rest, number)) return false;
            to.numbers.push_back(static_cast<int64_t>(number));
          }
        }
    }
  }
  count = to.size() - before;
  return in.ok();
}

bool read_map(std::string_view bytes, const WantedKeys& wanted, std::vector<std::string_view>& found) {
  wire::ProtobufReader in(bytes);
  while (in.next()) {
    if (in.field != 1) continue;
    if (in.type != wire::kBytes) return false;
    std::string_view key, value("", 0);
    wire::ProtobufReader entry(in.bytes);
    while (entry.next()) {
      if (entry.type != wire::kBytes) continue;
      if (entry.field == 1) key = entry.bytes;
      if (entry.field == 2) value = entry.bytes;
    }
    if (!entry.ok()) return false;
    if (const auto place = wanted.find(key); place != wanted.end()) found[place->second] = value;
  }
  return in.ok();
}

}  // namespace footlight
