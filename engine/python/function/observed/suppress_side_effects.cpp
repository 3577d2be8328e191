// Descriptors and random states, set aside and put back.
#include "engine/python/function/observed/suppress_side_effects.h"

#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/exceptions.h"

#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace footlight::python {
namespace {

// What is buffered belongs to the time before, or to the repetition.
void flush() {
  const ExceptionSetAside aside;
  for (const char* name : {"stdout", "stderr"}) {
    PyObject* const stream = PySys_GetObject(name);
    if (!stream || stream == Py_None) continue;
    const Ref done = Ref::steal(PyObject_CallMethod(stream, "flush", nullptr));
    if (!done) cleared_if(PyExc_Exception);
  }
  std::fflush(stdout);
  std::fflush(stderr);
}

Ref module_of(const char* name) { return Ref::borrow(find_item(PyImport_GetModuleDict(), name)); }

Ref state_of(const char* module, const char* get) {
  const Ref loaded = module_of(module);
  return loaded ? checked(PyObject_CallMethod(loaded.get(), get, nullptr)) : Ref();
}

void set_state(const char* module, const char* set, const Ref& state) {
  const Ref loaded = state ? module_of(module) : Ref();
  if (loaded) checked(PyObject_CallMethod(loaded.get(), set, "(O)", state.get()));
}

}  // namespace

SuppressSideEffects::SuppressSideEffects() : sink_(std::exchange(print_sink, nullptr)) {
  flush();
  printed_ = memfd_create("printed", MFD_CLOEXEC);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (int i = 0; i < 3; ++i) {
    const int instead = i == 0 ? nothing : printed_;
    before_[static_cast<size_t>(i)] = instead < 0 ? -1 : fcntl(i, F_DUPFD_CLOEXEC, 3);
    if (before_[static_cast<size_t>(i)] >= 0) dup2(instead, i);
  }
  if (nothing >= 0) close(nothing);
}

SuppressSideEffects::~SuppressSideEffects() {
  flush();
  for (int i = 0; i < 3; ++i) {
    const int before = before_[static_cast<size_t>(i)];
    if (before < 0) continue;
    dup2(before, i);
    close(before);
  }
  if (printed_ >= 0) close(printed_);
  print_sink = sink_;
}

uint64_t SuppressSideEffects::take_printed() {
  flush();
  if (printed_ < 0) return 0;
  const off_t at = lseek(printed_, 0, SEEK_CUR);
  lseek(printed_, 0, SEEK_SET);
  if (ftruncate(printed_, 0) != 0) return 0;
  return at > 0 ? static_cast<uint64_t>(at) : 0;
}

KeptProgram::KeptProgram(uint64_t most_bytes)
    : states_(most_bytes), python_(state_of("random", "getstate")), numpy_(state_of("numpy.random", "get_state")) {}

void KeptProgram::put_back() const {
  states_.put_back();
  seeds_.put_back();
  set_state("random", "setstate", python_);
  set_state("numpy.random", "set_state", numpy_);
}

}  // namespace footlight::python
