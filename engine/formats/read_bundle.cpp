// Reading bundles that a stranger may have written: entries are checked when the file is opened, values when they are
// read, each before memory is taken for it.
#include "engine/base/text.h"
#include "engine/formats/bundle.h"
#include "engine/formats/checkpoint.pb.h"
#include "engine/base/crc32c.h"
#include "engine/formats/file.h"
#include "engine/formats/read.h"
#include "engine/wire/varint.h"
#include "engine/tensor/size.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace footlight::formats {
namespace {

// A name that may hold any bytes, for a message.
std::string printable(std::string_view name) {
  std::string out(name.substr(0, 200));
  std::ranges::replace_if(out, [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return out;
}

[[noreturn]] void damaged(const std::string& prefix, std::string_view name, const std::string& how) {
  fail(ErrorKind::kDataLoss, "the checkpoint ", prefix, " is damaged: the tensor '", printable(name), "' ", how);
}

class Bundle final : public TensorFile {
 public:
  Bundle(std::string_view index, std::string prefix, const BundleLimits& limits)
      : prefix_(std::move(prefix)), checksums_(limits.table.checksums) {
    bool first = true;
    read_table(
        index, prefix_ + ".index",
        [&](std::string_view key, std::string_view value) {
          if (std::exchange(first, false)) return read_header(key, value);
          if (entries_.size() == limits.entries)
            fail(ErrorKind::kDataLoss, "the checkpoint ", prefix_, " has more than ", limits.entries, " tensors");
          read_entry(key, value);
        },
        limits.table);
    if (first) fail(ErrorKind::kDataLoss, "the file ", prefix_, ".index has no header");
  }

  int shards() const { return shards_; }
  const std::vector<Entry>& entries() const override { return entries_; }

  const Entry* find(std::string_view name) const override {
    const auto at = std::ranges::lower_bound(entries_, name, {}, &Entry::name);
    return at != entries_.end() && at->name == name ? &*at : nullptr;
  }

  Tensor read(std::string_view name) const override {
    const Entry* entry = find(name);
    if (!entry)
      fail(ErrorKind::kNotFound, "Key ", printable(name), " not found in checkpoint: the checkpoint ", prefix_,
           " has no tensor of that name");
    const Where& where = where_[static_cast<size_t>(entry - entries_.data())];
    if (where.sliced)
      fail(ErrorKind::kUnimplemented, "the tensor '", entry->name, "' of the checkpoint ", prefix_,
           " is stored in slices, which are not supported: save it unpartitioned");
    const Shard shard = open_shard(where.shard, entry->name);
    if (where.size > shard.size || where.offset > shard.size - where.size)
      damaged(prefix_, name, str("lies past the end of ", shard.path));
    return entry->dtype == DType::kString ? read_strings(*entry, where, shard) : read_plain(*entry, where, shard);
  }

 private:
  struct Where {
    int shard;
    uint64_t offset, size;
    uint32_t crc;
    bool sliced;
  };
  struct Shard {
    std::shared_ptr<const File> file;
    size_t size;
    std::string path;
  };

  void read_header(std::string_view key, std::string_view value) {
    BundleHeaderProto header;
    if (!key.empty() || !parses(header, value))
      fail(ErrorKind::kDataLoss, "the file ", prefix_, ".index is not the index of a checkpoint");
    shards_ = header.num_shards();
    if (shards_ < 0 || shards_ > 99999)
      fail(ErrorKind::kDataLoss, "the file ", prefix_, ".index says that there are ", shards_, " data files");
    if (header.endianness() != BundleHeaderProto::LITTLE)
      fail(ErrorKind::kUnimplemented, "the checkpoint ", prefix_, " was written by a big-endian machine");
    if (header.version().min_consumer() > 1)
      fail(ErrorKind::kUnimplemented, "the checkpoint ", prefix_, " was written by a newer version, which says that "
           "this one cannot read it");
  }

  static bool parses(google::protobuf::Message& message, std::string_view bytes) {
    Limits limits;
    limits.messages = 4096;
    limits.bytes = size_t{1} << 20;
    try {
      read_bytes(message, bytes, limits);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void read_entry(std::string_view key, std::string_view value) {
    BundleEntryProto entry;
    if (!parses(entry, value)) damaged(prefix_, key, "has an entry that cannot be read");
    const auto dtype = static_cast<DType>(entry.dtype());
    const bool known = entry.dtype() > 0 && entry.dtype() < static_cast<int>(kDTypeCount) && in_set(dtype, kAllTypes);
    Shape shape;
    if (entry.shape().dim_size() > kMaxDimensions || entry.shape().unknown_rank())
      damaged(prefix_, key, "has a shape without a size");
    for (const auto& dim : entry.shape().dim()) {
      if (dim.size() < 0) damaged(prefix_, key, "has a negative dimension");
      shape.append(dim.size());
    }
    try {
      check_shape(shape);
    } catch (const Error& e) {
      damaged(prefix_, key, e.message());
    }
    const bool sliced = entry.slices_size() > 0;
    if (entry.shard_id() < 0 || entry.shard_id() >= std::max(shards_, 1) || entry.offset() < 0 || entry.size() < 0)
      damaged(prefix_, key, "has a place that does not exist");
    if (key.find('\0') != std::string_view::npos) return;  // one part of a tensor in slices; its name is encoded
    if (known && is_plain(dtype) && !sliced) {
      int64_t bytes;
      const auto element = static_cast<int64_t>(size_of(dtype));
      if (__builtin_mul_overflow(shape.elements(), element, &bytes) || bytes != entry.size())
        damaged(prefix_, key, str("has ", entry.size(), " bytes, which do not fit its shape ", shape.to_string()));
    }
    entries_.push_back({std::string(key), known ? dtype : DType::kInvalid, std::move(shape)});
    where_.push_back({entry.shard_id(), static_cast<uint64_t>(entry.offset()), static_cast<uint64_t>(entry.size()),
                      unmasked_crc32c(entry.crc32c()), sliced});
  }

  Shard open_shard(int number, const std::string& name) const {
    const std::string path = shard_name(prefix_, number, std::max(shards_, 1));
    const std::lock_guard lock(mutex_);
    auto& known = files_[number];
    if (!known) {
      try {
        known = std::make_shared<const File>(File::open_to_read(path));
      } catch (const Error& e) {
        fail(e.kind(), "the tensor '", name, "' of the checkpoint ", prefix_, " cannot be read: ", e.message());
      }
    }
    return {known, known->size(path), path};
  }

  Tensor read_plain(const Entry& entry, const Where& where, const Shard& shard) const {
    if (!is_plain(entry.dtype))
      fail(ErrorKind::kUnimplemented, "the tensor '", entry.name, "' of the checkpoint ", prefix_,
           " has a dtype that is not supported");
    check_memory(entry.dtype, entry.shape);
    const Tensor value = Tensor::empty(entry.dtype, entry.shape);
    auto* data = static_cast<char*>(value.raw());
    if (!shard.file->read_at(where.offset, data, where.size, shard.path))
      damaged(prefix_, entry.name, str("lies past the end of ", shard.path));
    check(entry, where, crc32c({data, where.size}));
    if (entry.dtype == DType::kBool)
      for (size_t i = 0; i < where.size; ++i) data[i] = data[i] != 0;  // another number is no bool
    return value;
  }

  void check(const Entry& entry, const Where& where, uint32_t crc) const {
    if (checksums_ && crc != where.crc) damaged(prefix_, entry.name, "does not match its checksum");
  }

  Tensor read_strings(const Entry& entry, const Where& where, const Shard& shard) const {
    const auto count = static_cast<uint64_t>(entry.shape.elements());
    if (where.size < 4 || count > where.size - 4) damaged(prefix_, entry.name, "has fewer bytes than strings");
    std::string bytes(where.size, '\0');
    if (!shard.file->read_at(where.offset, bytes.data(), where.size, shard.path))
      damaged(prefix_, entry.name, str("lies past the end of ", shard.path));
    std::string_view rest = bytes;
    std::vector<uint64_t> lengths(count);
    std::string fixed;
    uint64_t sum = 0;
    for (uint64_t& length : lengths) {
      if (!wire::take_varint(rest, length) || length > bytes.size() || (sum += length) > bytes.size())
        damaged(prefix_, entry.name, "has a string that is longer than its place");
      if (length <= UINT32_MAX) wire::put_fixed(fixed, static_cast<uint32_t>(length));
      else wire::put_fixed(fixed, length);
    }
    uint32_t crc = crc32c(fixed);
    if (rest.size() < 4 || rest.size() - 4 != sum ||
        (checksums_ && wire::fixed_at<uint32_t>(rest.data()) != masked_crc32c(crc)))
      damaged(prefix_, entry.name, "has lengths of strings that do not match their checksum");
    check(entry, where, extend_crc32c(crc, rest));
    rest.remove_prefix(4);
    const Tensor value = Tensor::empty(DType::kString, entry.shape);
    auto* strings = value.data<std::string>();
    for (uint64_t length : lengths) {
      *strings++ = rest.substr(0, length);
      rest.remove_prefix(length);
    }
    return value;
  }

  const std::string prefix_;
  const bool checksums_;
  int shards_ = 0;
  std::vector<Entry> entries_;
  std::vector<Where> where_;  // of each entry
  mutable std::mutex mutex_;
  mutable std::map<int, std::shared_ptr<const File>> files_;
};

}  // namespace

std::unique_ptr<TensorFile> bundle_of(std::string_view index, const std::string& prefix, const BundleLimits& limits) {
  return std::make_unique<Bundle>(index, prefix, limits);
}

std::unique_ptr<TensorFile> open_bundle(const std::string& prefix, const BundleLimits& limits) {
  const std::string path = prefix + ".index";
  if (!exists(path))
    fail(ErrorKind::kNotFound, "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ",
         prefix, ": there is no file ", path);
  return bundle_of(read_file(path, limits.index_bytes), prefix, limits);
}

int shards_of(const std::string& prefix) {
  try {
    return Bundle(read_file(prefix + ".index", BundleLimits().index_bytes), prefix, {}).shards();
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace footlight::formats
