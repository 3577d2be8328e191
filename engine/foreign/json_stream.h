// Goes over a JSON file of any size: its outermost members, and the elements of the lists among them, each as one text.
#pragma once

#include "engine/foreign/input.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace footlight::foreign {

class JsonStream {
 public:
  explicit JsonStream(Input& input) : input_(input) {}

  // The next character that is no space; it stays in the stream. 0 at the end.
  char peek();
  void skip() { ++at_; }
  // Copies the next value, a string with its quotes. Skips one of more than `most` bytes and sets `too_long`. False if
  // the text ends or is damaged before the value is complete.
  bool value(std::string& out, size_t most, bool& too_long);
  uint64_t position() const { return before_ + at_; }

 private:
  bool more();
  bool get(char& c);

  Input& input_;
  std::string_view piece_;
  size_t at_ = 0;
  uint64_t before_ = 0;  // bytes of earlier pieces
};

}  // namespace footlight::foreign
