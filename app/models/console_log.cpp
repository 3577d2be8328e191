// Appends the text of records to blocks.
#include "app/models/console_log.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace footlight::app {
namespace {
constexpr size_t kFirstBlock = 4 << 10, kMaxBlock = 1 << 20;
constexpr size_t kMaxPiece = UINT32_MAX;
}  // namespace

void ConsoleLog::push_back(const session::ConsoleRecord& record) {
  const size_t size = std::min(record.text.size(), kMaxPiece);
  if (size > room_) {
    room_ = std::max(size, std::clamp(bytes_, kFirstBlock, kMaxBlock));
    blocks_.emplace_back(new char[room_]);
    free_ = blocks_.back().get();
    bytes_ += room_;
  }
  if (size) std::memcpy(free_, record.text.data(), size);
  entries_.push_back({record.time_ns, free_, static_cast<uint32_t>(size), record.stream});
  free_ += size;
  room_ -= size;
}

void ConsoleLog::swap(ConsoleLog& other) noexcept {
  entries_.swap(other.entries_);
  blocks_.swap(other.blocks_);
  std::swap(free_, other.free_);
  std::swap(room_, other.room_);
  std::swap(bytes_, other.bytes_);
}

}  // namespace footlight::app
