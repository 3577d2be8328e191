// Walks the groups of an HDF5 file from its root: symbol tables (its older form, which Keras's files have)
// and links.
#include "engine/model/hdf5.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"

#include <cstring>
#include <set>

namespace footlight::model {
namespace {

constexpr size_t kMaxObjects = size_t{1} << 20;
constexpr size_t kLongestPath = 4096;
constexpr int kDeepest = 64;

[[noreturn]] void bad_weights(const char* why) {
  fail(ErrorKind::kValue, "the weights are not an HDF5 file, or a damaged one: ", why);
}

class Hdf5 {
 public:
  explicit Hdf5(std::string_view bytes) : bytes_(bytes) {}

  std::vector<Dataset> read() {
    if (bytes_.substr(0, 8) != "\x89HDF\r\n\x1a\n") bad_weights("its signature is missing");
    const auto version = at<uint8_t>(8);
    const uint64_t sizes = version < 2 ? 13 : 9;
    if (at<uint8_t>(sizes) != 8 || at<uint8_t>(sizes + 1) != 8)
      bad_weights("its addresses are not 8 bytes wide");
    if (version < 2) {
      base_ = at<uint64_t>(version == 0 ? 24 : 28);
      object(at<uint64_t>(version == 0 ? 64 : 68), "", 0);
    } else if (version <= 3) {
      base_ = at<uint64_t>(12);
      object(at<uint64_t>(36), "", 0);
    } else {
      bad_weights("its version is unknown");
    }
    return std::move(found_);
  }

 private:
  template <class T>
  T at(uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T))
      bad_weights("it refers past its end");
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  uint64_t place(uint64_t address) const {
    uint64_t offset = 0;
    if (__builtin_add_overflow(base_, address, &offset) || offset > bytes_.size())
      bad_weights("it refers past its end");
    return offset;
  }
  std::string_view part(uint64_t offset, uint64_t size) const {
    if (offset > bytes_.size() || bytes_.size() - offset < size) bad_weights("it ends too early");
    return bytes_.substr(offset, size);
  }
  void expect(uint64_t offset, std::string_view signature) const {
    if (part(offset, signature.size()) != signature) bad_weights("a part of it has a wrong position");
  }

  struct Header {
    bool has_space = false, has_type = false;
    Dataset data;
    std::vector<std::pair<std::string, uint64_t>> links;  // name and address
    std::vector<std::pair<uint64_t, uint64_t>> tables;    // tree and heap
  };

  void object(uint64_t address, const std::string& path, int depth) {
    if (depth > kDeepest || path.size() > kLongestPath) bad_weights("its groups are nested too deeply");
    if (!seen_.insert(address).second) return;
    if (seen_.size() > kMaxObjects) bad_weights("it has too many objects");
    Header header;
    read_header(place(address), header);
    if (header.has_space && header.has_type) {
      header.data.path = path;
      found_.push_back(std::move(header.data));
      return;
    }
    for (const auto& [tree, heap] : header.tables) walk_tree(place(tree), place(heap), path, depth, 0);
    for (const auto& [name, to] : header.links)
      object(to, path.empty() ? name : path + "/" + name, depth + 1);
  }

  void read_header(uint64_t begin, Header& header) {
    std::vector<std::pair<uint64_t, uint64_t>> blocks;  // with messages
    const bool newer = part(begin, 4) == "OHDR";
    unsigned extra = 0;  // bytes of a message's order
    if (newer) {
      const auto flags = at<uint8_t>(begin + 5);
      uint64_t offset = begin + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
      uint64_t size = 0;
      for (unsigned i = 0; i < 1u << (flags & 3); ++i) size |= uint64_t{at<uint8_t>(offset + i)} << (8 * i);
      offset += uint64_t{1} << (flags & 3);
      extra = flags & 4 ? 2 : 0;
      blocks.emplace_back(offset, size);
    } else {
      if (at<uint8_t>(begin) != 1) bad_weights("an object has an unknown version");
      blocks.emplace_back(begin + 16, at<uint32_t>(begin + 8));
    }
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (i > 1024) bad_weights("an object has too many parts");
      const std::string_view block = part(blocks[i].first, blocks[i].second);
      const uint64_t head = newer ? 4 + extra : 8;
      for (uint64_t k = 0; k + head <= block.size();) {
        const uint64_t m = blocks[i].first + k;
        const unsigned type = newer ? at<uint8_t>(m) : at<uint16_t>(m);
        const uint64_t size = at<uint16_t>(m + (newer ? 1 : 2));
        if (block.size() - k - head < size) break;
        const bool shared = (at<uint8_t>(m + (newer ? 3 : 4)) & 2) != 0;
        if (!shared) read_message(type, m + head, size, header, blocks, newer);
        k += head + size;
      }
    }
  }

  void read_message(unsigned type, uint64_t offset, uint64_t size, Header& header,
                    std::vector<std::pair<uint64_t, uint64_t>>& blocks, bool newer) {
    if (type == 0x01) {
      const unsigned version = at<uint8_t>(offset), rank = at<uint8_t>(offset + 1);
      if (rank > 32) bad_weights("a dataset has more than 32 dimensions");
      const uint64_t dims = offset + (version == 1 ? 8 : 4);
      for (unsigned i = 0; i < rank; ++i) header.data.dims.push_back(at<uint64_t>(dims + 8 * i));
      header.has_space = true;
    } else if (type == 0x03) {
      header.data.item = at<uint32_t>(offset + 4);
      header.data.dtype = type_name(at<uint8_t>(offset) & 15, at<uint8_t>(offset + 1), header.data.item);
      header.has_type = true;
    } else if (type == 0x06) {
      read_link(offset, header);
    } else if (type == 0x10 && size >= 16) {
      const uint64_t to = place(at<uint64_t>(offset)), length = at<uint64_t>(offset + 8);
      if (!newer) {
        blocks.emplace_back(to, length);
      } else if (length >= 8) {
        expect(to, "OCHK");
        blocks.emplace_back(to + 4, length - 8);
      }
    } else if (type == 0x11 && size >= 16) {
      header.tables.emplace_back(at<uint64_t>(offset), at<uint64_t>(offset + 8));
    }
  }

  void read_link(uint64_t offset, Header& header) {
    const auto flags = at<uint8_t>(offset + 1);
    uint64_t next = offset + 2;
    const unsigned kind = flags & 8 ? at<uint8_t>(next++) : 0;
    next += (flags & 4 ? 8 : 0) + (flags & 0x10 ? 1 : 0);
    uint64_t length = 0;
    for (unsigned i = 0; i < 1u << (flags & 3); ++i) length |= uint64_t{at<uint8_t>(next + i)} << (8 * i);
    next += uint64_t{1} << (flags & 3);
    const std::string name(part(next, length));
    if (kind == 0) header.links.emplace_back(name, at<uint64_t>(next + length));
  }

  void walk_tree(uint64_t node, uint64_t heap, const std::string& path, int depth, int level) {
    if (level > kDeepest) bad_weights("an index is nested too deeply");
    expect(node, "TREE");
    expect(heap, "HEAP");
    const unsigned height = at<uint8_t>(node + 5), entries = at<uint16_t>(node + 6);
    for (unsigned i = 0; i < entries; ++i) {
      if (++steps_ > kMaxObjects) bad_weights("it has too many objects");
      const uint64_t child = place(at<uint64_t>(node + 24 + 8 + 16 * uint64_t{i}));
      if (height > 0)
        walk_tree(child, heap, path, depth, level + 1);
      else
        read_names(child, heap, path, depth);
    }
  }

  void read_names(uint64_t node, uint64_t heap, const std::string& path, int depth) {
    expect(node, "SNOD");
    const uint64_t names = place(at<uint64_t>(heap + 24)), size = at<uint64_t>(heap + 8);
    const std::string_view all = part(names, size);
    const unsigned count = at<uint16_t>(node + 6);
    for (unsigned i = 0; i < count; ++i) {
      const uint64_t entry = node + 8 + 40 * uint64_t{i};
      const auto begin = at<uint64_t>(entry);
      if (begin >= all.size()) bad_weights("a name has a wrong position");
      const std::string name(all.substr(begin, all.find('\0', begin) - begin));
      object(at<uint64_t>(entry + 8), path.empty() ? name : path + "/" + name, depth + 1);
    }
  }

  static std::string type_name(unsigned kind, unsigned bits, uint32_t size) {
    const std::string width = std::to_string(uint64_t{size} * 8);
    switch (kind) {
      case 0: return (bits & 8 ? "int" : "uint") + width;
      case 1: return "float" + width;
      case 3:
      case 9: return "string";
      case 8: return size == 1 ? "bool" : "enum";
      default: return "opaque";
    }
  }

  std::string_view bytes_;
  uint64_t base_ = 0;
  size_t steps_ = 0;
  std::set<uint64_t> seen_;
  std::vector<Dataset> found_;
};

}  // namespace

std::vector<Dataset> read_datasets(std::string_view bytes) { return Hdf5(bytes).read(); }

}  // namespace footlight::model
