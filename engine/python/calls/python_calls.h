// How often the Python function of a traced tf.py_function ran, and how long, for the recording.
#pragma once

#include "engine/base/ids.h"
#include "engine/python/interpreter/ref.h"

#include <cstdint>
#include <string>

namespace footlight::session {
class Writer;
}

namespace footlight::python {

// The calls of one tf.py_function; created when it is traced. Needs the GIL.
class PythonCalls {
 public:
  PythonCalls(PyObject* function, std::string token);
  ~PythonCalls();
  PythonCalls(const PythonCalls&) = delete;
  PythonCalls& operator=(const PythonCalls&) = delete;

  bool counted() const { return recording_ != 0; }
  void add(int64_t ns);
  void write(session::Writer& writer);  // writes what is new since the last call

 private:
  const std::string token_;
  std::string path_, file_;
  int line_ = 0;
  TraceId trace_;
  uint32_t recording_ = 0;              // recording in which the trace was made; 0: nobody counts
  uint64_t runs_ = 0, written_ = 0;
  int64_t spent_ns_ = 0;
};

// One of the calls.
class PythonCall {
 public:
  explicit PythonCall(PythonCalls& calls);
  ~PythonCall();
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;

 private:
  PythonCalls& calls_;
  const int64_t start_ns_;
};

void init_python_calls();

}  // namespace footlight::python
