// Records from Python: add("trace", {...}) fills in a record's columns, by the names that its description gives them.
#include "engine/python/recorder/module.h"

#include "engine/base/recording.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/recorder/code_objects.h"
#include "engine/record/this_process.h"
#include "engine/session/chunk.h"
#include "engine/session/writer.h"

#include <atomic>
#include <limits>

namespace footlight::python {
namespace {

using session::enumerators;

[[noreturn]] void refuse(const std::string& words) {
  PyErr_SetString(PyExc_TypeError, words.c_str());
  throw PythonErrorSet();
}

template <class Int>
Int integer(PyObject* from) {
  const Ref index = checked(PyNumber_Index(from));
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  if (value == -1 && PyErr_Occurred()) throw PythonErrorSet();
  if constexpr (std::is_same_v<Int, uint64_t>) {
    if (overflow > 0) {
      const unsigned long long large = PyLong_AsUnsignedLongLong(index.get());
      if (large == static_cast<unsigned long long>(-1) && PyErr_Occurred()) throw PythonErrorSet();
      return large;
    }
  }
  if (overflow || !std::in_range<Int>(value)) refuse("a number is out of its column's range");
  return static_cast<Int>(value);
}

// Fills in one column of a record.
struct ColumnFrom {
  PyObject* from;
  session::Writer* writer;

  void to(std::string& text) const { text = from == Py_None ? "" : readable(from); }
  void to(double& number) const {
    number = PyFloat_AsDouble(from);
    if (number == -1 && PyErr_Occurred()) throw PythonErrorSet();
  }
  template <class Int>
    requires std::is_integral_v<Int>
  void to(Int& number) const {
    if constexpr (std::is_same_v<Int, bool>) number = is_true(from);
    else number = integer<Int>(from);
  }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void to(Enum& value) const {
    const std::string name = readable(from);
    const std::span<const char* const> names = enumerators(Enum{});
    for (size_t i = 0; i < names.size(); ++i)
      if (name == names[i]) return void(value = static_cast<Enum>(i));
    refuse("no value of this column is called '" + name + "'");
  }
  // A file may be given by its path.
  void to(session::FileId& id) const {
    if (PyUnicode_Check(from)) id = writer->file(readable(from));
    else number_to(id);
  }
  void to(CodeId& id) const {
    if (PyCode_Check(from)) id = code_id(from);
    else number_to(id);
  }
  template <class Tag, class Int>
  void to(Id<Tag, Int>& id) const {
    number_to(id);
  }
  // A code object, or (code object, offset of an instruction).
  void to(SourceRef& source) const {
    if (from == Py_None) return;
    PyObject* code = from;
    if (PyTuple_Check(from)) {
      if (PyTuple_GET_SIZE(from) != 2) refuse("a source is (code object, offset)");
      code = PyTuple_GET_ITEM(from, 0);
      source.offset = integer<uint32_t>(PyTuple_GET_ITEM(from, 1));
    }
    if (!PyCode_Check(code)) refuse("a source is (code object, offset)");
    source.code = code_id(code);
  }
  void to(session::Blob& blob) const {
    if (!PyBytes_Check(from)) return void(blob = session::pack(readable(from)));
    blob = session::pack({PyBytes_AS_STRING(from), static_cast<size_t>(PyBytes_GET_SIZE(from))});
  }
  template <class E>
  void to(std::vector<E>& list) const;

 private:
  template <class Id>
  void number_to(Id& id) const {
    if (from != Py_None) id.value = integer<decltype(id.value)>(from);
  }
};

// Visits a description and takes what the dict has for each column.
template <class Record>
struct RecordFrom : session::Fields {
  PyObject* const dict;
  session::Writer* const writer;
  Record& record;
  Py_ssize_t taken = 0;

  RecordFrom(PyObject* from, session::Writer* w, Record& to) : dict(from), writer(w), record(to) {}

  template <class M>
  void take(const char* name, M& to) {
    PyObject* const value = find_item(dict, name);
    if (!value) return;
    ++taken;
    ColumnFrom{value, writer}.to(to);
  }
  template <class R, class M>
  void id(const char* name, M R::*member, const char*, session::Note = {}) {
    take(name, record.*member);
  }
  template <class R, class M>
  void column(const char* name, M R::*member, const char*, session::Note = {}) {
    take(name, record.*member);
  }
  // Python gives ends, not durations.
  template <class R, class M>
  void duration(const char*, M R::*end, M R::*, const char*, session::Note = {}) {
    take("end_ns", record.*end);
  }
  template <class R, class E>
  void list(const char* name, std::vector<E> R::*member, const char*, session::Note = {}) {
    take(name, record.*member);
  }
};

template <class Record>
Record record_from(PyObject* dict, session::Writer* writer, Record record = {}) {
  if (!PyDict_Check(dict)) refuse("a record is a dict of its columns");
  RecordFrom<Record> fields(dict, writer, record);
  Record::describe(fields);
  if (fields.taken == PyDict_GET_SIZE(dict)) return record;
  refuse("a record has no such column; these were given: " + repr_of(Ref::steal(PyDict_Keys(dict)).get()));
}

template <class E>
void ColumnFrom::to(std::vector<E>& list) const {
  list.clear();
  for (PyObject* const item : Items(from, "a list is expected")) {
    if constexpr (session::Described<E>) list.push_back(record_from<E>(item, writer));
    else ColumnFrom{item, writer}.to(list.emplace_back());
  }
}

// Every part that knows something of this process adds to the same row.
void change_description(PyObject* columns) {
  // Numbers of files are no columns of it, so no writer is asked.
  const session::ProcessRecord changed = record_from(columns, nullptr, record::this_process());
  record::change_this_process([&](session::ProcessRecord& process) { process = changed; });
}

PyObject* describe_process(PyObject*, PyObject* columns) {
  change_description(columns);
  Py_RETURN_NONE;
}

// add(table, columns): False where nothing is recorded.
PyObject* add(PyObject*, PyObject* args) {
  const char* table;
  PyObject* columns;
  if (!PyArg_ParseTuple(args, "sO", &table, &columns)) throw PythonErrorSet();
  session::Writer* const writer = recording_structure() ? session::active_writer() : nullptr;
  if (!writer) Py_RETURN_FALSE;
  bool found = false;
  const auto add_one = [&]<class Record>() {
    if (found || Record::kTable.name != std::string_view(table)) return;
    found = true;
    if constexpr (std::is_same_v<Record, session::ProcessRecord>) {
      change_description(columns);
      return;
    }
    writer->add(record_from<Record>(columns, writer));
  };
  session::for_each_record_table([&]<class Record, size_t>() { add_one.template operator()<Record>(); });
  session::for_each_chunk_kind([&]<class Chunk, size_t>() {
    if constexpr (session::kOfRecords<Chunk>) add_one.template operator()<typename session::RowsOf<Chunk>::type>();
  });
  if (!found) refuse("a recording has no table '" + std::string(table) + "'");
  Py_RETURN_TRUE;
}

// new_id(table): the next number for a row of that table in this process.
PyObject* new_id(PyObject*, PyObject* table) {
  static std::atomic<uint32_t> locations{0};
  static std::atomic<uint32_t> ops{1u << 16};  // above the numbers of Footlight's own ops
  const std::string_view name = utf8(table);
  uint64_t id;
  if (name == "function") id = session::new_function_id().value;
  else if (name == "trace") id = session::new_trace_id().value;
  else if (name == "graph") id = session::new_graph_id().value;
  else if (name == "call_key") id = session::new_key_id().value;
  else if (name == "call_chunk") id = next_call_id().value;
  else if (name == "location") id = locations.fetch_add(1, std::memory_order_relaxed);
  else if (name == "op") id = ops.fetch_add(1, std::memory_order_relaxed);
  else refuse("rows of '" + std::string(name) + "' are not numbered by their process");
  return PyLong_FromUnsignedLongLong(id);
}

PyMethodDef functions[] = {
    {"add", guard<add>, METH_VARARGS,
     "add(table, columns): adds a row, with lists of nested rows, to a table that `footlight info --schema` prints. "
     "Returns False where nothing is recorded."},
    {"describe_process", guard<describe_process>, METH_O,
     "describe_process(columns): sets these columns of the process's own row, in this recording or the next."},
    {"new_id", guard<new_id>, METH_O, "new_id(table): the next number for a row of that table in this process."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_records(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
