// The lines that a code view shows: a short list, or a whole file that is cut into lines only where it is looked at.
#pragma once

#include "app/models/python_tokens.h"
#include "app/models/source_lines.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::app {

class CodeText {
 public:
  virtual ~CodeText() = default;
  virtual size_t size() const = 0;
  virtual CodeLine line(size_t row) const = 0;
  virtual QString text(size_t row) const { return line(row).text; }
  virtual int number(size_t row) const = 0;
  virtual ptrdiff_t row_of(int number) const = 0;  // -1: not there
  virtual size_t longest() const = 0;              // length of a line's text in characters (or bytes: an upper bound)
  virtual LineState state(size_t row) const = 0;   // state at the start of a row
};

class ListText : public CodeText {
 public:
  explicit ListText(std::vector<CodeLine> lines);
  const std::vector<CodeLine>& lines() const { return lines_; }
  size_t size() const override { return lines_.size(); }
  CodeLine line(size_t row) const override { return lines_[row]; }
  int number(size_t row) const override { return lines_[row].number; }
  ptrdiff_t row_of(int number) const override;
  size_t longest() const override { return longest_; }
  LineState state(size_t row) const override { return states_[row]; }

 private:
  std::vector<CodeLine> lines_;
  std::vector<LineState> states_;
  size_t longest_ = 0;
};

// Every line of a text, from 1. `notes`: what is said of some lines, by number; their text is not looked at.
class FileText : public CodeText {
 public:
  FileText(std::string text, std::unordered_map<int, CodeLine> notes);
  size_t size() const override { return starts_.size(); }
  CodeLine line(size_t row) const override;
  QString text(size_t row) const override;
  int number(size_t row) const override { return static_cast<int>(row) + 1; }
  ptrdiff_t row_of(int number) const override;
  size_t longest() const override { return longest_; }
  LineState state(size_t row) const override;
  const std::string& whole() const { return text_; }
  void set_notes(std::unordered_map<int, CodeLine> notes) { notes_ = std::move(notes); }

 private:
  std::string_view bytes(size_t row) const;
  std::string text_;
  std::vector<size_t> starts_;
  std::unordered_map<int, CodeLine> notes_;
  size_t longest_ = 0;
  mutable std::vector<LineState> states_;  // states of the rows up to the last one requested
};

}  // namespace footlight::app
