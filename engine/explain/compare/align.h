// Which line of one version of a file is which of another, and other things that stand in the same order.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace footlight::explain {

// Pairs of places in two sequences that are equal and in order, as many as possible; ascending. Long sequences that
// differ all over have none.
std::vector<std::pair<size_t, size_t>> in_common(size_t left, size_t right,
                                                 const std::function<bool(size_t, size_t)>& equal);

class LineMap {
 public:
  LineMap() = default;   // of a file to itself
  LineMap(const std::string& left, const std::string& right);

  // Where a line of the right file stands among those of the left one: that line and 0, or the last line of the change
  // there and its number among the new lines.
  struct At {
    int line = 0, added = 0;
    friend auto operator<=>(const At&, const At&) = default;
  };
  At of_right(int line) const;
  // The change that a line belongs to, by the lines before it that are in both; equal for both sides. -1: it
  // is in both.
  int change_of_left(int line) const;
  int change_of_right(int line) const;

 private:
  bool same_ = true;
  std::vector<int> left_of_, right_of_;   // by line - 1; 0: only in this file
};

}  // namespace footlight::explain
