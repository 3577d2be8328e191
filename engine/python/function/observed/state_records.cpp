// Looks for names in the sources of the program that is recorded.
#include "engine/python/function/observed/state_records.h"

#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/source.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/session/writer.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace footlight::python {

using session::ObservationKind;
using session::ObservationRecord;

namespace {

constexpr size_t kMaxLines = 6;
constexpr size_t kMaxFiles = 40;

// The files of the user's own program that are loaded.
std::vector<Ref> loaded_files(const Ref& first) {
  std::vector<Ref> files{first};
  PyObject* modules = PyImport_GetModuleDict();
  PyObject *key, *module;
  Py_ssize_t at = 0;
  std::vector<Ref> all;
  while (modules && PyDict_Check(modules) && PyDict_Next(modules, &at, &key, &module))
    if (PyModule_Check(module)) all.push_back(Ref::borrow(module));
  for (const Ref& one : all) {
    if (files.size() >= kMaxFiles) break;
    PyObject* dict = PyModule_GetDict(one.get());
    PyObject* file = dict ? find_item(dict, "__file__") : nullptr;
    if (!file || !PyUnicode_CheckExact(file)) continue;
    const std::string name = readable(file);
    if (!name.ends_with(".py") || ag_is_library_file(name)) continue;
    const bool known = std::ranges::any_of(files, [&](const Ref& f) { return readable(f.get()) == name; });
    if (!known) files.push_back(Ref::borrow(file));
  }
  return files;
}

}  // namespace

ObservationRecord observation(ObservationKind kind, FunctionId function, TraceId trace, int64_t now) {
  ObservationRecord record;
  record.kind = kind;
  record.function = function;
  record.trace = trace;
  record.time_ns = now;
  return record;
}

ObservationRecord observation(session::Writer& writer, ObservationKind kind, FunctionId function, TraceId trace,
                              int64_t now, const WatchedBody& body, int line, std::string path) {
  ObservationRecord record = observation(kind, function, trace, now);
  record.path = std::move(path);
  record.file = writer.file(body.file);
  record.line = line;
  return record;
}

Elsewhere elsewhere(const WatchedEntry& entry) {
  Elsewhere found{entry.path(), {}};
  size_t steps = entry.steps;
  const auto& path = entry.made().path;
  if (steps && path.steps[steps - 1].item) found.name.item = path.steps[--steps];
  while (steps && path.steps[steps - 1].item) --steps;
  if (steps) {
    found.name.kind = autograph::StateName::kAttribute;
    found.name.name = path.steps[steps - 1].key;
  } else {
    const bool in_closure = entry.body->cells[entry.access] >= 0;
    found.name.kind = in_closure ? autograph::StateName::kClosure : autograph::StateName::kGlobal;
    found.name.name = path.root;
  }
  return found;
}

std::vector<FoundUse> uses_of(const WatchedBody& body, const autograph::StateName& name,
                              const std::vector<const WatchedBody*>& without) {
  // Each trace of a function asks the same again.
  static auto& known = *new std::map<std::tuple<const WatchedBody*, int, std::string, std::string, size_t>,
                                     std::vector<FoundUse>>;
  if (known.size() > 1024) known.clear();
  const std::tuple key{&body, static_cast<int>(name.kind), name.name, name.item.key, without.size()};
  if (const auto at = known.find(key); at != known.end()) return at->second;
  std::vector<FoundUse> all;
  std::vector<Ref> files{body.filename};
  if (name.kind != autograph::StateName::kClosure) files = loaded_files(body.filename);
  for (const Ref& file : files) {
    const autograph::Node* module = tree_of_file(file.get(), nullptr);
    if (!module) continue;
    std::vector<autograph::LineRange> ranges;
    const std::string path = readable(file.get());
    for (const WatchedBody* one : without)
      if (one->file == path) ranges.push_back({one->outside.first_line, one->outside.last_line});
    const autograph::LineRange own{body.outside.first_line, body.outside.last_line};
    for (const autograph::StateUse& use : autograph::uses_of(module, name, own, ranges)) all.push_back({file, use});
  }
  known.insert_or_assign(key, all);
  return all;
}

void drop_other_classes(std::vector<FoundUse>& uses, const WatchedEntry& entry) {
  WatchedEntry object = entry;
  const auto& steps = entry.made().path.steps;
  while (object.steps && steps[object.steps - 1].item) --object.steps;
  if (object.steps) --object.steps;
  const Ref owner = object.now().value;
  PyObject* classes = owner && !PyType_Check(owner.get()) ? Py_TYPE(owner.get())->tp_mro : nullptr;
  if (!classes) return;
  std::erase_if(uses, [&](const FoundUse& found) {
    if (found.use.of_class.empty()) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); ++i) {
      const std::string name = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(classes, i))->tp_name;
      if (name.substr(name.rfind('.') + 1) == found.use.of_class) return false;
    }
    return true;
  });
}

void add_lines(session::Writer& writer, ObservationRecord& record, const std::vector<FoundUse>& found, bool stores,
               const char* role) {
  size_t count = 0;
  const auto add = [&](bool initial) {
    for (const FoundUse& one : found) {
      if (one.use.store != stores || one.use.initial != initial || count == kMaxLines) continue;
      ++count;
      record.lines.push_back({role, writer.file(readable(one.file.get())), one.use.line});
    }
  };
  add(false);
  if (!stores) add(true);
}

}  // namespace footlight::python
