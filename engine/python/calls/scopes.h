// What a `with` statement changes for this thread: name scope, device, being outside of every graph.
#pragma once

#include "engine/python/types/objects.h"

#include <memory>
#include <string>

namespace footlight::python {

// "outer/inner/" or "": the graph's while tracing, else the thread's own.
std::string current_scope();

// What a context manager made in C++ does; one object may be entered several times, one inside the other.
class ContextAction {
 public:
  virtual ~ContextAction() = default;
  virtual Ref enter() = 0;  // what `as` gets
  virtual void leave() = 0;
  virtual const std::string* name() const { return nullptr; }  // of a name scope
};
PyObject* context_manager(std::unique_ptr<ContextAction>);  // new reference; throws

// tf.config.run_functions_eagerly
extern bool functions_run_eagerly;

void init_scopes();

}  // namespace footlight::python
