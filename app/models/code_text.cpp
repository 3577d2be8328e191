// Finds the lines of a text, and the state in which each begins.
#include "app/models/code_text.h"

#include <algorithm>

namespace footlight::app {

ListText::ListText(std::vector<CodeLine> lines) : lines_(std::move(lines)) {
  LineState state = LineState::kCode;
  for (const CodeLine& l : lines_) {
    states_.push_back(state);
    state = state_after(l.text.toStdString(), state);
    longest_ = std::max(longest_, static_cast<size_t>(l.text.size()));
  }
}

ptrdiff_t ListText::row_of(int number) const {
  const auto at = std::find_if(lines_.begin(), lines_.end(), [&](const CodeLine& l) { return l.number == number; });
  return at == lines_.end() ? -1 : at - lines_.begin();
}

FileText::FileText(std::string text, std::unordered_map<int, CodeLine> notes)
    : text_(std::move(text)), notes_(std::move(notes)) {
  for (size_t at = 0; at < text_.size();) {
    starts_.push_back(at);
    const size_t stop = std::min(text_.find('\n', at), text_.size());
    longest_ = std::max(longest_, stop - at);
    at = stop + 1;
  }
}

std::string_view FileText::bytes(size_t row) const {
  const size_t from = starts_[row];
  size_t to = row + 1 < starts_.size() ? starts_[row + 1] - 1 : text_.size();
  if (to > from && text_[to - 1] == '\n') --to;
  if (to > from && text_[to - 1] == '\r') --to;
  return std::string_view(text_).substr(from, to - from);
}

QString FileText::text(size_t row) const {
  const std::string_view b = bytes(row);
  return QString::fromUtf8(b.data(), static_cast<qsizetype>(b.size()));
}

CodeLine FileText::line(size_t row) const {
  const auto note = notes_.find(number(row));
  CodeLine made = note == notes_.end() ? CodeLine{} : note->second;
  made.number = number(row);
  made.text = text(row);
  return made;
}

ptrdiff_t FileText::row_of(int number) const {
  return number >= 1 && static_cast<size_t>(number) <= starts_.size() ? number - 1 : -1;
}

LineState FileText::state(size_t row) const {
  if (states_.empty()) states_.push_back(LineState::kCode);
  while (states_.size() <= row) states_.push_back(state_after(bytes(states_.size() - 1), states_.back()));
  return states_[row];
}

}  // namespace footlight::app
