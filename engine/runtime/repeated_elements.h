// Keeps the elements that a call takes out of iterators, so that its repetitions get the same elements again, eagerly
// too, where no node takes them (trace::ElementWatch).
#pragma once

#include "engine/tensor/tensor.h"

#include <cstdint>
#include <map>
#include <vector>

namespace footlight::runtime {

class RepeatedElements {
 public:
  enum class Mode : uint8_t { kKeep, kGive };

  // While it lives, iterators that this thread asks keep the elements that they give, or give the kept ones again.
  class Scope {
   public:
    Scope(RepeatedElements& elements, Mode mode);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    RepeatedElements* const before_;
  };

  RepeatedElements();
  // The elements of the innermost Scope of this thread. Null without one, and for iterators that the call itself makes:
  // these start anew in each repetition.
  static RepeatedElements* of(uint64_t iterator);

  bool is_given() const { return mode_ == Mode::kGive; }
  void keep(uint64_t iterator, const std::vector<Tensor>& element);
  void keep_end(uint64_t iterator);
  // The next element of a repetition; false at the end. Throws if the call itself took fewer elements.
  bool give(uint64_t iterator, std::vector<Tensor>& element);
  // Whether another element may be taken ahead of the program while a repetition waits for it.
  bool may_take_ahead() const { return ahead_ < kMaxAhead && ahead_bytes_ < kMaxBytes; }
  void add_ahead(const std::vector<Tensor>& element);

  void rewind();                              // before each repetition
  bool empty() const { return taken_.empty(); }
  bool is_cut() const { return is_cut_; }     // the call took more than is kept
  uint64_t ahead() const { return ahead_; }

 private:
  static constexpr uint64_t kMaxElements = 10'000, kMaxAhead = 4'096;
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 29;

  struct Taken {
    std::vector<std::vector<Tensor>> elements;
    bool ended = false;
    size_t next = 0;
  };
  const uint64_t first_new_;                  // the number of the first iterator that the call itself makes
  std::map<uint64_t, Taken> taken_;           // by the iterator's number
  Mode mode_ = Mode::kKeep;
  uint64_t kept_ = 0, kept_bytes_ = 0, ahead_ = 0, ahead_bytes_ = 0;
  bool is_cut_ = false;
};

}  // namespace footlight::runtime
