// Installs all hooks that Python serves. What each is for stands where it is declared, in `hooks.h` of the layer. Those
// of engine/base are installed by the package `footlight_recorder`, which works without this extension.
#include "engine/python/install_hooks.h"

#include "engine/data/hooks.h"
#include "engine/jit/hooks.h"
#include "engine/keys/hooks.h"
#include "engine/python/autograph/hooks.h"
#include "engine/python/data/module_init.h"
#include "engine/python/function/call/failure.h"
#include "engine/python/function/call/object_ids.h"
#include "engine/python/function/observed/state_watch.h"
#include "engine/python/function/tracing/control.h"
#include "engine/python/types/hooks.h"
#include "engine/record/spans.h"
#include "engine/trace/function_scope.h"
#include "engine/trace/hooks.h"

namespace footlight::python {
namespace {

void record_compilation(int64_t start_ns, int64_t end_ns) {
  record::add_span(session::SpanRecord::kMachineCode, session::SpanRecord::kMachineCode, start_ns, end_ns);
}

}  // namespace

void install_hooks() {
  jit::hooks.compiled = record_compilation;
  keys::hooks = {.custom_subtype = custom_subtype, .custom_supertype = custom_supertype};
  trace::hooks = {
      .leaked_use = note_leaked_use,
      .place_line = line_of,
      .met_end_of_data = record::add_end_of_data,
      .registered_gradient = gradient_registered_in_python};
  data::hooks = {
      .leave_front_end = leave_gil, .enter_front_end = enter_gil, .check_interrupts = check_interrupts_of_python};
  type_hooks = {.variable_made = trace::note_variable};
  autograph_hooks = {.converted_call = StateWatch::entering,
                     .decided = StateWatch::decided,
                     .unconverted_call = StateWatch::entering_unconverted};
}

}  // namespace footlight::python
