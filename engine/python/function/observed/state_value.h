// Values of a program's state as the recorder sees them: without running any of the user's code (__eq__, __getattr__,
// __repr__, properties), within bounds, and without keeping anything alive.
#pragma once

#include "engine/autograph/outside.h"
#include "engine/python/interpreter/ref.h"

#include <cstdint>
#include <string>
#include <vector>

namespace footlight::python {

struct SeenValue {
  enum Kind : uint8_t {
    kAbsent,
    kUnknown,     // it cannot be examined
    kCode,        // a function, class or module: no state
    kData,        // numbers, strings, containers, arrays: by contents, of which large ones are sampled
    kTensor,      // by identity, as the others
    kVariable,
    kSymbolic,    // or a container that has one
    kObject,
  };
  Kind kind = kAbsent;
  uint64_t hash = 0;
  bool known() const { return kind != kUnknown && kind != kCode; }
  bool same(const SeenValue& o) const { return kind == o.kind && hash == o.hash; }
};
SeenValue see(PyObject* value);          // null: absent
uint64_t contents_of(PyObject* value);   // the same for equal tensors, too, where the host holds them
std::string text_of(PyObject* value);    // "0.5", "[1, 2, ...]", "a Layer object"

// The names of a path as Python objects.
struct PathNames {
  Ref root;
  std::vector<Ref> steps;                // a str or an int
};
PathNames names_of(const autograph::OutsidePath& path);

// The end of a path.
struct Spot {
  Ref value;                             // empty: absent
  const void* holder = nullptr;          // the object that has the last step
  Ref property;                          // the path goes through a property: its function, and
  Ref object;                            // the object it belongs to
};
// From `start` along the first `count` steps.
Spot walk(const Ref& start, const void* holder, const autograph::OutsidePath& path, const PathNames& names,
          size_t count);

// What a call draws from: the generators of the modules random and numpy.random or of objects of theirs, or a clock.
enum class Chance : uint8_t { kNone, kRandom, kRandomState, kGenerator, kClock };
struct ChanceSource {
  Chance kind = Chance::kNone;
  Ref object;                            // the generator
  std::string name;                      // "random", "numpy.random", "time.time"; empty: an object of the user's
};
// `called`: what is called, or null; `owner`: the object whose attribute `name` it is.
ChanceSource chance_of(PyObject* called, PyObject* owner, const std::string& name);
SeenValue see_chance(const ChanceSource&);  // the state of a generator

// A loaded module, without importing it; borrowed, or null.
PyObject* loaded_module(const char* name);

}  // namespace footlight::python
