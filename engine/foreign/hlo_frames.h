// The lines of a user's program that a module of HLO names: in each instruction, or in tables of files and frames.
#pragma once

#include "engine/foreign/texts.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace footlight::foreign {

class HloFrames {
 public:
  explicit HloFrames(Locations& locations) : locations_(locations) {}
  // A line before the first computation: a table's name, or a row of it. The line's text need not live longer.
  void take(std::string_view line);
  // "op_name="jit(f)/add" source_file="a.py" source_line=3" or "stack_frame_id=7"; kNoLocation: it names no line.
  LocationNumber of_metadata(std::string_view metadata);

 private:
  struct Place { uint64_t file = 0, function = 0, line = 0; };
  struct Frame { uint64_t place = 0, parent = 0; };
  LocationNumber of_frame(uint64_t number);

  Locations& locations_;
  std::string table_;
  std::unordered_map<uint64_t, std::string> files_, functions_;
  std::unordered_map<uint64_t, Place> places_;
  std::unordered_map<uint64_t, Frame> frames_;
  std::unordered_map<uint64_t, LocationNumber> known_;
};

}  // namespace footlight::foreign
