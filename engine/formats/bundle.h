// TensorFlow's tensor bundles, the files of a checkpoint: PREFIX.index and PREFIX.data-00000-of-00001.
#pragma once

#include "engine/formats/table.h"
#include "engine/tensor/tensor_file.h"

#include <memory>
#include <span>

namespace footlight::formats {

struct BundleLimits {
  size_t index_bytes = size_t{1} << 30;
  size_t entries = size_t{1} << 22;
  TableLimits table;
};

// Throws kNotFound if there is no such file, kDataLoss for what is not one.
std::unique_ptr<TensorFile> open_bundle(const std::string& prefix, const BundleLimits& = {});
// The same for the contents of an index in memory; values are read from the files of `prefix`.
std::unique_ptr<TensorFile> bundle_of(std::string_view index, const std::string& prefix, const BundleLimits& = {});

// Writes the tensors in this order, byte for byte as TensorFlow. Whenever it ends, by an error or a kill, the files are
// those of a whole checkpoint: either the one that was there before or this one. Throws kInvalidArgument for tensors
// that no file can hold, and what the system says.
void write_bundle(const std::string& prefix, std::span<const NamedTensor> tensors);

// How many data files the index says that there are; 0 for one that cannot be read.
int shards_of(const std::string& prefix);
// "PREFIX.data-00003-of-00010"
std::string shard_name(const std::string& prefix, int shard, int shards);

}  // namespace footlight::formats
