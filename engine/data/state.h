// Saves and restores the position of an iteration as bytes. A cursor names the values it needs to go on, and the same
// lines write and read them. Bytes may come from anywhere, so all of them are checked.
#pragma once

#include "engine/data/function.h"
#include "engine/data/worker_queue.h"

#include <concepts>
#include <optional>

namespace footlight::data {

class State {
 public:
  State() = default;                                             // for writing
  explicit State(std::string bytes) : reads_(true), bytes_(std::move(bytes)) {}
  bool reads() const { return reads_; }
  const std::string& bytes() const { return bytes_; }
  void end() const;  // ends reading: no bytes may follow

  // Called first: names the kind of stage of the cursor.
  void of(const char* stage);
  template <class T> requires std::integral<T> || std::same_as<T, bool>
  void number(T& value, uint64_t most = UINT64_MAX) {
    uint64_t said = reads_ ? 0 : static_cast<uint64_t>(value);
    bits(said, most);
    if (reads_) value = static_cast<T>(said);
  }
  void flag(bool& value) { number(value, 1); }
  // The position of a cursor that reads files in order: the next file and, if it is `inside` the one before, how many
  // pieces of that were read. True: the cursor must reopen that file and skip these pieces.
  bool in_files(size_t& next, size_t files, uint64_t& count, bool inside) {
    number(next, files);
    number(count);
    flag(inside);
    if (!reads() || !inside) return false;
    if (next == 0) wrong();
    return true;
  }
  void text(std::string& value);
  // An element that stage `of` yields.
  void element(Element& element, const Stage& of);
  void tensors(Element& element, const std::vector<DType>& types, const std::vector<Shape>& shapes,
               const Stage* of = nullptr);
  template <class Elements>
  void elements(Elements& all, const Stage& of) {
    size_t count = all.size();
    number(count, left());  // each takes at least a byte
    if (reads_) all.resize(count);
    for (Element& one : all) element(one, of);
  }
  // Finished elements or errors of worker threads.
  template <class Outcomes>
  void outcomes(Outcomes& all, const Stage& of) {
    size_t count = all.size();
    number(count, left());
    all.resize(count);
    for (Outcome& one : all) outcome(one, of);
  }
  // The state of a cursor below; null if it has ended. `open()` creates it where it did not exist yet.
  template <class Open>
  void input(CursorPtr& cursor, Open open) {
    bool there = cursor != nullptr;
    flag(there);
    if (!there) cursor.reset();
    else if (!cursor) cursor = open();
    if (cursor) cursor->state(*this);
  }
  void input(CursorPtr& cursor) {
    input(cursor, [this]() -> CursorPtr { wrong(); });
  }
  // Throws kFailedPrecondition if the function depends on something that is not saved here.
  void stateless(const Function& function) const {
    if (!reads_ && !any_function) function.check_stateless();
  }
  [[noreturn]] static void wrong();

  bool any_function = false;  // whether functions may depend on unsaved state

 private:
  void outcome(Outcome& outcome, const Stage& of);
  void bits(uint64_t& value, uint64_t most);
  uint64_t left() const { return reads_ ? bytes_.size() - at_ : UINT64_MAX; }

  const bool reads_ = false;
  std::string bytes_;
  size_t at_ = 0;
};

}  // namespace footlight::data
