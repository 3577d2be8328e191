// Executable memory: written once, then executable and never writable again.
#pragma once

#include <cstddef>
#include <span>

namespace footlight::jit {

class CodeMemory {
 public:
  CodeMemory() = default;
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;
  ~CodeMemory();

  // Each object is one mapping of memory, and Linux allows a process 65,530 of them.
  static constexpr int kMaxMappings = 8192;

  // Copies the code to executable memory. False if the system refuses it, or kMaxMappings objects hold some.
  bool hold(std::span<const std::byte> code);
  const std::byte* at() const { return memory_; }
  size_t bytes() const { return used_; }

 private:
  std::byte* memory_ = nullptr;
  size_t bytes_ = 0, used_ = 0;
};

}  // namespace footlight::jit
