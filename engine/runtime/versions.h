// Contents shared by values that were derived from one another by small changes: making the next value costs the same
// however large the contents are, and leaves the one before as it was.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace footlight::runtime {

// `Contents` has a type Change and apply(Change&), which makes the change and turns it into its opposite. The latest
// version owns the contents; an earlier one knows how it differs from the next. If an earlier one is read, it takes the
// contents, and the later ones then know how they differ from it.
template <class Contents>
class Version {
  struct Shared {
    std::recursive_mutex mutex;  // a value may hold one made from it
    Contents now;
  };

 public:
  using Ptr = std::shared_ptr<Version>;
  using Change = typename Contents::Change;

  explicit Version(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  // The first version.
  static Ptr of(Contents contents) {
    auto shared = std::make_shared<Shared>();
    shared->now = std::move(contents);
    return std::make_shared<Version>(std::move(shared));
  }

  // Frees versions that nothing else refers to one by one: there may be a million, too many for recursion.
  ~Version() {
    const std::shared_ptr<Shared> shared = shared_;
    const std::lock_guard lock(shared->mutex);
    Ptr next = std::move(newer_);
    while (next && next.use_count() == 1) {
      Ptr after = std::move(next->newer_);
      next = std::move(after);
    }
  }

  // Access to the contents while the lock is held.
  class Held {
   public:
    explicit Held(const Ptr& version) : lock_(version->shared_->mutex), contents_(version->shared_->now) {
      make_latest(version);
    }
    Contents& operator*() const { return contents_; }
    Contents* operator->() const { return &contents_; }

   private:
    std::lock_guard<std::recursive_mutex> lock_;
    Contents& contents_;
  };

  // The version after a change.
  static Ptr after(const Ptr& version, Change change) {
    const Held contents(version);
    auto next = std::make_shared<Version>(version->shared_);
    contents->apply(change);
    version->change_ = std::move(change);
    version->newer_ = next;
    return next;
  }

 private:
  // Called with the lock held.
  static void make_latest(const Ptr& version) {
    std::vector<Ptr> path;
    for (Ptr at = version; at->newer_; at = at->newer_) path.push_back(at);
    while (!path.empty()) {
      Version& before = *path.back();
      Version& latest = *before.newer_;
      before.shared_->now.apply(before.change_);
      latest.change_ = std::move(before.change_);
      latest.newer_ = path.back();
      before.newer_ = nullptr;
      path.pop_back();
    }
  }

  std::shared_ptr<Shared> shared_;
  Ptr newer_;      // null: the contents are those of this version
  Change change_;  // otherwise turns the contents of `newer_` into its own
};

}  // namespace footlight::runtime
