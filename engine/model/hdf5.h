// The data sets of an HDF5 file, as Keras writes it: their paths, types and shapes; values are not read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::model {

struct Dataset {
  std::string path;   // "layers/dense/vars/0"
  std::string dtype;  // "float32"
  std::vector<uint64_t> dims;
  uint32_t item = 0;  // bytes of an element
};

// Throws kValue for what is no such file, and for damage. Groups with so many members that HDF5 indexes them
// in its newer way are left out.
std::vector<Dataset> read_datasets(std::string_view bytes);

}  // namespace footlight::model
