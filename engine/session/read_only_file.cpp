// The part of SQLite's file system interface that reading one file needs, and its write-ahead logs.
#include "engine/session/read_only_file.h"

#include "engine/base/errors.h"
#include "engine/session/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace footlight::session {
namespace {

constexpr int64_t kMaxWal = int64_t{256} << 20;
constexpr size_t kWalHeader = 32, kFrameHead = 24;

uint32_t big(const char* at) {
  const auto* b = reinterpret_cast<const unsigned char*>(at);
  return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 | uint32_t{b[3]};
}
uint32_t little(const char* at) {
  const auto* b = reinterpret_cast<const unsigned char*>(at);
  return uint32_t{b[3]} << 24 | uint32_t{b[2]} << 16 | uint32_t{b[1]} << 8 | uint32_t{b[0]};
}

// SQLite's checksum of a write-ahead log, which continues from frame to frame.
struct WalSum {
  uint32_t (*number)(const char*) = little;
  uint32_t a = 0, b = 0;
  void add(const char* bytes, size_t size) {
    for (size_t i = 0; i + 8 <= size; i += 8) {
      a += number(bytes + i) + b;
      b += number(bytes + i + 4) + a;
    }
  }
  bool is(const char* at) const { return big(at) == a && big(at + 4) == b; }
};

// Opens a regular file of exactly that name: follows no link and does not wait for a pipe.
Descriptor open_beside(const std::string& path, struct stat& s) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY));
  if (!file || fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_size == 0) return Descriptor();
  return file;
}

bool exists(const std::string& path) {
  struct stat s;
  return lstat(path.c_str(), &s) == 0 && (!S_ISREG(s.st_mode) || s.st_size > 0);
}

}  // namespace

ReadOnlyFile::ReadOnlyFile(Descriptor file) : file_(std::move(file)) {
  struct stat s {};
  if (fstat(file_.get(), &s) != 0) throw Error(ErrorKind::kIo, std::strerror(errno));
  size_ = s.st_size;
  stored_ = stored_bytes(file_.get());
  char header[18] = {};
  read_at(file_.get(), header, sizeof header, 0);
  page_size_ = big(header + 14) & 0xffff;
  if (page_size_ == 1) page_size_ = 65536;
}

bool ReadOnlyFile::take_wal(Descriptor wal, int64_t size) {
  std::string frame(kWalHeader, '\0');
  if (read_at(wal.get(), frame.data(), kWalHeader, 0) != kWalHeader) return false;
  const uint32_t magic = big(frame.data());
  if ((magic | 1) != 0x377f0683 || big(frame.data() + 4) != 3007000) return false;
  if (big(frame.data() + 8) != page_size_ || page_size_ < 512) return false;
  WalSum sum{magic & 1 ? big : little};
  sum.add(frame.data(), 24);
  if (!sum.is(frame.data() + 24)) return false;
  const std::string salts = frame.substr(16, 8);

  // Reads up to the first frame that is not part of this log; frames without a commit after them do not count.
  std::unordered_map<uint32_t, int64_t> committed, pending;
  int64_t pages = 0;
  frame.resize(kFrameHead + page_size_);
  for (int64_t at = kWalHeader; at + static_cast<int64_t>(frame.size()) <= size;
       at += static_cast<int64_t>(frame.size())) {
    if (read_at(wal.get(), frame.data(), frame.size(), at) != frame.size()) break;
    if (frame.compare(8, 8, salts) != 0) break;
    sum.add(frame.data(), 8);
    sum.add(frame.data() + kFrameHead, page_size_);
    const uint32_t page = big(frame.data());
    if (!sum.is(frame.data() + 16) || page == 0) break;
    pending[page] = at + static_cast<int64_t>(kFrameHead);
    if (const uint32_t all = big(frame.data() + 4)) {
      for (const auto& [number, place] : pending) committed[number] = place;
      pending.clear();
      pages = all;
    }
  }
  if (committed.empty()) return false;
  in_wal_ = std::move(committed);
  wal_ = std::move(wal);
  size_ = pages * int64_t{page_size_};
  return true;
}

std::string ReadOnlyFile::take_side_files(const std::string& path) {
  // SQLite names them after the file that a link leads to.
  std::string real = path;
  if (char* resolved = realpath(path.c_str(), nullptr)) {
    real = resolved;
    std::free(resolved);
  }
  std::string words;
  const auto say = [&](const char* suffix, const std::string& why) {
    if (!words.empty()) words += "; ";
    words += "the file" + (" NAME" + std::string(suffix)) + " beside it was left out: " + why;
  };
  if (exists(real + "-wal")) {
    struct stat s {};
    Descriptor wal = open_beside(real + "-wal", s);
    if (!wal) {
      say("-wal", "it is not a regular file");
    } else if (s.st_size > kMaxWal) {
      say("-wal", "it is larger than " + std::to_string(kMaxWal >> 20) + " MiB");
    } else {
      const int64_t more = stored_bytes(wal.get());
      if (take_wal(std::move(wal), s.st_size)) stored_ += more;
      else say("-wal", "it holds no changes of this recording");
    }
  }
  // Rolling back with a journal would change the file, or trust another file beside it. SQLite clears the first bytes
  // of a journal that it no longer needs.
  struct stat s {};
  char first = 0;
  const Descriptor journal = open_beside(real + "-journal", s);
  if (journal && pread(journal.get(), &first, 1, 0) == 1 && first != 0)
    say("-journal", "a change of the recording was cut off, and is not taken back");
  return words;
}

size_t ReadOnlyFile::read(char* to, size_t size, int64_t at) const {
  size_t got = 0;
  while (got < size) {
    const int64_t place = at + static_cast<int64_t>(got);
    if (in_wal_.empty()) {
      got += read_at(file_.get(), to + got, size - got, place);
      break;
    }
    if (place >= size_) break;
    const int64_t page = place / page_size_, inside = place % page_size_;
    const size_t part = std::min(size - got, static_cast<size_t>(page_size_ - inside));
    const auto newer = in_wal_.find(static_cast<uint32_t>(page + 1));
    const size_t n = newer == in_wal_.end() ? read_at(file_.get(), to + got, part, place)
                                            : read_at(wal_.get(), to + got, part, newer->second + inside);
    got += n;
    if (n < part) break;
  }
  bytes_read_.fetch_add(static_cast<int64_t>(got), std::memory_order_relaxed);
  // Bytes 18 and 19 say that a file has a write-ahead log: hide that from SQLite, which gets none.
  for (const int64_t mode : {int64_t{18}, int64_t{19}})
    if (at <= mode && mode < at + static_cast<int64_t>(got) && to[mode - at] == 2) to[mode - at] = 1;
  return got;
}

// --- for SQLite ------------------------------------------------------------------------------------------------------
namespace {

// The file that this thread is opening: SQLite passes names, not pointers. Of this file alone.
thread_local const ReadOnlyFile* t_opening = nullptr;

struct OpenFile {
  sqlite3_file base;
  const ReadOnlyFile* file;
};

int close_file(sqlite3_file*) { return SQLITE_OK; }
int read_file(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
  try {
    const auto wanted = static_cast<size_t>(size);
    const size_t got = reinterpret_cast<OpenFile*>(f)->file->read(static_cast<char*>(to), wanted, at);
    if (got == wanted) return SQLITE_OK;
    std::memset(static_cast<char*>(to) + got, 0, wanted - got);
    return SQLITE_IOERR_SHORT_READ;
  } catch (const std::exception&) {
    return SQLITE_IOERR_READ;
  }
}
int refuse_write(sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; }
int refuse_truncate(sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; }
int sync_file(sqlite3_file*, int) { return SQLITE_OK; }
int size_of_file(sqlite3_file* f, sqlite3_int64* size) {
  *size = reinterpret_cast<OpenFile*>(f)->file->size();
  return SQLITE_OK;
}
int lock_file(sqlite3_file*, int) { return SQLITE_OK; }
int is_reserved(sqlite3_file*, int* reserved) {
  *reserved = 0;
  return SQLITE_OK;
}
int control_file(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
int characteristics(sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; }

const sqlite3_io_methods kMethods = {1,         close_file,      read_file, refuse_write, refuse_truncate,
                                     sync_file, size_of_file,    lock_file, lock_file,    is_reserved,
                                     control_file, sector_size,  characteristics,
                                     nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};

int open_file(sqlite3_vfs*, const char*, sqlite3_file* f, int flags, int* out_flags) {
  f->pMethods = nullptr;
  if (!(flags & SQLITE_OPEN_MAIN_DB) || !t_opening) return SQLITE_CANTOPEN;
  auto* file = new (f) OpenFile;
  file->base.pMethods = &kMethods;
  file->file = t_opening;
  if (out_flags) *out_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  return SQLITE_OK;
}
int refuse_delete(sqlite3_vfs*, const char*, int) { return SQLITE_IOERR_DELETE; }
int nothing_there(sqlite3_vfs*, const char*, int, int* there) {
  *there = 0;
  return SQLITE_OK;
}
int full_name(sqlite3_vfs*, const char* name, int capacity, char* out) {
  sqlite3_snprintf(capacity, out, "%s", name);
  return SQLITE_OK;
}
sqlite3_vfs* usual(sqlite3_vfs* ours) { return static_cast<sqlite3_vfs*>(ours->pAppData); }
int randomness(sqlite3_vfs* v, int size, char* out) { return usual(v)->xRandomness(usual(v), size, out); }
int sleep(sqlite3_vfs* v, int us) { return usual(v)->xSleep(usual(v), us); }
int current_time(sqlite3_vfs* v, double* out) { return usual(v)->xCurrentTime(usual(v), out); }
int last_error(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

const char* ReadOnlyFile::vfs() {
  static sqlite3_vfs* const registered = [] {
    auto* vfs = new sqlite3_vfs{};
    vfs->iVersion = 1;
    vfs->szOsFile = sizeof(OpenFile);
    vfs->mxPathname = 512;
    vfs->zName = "footlight-read-only";
    vfs->pAppData = sqlite3_vfs_find(nullptr);
    vfs->xOpen = open_file;
    vfs->xDelete = refuse_delete;
    vfs->xAccess = nothing_there;
    vfs->xFullPathname = full_name;
    vfs->xRandomness = randomness;
    vfs->xSleep = sleep;
    vfs->xCurrentTime = current_time;
    vfs->xGetLastError = last_error;
    sqlite3_vfs_register(vfs, 0);
    return vfs;
  }();
  return registered->zName;
}

ReadOnlyFile::Opening::Opening(const ReadOnlyFile& file) { t_opening = &file; }
ReadOnlyFile::Opening::~Opening() { t_opening = nullptr; }

}  // namespace footlight::session
