// An object that stands in for a callable wherever one may be used: as a method, a dict's key, an argument of
// weakref.ref, in a pickle. recorded_callable.cpp makes these objects and defines what their calls record.
#pragma once

#include "engine/base/recording.h"
#include "engine/python/interpreter/ref.h"
#include "engine/python/recorder/eager_ops.h"
#include "engine/python/recorder/signature.h"

#include <memory>
#include <set>
#include <string>
#include <unordered_map>

namespace footlight::python {

// What called() knows of the traced function that it stands in for.
struct Traced {
  FunctionId function;  // none: each call's first argument has its number
  SignatureRules rules;
  CallOutcome unserved = CallOutcome::kHit;  // of a call that neither serves() nor describe_call() described
  struct Served {
    TraceId trace;
    KeyId key;
    bool operator==(const Served&) const = default;
  };
  std::unordered_map<uint64_t, Served> served;  // the key is the signature of a call
  bool is_served_alike = true;                  // by one trace with one key, whatever the signature
  std::set<uint64_t> contexts;                  // hashes of the settings under which calls were described
  Ref check;                                    // see watch(); null: nothing is to be checked
  Ref tell_earlier;                             // see adopt(); null: all traces are known
  int num_checks = 0;
  int64_t next_check_ns = 0;
};

// What serves() knows. `first_key` is the key of the call that made the trace; later calls are taken to have
// `key`, which the trace serves.
struct Serves {
  FunctionId function;
  TraceId trace;
  KeyId key = {}, first_key = {};
  bool ran = false;
};

struct RecordedCallable {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  Ref wrapped;
  std::string name, category;      // of the span, if timed() made the object
  std::shared_ptr<Traced> traced;  // null unless called() made it; of all that stand in for the same function
  std::unique_ptr<Serves> serves;  // null unless serves() made it
  Ref before, after;               // called around `wrapped`, if hooked() made the object; may be null
  std::unique_ptr<EagerOps> eager;  // null unless eager_op() made it
  PyObject *dict, *weakrefs;
};

inline RecordedCallable* recorded(PyObject* self) { return reinterpret_cast<RecordedCallable*>(self); }

extern PyTypeObject recorded_callable_type;

// A new object whose calls run `call`; its name, documentation and attributes are those of `wrapped`.
Ref stand_in(vectorcallfunc call, PyObject* wrapped, std::string name, std::string category,
             std::shared_ptr<Traced> traced, std::unique_ptr<Serves> serves = {});

// Defines the type. Throws PythonErrorSet with a Python exception set.
void init_stand_ins();

}  // namespace footlight::python
