// Finds the recordings of other processes by their names, and settles what killed ones left.
#include "engine/session/processes_beside.h"

#include "engine/base/errors.h"
#include "engine/session/reader.h"
#include "engine/session/tables.h"
#include "engine/session/writer.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace footlight::session {
namespace {

constexpr std::string_view kEnding = ".footlight";

// Ranks stay, even if they recorded nothing: their number says that none is missing.
bool is_empty_child(const Reader& reader) {
  const Contents& all = reader.contents();
  if (std::ranges::none_of(all.processes, &ProcessRecord::is_child)) return false;
  bool events = false;
  for_each_chunk_kind([&]<class Chunk, size_t I>() { events = events || reader.events<Chunk>().rows() > 0; });
  return !events && all.functions.empty() && all.traces.empty() && all.graphs.empty() && all.observations.empty() &&
         all.comparisons.empty() && all.values.empty() && all.console.empty();
}

}  // namespace

std::vector<std::string> files_beside(const std::string& path) {
  const std::filesystem::path whole(path);
  std::string beginning = whole.filename().string();
  if (beginning.ends_with(kEnding)) beginning.resize(beginning.size() - kEnding.size());
  beginning += '.';
  std::vector<std::string> found;
  std::error_code none;
  const std::filesystem::path folder = whole.has_parent_path() ? whole.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning) || !name.ends_with(kEnding)) continue;
    if (name.size() <= beginning.size() + kEnding.size() - 1) continue;
    found.push_back(whole.has_parent_path() ? (folder / name).string() : name);
  }
  std::ranges::sort(found, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // rank2 before rank10
  });
  return found;
}

bool holds_nothing(const std::string& path) {
  try {
    return is_empty_child(*Reader::open(path));
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> settle_files_beside(const std::string& path, const std::string& run) {
  std::vector<std::string> left;
  for (const std::string& file : files_beside(path)) {
    try {
      bool empty = false, killed = false;
      {
        const auto reader = Reader::open(file);
        const auto& processes = reader->contents().processes;
        if (std::ranges::none_of(processes, [&](const auto& process) { return process.run == run; })) continue;
        killed = reader->state() == State::kKilled;
        empty = reader->state() != State::kLive && is_empty_child(*reader);
      }
      if (empty) {
        unlink(file.c_str());
        continue;
      }
      if (killed) finish_log(file, file);
      left.push_back(file);
    } catch (const Error&) {
      left.push_back(file);  // whoever opens it is told why
    }
  }
  return left;
}

}  // namespace footlight::session
