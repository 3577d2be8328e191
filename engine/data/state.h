// Where an iteration is, as bytes. A cursor names what it needs to go on, and the same lines write that and read it
// into a new cursor over the same stages. Bytes that are read may come from anywhere: whatever they say is checked.
#pragma once

#include "engine/data/function.h"
#include "engine/data/worker_queue.h"

#include <concepts>
#include <optional>

namespace footlight::data {

class State {
 public:
  State() = default;                                             // writes
  explicit State(std::string bytes) : reads_(true), bytes_(std::move(bytes)) {}
  bool reads() const { return reads_; }
  const std::string& bytes() const { return bytes_; }
  void end() const;  // of reading: nothing may follow

  // First of all, of which kind of stage the cursor is.
  void of(const char* stage);
  template <class T> requires std::integral<T> || std::same_as<T, bool>
  void number(T& value, uint64_t most = UINT64_MAX) {
    uint64_t said = reads_ ? 0 : static_cast<uint64_t>(value);
    bits(said, most);
    if (reads_) value = static_cast<T>(said);
  }
  void flag(bool& value) { number(value, 1); }
  // The place of a cursor that reads files one after the other: the next file, and what was read of the one before
  // it if it is `inside` that. True: it is to be opened again, and as much of it passed.
  bool in_files(size_t& next, size_t files, uint64_t& count, bool inside) {
    number(next, files);
    number(count);
    flag(inside);
    if (!reads() || !inside) return false;
    if (next == 0) wrong();
    return true;
  }
  void text(std::string& value);
  // Such as stage `of` gives.
  void element(Element& element, const Stage& of);
  void tensors(Element& element, const std::vector<DType>& types, const std::vector<Shape>& shapes,
               const Stage* of = nullptr);
  template <class Elements>
  void elements(Elements& all, const Stage& of) {
    size_t count = all.size();
    number(count, left());  // each takes a byte at least
    if (reads_) all.resize(count);
    for (Element& one : all) element(one, of);
  }
  // What threads have made, or why they could not.
  template <class Outcomes>
  void outcomes(Outcomes& all, const Stage& of) {
    size_t count = all.size();
    number(count, left());
    all.resize(count);
    for (Outcome& one : all) outcome(one, of);
  }
  // Of a cursor below; null: it has ended. `open()` gives one where there was none yet.
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

  bool any_function = false;  // functions may depend on what they like

 private:
  void outcome(Outcome& outcome, const Stage& of);
  void bits(uint64_t& value, uint64_t most);
  uint64_t left() const { return reads_ ? bytes_.size() - at_ : UINT64_MAX; }

  const bool reads_ = false;
  std::string bytes_;
  size_t at_ = 0;
};

}  // namespace footlight::data
