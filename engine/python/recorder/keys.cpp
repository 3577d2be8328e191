// Keys of other engines from Python, as the explanation of a retrace reads them: engine/keys/key.h.
#include "engine/python/recorder/module.h"

#include "engine/base/dtype_names.h"
#include "engine/base/recording.h"
#include "engine/keys/key.h"
#include "engine/keys/nearness.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/session/writer.h"

#include <algorithm>
#include <map>

namespace footlight::python {
namespace {

using keys::KeyWriter;
using keys::Token;

struct KnownKey {
  FunctionId function;
  keys::Key key;
};

// The keys that were described, by number. Accessed with the GIL held.
struct KnownKeys {
  std::map<uint32_t, KnownKey> by_number;
  std::map<std::pair<uint32_t, std::vector<uint64_t>>, uint32_t> numbers;  // by function and words
  uint32_t recording = 0;  // number of the recording into which the keys were written last
};
KnownKeys& known_keys() {
  static KnownKeys* const keys = new KnownKeys;
  return *keys;
}

uint64_t number_of(PyObject* o) {
  const uint64_t number = PyLong_AsUnsignedLongLong(o);
  if (PyErr_Occurred()) throw PythonErrorSet();
  return number;
}

// Writes an argument as the adapters describe it: numbers, texts, None and containers stand for themselves; a `Leaf`
// (footlight_recorder/keys.py) is anything else.
class ArgumentWriter {
 public:
  ArgumentWriter(KeyWriter& writer, keys::Names& names) : writer_(writer), names_(names) {}

  void write(PyObject* o) {
    const Level level("the key of a call");
    if (o == Py_None) writer_.put(Token::kNone);
    else if (o == Py_Ellipsis) writer_.put(Token::kEllipsis);
    else if (PyBool_Check(o)) writer_.put(Token::kBool, o == Py_True);
    else if (PyLong_Check(o)) integer(o);
    else if (PyFloat_Check(o)) writer_.floating(PyFloat_AS_DOUBLE(o));
    else if (PyComplex_Check(o)) writer_.complex(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    else if (PyUnicode_Check(o)) writer_.text(Token::kString, distinct_utf8(o));
    else if (PyBytes_Check(o)) bytes(o);
    else if (PyList_Check(o)) children(Token::kList, o);
    else if (PyTuple_Check(o)) children(Token::kTuple, o);
    else if (PyDict_Check(o)) mapping(o);
    else leaf(o);
  }

 private:
  void integer(PyObject* o) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (!overflow) return writer_.integer(value);
    writer_.text(Token::kBigInt, str_of(o));
  }
  void bytes(PyObject* o) {
    writer_.text(Token::kBytes, {PyBytes_AS_STRING(o), static_cast<size_t>(PyBytes_GET_SIZE(o))});
  }
  void children(Token token, PyObject* o) {
    const Items items(o);
    writer_.put(token, static_cast<uint64_t>(items.size()));
    for (PyObject* const item : items) write(item);
  }
  void mapping(PyObject* dict) {
    const Ref pairs = checked(PyDict_Items(dict));
    const Items items(pairs.get());
    writer_.put(Token::kDict, static_cast<uint64_t>(items.size()));
    for (PyObject* const pair : items) {
      write(PyTuple_GET_ITEM(pair, 0));
      write(PyTuple_GET_ITEM(pair, 1));
    }
  }

  std::string text_in(PyObject* leaf, const char* name) {
    return readable(checked(PyObject_GetAttrString(leaf, name)).get());
  }

  void leaf(PyObject* o) {
    const std::string kind = text_in(o, "kind");
    if (kind == "tensor" || kind == "variable") return tensor(o, kind == "variable");
    if (kind == "any") return writer_.put(Token::kAny);
    const uint64_t number = number_of(checked(PyObject_GetAttrString(o, "number")).get());
    names_[number] = {text_in(o, "name"), 0};
    const Ref parts = checked(PyObject_GetAttrString(o, "parts"));
    const Items items(parts.get());
    static constexpr std::pair<const char*, Token> kKinds[] = {
        {"object", Token::kObject},     {"type", Token::kType},     {"custom", Token::kCustom},
        {"callable", Token::kCallable}, {"fields", Token::kRecord}, {"namedtuple", Token::kNamedTuple}};
    const auto token = std::ranges::find(kKinds, kind, [](const auto& k) { return std::string_view(k.first); });
    if (token == std::end(kKinds)) throw Error(ErrorKind::kValue, "no leaf of a key is of the kind '" + kind + "'");
    const bool has_parts = token->second >= Token::kCallable;
    writer_.numbered(token->second, number, has_parts ? static_cast<uint64_t>(items.size()) : 0);
    if (has_parts)
      for (PyObject* const item : items) write(item);
  }

  void tensor(PyObject* o, bool variable) {
    const std::string dtype = text_in(o, "dtype");
    keys::TensorSpec spec{.dtype = dtype_number(dtype), .has_rank = true, .sizes = {}};
    std::vector<int64_t> sizes;
    const Ref shape = checked(PyObject_GetAttrString(o, "shape"));
    if (shape.get() == Py_None) spec.has_rank = false;
    else
      for (PyObject* const size : Items(shape.get())) {
        sizes.push_back(size == Py_None ? keys::kUnknownSize : PyLong_AsLongLong(size));
        if (PyErr_Occurred()) throw PythonErrorSet();
      }
    if (sizes.size() >= keys::kUnknownRank) spec.has_rank = false, sizes.clear();
    spec.sizes = sizes;
    const bool flag = is_true(checked(PyObject_GetAttrString(o, variable ? "trainable" : "weak")).get());
    if (variable) {
      const uint64_t alias = number_of(checked(PyObject_GetAttrString(o, "number")).get());
      return writer_.variable(spec, flag, static_cast<uint32_t>(alias));
    }
    spec.weak = flag;
    if (const uint64_t mesh = number_of(checked(PyObject_GetAttrString(o, "number")).get())) {
      spec.placement = static_cast<uint32_t>(mesh);
      names_[mesh] = {text_in(o, "name"), 0};
    }
    writer_.tensor(spec);
  }

  KeyWriter& writer_;
  keys::Names& names_;
};

void write_key(uint32_t number, const KnownKey& known) {
  session::Writer* const writer = recording_structure() ? session::active_writer() : nullptr;
  if (!writer) return;
  session::KeyRecord record{KeyId(number), known.function, known.key.words, {}};
  for (const auto& [of, object] : *known.key.names) record.names.push_back({of, object.name, object.since_ns});
  writer->add(std::move(record));
}

// key(function, parameters, arguments, device=0): the number of the key. Equal keys of a function have the same number.
PyObject* key(PyObject*, PyObject* args) {
  unsigned int function, device = 0;
  PyObject *parameters, *arguments;
  if (!PyArg_ParseTuple(args, "IOO|I:key", &function, &parameters, &arguments, &device)) throw PythonErrorSet();
  KeyWriter writer;
  auto names = std::make_shared<keys::Names>();
  writer.context(device);
  ArgumentWriter to(writer, *names);
  for (PyObject* const argument : Items(arguments)) to.write(argument);
  std::vector<std::string> parameter_names;
  for (PyObject* const name : Items(parameters)) parameter_names.push_back(readable(name));
  keys::Key made({writer.words.data(), writer.words.size()}, std::move(parameter_names), std::move(names));

  KnownKeys& known = known_keys();
  if (known.recording != recording_number.load(std::memory_order_relaxed)) {
    known.recording = recording_number.load(std::memory_order_relaxed);
    for (const auto& [number, earlier] : known.by_number) write_key(number, earlier);
  }
  const auto [at, is_new] = known.numbers.try_emplace({function, made.words}, 0);
  if (is_new) {
    at->second = session::new_key_id().value;
    const KnownKey& added = known.by_number[at->second] = {FunctionId(function), std::move(made)};
    write_key(at->second, added);
  }
  return PyLong_FromUnsignedLong(at->second);
}

const keys::Key& key_numbered(PyObject* number) {
  const auto known = known_keys().by_number.find(static_cast<uint32_t>(number_of(number)));
  if (known == known_keys().by_number.end()) throw Error(ErrorKind::kValue, "no key has this number");
  return known->second.key;
}

Ref leaf_dict(const session::KeyLeaf& leaf) {
  return checked(Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N}", "path", text_object(leaf.path).release(), "parameter",
                               text_object(leaf.parameter).release(), "kind", text_object(leaf.kind).release(), "type",
                               text_object(leaf.type).release(), "shape", text_object(leaf.shape).release(), "value",
                               text_object(leaf.value).release()));
}

// describe_key(key): (its signature, its leaves), as columns of a trace.
PyObject* describe_key(PyObject*, PyObject* number) {
  const keys::Key& key = key_numbered(number);
  const Ref leaves = list_of(keys::describe(key), leaf_dict);
  return Py_BuildValue("NO", text_object(keys::summary(key)).release(), leaves.get());
}

// nearest_key(key, others): (position of the nearest key, the last one of several; the paths at which it differs; a
// sentence about them), or None without others.
PyObject* nearest_key(PyObject*, PyObject* args) {
  PyObject *number, *others;
  if (!PyArg_ParseTuple(args, "OO:nearest_key", &number, &others)) throw PythonErrorSet();
  const keys::Key& wanted = key_numbered(number);
  Py_ssize_t position = 0, best = -1;
  std::vector<keys::Difference> least;
  for (PyObject* const other : Items(others)) {
    std::vector<keys::Difference> differences = keys::differences(key_numbered(other), wanted);
    if (best < 0 || !keys::is_nearer(least, differences)) best = position, least = std::move(differences);
    ++position;
  }
  if (best < 0) Py_RETURN_NONE;
  const Ref paths = list_of(least, [](const keys::Difference& difference) { return text_object(difference.path); });
  return Py_BuildValue("nON", best, paths.get(), text_object(keys::phrase(least)).release());
}

PyMethodDef functions[] = {
    {"key", guard<key>, METH_VARARGS,
     "key(function, parameters, arguments, device=0): the number of a key, which is recorded when it is new. Arguments "
     "are plain values, containers and footlight_recorder.keys.Leaf; device is the number of a device scope."},
    {"describe_key", guard<describe_key>, METH_O, "describe_key(key): its signature and its leaves, for a trace."},
    {"nearest_key", guard<nearest_key>, METH_VARARGS,
     "nearest_key(key, others): the position of the key that differs least from it, the paths that differ, and a "
     "sentence about them."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_keys(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
