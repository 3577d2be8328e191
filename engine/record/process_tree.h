// Process information from /proc: descendants and memory use.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace footlight::record {

// Sends `signal` to every descendant of `root`, not to `root` itself.
void signal_tree(pid_t root, int signal);

// Whether `process` is below `ancestor`; false if it has exited.
bool is_descendant(pid_t process, pid_t ancestor);

size_t resident_bytes(pid_t process);  // 0 if it has exited

struct MachineMemory {
  size_t total = 0;
  size_t available = 0;
};
MachineMemory machine_memory();  // zeros if it cannot be read

}  // namespace footlight::record
