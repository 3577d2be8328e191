// A tree from the outermost call inwards: nodes of one call share all but the last place.
#include "engine/trace/call_sites.h"

#include "engine/base/call_stack.h"
#include "engine/base/hash128.h"
#include "engine/session/writer.h"

#include <array>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace footlight::trace {
namespace {

constexpr size_t kDeepest = 128;        // frames; a deeper stack keeps only the innermost place
constexpr size_t kMaxSites = session::kFirstCallerLocation;  // places in a process

class CallSites {
 public:
  uint32_t add(std::span<const SourceRef> frames) {
    std::lock_guard lock(mutex_);
    uint32_t site = kNoCallSite;
    for (size_t i = frames.size(); i-- > 0;) {
      Hasher128 hasher;
      hasher.add(uint64_t{site} << 32 | frames[i].code.value);
      hasher.add(uint64_t{frames[i].offset});
      const auto [at, fresh] = known_.try_emplace(hasher.result(), static_cast<uint32_t>(sites_.size()));
      if (fresh) {
        if (sites_.size() == kMaxSites) {
          known_.erase(at);
          return kNoCallSite;
        }
        sites_.push_back({frames[i], site});
      }
      site = at->second;
    }
    return site;
  }

  // Adds the sites, and their callers, that the recording has not got.
  void record(std::span<const uint32_t> sites, session::Writer& writer) {
    std::lock_guard lock(mutex_);
    const uint32_t recording = recording_number.load();
    for (uint32_t site : sites) {
      for (; site < sites_.size(); site = sites_[site].caller) {
        Site& s = sites_[site];
        if (s.recorded == recording) break;  // the callers are recorded too then
        s.recorded = recording;
        session::LocationRecord record;
        record.id = session::LocationId(site);
        if (s.caller != kNoCallSite) record.caller = session::LocationId(s.caller);
        record.source = s.source;
        writer.add(std::move(record));
      }
    }
  }

 private:
  struct Site {
    SourceRef source;
    uint32_t caller;
    uint32_t recorded = 0;
  };
  std::mutex mutex_;
  std::vector<Site> sites_;
  std::unordered_map<Hash128, uint32_t> known_;
};

CallSites& call_sites() {
  static CallSites sites;
  return sites;
}

// The call stack of this thread.
uint32_t call_site_here() {
  if (!front_end_hooks.stack) return kNoCallSite;
  std::array<SourceRef, kDeepest> frames;
  const size_t count = front_end_hooks.stack(frames);
  return count && count <= frames.size() ? call_sites().add({frames.data(), count}) : kNoCallSite;
}

}  // namespace

InPlaceOf::InPlaceOf(const Node& node) : node_(node), before_(this_thread.in_place_of) {
  if (node.source.code.valid()) this_thread.in_place_of = this;
}

InPlaceOf::~InPlaceOf() { this_thread.in_place_of = before_; }

void note_place(Node& node) {
  if (const InPlaceOf* const other = this_thread.in_place_of) {
    node.source = other->node_.source;
    node.call_site = other->node_.call_site;
    return;
  }
  if (recording_structure())
    if (const uint32_t site = call_site_here(); site != kNoCallSite) node.call_site = site;
  node.source = current_source();
}

void record_call_sites(const Graph& graph, session::Writer& writer) {
  std::vector<uint32_t> sites(graph.size());
  for (uint32_t i = 0; i < graph.size(); ++i) sites[i] = graph.node(NodeId(i)).call_site;
  call_sites().record(sites, writer);
}

session::LocationId record_call_site(session::Writer& writer) {
  const uint32_t site = call_site_here();
  if (site == kNoCallSite) return {};
  call_sites().record({&site, 1}, writer);
  return session::LocationId(site);
}

}  // namespace footlight::trace
