// Releases the GIL and takes it again; keeps the source line under which ops are recorded in between.
#include "engine/python/interpreter/gil.h"

#include "engine/base/recording.h"
#include "engine/record/sources.h"

namespace footlight::python {

void WithoutGil::release() {
  if (recording_ops()) this_thread.source_without_interpreter = current_source();
  released_.emplace();
}

void WithoutGil::restore() {
  released_.reset();
  this_thread.source_without_interpreter = {};
}

}  // namespace footlight::python
