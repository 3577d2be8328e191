// Puts arguments in front of those of a call.
#include "engine/python/recorder/adapter_calls.h"

#include "engine/python/interpreter/exceptions.h"

#include <vector>

namespace footlight::python {

Ref call_adapter(const Ref& function, std::span<PyObject* const> first, PyObject* const* args, size_t count,
                 PyObject* keywords) {
  std::vector<PyObject*> all(first.begin(), first.end());
  const auto given = static_cast<size_t>(PyVectorcall_NARGS(count));
  const size_t named = keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0;
  all.insert(all.end(), args, args + given + named);
  Ref result;
  quietly([&] {
    result = checked(PyObject_Vectorcall(function.get(), all.data(), first.size() + given, keywords));
  });
  return result ? std::move(result) : Ref::borrow(Py_None);
}

Ref call_adapter_with_number(const Ref& function, unsigned long number, PyObject* const* args, size_t count,
                             PyObject* keywords) {
  const Ref kept = Ref::borrow(function.get()), object = checked(PyLong_FromUnsignedLong(number));
  PyObject* const first[] = {object.get()};
  return call_adapter(kept, first, args, count, keywords);
}

}  // namespace footlight::python
