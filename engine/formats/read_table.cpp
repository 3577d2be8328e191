// Reading tables that a stranger may have written: every number is checked against what is there before it is used.
#include "engine/base/text.h"
#include "engine/base/crc32c.h"
#include "engine/base/snappy.h"
#include "engine/formats/table.h"
#include "engine/wire/varint.h"

namespace footlight::formats {
namespace {

constexpr uint64_t kMagic = 0xdb4775248b80fb57u;
constexpr size_t kFooterSize = 48, kTrailerSize = 5;

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name, const TableLimits& limits)
      : bytes_(bytes), name_(name), limits_(limits) {}

  void run(const std::function<void(std::string_view, std::string_view)>& entry) {
    if (bytes_.size() < kFooterSize || wire::fixed_at<uint64_t>(bytes_.data() + bytes_.size() - 8) != kMagic)
      damaged("is not a table of a checkpoint, or is cut off");
    std::string_view footer = bytes_.substr(bytes_.size() - kFooterSize);
    take_place(footer);  // of the meta index, which is not needed
    std::string index_storage, storage;
    // The index refers to blocks that lie one after the other: one that names a block twice is not a table.
    uint64_t end = 0;
    walk(block(take_place(footer), index_storage), [&](std::string_view, std::string_view where) {
      const BlockHandle place = take_place(where);
      if (place.offset < end) damaged("has blocks that overlap");
      end = place.offset + place.size;
      walk(block(place, storage), entry);
    });
  }

 private:
  struct BlockHandle {
    uint64_t offset, size;
  };

  [[noreturn]] void damaged(std::string_view how) const {
    fail(ErrorKind::kDataLoss, "the file ", name_, " ", how);
  }

  BlockHandle take_place(std::string_view& bytes) const {
    BlockHandle place{};
    if (!wire::take_varint(bytes, place.offset) || !wire::take_varint(bytes, place.size))
      damaged("has an index that is damaged");
    return place;
  }

  std::string_view block(BlockHandle place, std::string& storage) const {
    if (place.size > bytes_.size() || place.offset > bytes_.size() - place.size ||
        bytes_.size() - place.size - place.offset < kTrailerSize)
      damaged("is cut off: a block lies past its end");
    const std::string_view raw = bytes_.substr(place.offset, place.size);
    const char* trailer = raw.data() + raw.size();
    if (limits_.checksums &&
        masked_crc32c(crc32c({raw.data(), raw.size() + 1})) != wire::fixed_at<uint32_t>(trailer + 1))
      damaged("is damaged: the checksum of a block does not match");
    if (*trailer == 0) return raw;
    if (*trailer != 1) damaged("has a block that is compressed in an unknown way");
    if (!unpack_snappy(raw, limits_.block_bytes, storage)) damaged("has a compressed block that is damaged");
    return storage;
  }

  template <class Entry>
  void walk(std::string_view block, const Entry& entry) {
    if (block.size() < 4) damaged("has a block without an end");
    const uint64_t restarts = wire::fixed_at<uint32_t>(block.data() + block.size() - 4);
    if (restarts > (block.size() - 4) / 4) damaged("has a block whose end is damaged");
    block.remove_suffix(4 * (static_cast<size_t>(restarts) + 1));
    std::string key;
    for (bool first = true; !block.empty(); first = false) {
      uint64_t shared, more, size;
      if (!wire::take_varint(block, shared) || !wire::take_varint(block, more) || !wire::take_varint(block, size) ||
          shared > key.size() || more > block.size() || size > block.size() - more)
        damaged("has an entry that is damaged");
      if (shared + more > limits_.key_bytes) damaged("has a key that is too long");
      if ((key_bytes_ += shared + more) > limits_.all_key_bytes) damaged("has keys that are too long together");
      const std::string_view rest = block.substr(0, more);
      if (!first && key.compare(shared, std::string::npos, rest) >= 0) damaged("has keys that are not sorted");
      key.resize(shared);
      key.append(rest);
      entry(std::string_view(key), block.substr(more, size));
      block.remove_prefix(more + size);
    }
  }

  const std::string_view bytes_;
  const std::string& name_;
  const TableLimits& limits_;
  size_t key_bytes_ = 0;
};

}  // namespace

void read_table(std::string_view bytes, const std::string& name,
                const std::function<void(std::string_view, std::string_view)>& entry, const TableLimits& limits) {
  Reader(bytes, name, limits).run(entry);
}

}  // namespace footlight::formats
