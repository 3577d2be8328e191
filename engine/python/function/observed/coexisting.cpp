// Finds the other objects of a class among those that the garbage collector tracks, and remembers them weakly.
#include "engine/python/function/observed/coexisting.h"

#include "engine/base/clock.h"
#include "engine/base/recording.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/weak.h"

#include <unordered_map>

namespace footlight::python {
namespace {

constexpr size_t kMaxClasses = 1024, kMaxWaiting = 4096;

// Protected by the GIL.
struct Known {
  std::unordered_map<const PyTypeObject*, int> in_keys;  // how many objects of a class have been part of a key
  struct Waiting { Ref reference; int64_t since_ns; };
  std::unordered_map<PyObject*, Waiting> waiting;        // by address; weak
};

Known& known() {
  static Known& all = *new Known;
  return all;
}

void find_others(PyTypeObject* type) {
  const int64_t now = now_ns();
  const Ref collector = checked(PyImport_ImportModule("gc"));
  const Ref tracked = checked(PyObject_CallMethod(collector.get(), "get_objects", nullptr));
  if (!PyList_Check(tracked.get())) return;
  auto& waiting = known().waiting;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(tracked.get()) && waiting.size() < kMaxWaiting; ++i) {
    PyObject* one = PyList_GET_ITEM(tracked.get(), i);
    if (Py_TYPE(one) != type) continue;
    waiting.insert_or_assign(one, Known::Waiting{checked(PyWeakref_NewRef(one, nullptr)), now});
  }
}

}  // namespace

int64_t known_since(PyObject* object) {
  if (!recording_structure()) return 0;
  auto& [in_keys, waiting] = known();
  if (in_keys.size() >= kMaxClasses) in_keys.clear();
  if (waiting.size() >= kMaxWaiting) waiting.clear();
  if (++in_keys[Py_TYPE(object)] == 2) quietly([&] { find_others(Py_TYPE(object)); });
  const auto found = waiting.extract(object);
  const bool alive = !found.empty() && weak_target(found.mapped().reference.get()).get() == object;
  return alive ? found.mapped().since_ns : 0;
}

}  // namespace footlight::python
