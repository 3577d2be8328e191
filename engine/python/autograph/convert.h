// Conversion of existing Python functions: found, converted, compiled once per code object, and made anew as function
// objects with the user's own globals, closure cells and defaults.
#pragma once

#include "engine/autograph/convert.h"
#include "engine/python/types/objects.h"
#include "engine/session/records.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace footlight::python {

// What tracing runs in place of `callable` (a function, lambda, bound method, functools.partial or object
// with __call__). What is not converted (C functions, our own package, no source, do_not_convert) comes back
// as itself. New reference; null: Python error set. Throws too.
PyObject* ag_convert(PyObject* callable, bool recursive = true);

// Why a callable stays as it is; empty: it is converted.
std::string ag_reason(PyObject* callable);

// After a traced body raised (the exception is set): puts "in user code:" and the user's frames before its
// message. Class and attributes of the exception stay.
void ag_explain_error();

// Readable text, line map and fates of a callable. False: not convertible, see `reason`. Caller sets the ids.
bool ag_generated_record(PyObject* callable, session::GeneratedRecord* record, std::string* reason = nullptr);

// Why code that was looked at runs as it is; empty: never looked at, or converted.
std::string ag_code_reason(PyObject* code);
inline constexpr std::string_view kLibraryReason = "library code runs as it is";
// tf.autograph.set_verbosity
extern int ag_verbosity;

// Code made by a conversion, functions of the user's inside it included.
bool ag_is_converted_code(PyObject* code);
// Of that, a part of one of the user's functions.
bool ag_is_block_code(PyObject* code);
// Whether a function object has converted code.
bool ag_is_converted(PyObject* function);

// Time this thread spent converting, parsing and compiling so far.
int64_t ag_nanoseconds();

// While one lives, what is converted on this thread is recorded as of this traced function.
class ConversionsOf {
 public:
  explicit ConversionsOf(FunctionId function);
  ~ConversionsOf();
  ConversionsOf(const ConversionsOf&) = delete;
  ConversionsOf& operator=(const ConversionsOf&) = delete;
  int64_t nanoseconds() const { return ag_nanoseconds() - start_ns_; }

 private:
  FunctionId before_;
  int64_t start_ns_;
};

// While one lives, calls from converted code run what they call as it is.
class ConversionOff {
 public:
  ConversionOff();
  ~ConversionOff();
  ConversionOff(const ConversionOff&) = delete;
  ConversionOff& operator=(const ConversionOff&) = delete;
};
bool conversion_is_off();

// The cell that holds a name of the runtime ("ag__.if_stmt"); null when there is none. Borrowed.
PyObject* ag_runtime_cell(std::string_view name);

}  // namespace footlight::python
