// Keeps the list of losses bounded.
#include "engine/query/losses.h"

#include <algorithm>

namespace footlight::query {

void Losses::note(const Loss& loss) {
  events_ += loss.events;
  all_.push_back({std::min(loss.from, loss.to), std::max(loss.from, loss.to), loss.events, loss.thread});
  if (all_.size() < limit_) return;
  std::stable_sort(all_.begin(), all_.end(), [](const Loss& a, const Loss& b) { return a.thread < b.thread; });
  size_t kept = 0;
  for (size_t i = 0; i < all_.size();) {
    Loss joined = all_[i++];
    if (i < all_.size() && all_[i].thread == joined.thread) {
      joined.from = std::min(joined.from, all_[i].from);
      joined.to = std::max(joined.to, all_[i].to);
      joined.events += all_[i++].events;
    }
    all_[kept++] = joined;
  }
  all_.resize(kept);
  limit_ = std::max(kMaxListedLosses, 2 * kept);  // threads that lost once each cannot be joined
}

}  // namespace footlight::query
