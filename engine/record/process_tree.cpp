// Reads /proc.
#include "engine/record/process_tree.h"

#include <dirent.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace footlight::record {
namespace {

std::string read_file(const std::string& path) {
  std::string text;
  if (FILE* file = std::fopen(path.c_str(), "re")) {
    char chunk[4096];
    for (size_t got; (got = std::fread(chunk, 1, sizeof chunk, file)) > 0;) text.append(chunk, got);
    std::fclose(file);
  }
  return text;
}

// Returns 0 if unknown.
pid_t parent_of(const std::string& process) {
  const std::string stat = read_file("/proc/" + process + "/stat");
  const size_t after_name = stat.rfind(')');  // the name may hold anything, including brackets
  int parent = 0;
  if (after_name != std::string::npos) std::sscanf(stat.c_str() + after_name + 1, " %*c %d", &parent);
  return parent;
}

// Pairs (process, parent) of all running processes.
std::vector<std::pair<pid_t, pid_t>> all_processes() {
  std::vector<std::pair<pid_t, pid_t>> found;
  DIR* directory = opendir("/proc");
  if (!directory) return found;
  while (const dirent* entry = readdir(directory)) {
    const pid_t process = static_cast<pid_t>(std::atoi(entry->d_name));
    if (process <= 0) continue;
    if (const pid_t parent = parent_of(entry->d_name)) found.emplace_back(process, parent);
  }
  closedir(directory);
  return found;
}

}  // namespace

void signal_tree(pid_t root, int signal) {
  const auto processes = all_processes();
  std::vector<pid_t> family{root};
  for (size_t i = 0; i < family.size(); ++i)
    for (const auto& [process, parent] : processes)
      if (parent == family[i]) family.push_back(process);
  for (size_t i = 1; i < family.size(); ++i) kill(family[i], signal);
}

bool is_descendant(pid_t process, pid_t ancestor) {
  for (int depth = 0; process > 1 && depth < 1000; ++depth) {
    process = parent_of(std::to_string(process));
    if (process == ancestor) return true;
  }
  return false;
}

size_t resident_bytes(pid_t process) {
  const std::string text = read_file("/proc/" + std::to_string(process) + "/statm");
  size_t total = 0, resident = 0;
  if (std::sscanf(text.c_str(), "%zu %zu", &total, &resident) != 2) return 0;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

MachineMemory machine_memory() {
  const std::string text = read_file("/proc/meminfo");
  const auto kilobytes = [&](const char* name) -> size_t {
    const char* at = std::strstr(text.c_str(), name);
    return at ? std::strtoull(at + std::strlen(name), nullptr, 10) : 0;
  };
  return {kilobytes("MemTotal:") * 1024, kilobytes("MemAvailable:") * 1024};
}

}  // namespace footlight::record
