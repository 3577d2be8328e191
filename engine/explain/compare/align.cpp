// A table of the longest common subsequences, after what is equal at both ends was taken off.
#include "engine/explain/compare/align.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace footlight::explain {
namespace {

constexpr size_t kMaxCells = size_t{1} << 22;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

int at_line(const std::vector<int>& lines, int line) {
  return line >= 1 && static_cast<size_t>(line) <= lines.size() ? lines[static_cast<size_t>(line) - 1] : 0;
}

// The last line before `line` that is in both files.
int before(const std::vector<int>& lines, int line) {
  size_t at = line > 1 ? std::min(static_cast<size_t>(line) - 1, lines.size()) : 0;
  while (at > 0 && !lines[at - 1]) --at;
  return static_cast<int>(at);
}

}  // namespace

std::vector<std::pair<size_t, size_t>> in_common(size_t left, size_t right,
                                                 const std::function<bool(size_t, size_t)>& equal) {
  std::vector<std::pair<size_t, size_t>> found;
  size_t from = 0;
  for (; from < std::min(left, right) && equal(from, from); ++from) found.emplace_back(from, from);
  size_t tail = 0;
  while (tail < std::min(left, right) - from && equal(left - 1 - tail, right - 1 - tail)) ++tail;
  const size_t n = left - from - tail, m = right - from - tail;
  if (n && m && n + 1 <= kMaxCells / (m + 1)) {
    std::vector<uint32_t> longest((n + 1) * (m + 1));
    const auto cell = [&](size_t i, size_t j) -> uint32_t& { return longest[i * (m + 1) + j]; };
    for (size_t i = n; i-- > 0;)
      for (size_t j = m; j-- > 0;)
        cell(i, j) = equal(from + i, from + j) ? cell(i + 1, j + 1) + 1 : std::max(cell(i + 1, j), cell(i, j + 1));
    for (size_t i = 0, j = 0; i < n && j < m;) {
      if (equal(from + i, from + j)) found.emplace_back(from + i++, from + j++);
      else if (cell(i + 1, j) >= cell(i, j + 1)) ++i;
      else ++j;
    }
  }
  for (; tail > 0; --tail) found.emplace_back(left - tail, right - tail);
  return found;
}

LineMap::LineMap(const std::string& left, const std::string& right) : same_(left == right) {
  if (same_) return;
  const std::vector<std::string_view> a = lines_of(left), b = lines_of(right);
  right_of_.resize(a.size());
  left_of_.resize(b.size());
  for (const auto& [i, j] : in_common(a.size(), b.size(), [&](size_t i, size_t j) { return a[i] == b[j]; })) {
    right_of_[i] = static_cast<int>(j) + 1;
    left_of_[j] = static_cast<int>(i) + 1;
  }
}

LineMap::At LineMap::of_right(int line) const {
  if (same_) return {line, 0};
  if (line < 1) return {};
  if (const int left = at_line(left_of_, line)) return {left, 0};
  const int last = before(left_of_, line);
  int left = at_line(left_of_, last);
  while (static_cast<size_t>(left) < right_of_.size() && !right_of_[static_cast<size_t>(left)]) ++left;
  return {left, line - last};
}

int LineMap::change_of_left(int line) const {
  return same_ || at_line(right_of_, line) ? -1 : before(right_of_, line);
}

int LineMap::change_of_right(int line) const {
  return same_ || at_line(left_of_, line) ? -1 : at_line(left_of_, before(left_of_, line));
}

}  // namespace footlight::explain
