// A session's file as given to SQLite: one descriptor, read only. There is no journal, no lock, no shared memory and no
// other file, so whatever lies beside the session is neither read, changed nor deleted by SQLite. Pages from a
// write-ahead log beside it may be overlaid; we read that log ourselves, as far as it is valid.
#pragma once

#include "engine/session/log.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace footlight::session {

class ReadOnlyFile {
 public:
  explicit ReadOnlyFile(Descriptor file);
  ReadOnlyFile(const ReadOnlyFile&) = delete;
  ReadOnlyFile& operator=(const ReadOnlyFile&) = delete;

  // Takes in the files left beside the session at that path by somebody who changed it with SQLite; returns what was
  // left out of it, in words.
  std::string take_side_files(const std::string& path);

  size_t read(char* to, size_t size, int64_t at) const;  // less at the end; throws Error (kIo)
  int64_t size() const { return size_; }
  // The most that the file and its write-ahead log can hold, not counting holes.
  int64_t stored() const { return stored_; }
  int64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }

  // The name under which SQLite reads such files; the file must be set while SQLite opens it.
  static const char* vfs();
  class Opening {
   public:
    explicit Opening(const ReadOnlyFile& file);
    ~Opening();
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;
  };

 private:
  bool take_wal(Descriptor wal, int64_t size);
  Descriptor file_, wal_;
  int64_t size_ = 0, stored_ = 0;
  uint32_t page_size_ = 0;
  std::unordered_map<uint32_t, int64_t> in_wal_;  // page (from 1) -> its offset in the write-ahead log
  mutable std::atomic<int64_t> bytes_read_{0};
};

}  // namespace footlight::session
