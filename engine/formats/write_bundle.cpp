// Writing bundles. An index says in which data file its values lie, so replacing it replaces the checkpoint at once.
#include "engine/base/text.h"
#include "engine/formats/bundle.h"
#include "engine/formats/checkpoint.pb.h"
#include "engine/base/crc32c.h"
#include "engine/formats/file.h"
#include "engine/formats/graph_def.h"
#include "engine/wire/varint.h"

#include <cstdio>
#include <map>
#include <unistd.h>

namespace footlight::formats {
namespace {

// Lengths, a checksum of them, the texts. The checksum of the whole counts each length as four bytes, or eight.
uint32_t write_strings(const Tensor& tensor, NewFile& file, size_t& size) {
  const std::span<const std::string> strings(tensor.data<std::string>(), static_cast<size_t>(tensor.elements()));
  std::string bytes, fixed;
  for (const std::string& text : strings) {
    wire::put_varint(bytes, text.size());
    if (text.size() <= UINT32_MAX) wire::put_fixed(fixed, static_cast<uint32_t>(text.size()));
    else wire::put_fixed(fixed, uint64_t{text.size()});
  }
  uint32_t crc = crc32c(fixed);
  std::string check;
  wire::put_fixed(check, masked_crc32c(crc));
  crc = extend_crc32c(crc, check);
  bytes += check;
  for (const std::string& text : strings) {
    crc = extend_crc32c(crc, text);
    bytes += text;
    if (bytes.size() < size_t{1} << 20) continue;
    file.write(bytes);
    size += bytes.size();
    bytes.clear();
  }
  file.write(bytes);
  size += bytes.size();
  return crc;
}

class Writer {
 public:
  // The values go to this shard of `shards`.
  Writer(const std::string& prefix, int shard, int shards)
      : data_(shard_name(prefix, shard, shards)), index_path_(prefix + ".index"), shard_(shard) {}

  void add(const NamedTensor& named) {
    const auto [at, fresh] = entries_.try_emplace(named.name);
    if (!fresh) invalid("the name '", named.name, "' is given to two tensors of a checkpoint");
    if (named.name.empty()) invalid("a tensor of a checkpoint needs a name");
    const Tensor& tensor = named.value;
    if (!is_plain(tensor.dtype()) && tensor.dtype() != DType::kString)
      invalid("the value of '", named.name, "' has dtype ", name_of(tensor.dtype()), ", which no checkpoint can hold");
    BundleEntryProto& entry = at->second;
    entry.set_dtype(static_cast<DataType>(tensor.dtype()));
    TensorShapeProto* shape = entry.mutable_shape();
    for (int64_t dim : tensor.shape().dims()) shape->add_dim()->set_size(dim);
    entry.set_shard_id(shard_);
    entry.set_offset(static_cast<int64_t>(offset_));
    size_t size = 0;
    uint32_t crc;
    if (tensor.dtype() == DType::kString) {
      crc = write_strings(tensor, data_, size);
    } else {
      size = tensor.bytes();
      const std::string_view bytes(static_cast<const char*>(tensor.raw()), size);
      crc = crc32c(bytes);
      data_.write(bytes);
    }
    entry.set_size(static_cast<int64_t>(size));
    entry.set_crc32c(masked_crc32c(crc));
    offset_ += size;
  }

  // The values get their name, then the index that refers to them.
  void finish(int shards) {
    data_.finish();
    write_index(shard_, shards);
  }

  void write_index(int shard, int shards) {
    TableWriter table;
    BundleHeaderProto header;
    header.set_num_shards(shards);
    header.mutable_version()->set_producer(1);
    table.add("", bytes_of(header));
    for (auto& [name, entry] : entries_) {
      entry.set_shard_id(shard);
      table.add(name, bytes_of(entry));
    }
    write_file(index_path_, table.finish());
  }

 private:
  NewFile data_;
  const std::string index_path_;
  const int shard_;
  size_t offset_ = 0;
  std::map<std::string, BundleEntryProto> entries_;
};

// Another name for the file's contents, under which they stay when `from` goes.
void replace_by_copy(const std::string& from, const std::string& to) {
  const std::string beside = from + ".copy";
  ::unlink(beside.c_str());
  if (::link(from.c_str(), beside.c_str()) == 0) return rename_file(beside, to);
  const File source = File::open_to_read(from);  // a file system without links
  NewFile copy(to);
  std::string part(size_t{1} << 20, '\0');
  for (size_t offset = 0, size = source.size(from); offset < size; offset += part.size()) {
    part.resize(std::min(part.size(), size - offset));
    if (!source.read_at(offset, part.data(), part.size(), from)) fail_as_system("read the file", from);
    copy.write(part);
  }
  copy.finish();
}

}  // namespace

std::string shard_name(const std::string& prefix, int shard, int shards) {
  char ending[40];
  std::snprintf(ending, sizeof ending, ".data-%05d-of-%05d", shard, shards);
  return prefix + ending;
}

void write_bundle(const std::string& prefix, std::span<const NamedTensor> tensors) {
  const int before = exists(prefix + ".index") ? shards_of(prefix) : 0;
  if (before != 1) {  // no index refers to the usual data file
    Writer writer(prefix, 0, 1);
    for (const NamedTensor& tensor : tensors) writer.add(tensor);
    writer.finish(1);
    for (int shard = 0; shard < before; ++shard) ::unlink(shard_name(prefix, shard, before).c_str());
    return;
  }
  // The new values first go where no index refers to; then the index is replaced, at once; and the other way round back
  // to the usual names.
  const std::string elsewhere = shard_name(prefix, 1, 2);
  Writer writer(prefix, 1, 2);
  for (const NamedTensor& tensor : tensors) writer.add(tensor);
  writer.finish(2);
  replace_by_copy(elsewhere, shard_name(prefix, 0, 1));
  writer.write_index(0, 1);
  ::unlink(elsewhere.c_str());
}

}  // namespace footlight::formats
