// /proc/PID/maps, and so a debugger, shows the pages as "[anon:footlight jit]" where the system can name mappings.
#include "engine/jit/code_memory.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace footlight::jit {

namespace {

std::atomic<int> num_mappings{0};

// Adds the code to the file from which `perf report` reads names.
void add_to_perf_map(const void* at, size_t bytes) {
  const char* const option = std::getenv("FOOTLIGHT_MACHINE_CODE");
  if (!option || std::string_view(option) != "perf") return;
  char path[64];
  std::snprintf(path, sizeof path, "/tmp/perf-%d.map", static_cast<int>(getpid()));
  if (std::FILE* const file = std::fopen(path, "ae")) {
    std::fprintf(file, "%zx %zx footlight_jit\n", reinterpret_cast<uintptr_t>(at), bytes);
    std::fclose(file);
  }
}

}  // namespace

CodeMemory::~CodeMemory() {
  if (!memory_) return;
  munmap(memory_, bytes_);
  --num_mappings;
}

bool CodeMemory::hold(std::span<const std::byte> code) {
  if (++num_mappings > kMaxMappings) return --num_mappings, false;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t bytes = (code.size() + page - 1) / page * page;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return --num_mappings, false;
  std::memcpy(memory, code.data(), code.size());
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0) {
    munmap(memory, bytes);
    return --num_mappings, false;
  }
#if defined(PR_SET_VMA)
  prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, memory, bytes, "footlight jit");
#endif
  memory_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
  used_ = code.size();
  add_to_perf_map(memory, used_);
  return true;
}

}  // namespace footlight::jit
