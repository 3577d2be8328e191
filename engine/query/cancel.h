// A token that a question holds while it is answered: whoever asked may withdraw it from another thread. Long walks
// look at it once per chunk.
#pragma once

#include <atomic>
#include <memory>

namespace footlight::query {

// Thrown by a question that was withdrawn; not an error.
struct Cancelled {};

class Cancel {
 public:
  Cancel() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void request() const noexcept { flag_->store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return flag_->load(std::memory_order_relaxed); }
  void check() const {
    if (requested()) throw Cancelled();
  }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace footlight::query
