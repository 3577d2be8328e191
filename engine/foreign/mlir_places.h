// Locations of MLIR: "loc(callsite("f"("a.py":3:5) at #loc2))", and the table of those that have a number.
#pragma once

#include "engine/foreign/program.h"

#include <string_view>
#include <vector>

namespace footlight::foreign {

class MlirPlaces {
 public:
  explicit MlirPlaces(Locations& locations) : locations_(locations) {}
  // A line "#loc7 = loc(...)"; it may come after the operations that name it. Its text must live as long as this.
  void take(std::string_view line);
  // The text behind "loc(", or "#loc7"; kNoLocation: it names no line.
  LocationNumber find(std::string_view text);

 private:
  struct Frame { std::string_view file, function; int line = 0; };
  void read(std::string_view& text, std::string_view function, std::vector<Frame>& frames, int depth);

  Locations& locations_;
  ByName<std::string_view> named_;
  ByName<LocationNumber> known_;
  int steps_ = 0;
};

}  // namespace footlight::foreign
