// Conversion of existing Python functions: their source is converted and compiled once per code object, and new
// function objects are made from it with the user's own globals, closure cells and defaults.
#pragma once

#include "engine/autograph/convert.h"
#include "engine/python/interpreter/thread_context.h"
#include "engine/python/types/objects.h"
#include "engine/session/records.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace footlight::python {

// Returns what tracing runs in place of `callable` (a function, lambda, bound method, functools.partial or object with
// __call__). Callables that are not converted (C functions, our own package, no source, do_not_convert) are returned
// unchanged. `requested`: the program itself asked, not a call. New reference; null: Python error set. May also throw.
PyObject* ag_convert(PyObject* callable, bool recursive = true, bool requested = false);

// Runs the body of a trace. Throws if the body raised, under a condition on a tensor, an exception that its own
// handlers caught: these handlers would run whatever the condition is.
Ref ag_body(const std::function<Ref()>& body);

// Why a callable is not converted; empty: it is.
std::string ag_reason(PyObject* callable);

// After a traced body raised (the exception is set): puts "in user code:" and the user's frames in front of its
// message. Keeps the class and attributes of the exception.
void ag_explain_error();
// "in user code:" and those frames of an exception.
std::string ag_user_frames(PyObject* exception);
// The same as a list of (file, line, function, source, whether it is converted), the outermost first.
Ref ag_frames(PyObject* exception);
// The same and the message below it.
std::string ag_explained(PyObject* exception);

// Readable text, line map and fates of a callable. False: not convertible, see `reason`. Caller sets the ids.
bool ag_generated_record(PyObject* callable, session::GeneratedRecord* record, std::string* reason = nullptr);

// Why this code was not converted; empty: it was, or conversion was never tried.
std::string ag_code_reason(PyObject* code);
inline constexpr std::string_view kLibraryReason = "library code is not converted";
// tf.autograph.set_verbosity
extern int ag_verbosity;
extern bool ag_says_on_stdout;

// The class functools.partial. Borrowed.
PyObject* partial_type();

// Whether a conversion made the code; includes the user's functions inside it.
bool ag_is_converted_code(PyObject* code);
// Whether converted code may call this code as it is, because it meets no tensor or conversion changes nothing in it.
bool ag_may_run_as_written(PyObject* code);
// Whether such code is part of a user's function.
bool ag_is_block_code(PyObject* code);
// Whether a function object has converted code.
bool ag_is_converted(PyObject* function);
// The standard library, NumPy and our own package, whose code is no program of the user's.
bool ag_is_library(PyObject* code);
bool ag_is_library_file(const std::string& path);

// Time this thread spent converting, parsing and compiling so far.
int64_t ag_nanoseconds();

// While it lives, conversions on this thread are recorded for this traced function, and their times go into `times`.
class ConversionsOf {
 public:
  ConversionsOf(FunctionId function, Conversions& times);
  ~ConversionsOf();
  ConversionsOf(const ConversionsOf&) = delete;
  ConversionsOf& operator=(const ConversionsOf&) = delete;

 private:
  FunctionId before_;
  Conversions* times_before_;
};

// While it lives, calls from converted code do not convert their callees.
class ConversionOff {
 public:
  ConversionOff();
  ~ConversionOff();
  ConversionOff(const ConversionOff&) = delete;
  ConversionOff& operator=(const ConversionOff&) = delete;
};
bool conversion_is_off();
int exchange_off_depth(int depth);  // 0: on; the one before

// The cell of a name of the runtime ("ag__.if_stmt"), or null. Borrowed.
PyObject* ag_runtime_cell(std::string_view name);

}  // namespace footlight::python
