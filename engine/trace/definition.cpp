// Counts traces by line of code, and decides when to warn.
#include "engine/trace/definition.h"

#include "engine/base/text.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <utility>

namespace footlight::trace {
namespace {

constexpr size_t kMaxDefinitions = 1024;

std::mutex mutex;
auto& definitions() {
  static auto& all = *new std::map<std::string, std::shared_ptr<Definition>>;
  return all;
}

// Code created at run time has new places each time: drops entries without anything to report first.
void make_room() {
  auto& all = definitions();
  std::erase_if(all, [](const auto& entry) {
    const Definition& d = *entry.second;
    return entry.second.use_count() == 1 && !d.warned && d.evicted == d.evictions_reported;
  });
  if (all.size() >= kMaxDefinitions)
    std::erase_if(all, [](const auto& entry) { return entry.second.use_count() == 1; });
}

template <class Say>
std::vector<std::string> sentences(Say&& say) {
  const std::lock_guard lock(mutex);
  std::vector<std::string> all;
  for (const auto& [place, definition] : definitions())
    if (std::string text = say(*definition); !text.empty()) all.push_back(std::move(text));
  return all;
}

std::string subject(const Definition& d) { return str("function '", d.name, "' (", d.place, ")"); }

}  // namespace

bool Definition::note_traced(int own) {
  recent = recent << 1 | 1;
  const int lately = std::popcount(recent & 0x3ff), in_all = std::popcount(recent);
  if (warned) {
    ++traces_after_warning;
    if (own != 5 || lately < 5) return false;
  }
  if (lately < 5 && in_all < 8) return false;
  traced_ = lately >= 5 ? lately : in_all;
  of_ = std::min(lately >= 5 ? 10 : 64, static_cast<int>(std::bit_width(recent)));  // the first call traces
  return warned = true;
}

std::string Definition::frequency() const { return str(traced_, " of the last ", of_, " calls traced it"); }

std::shared_ptr<Definition> definition_at(const std::string& name, const std::string& place) {
  auto fresh = [&] { return std::make_shared<Definition>(name, place); };
  if (place.empty()) return fresh();
  const std::lock_guard lock(mutex);
  auto& all = definitions();
  if (auto known = all.find(place); known != all.end()) return known->second;
  if (all.size() >= kMaxDefinitions) make_room();
  return all.emplace(place, fresh()).first->second;
}

std::vector<std::string> retracing_after_warnings() {
  return sentences([](Definition& d) {
    const uint64_t count = std::exchange(d.traces_after_warning, 0);
    return count ? str(subject(d), " was traced ", count, count == 1 ? " more time" : " more times",
                       " after the warning about frequent retracing")
                 : std::string();
  });
}

std::vector<std::string> unreported_evictions() {
  return sentences([](Definition& d) {
    if (d.evicted == d.evictions_reported) return std::string();
    d.evictions_reported = d.evicted;
    return str(subject(d), ": ", d.evicted, " traces were evicted in all");
  });
}

}  // namespace footlight::trace
