// Reads /proc for the model of the CPU and the names of the GPUs.
#include "engine/record/machine.h"

#include <filesystem>
#include <fstream>
#include <thread>

namespace footlight::record {
namespace {

// The text after "NAME<blanks>:" in the first such line of `path`; empty if no line has it.
std::string field(const std::filesystem::path& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (!line.starts_with(name) || colon == std::string::npos) continue;
    const size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return {};
}

std::string gpus() {
  std::string names;
  std::error_code none;
  for (const auto& folder : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", none))
    if (const std::string model = field(folder.path() / "information", "Model"); !model.empty())
      names += ", GPU " + model;
  if (!names.empty()) return names.substr(2);
  return std::filesystem::exists("/dev/nvidiactl", none) ? "an NVIDIA driver" : "no NVIDIA driver";
}

}  // namespace

std::string describe_machine() {
  const std::string cpu = field("/proc/cpuinfo", "model name");
  return (cpu.empty() ? "CPU" : cpu) + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads, " +
         gpus();
}

}  // namespace footlight::record
