// Comparisons of two elements and logic on bools.
#pragma once

#include "kernels/functors/common.h"

namespace footlight::functors {

struct Less {
  template <class T> FL_HOST_DEVICE bool operator()(T a, T b) const { return a < b; }
};
struct LessEqual {
  template <class T> FL_HOST_DEVICE bool operator()(T a, T b) const { return a <= b; }
};
struct Greater {
  template <class T> FL_HOST_DEVICE bool operator()(T a, T b) const { return a > b; }
};
struct GreaterEqual {
  template <class T> FL_HOST_DEVICE bool operator()(T a, T b) const { return a >= b; }
};
struct Equal {
  template <class T> FL_HOST_DEVICE bool operator()(const T& a, const T& b) const { return a == b; }
};
struct NotEqual {
  template <class T> FL_HOST_DEVICE bool operator()(const T& a, const T& b) const { return !(a == b); }
};
struct LogicalAnd {
  FL_HOST_DEVICE bool operator()(bool a, bool b) const { return a & b; }
};
struct LogicalOr {
  FL_HOST_DEVICE bool operator()(bool a, bool b) const { return a | b; }
};
struct LogicalNot {
  FL_HOST_DEVICE bool operator()(bool a) const { return !a; }
};

}  // namespace footlight::functors
