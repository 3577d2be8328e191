// A token to cancel a query from another thread. Long queries check it once per chunk, and let shorter queries run
// first there.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace footlight::query {

// Thrown by a cancelled query; not an error.
struct Cancelled {};

class Cancel {
 public:
  Cancel() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  // The same token for the answering thread: `between` is called at every check; it may query the store but not change
  // it.
  Cancel with(std::function<void()> between) const {
    Cancel same(*this);
    same.between_ = std::move(between);
    return same;
  }
  void request() const noexcept { flag_->store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return flag_->load(std::memory_order_relaxed); }
  void check() const {
    if (between_ && !requested()) between_();
    if (requested()) throw Cancelled();
  }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
  std::function<void()> between_;
};

}  // namespace footlight::query
