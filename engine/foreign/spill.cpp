// Runs of 16 MB; a heap over the runs gives the least record.
#include "engine/foreign/spill.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace footlight::foreign {
namespace {

constexpr size_t kRunBytes = 16 << 20;
constexpr size_t kReadAhead = 16 << 20;  // of all runs together

struct Head {
  SortKey key;
  uint32_t size = 0, unused = 0;
};

[[noreturn]] void cannot_sort() {
  fail(ErrorKind::kIo, "a temporary file beside the recording cannot be written or read back: ", std::strerror(errno),
       "; name a recording in a folder with more room");
}

class RunReader {
 public:
  RunReader(int file, int64_t at, int64_t bytes, size_t ahead) : file_(file), at_(at), left_(bytes), ahead_(ahead) {}
  bool next() {
    if (!have(sizeof(Head))) return false;
    std::memcpy(&head, buffer_.data() + used_, sizeof head);
    used_ += sizeof head;
    if (!have(head.size)) cannot_sort();
    record = {buffer_.data() + used_, head.size};
    used_ += head.size;
    return true;
  }
  Head head;
  std::string_view record;

 private:
  bool have(size_t wanted) {
    if (buffer_.size() - used_ >= wanted) return true;
    buffer_.erase(0, used_);
    used_ = 0;
    const size_t old = buffer_.size();
    const auto more = static_cast<size_t>(std::min<int64_t>(left_, static_cast<int64_t>(std::max(ahead_, wanted))));
    buffer_.resize(old + more);
    size_t done = 0;
    while (done < more) {
      const ssize_t got = pread(file_, buffer_.data() + old + done, more - done, at_);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) cannot_sort();
      done += static_cast<size_t>(got);
      at_ += got;
    }
    left_ -= static_cast<int64_t>(more);
    return buffer_.size() >= wanted;
  }
  int file_;
  int64_t at_, left_;
  size_t ahead_;
  std::string buffer_;
  size_t used_ = 0;
};

}  // namespace

void Spill::add(const SortKey& key, std::string_view record) {
  if (!entries_.empty() && bytes_.size() + record.size() + entries_.size() * sizeof(Entry) > kRunBytes) write_run();
  entries_.push_back({key, static_cast<uint32_t>(bytes_.size()), static_cast<uint32_t>(record.size())});
  bytes_ += record;
  ++count_;
}

void Spill::sort() { std::ranges::stable_sort(entries_, {}, &Entry::key); }

void Spill::write_run() {
  if (!file_) {
    std::string name = beside_ + ".sorting-XXXXXX";
    const int number = mkostemp(name.data(), O_CLOEXEC);
    if (number < 0) cannot_sort();
    unlink(name.c_str());
    file_.reset(fdopen(number, "w+"));
    if (!file_) close(number), cannot_sort();
  }
  sort();
  Run run{runs_.empty() ? 0 : runs_.back().at + runs_.back().bytes, 0};
  for (const Entry& e : entries_) {
    const Head head{e.key, e.size, 0};
    if (std::fwrite(&head, sizeof head, 1, file_.get()) != 1 ||
        std::fwrite(bytes_.data() + e.offset, 1, e.size, file_.get()) != e.size)
      cannot_sort();
    run.bytes += static_cast<int64_t>(sizeof head + e.size);
  }
  runs_.push_back(run);
  entries_.clear();
  bytes_.clear();
}

void Spill::merge(const Visit& visit) {
  if (runs_.empty()) {
    sort();
    for (const Entry& e : entries_) visit(e.key, std::string_view(bytes_).substr(e.offset, e.size));
  } else {
    if (!entries_.empty()) write_run();
    if (std::fflush(file_.get()) != 0) cannot_sort();
    entries_ = {};
    bytes_ = {};
    const size_t ahead = std::max<size_t>(kReadAhead / runs_.size(), 1 << 12);
    std::vector<RunReader> readers;
    for (const Run& run : runs_) readers.emplace_back(fileno(file_.get()), run.at, run.bytes, ahead);
    const auto after = [&](size_t a, size_t b) {
      return std::pair(readers[a].head.key, a) > std::pair(readers[b].head.key, b);
    };
    std::vector<size_t> heap;
    for (size_t i = 0; i < readers.size(); ++i)
      if (readers[i].next()) heap.push_back(i);
    std::ranges::make_heap(heap, after);
    while (!heap.empty()) {
      std::ranges::pop_heap(heap, after);
      const size_t i = heap.back();
      visit(readers[i].head.key, readers[i].record);
      if (readers[i].next()) std::ranges::push_heap(heap, after);
      else heap.pop_back();
    }
  }
  entries_ = {};
  bytes_ = {};
  file_.reset();
  runs_.clear();
}

}  // namespace footlight::foreign
