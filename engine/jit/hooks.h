// Functions through which a front end steers this layer. All are null where nobody has installed them.
#pragma once

#include <atomic>
#include <cstdint>

namespace footlight::jit {

struct Hooks {
  // Called after a compilation, on the thread that compiled, with its start and end. The Python extension installs it
  // (python/install_hooks.cpp), while threads of another program in the process may be compiling.
  std::atomic<void (*)(int64_t start_ns, int64_t end_ns)> compiled{nullptr};
};
extern constinit Hooks hooks;

}  // namespace footlight::jit
