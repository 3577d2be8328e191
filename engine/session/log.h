// The session while it is being written: a log of frames, one record each, appended by one or more processes.
//
//   header page (4096 bytes): 16 bytes magic, u32 version, u32 bytes of the page; since version 3 u32 processes so far,
//   u32 least version of a reader, u32 number of the layout that began it; from offset 64 on eight slots of 496 bytes
//   frame: u32 magic, u32 length, u64 checksum, rows (rows.h)
//
// A writer killed while it writes leaves a torn frame; the next good one is found by its magic and checksum.
// When the disk is full, a writer's slot (one frame, written in place) says what could not be appended, including the
// end of the run. Every writer holds a shared flock: getting an exclusive one means that nobody writes any more.
#pragma once

#include "engine/base/background_thread.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::session {

constexpr std::string_view kLogMagic{"footlight log\r\n\x1a", 16};  // 15 characters and a trailing zero
constexpr uint32_t kHeaderSize = 4096;
constexpr uint32_t kVersionAt = 16, kProcessesAt = 24, kReadableAt = 28, kLayoutAt = 32;
constexpr uint32_t kSlotsAt = 64, kSlotSize = 496, kSlots = 8;
constexpr uint32_t kFrameHeader = 16;
constexpr uint32_t kMaxFrame = 64u << 20;

// An open descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& o) noexcept : fd_(o.release()) {}
  Descriptor& operator=(Descriptor&& o) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

// Less than `size` at the end of the file; throws Error (kIo).
size_t read_at(int fd, char* to, size_t size, int64_t at);
// The bytes of a file that are stored on the disk: a hole of a terabyte holds nothing.
int64_t stored_bytes(int fd);

void append_frame(std::string& out, std::string_view payload);

// The writing side.
class LogFile {
 public:
  static LogFile create(const std::string& path, uint32_t layout);  // throws Error (kIo)
  static LogFile attach(const std::string& path);  // accepts files that are no log, or already ended

  // Appends whole frames; returns how many bytes were written. If not all, `error` is the errno of the failure.
  size_t append(std::string_view frames, int& error);
  // Replaces this writer's slot with one frame of `payload`; false if it does not fit or there is no slot.
  bool write_slot(std::string_view payload);
  // A number that no other writer of this session has; the first has 0. Throws Error when there are too many.
  uint32_t claim_process();
  uint32_t layout() const { return layout_; }      // the layout of the writer that created it
  int64_t size() const { return size_; }           // size of the whole file at our last append
  void abandon() noexcept;                         // closes; nothing is flushed, as nothing is buffered

  // The descriptors, for a thread that takes them to a descriptor table of its own; `forget` drops them without
  // closing, for where they are not in this table.
  std::vector<int> descriptors() const { return {append_.get(), place_.get()}; }
  void moved_to(const std::vector<int>& numbers) noexcept;
  void forget() noexcept;

  // What is at the path now: a program may have removed its log, or replaced it.
  enum class AtPath { kTheLog, kNothing, kAnotherFile };
  AtPath at_path() const;
  Descriptor for_reading() const;                  // the log itself, wherever it is; none after abandon()

 private:
  LogFile() = default;
  bool in_hand();
  void claim_slot();
  bool ours(const Descriptor& d) const { return identity_of(d.get()) == identity_; }
  std::string path_;
  FileIdentity identity_;      // of the log: a program may close our descriptors and reuse their numbers
  Descriptor append_, place_;  // O_APPEND ignores positions: the slot needs a descriptor of its own
  int slot_ = -1;
  uint32_t layout_ = 0;
  int64_t size_ = 0;
};

// The reading side: hands out what was appended since the last call.
class LogScanner {
 public:
  explicit LogScanner(Descriptor file) : file_(std::move(file)) {}
  // True if the bytes start like a log. Throws if they say that it needs a newer reader.
  static bool is_log(std::string_view first_bytes);
  uint32_t version() const;       // version of the schema, from the header

  // Calls `visit(payload, offset of the payload in the file)` for every new whole frame. `complete`: nobody writes any
  // more, so an incomplete frame at the end is damage. `go_on(position)` is called before each piece of the file is
  // read, and may throw.
  template <class Visit>
  void scan(bool complete, const std::function<void(int64_t)>& go_on, Visit&& visit) {
    std::string_view payload;
    int64_t at = 0;
    while (next(complete, go_on, payload, at)) visit(payload, at);
  }
  template <class Visit>
  void scan(bool complete, Visit&& visit) {
    scan(complete, [](int64_t) {}, visit);
  }
  // The frames in the slots, when they changed since the last call; false: unchanged.
  bool slots(std::vector<std::string>& payloads);

  bool has_writer() const;        // somebody holds the writers' lock
  uint64_t skipped() const { return skipped_; }  // bytes outside any frame
  int64_t torn_tail() const { return torn_tail_; }
  int64_t stored() const;         // bytes of the file, holes not counted
  std::string read(int64_t offset, size_t size) const;  // throws Error when the file is shorter

 private:
  bool next(bool complete, const std::function<void(int64_t)>& go_on, std::string_view& payload, int64_t& at);
  bool fill(size_t size, const std::function<void(int64_t)>& go_on);  // makes `size` bytes from position_ on available
  Descriptor file_;
  std::string buffer_;
  int64_t buffer_at_ = kHeaderSize;   // position in the file of buffer_[0]
  int64_t position_ = kHeaderSize;    // position of the next frame
  uint64_t skipped_ = 0;
  uint64_t wasted_ = 0;
  int64_t torn_tail_ = 0;
  uint64_t slots_checksum_ = 0;
};

}  // namespace footlight::session
