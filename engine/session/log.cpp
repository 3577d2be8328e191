// Appends frames, and finds them again in a file that may be torn anywhere.
#include "engine/session/log.h"

#include "engine/base/errors.h"
#include "engine/session/bytes.h"
#include "engine/session/output_place.h"
#include "engine/session/schema.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace footlight::session {
namespace {
constexpr uint32_t kFrameMagic = 0x4D52'4C46;  // "FLRM"
constexpr uint64_t kMaxWaste = uint64_t{1} << 30;  // bytes searched in vain, because a file may be made to waste time
constexpr size_t kReadAhead = size_t{1} << 20;

[[noreturn]] void throw_io(const std::string& path, int error) {
  throw Error(ErrorKind::kIo, "cannot write the recording " + path + ": " + std::strerror(error));
}

bool write_at(int fd, std::string_view bytes, int64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(fd, bytes.data(), bytes.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
    at += n;
  }
  return true;
}
}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& o) noexcept {
  if (this != &o) {
    if (fd_ >= 0) close(fd_);
    fd_ = o.release();
  }
  return *this;
}
Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

size_t read_at(int fd, char* to, size_t size, int64_t at) {
  size_t got = 0;
  while (got < size) {
    const ssize_t n = pread(fd, to + got, size - got, at + static_cast<int64_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(ErrorKind::kIo, std::string("cannot read the recording: ") + std::strerror(errno));
    if (n == 0) break;
    got += static_cast<size_t>(n);
  }
  return got;
}

int64_t stored_bytes(int fd) {
  constexpr int64_t kCompressed = 8;  // some file systems compress
  struct stat s {};
  if (fstat(fd, &s) != 0) return 0;
  const int64_t blocks = int64_t{s.st_blocks} * 512;
  return blocks > 0 ? std::min<int64_t>(s.st_size, blocks * kCompressed) : int64_t{s.st_size};
}

void append_frame(std::string& out, std::string_view payload) {
  const auto length = static_cast<uint32_t>(payload.size());
  const uint64_t sum = checksum(payload);
  out.append(reinterpret_cast<const char*>(&kFrameMagic), 4);
  out.append(reinterpret_cast<const char*>(&length), 4);
  out.append(reinterpret_cast<const char*>(&sum), 8);
  out.append(payload);
}

LogFile LogFile::create(const std::string& path, uint32_t layout) {
  refuse_unless_recording(path);
  // A new inode: readers of the old session at this path keep it.
  if (unlink(path.c_str()) != 0 && errno != ENOENT) throw_io(path, errno);
  LogFile log;
  log.path_ = path;
  // Private: it holds sources and whatever the script prints.
  log.append_ = Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!log.append_) throw_io(path, errno);
  log.identity_ = identity_of(log.append_.get());
  flock(log.append_.get(), LOCK_SH);  // without working locks, readers take the session for a killed one
  std::string header(kHeaderSize, '\0');
  std::copy(kLogMagic.begin(), kLogMagic.end(), header.begin());
  constexpr uint32_t kNoProcess = 0;
  std::memcpy(header.data() + kVersionAt, &kVersion, 4);
  std::memcpy(header.data() + 20, &kHeaderSize, 4);
  std::memcpy(header.data() + kProcessesAt, &kNoProcess, 4);
  std::memcpy(header.data() + kReadableAt, &kReadableFrom, 4);
  std::memcpy(header.data() + kLayoutAt, &layout, 4);
  log.layout_ = layout;
  int error = 0;
  if (log.append(header, error) != header.size()) {
    unlink(path.c_str());
    throw_io(path, error);
  }
  log.place_ = Descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
  log.claim_slot();
  return log;
}

LogFile LogFile::attach(const std::string& path) {
  LogFile log;
  log.path_ = path;
  log.append_ = Descriptor(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!log.append_) throw_io(path, errno);
  log.identity_ = identity_of(log.append_.get());
  flock(log.append_.get(), LOCK_SH);
  log.place_ = Descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!log.place_) throw_io(path, errno);
  char first[kSlotsAt];
  const size_t got = read_at(log.place_.get(), first, sizeof first, 0);
  if (!LogScanner::is_log({first, got}))
    throw Error(ErrorKind::kFailedPrecondition, path + " is not a recording that is being written");
  std::memcpy(&log.layout_, first + kLayoutAt, 4);
  log.size_ = lseek(log.place_.get(), 0, SEEK_END);
  log.claim_slot();
  return log;
}

// False: the log cannot be reached. A number that by now refers to something else belongs to the program: not closed.
bool LogFile::in_hand() {
  if (ours(append_) && (!place_ || ours(place_))) return true;
  if (!ours(append_)) append_.release();
  if (!ours(place_)) place_.release();
  slot_ = -1;
  Descriptor append(open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK));
  if (!append || !ours(append)) return false;
  flock(append.get(), LOCK_SH);
  append_ = std::move(append);
  place_ = Descriptor(open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  claim_slot();
  return true;
}

// A slot belongs to the holder of the lock on its bytes; one in which another writer left something stays as it is.
void LogFile::claim_slot() {
  if (!place_) return;
  for (uint32_t i = 0; i < kSlots; ++i) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = kSlotsAt + int64_t{i} * kSlotSize;
    lock.l_len = kSlotSize;
    if (fcntl(place_.get(), F_OFD_SETLK, &lock) != 0) continue;
    char magic[4] = {};
    read_at(place_.get(), magic, 4, lock.l_start);
    if (std::memcmp(magic, "\0\0\0\0", 4) == 0) {
      slot_ = static_cast<int>(i);
      return;
    }
    lock.l_type = F_UNLCK;
    fcntl(place_.get(), F_OFD_SETLK, &lock);
  }
}

uint32_t LogFile::claim_process() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kProcessesAt;
  lock.l_len = 4;
  while (fcntl(place_.get(), F_OFD_SETLKW, &lock) != 0 && errno == EINTR) continue;
  uint32_t number = 0;
  read_at(place_.get(), reinterpret_cast<char*>(&number), 4, kProcessesAt);
  const uint32_t next = number + 1;
  const bool written = number < kMaxProcesses &&
                       write_at(place_.get(), {reinterpret_cast<const char*>(&next), 4}, kProcessesAt);
  lock.l_type = F_UNLCK;
  fcntl(place_.get(), F_OFD_SETLK, &lock);
  if (number >= kMaxProcesses)
    throw Error(ErrorKind::kResourceExhausted,
                "a recording holds at most " + std::to_string(kMaxProcesses) + " processes");
  if (!written) throw Error(ErrorKind::kIo, std::string("cannot write the recording: ") + std::strerror(errno));
  return number;
}

size_t LogFile::append(std::string_view frames, int& error) {
  size_t done = 0;
  if (!in_hand()) {
    error = EBADF;
    return 0;
  }
  while (done < frames.size()) {
    const ssize_t n = write(append_.get(), frames.data() + done, frames.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error = n < 0 ? errno : ENOSPC;
      break;
    }
    done += static_cast<size_t>(n);
  }
  const off_t end = lseek(append_.get(), 0, SEEK_CUR);
  if (end > 0) size_ = end;
  return done;
}

bool LogFile::write_slot(std::string_view payload) {
  if (payload.size() + kFrameHeader > kSlotSize || !in_hand() || slot_ < 0) return false;
  std::string frame;
  append_frame(frame, payload);
  return write_at(place_.get(), frame, kSlotsAt + int64_t{slot_} * kSlotSize);
}

void LogFile::moved_to(const std::vector<int>& numbers) noexcept {
  forget();
  append_ = Descriptor(numbers[0]);
  place_ = Descriptor(numbers[1]);
}

void LogFile::forget() noexcept {
  append_.release();
  place_.release();
}

LogFile::AtPath LogFile::at_path() const {
  struct stat s;
  if (stat(path_.c_str(), &s) != 0) return AtPath::kNothing;
  const FileIdentity there{static_cast<uint64_t>(s.st_dev), static_cast<uint64_t>(s.st_ino)};
  return there == identity_ ? AtPath::kTheLog : AtPath::kAnotherFile;
}

Descriptor LogFile::for_reading() const {
  return Descriptor(ours(place_) ? fcntl(place_.get(), F_DUPFD_CLOEXEC, 3) : -1);
}

void LogFile::abandon() noexcept {
  if (!ours(append_)) append_.release();
  if (!ours(place_)) place_.release();
  append_ = Descriptor();
  place_ = Descriptor();
  slot_ = -1;
}

bool LogScanner::is_log(std::string_view first) {
  if (first.size() < 24 || first.substr(0, 16) != kLogMagic) return false;
  const auto number = [&](uint32_t at) {
    uint32_t value = 0;
    if (first.size() >= at + 4) std::memcpy(&value, first.data() + at, 4);
    return value;
  };
  const uint32_t version = number(kVersionAt);
  if (version >= 3) refuse_newer(static_cast<int>(version), static_cast<int>(number(kReadableAt)));
  if (version == 0 || number(20) != kHeaderSize) throw_broken("the header of the recording is damaged");
  return true;
}

uint32_t LogScanner::version() const {
  uint32_t version = 0;
  return pread(file_.get(), &version, 4, kVersionAt) == 4 ? version : kVersion;
}

bool LogScanner::has_writer() const {
  // Two readers may try at the same time: retry a moment later.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (flock(file_.get(), LOCK_EX | LOCK_NB) == 0) {
      flock(file_.get(), LOCK_UN);
      return false;
    }
    if (errno != EWOULDBLOCK) return false;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return true;
}

bool LogScanner::fill(size_t size, const std::function<void(int64_t)>& go_on) {
  const auto used = static_cast<size_t>(position_ - buffer_at_);
  if (used <= buffer_.size() && buffer_.size() - used >= size) return true;
  go_on(position_);
  buffer_.erase(0, std::min(used, buffer_.size()));
  buffer_at_ = position_;
  if (size > kReadAhead) {  // a false length must not cost that much memory
    struct stat s;
    if (fstat(file_.get(), &s) != 0 || s.st_size - position_ < static_cast<int64_t>(size)) return false;
  }
  const size_t have = buffer_.size();
  const size_t want = std::max(size, kReadAhead);
  buffer_.resize(want);
  buffer_.resize(have + read_at(file_.get(), buffer_.data() + have, want - have,
                                position_ + static_cast<int64_t>(have)));
  return buffer_.size() >= size;
}

bool LogScanner::next(bool complete, const std::function<void(int64_t)>& go_on, std::string_view& payload,
                      int64_t& at) {
  const int64_t start = position_;
  const uint64_t wasted_before = wasted_;
  torn_tail_ = 0;
  while (wasted_ < kMaxWaste && fill(kFrameHeader, go_on)) {
    const char* header = buffer_.data() + (position_ - buffer_at_);
    uint32_t magic, length;
    uint64_t sum;
    std::memcpy(&magic, header, 4);
    std::memcpy(&length, header + 4, 4);
    std::memcpy(&sum, header + 8, 8);
    if (magic == kFrameMagic && length <= kMaxFrame && fill(size_t{kFrameHeader} + length, go_on)) {
      payload = {buffer_.data() + (position_ - buffer_at_) + kFrameHeader, length};
      if (checksum(payload) == sum) {
        at = position_ + kFrameHeader;
        skipped_ += static_cast<uint64_t>(position_ - start);
        position_ += kFrameHeader + int64_t{length};
        return true;
      }
      wasted_ += length;
    } else if (magic == kFrameMagic && length <= kMaxFrame && !complete && position_ == start) {
      return false;  // still being appended
    }
    // Torn: look for the next frame.
    const auto from = static_cast<size_t>(position_ - buffer_at_) + 1;
    const size_t found = buffer_.find(std::string_view(reinterpret_cast<const char*>(&kFrameMagic), 4), from);
    const int64_t torn = position_;
    position_ = buffer_at_ +
                static_cast<int64_t>(found == std::string::npos ? std::max(from, buffer_.size() - 3) : found);
    wasted_ += static_cast<uint64_t>(position_ - torn);
  }
  // No frame up to the end of the file. While there is a writer, it may still become one.
  struct stat s;
  torn_tail_ = fstat(file_.get(), &s) == 0 ? std::max<int64_t>(0, s.st_size - start) : 0;
  if (complete) {
    position_ = start + torn_tail_;
  } else {
    position_ = start;
    wasted_ = wasted_before;  // the same bytes will be searched again
    buffer_.clear();
    buffer_at_ = start;
  }
  return false;
}

bool LogScanner::slots(std::vector<std::string>& payloads) {
  std::string page(kHeaderSize, '\0');
  read_at(file_.get(), page.data(), page.size(), 0);
  const uint64_t sum = checksum(page);
  if (sum == slots_checksum_) return false;
  slots_checksum_ = sum;
  payloads.clear();
  for (uint32_t i = 0; i < kSlots; ++i) {
    ByteReader in(std::string_view(page).substr(kSlotsAt + i * kSlotSize, kSlotSize));
    if (in.u32() != kFrameMagic) continue;
    const uint32_t length = in.u32();
    const uint64_t expected = in.u64();
    if (length > in.left()) continue;
    const std::string_view payload = in.bytes(length);
    if (checksum(payload) == expected) payloads.emplace_back(payload);
  }
  return true;
}

int64_t LogScanner::stored() const { return stored_bytes(file_.get()); }

std::string LogScanner::read(int64_t offset, size_t size) const {
  std::string bytes(size, '\0');
  if (read_at(file_.get(), bytes.data(), size, offset) != size) throw_broken("the file became shorter");
  return bytes;
}

}  // namespace footlight::session
