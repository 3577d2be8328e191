// What TensorFlow refuses and this engine runs. AUTOGRAPH_STRICT_CONVERSION=1 in the environment, which TensorFlow's
// tests of AutoGraph set, has it refused here too. All such refusals are in this file; each has one place that asks it.
#pragma once

#include "engine/python/types/objects.h"

#include <string>

namespace footlight::autograph {
struct Node;
}

namespace footlight::python::ag {

// Whether the environment asks for it now: read where a function is converted and where a trace begins.
bool strict_is_asked();

// In its scope, a trace, strict() is what the environment asked for when it began.
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
  const char* what = nullptr;  // null: there is none
  int line = 0;
};
Refused refused_in(const autograph::Node* function, const std::string& private_class);
// Throws where that is asked for. TensorFlow leaves a generator as it is unless the program itself wants it converted.
void refuse_source(const Refused& refused, PyCodeObject* code, bool requested);

// The others throw, or say that the caller shall, if this trace refuses.
void refuse_jump_in_python_for();        // a break or return decided by a tensor
void refuse_python_while_that_stages();  // its condition becomes a tensor after some iterations
void refuse_return_over_dataset();
void refuse_return_in_loop();            // whose body has just failed to be traced, with the exception that is set
bool refuses_missing_return();           // one branch of a condition on a tensor returns, the other does not
bool refuses_missing_in_both();          // neither branch leaves a value in a variable that is read later
bool refuses_zero_iterations();          // of a loop that returns a value, even if another return follows

}  // namespace footlight::python::ag
