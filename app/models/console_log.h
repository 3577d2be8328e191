// The output of a run in the order of reading: text in blocks, and a small entry for each record. A run may print ten
// million lines, so nothing is allocated per line.
#pragma once

#include "engine/session/records/process.h"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace footlight::app {

// One record; its text lives as long as the log, or a copy of it.
struct ConsolePiece {
  int64_t time_ns = 0;
  session::ConsoleStream stream = session::ConsoleStream::kStdout;
  std::string_view text;
};

class ConsoleLog {
 public:
  ConsoleLog() = default;
  // A copy shares the text, and adds its own in blocks of its own.
  ConsoleLog(const ConsoleLog& other) : entries_(other.entries_), blocks_(other.blocks_), bytes_(other.bytes_) {}
  ConsoleLog(ConsoleLog&& other) noexcept { swap(other); }
  ConsoleLog& operator=(ConsoleLog other) noexcept {
    swap(other);
    return *this;
  }

  void push_back(const session::ConsoleRecord& record);
  void clear() { *this = ConsoleLog(); }

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  ConsolePiece operator[](size_t i) const {
    const Entry& e = entries_[i];
    return {e.time_ns, e.stream, {e.text, e.size}};
  }
  size_t bytes() const { return bytes_ + entries_.capacity() * sizeof(Entry); }  // of memory

  class Iterator {
   public:
    Iterator(const ConsoleLog& log, size_t at) : log_(&log), at_(at) {}
    ConsolePiece operator*() const { return (*log_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const ConsoleLog* log_;
    size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  struct Entry {
    int64_t time_ns;
    const char* text;  // points into a block
    uint32_t size;
    session::ConsoleStream stream;
  };

  void swap(ConsoleLog& other) noexcept;

  std::vector<Entry> entries_;
  std::vector<std::shared_ptr<char[]>> blocks_;
  char* free_ = nullptr;  // free part of the last block
  size_t room_ = 0, bytes_ = 0;
};

}  // namespace footlight::app
