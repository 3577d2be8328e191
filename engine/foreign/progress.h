// How far an import is, and whether it is to go on.
#pragma once

#include "engine/base/errors.h"

#include <functional>

namespace footlight::foreign {

class Progress {
 public:
  // Called now and then with the share that is done; false ends the import.
  using GoOn = std::function<bool(double)>;
  explicit Progress(GoOn go_on = {}) : go_on_(std::move(go_on)) {}

  // A part of the work: its shares lie between these two.
  void part(double from, double to) { from_ = from, to_ = to; }
  void at(double share) {
    if (go_on_ && !go_on_(from_ + (to_ - from_) * share))
      throw Error(ErrorKind::kCancelled, "the import was cancelled");
  }

 private:
  GoOn go_on_;
  double from_ = 0, to_ = 1;
};

}  // namespace footlight::foreign
