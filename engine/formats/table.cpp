// Writing tables. A block: entries (shared bytes, further bytes, value bytes, key, value), where every 16th has the
// whole key; the offsets of those; their number. After each block: how it is compressed, a checksum.
#include "engine/formats/table.h"

#include "engine/base/crc32c.h"
#include "engine/wire/varint.h"

#include <algorithm>

namespace footlight::formats {
namespace {

constexpr uint64_t kMagic = 0xdb4775248b80fb57u;
constexpr size_t kFooterSize = 48;

// The shortest text that is not less than `a` and less than `b`, if a shorter one than `a` is found.
std::string separator(std::string_view a, std::string_view b) {
  const size_t common = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  if (common >= std::min(a.size(), b.size())) return std::string(a);
  const auto byte = static_cast<unsigned char>(a[common]);
  if (byte == 0xff || byte + 1 >= static_cast<unsigned char>(b[common])) return std::string(a);
  std::string out(a.substr(0, common + 1));
  out.back() = static_cast<char>(byte + 1);
  return out;
}

// A short text that is not less than `a`.
std::string successor(std::string_view a) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == '\xff') continue;
    std::string out(a.substr(0, i + 1));
    ++out.back();
    return out;
  }
  return std::string(a);
}

}  // namespace

void TableBlock::add(std::string_view key, std::string_view value) {
  size_t shared = 0;
  if (since_restart_ < interval_) {
    const size_t most = std::min(key.size(), last_.size());
    while (shared < most && key[shared] == last_[shared]) ++shared;
  } else {
    wire::put_fixed(restarts_, static_cast<uint32_t>(bytes_.size()));
    since_restart_ = 0;
  }
  wire::put_varint(bytes_, shared);
  wire::put_varint(bytes_, key.size() - shared);
  wire::put_varint(bytes_, value.size());
  bytes_.append(key.substr(shared)).append(value);
  last_ = key;
  ++since_restart_;
}

std::string TableBlock::finish() {
  std::string out = std::move(bytes_) + restarts_;
  wire::put_fixed(out, static_cast<uint32_t>(restarts_.size() / 4));
  bytes_.clear();
  last_.clear();
  restarts_.assign(4, '\0');
  since_restart_ = 0;
  return out;
}

std::string TableWriter::place(const std::string& block) {
  std::string where;
  wire::put_varint(where, bytes_.size());
  wire::put_varint(where, block.size());
  const std::string_view uncompressed("\0", 1);
  bytes_.append(block).append(uncompressed);
  wire::put_fixed(bytes_, masked_crc32c(extend_crc32c(crc32c(block), uncompressed)));
  return where;
}

void TableWriter::flush() {
  // The index gets its entry later: a short key between the block's last and the next one's first.
  std::string last = data_.last_key();
  waiting_ = place(data_.finish());
  waiting_key_ = std::move(last);
}

void TableWriter::add(std::string_view key, std::string_view value) {
  if (!waiting_.empty()) {
    index_.add(separator(waiting_key_, key), waiting_);
    waiting_.clear();
  }
  data_.add(key, value);
  if (data_.size() >= kBlockSize) flush();
}

std::string TableWriter::finish() {
  if (!data_.empty()) flush();
  const std::string meta = place(TableBlock(16).finish());
  if (!waiting_.empty()) index_.add(successor(waiting_key_), waiting_);
  std::string footer = meta + place(index_.finish());
  footer.resize(kFooterSize - sizeof kMagic);
  wire::put_fixed(footer, kMagic);
  return std::move(bytes_) + footer;
}

}  // namespace footlight::formats
