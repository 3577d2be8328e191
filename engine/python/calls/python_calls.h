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
  // A call that took `ns`, in `busy_ns` of which the thread computed.
  void add(int64_t ns, int64_t busy_ns);
  void write(session::Writer& writer);  // writes what is new since the last call

 private:
  const std::string token_;
  std::string path_, file_;
  int line_ = 0;
  TraceId trace_;
  uint32_t recording_ = 0;              // recording in which the trace was made; 0: nobody counts
  uint64_t runs_ = 0, written_ = 0;
  int64_t spent_ns_ = 0, busy_ns_ = 0;
};

// One of the calls.
class PythonCall {
 public:
  explicit PythonCall(PythonCalls& calls);
  ~PythonCall();
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;

 private:
  // What the system counts of a thread.
  struct Usage {
    int64_t ready_ns = 0;  // the time during which it ran, or would have if other threads had left it a processor
    long waits = 0;  // how often it gave up the processor to wait for something
  };
  static Usage usage();

  PythonCalls& calls_;
  const int64_t start_ns_;
  const Usage before_;
};

void init_python_calls();

}  // namespace footlight::python
