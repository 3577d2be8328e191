// Example messages, read from their bytes: where the wanted features are, and the values that a feature holds.
#pragma once

#include "engine/wire/protobuf.h"
#include "engine/tensor/tensor.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footlight {

// Values of one dtype, one after the other.
struct Values {
  DType dtype = DType::kInvalid;
  std::vector<int64_t> numbers;
  std::vector<float> reals;
  std::vector<std::string> strings;

  int64_t size() const;
  Tensor tensor(const Shape& shape) const;  // a tensor of as many elements as `shape` has
};

// A feature: which list it has, and its bytes.
struct FeatureBytes {
  DType dtype = DType::kInvalid;  // kInvalid: it has no list
  std::string_view list;
};
// Reads a Feature message. False if the bytes are not one.
bool read_feature(std::string_view bytes, FeatureBytes& out);
// Appends the feature's values and counts them. False if the bytes are not such a list.
bool read_values(const FeatureBytes& feature, Values& to, int64_t& count);

// The wanted keys of a map, numbered.
using WantedKeys = std::unordered_map<std::string_view, size_t>;
// Reads a message whose field 1 is a map from strings to messages: `found` gets the bytes of each wanted key, the last
// if a key occurs twice, and a null data() if it does not occur. Returns false if the bytes are no such message.
bool read_map(std::string_view bytes, const WantedKeys& wanted, std::vector<std::string_view>& found);

}  // namespace footlight
