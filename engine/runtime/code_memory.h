// Memory that is written once and only then may be run, never both.
#pragma once

#include <cstddef>
#include <span>

namespace footlight::runtime {

class CodeMemory {
 public:
  CodeMemory() = default;
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;
  ~CodeMemory();

  // Linux lets a process have 65,530 mappings, and each of these is one.
  static constexpr int kMost = 8192;

  // False: the system gives none to be run, or so many are held.
  bool hold(std::span<const std::byte> code);
  const std::byte* at() const { return memory_; }
  size_t bytes() const { return used_; }

 private:
  std::byte* memory_ = nullptr;
  size_t bytes_ = 0, used_ = 0;
};

}  // namespace footlight::runtime
