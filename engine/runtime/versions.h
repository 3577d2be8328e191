// A persistent value: versions that were derived from one another by small changes share their contents. Making the
// next version takes constant time, and leaves the one before as it was.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace footlight::runtime {

// `Contents` has a type Change and a function apply(Change&), which makes the change and turns it into its inverse. The
// contents are those of the latest version; each earlier one has the change that leads from the next version to it.
// When an earlier version is read, the changes are applied, and the later versions get the inverse ones.
template <class Contents>
class Version {
  struct Shared {
    std::recursive_mutex mutex;  // recursive, because destroying a value may destroy a version of the same contents
    Contents now;
  };

 public:
  using Ptr = std::shared_ptr<Version>;
  using Change = typename Contents::Change;

  explicit Version(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  // Makes the first version.
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

  // Gives access to the contents of a version, and holds the lock.
  class Access {
   public:
    explicit Access(const Ptr& version) : lock_(version->shared_->mutex), contents_(version->shared_->now) {
      make_latest(version);
    }
    Contents& operator*() const { return contents_; }
    Contents* operator->() const { return &contents_; }

   private:
    std::lock_guard<std::recursive_mutex> lock_;
    Contents& contents_;
  };

  // Makes the version after a change.
  static Ptr after(const Ptr& version, Change change) {
    const Access contents(version);
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
  Ptr newer_;      // null if the contents are those of this version
  Change change_;  // leads from the contents of `newer_` to those of this version
};

}  // namespace footlight::runtime
