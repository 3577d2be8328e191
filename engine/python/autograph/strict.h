// Refusals of TensorFlow that this engine does not need: AUTOGRAPH_STRICT_CONVERSION=1 in the environment, which
// TensorFlow's tests of AutoGraph set, enables them. All are in this file; each is asked for in one place.
#pragma once

#include "engine/python/types/objects.h"

#include <string>

namespace footlight::autograph {
struct Node;
}

namespace footlight::python::ag {

// Whether the environment asks for it now: read where a function is converted and where a trace begins.
bool strict_is_asked();

// While it lives, strict() returns the setting at its start. One for each trace.
class StrictTrace {
 public:
  StrictTrace();
  ~StrictTrace();
  StrictTrace(const StrictTrace&) = delete;
  StrictTrace& operator=(const StrictTrace&) = delete;

 private:
  bool outer_;
};
// Whether this trace refuses. Its statements all go through the runtime, which sees where a loop of Python's own
// becomes a staged one.
bool strict();

// The first part of a function's source that TensorFlow cannot convert: for/else, while/else, yield, attributes that
// `private_class` keeps to itself. Functions inside it count.
struct Refused {
  const char* what = nullptr;  // null: nothing to refuse
  int line = 0;
};
Refused refused_in(const autograph::Node* function, const std::string& private_class);
// Throws where that is asked for. TensorFlow leaves a generator as it is unless the program itself wants it converted.
void refuse_source(const Refused& refused, PyCodeObject* code, bool requested);

// The others throw, or say that the caller shall, if this trace refuses.
void refuse_jump_in_python_for();        // a break or return decided by a tensor
void refuse_python_while_that_stages();  // its condition becomes a tensor after some iterations
void refuse_return_over_dataset();
void refuse_return_in_loop();            // the loop's body has just failed to be traced, with the exception that is set
bool refuses_missing_return();           // one branch of a condition on a tensor returns, the other does not
bool refuses_missing_in_both();          // neither branch leaves a value in a variable that is read later
bool refuses_zero_iterations();          // for a loop that returns a value, even if another return follows

}  // namespace footlight::python::ag
