// Keeps the texts for the process: a function of an old cell may be recorded at any time.
#include "engine/session/given_sources.h"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace footlight::session {
namespace {

struct Given {
  std::mutex mutex;
  std::unordered_map<std::string, GivenSource> by_path;
};

// Never destroyed: threads and exit handlers may still use it.
Given& given() {
  static auto* const it = new Given;
  return *it;
}

}  // namespace

void give_source(std::string path, GivenSource source) {
  std::lock_guard lock(given().mutex);
  given().by_path.insert_or_assign(std::move(path), std::move(source));
}

std::optional<GivenSource> given_source(const std::string& path) {
  std::lock_guard lock(given().mutex);
  const auto found = given().by_path.find(path);
  if (found == given().by_path.end()) return std::nullopt;
  return found->second;
}

}  // namespace footlight::session
