// Tells the Python functions of a recording apart: two that would do the same have one number.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <cstdint>
#include <string>

namespace footlight::python {

// The number of one function, given when it is asked for. A lambda that every trace makes again has the same number
// each time, unless it closes over other values. Numbers are not used again when a function is gone.
class FunctionNumber {
 public:
  FunctionNumber() = default;
  FunctionNumber(const FunctionNumber&) = delete;
  FunctionNumber& operator=(const FunctionNumber&) = delete;

  // "Pole.step #2"; empty where this thread does not hold the GIL. The function lives until forget().
  std::string text(PyObject* function);
  void forget();  // needs the GIL

 private:
  PyObject* function_ = nullptr;  // borrowed, as is `part_`: what it is filed under
  PyObject* part_ = nullptr;
  uint64_t number_ = 0;           // 0: nobody has asked
};

}  // namespace footlight::python
