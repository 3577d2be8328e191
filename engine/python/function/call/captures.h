// Captures of a trace that were replaced, or whose values are asked for at each call.
#pragma once

#include "engine/python/function/function_object.h"

#include <vector>

namespace footlight::python {

// While it lives a function is traced, which may ask for values to capture at each call.
class CapturesAtCall {
 public:
  explicit CapturesAtCall(trace::GraphBuilder&);
  ~CapturesAtCall();
  CapturesAtCall(const CapturesAtCall&) = delete;
  CapturesAtCall& operator=(const CapturesAtCall&) = delete;
  void finish(TraceEntry&);  // the body has run

 private:
  trace::GraphBuilder& builder_;
};
std::vector<Tensor> captures_now(TraceEntry&);
void set_captures(TraceEntry&, PyObject* values);
void replace_capture(TraceEntry&, PyObject* captured, PyObject* closure, PyObject* spec);
trace::Concrete& with_open_captures(TraceEntry&);
Ref run_replaced(TraceEntry&, std::span<const Tensor> arguments, CallId);
void init_captures(PyObject* module);

}  // namespace footlight::python
