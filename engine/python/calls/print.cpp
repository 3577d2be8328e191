// tf.print: the text of its arguments with a place for each tensor, through the ops StringFormat and PrintV2.
#include "engine/base/text.h"
#include "engine/ops/builder.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/calls/library.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/variable_object.h"

#include <algorithm>
#include <vector>

namespace footlight::python {
namespace {

// The placeholder for a tensor in the template; cannot be confused with the user's text.
constexpr const char* kPlaces[] = {"{}", "{tensor}", "\x01{}\x01", "\x02{footlight}\x02"};

struct Piece {
  std::string text;
  Tensor tensor;  // or this
  bool as_text = false;  // the tensor is a string that goes into the line as it is
};

// Writes the texts and tensors of a ragged or sparse tensor.
bool write_composite(PyObject* o, int64_t summarize, std::vector<Piece>& out) {
  if (PyType_Check(o)) return false;
  if (!class_has_attribute(o, "flat_values") && !class_has_attribute(o, "dense_shape")) return false;
  const Ref module = checked(PyImport_ImportModule("footlight._ragged.members"));
  const Ref parts = checked(PyObject_CallMethod(module.get(), "printed", "OL", o, static_cast<long long>(summarize)));
  if (parts.get() == Py_None) return false;
  for (PyObject* part : Items(parts.get()))
    out.push_back(is_tensor(part) ? Piece{"", tensor_of(part), tensor_of(part).dtype() == DType::kString}
                                  : Piece{std::string(utf8(part)), {}});
  return true;
}

void write(PyObject* o, bool nested, int64_t summarize, std::vector<Piece>& out) {
  const Level level("tf.print");
  if (is_tensor(o) || is_variable(o)) {
    out.push_back({"", is_tensor(o) ? tensor_of(o) : variable_value(o)});
  } else if (write_composite(o, summarize, out)) {
    return;
  } else if (PyTuple_Check(o) && has_attribute(o, "_fields")) {
    out.push_back({std::string(Py_TYPE(o)->tp_name) + "(", {}});
    const Items fields(checked(PyObject_GetAttrString(o, "_fields")).get());
    for (Py_ssize_t i = 0; i < std::min(PyTuple_GET_SIZE(o), fields.size()); ++i) {
      out.push_back({(i ? ", " : "") + std::string(utf8(fields[i])) + "=", {}});
      write(PyTuple_GET_ITEM(o, i), true, summarize, out);
    }
    out.push_back({")", {}});
  } else if (PyList_CheckExact(o) || PyTuple_Check(o) || PyRange_Check(o)) {
    const bool tuple = PyTuple_Check(o);
    out.push_back({tuple ? "(" : "[", {}});
    const Items items(o);
    const Py_ssize_t n = items.size();
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (i) out.push_back({", ", {}});
      write(items[i], true, summarize, out);
    }
    out.push_back({tuple ? n == 1 ? ",)" : ")" : "]", {}});
  } else if (PyDict_CheckExact(o)) {
    out.push_back({"{", {}});
    Ref keys = checked(PyDict_Keys(o));
    if (PyList_Sort(keys.get()) < 0) clear_only(PyExc_Exception);  // unsortable keys are printed in dict order
    const char* between = "";
    for (PyObject* key : Items(keys.get())) {
      const Ref text = checked(PyObject_Repr(key));
      const Ref value = Ref::borrow(find_item(o, key));
      if (!value) continue;  // taken out meanwhile
      out.push_back({between + std::string(utf8(text.get())) + ": ", {}});
      write(value.get(), true, summarize, out);
      between = ", ";
    }
    out.push_back({"}", {}});
  } else {
    Ref text = checked(PyUnicode_Check(o) && !nested ? PyObject_Str(o) : PyObject_Repr(o));
    out.push_back({std::string(utf8(text.get())), {}});
  }
}

// Whether write() can format the structure itself: nested lists, tuples and dicts.
bool is_usual(PyObject* o) {
  const Level level("tf.print");
  if (PyList_CheckExact(o) || PyTuple_CheckExact(o) || PyDict_CheckExact(o)) {
    const Items items(PyDict_CheckExact(o) ? checked(PyDict_Values(o)).get() : o);
    return std::all_of(items.begin(), items.end(), is_usual);
  }
  return is_tensor(o) || is_variable(o) || PyTuple_Check(o) || PyRange_Check(o) || !is_nested(o);
}

// Structures that are too long for a line, or unusual, are formatted by Python's pprint, with a string of four
// characters (including quotes) for each tensor; a letter in it identifies the tensor.
void write_pretty(PyObject* o, int64_t summarize, std::vector<Piece>& out) {
  constexpr uint32_t kMark = 0x3400, kFirst = 0x4e00, kMarks = 20000;
  std::vector<Ref> leaves;
  nest_flatten(o, leaves);
  std::vector<std::vector<Piece>> values;
  for (Ref& leaf : leaves) {
    std::vector<Piece> value;
    if (is_tensor(leaf.get()) || is_variable(leaf.get())) write(leaf.get(), true, summarize, value);
    else if (!write_composite(leaf.get(), summarize, value)) continue;
    const Py_UCS4 letters[] = {kMark, kFirst + static_cast<Py_UCS4>(values.size() % kMarks)};
    values.push_back(std::move(value));
    leaf = checked(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, letters, 2));
  }
  Ref packed = nest_pack(o, leaves);
  Ref pprint = checked(PyImport_ImportModule("pprint"));
  Ref text = checked(PyObject_CallMethod(pprint.get(), "pformat", "O", packed.get()));
  const Py_ssize_t n = PyUnicode_GET_LENGTH(text.get());
  Py_ssize_t from = 0;
  const auto letter = [&](Py_ssize_t i) { return PyUnicode_READ_CHAR(text.get(), i); };
  const auto flush = [&](Py_ssize_t to) {
    if (to > from) out.push_back({std::string(utf8(checked(PyUnicode_Substring(text.get(), from, to)).get())), {}});
  };
  for (Py_ssize_t i = 0; i + 3 < n; ++i) {
    if (letter(i) != '\'' || letter(i + 1) != kMark || letter(i + 3) != '\'') continue;
    const size_t which = letter(i + 2) - kFirst;
    if (which >= values.size()) continue;
    flush(i);
    out.insert(out.end(), values[which].begin(), values[which].end());
    from = i + 4;
    i += 3;
  }
  flush(n);
}

constexpr size_t kLine = 80, kPlace = 4;
void write_input(PyObject* o, int64_t summarize, std::vector<Piece>& out) {
  if (PyUnicode_Check(o) || is_tensor(o) || is_variable(o) || !is_nested(o)) return write(o, false, summarize, out);
  if (!is_usual(o)) return write_pretty(o, summarize, out);
  const size_t before = out.size();
  write(o, false, summarize, out);
  size_t length = 0, tensors = 0;
  for (size_t i = before; i < out.size(); ++i) {
    length += out[i].tensor ? kPlace : out[i].text.size();
    tensors += out[i].tensor ? 1 : 0;
  }
  if (length <= kLine || tensors > 20000) return;
  out.resize(before);
  write_pretty(o, summarize, out);
}

PyObject* stream_of_sys(const char* name) { return PySys_GetObject(name); }

std::string stream_name(PyObject* o) {
  if (!o || o == stream_of_sys("stderr") || o == stream_of_sys("__stderr__")) return "stderr";
  if (o == stream_of_sys("stdout") || o == stream_of_sys("__stdout__")) return "stdout";
  if (PyUnicode_Check(o)) {
    const std::string s(utf8(o));
    if (s.starts_with("file://")) return s;
  }
  fail(ErrorKind::kValue, "tf.print: output_stream must be sys.stdout, sys.stderr or 'file://PATH'");
}

// Flush Python's buffer for that stream first, to keep the output in order.
void flush(const std::string& stream) {
  PyObject* file = stream == "stdout" || stream == "stderr" ? stream_of_sys(stream.c_str()) : nullptr;
  if (!file || file == Py_None) return;
  Ref done = Ref::steal(PyObject_CallMethod(file, "flush", nullptr));
  if (!done) clear_only(PyExc_Exception);
}

std::string keyword_text(PyObject* keywords, const char* name, const char* otherwise) {
  PyObject* o = keywords ? find_item(keywords, name) : nullptr;
  if (!o || o == Py_None) return otherwise;
  if (!PyUnicode_Check(o)) fail(ErrorKind::kType, "tf.print: ", name, " must be a str");
  return std::string(utf8(o));
}

PyObject* print(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *key, *value;
  for (Py_ssize_t at = 0; keywords && PyDict_Next(keywords, &at, &key, &value);) {
    const std::string k = readable(key);
    if (k != "output_stream" && k != "summarize" && k != "sep" && k != "end" && k != "name")
      fail(ErrorKind::kValue, "tf.print() got an unexpected keyword argument '", k, "'");
  }
  const std::string sep = keyword_text(keywords, "sep", " "), end = keyword_text(keywords, "end", "\n");
  const std::string stream =
      stream_name(keywords ? find_item(keywords, "output_stream") : nullptr);
  int64_t summarize = 3;
  if (PyObject* s = keywords ? find_item(keywords, "summarize") : nullptr; s && s != Py_None) {
    summarize = PyLong_AsLongLong(s);
    if (summarize == -1 && PyErr_Occurred()) throw PythonErrorSet();
  }
  std::vector<Piece> pieces;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    if (i) pieces.push_back({sep, {}});
    write_input(PyTuple_GET_ITEM(args, i), summarize, pieces);
  }
  std::string plain;
  for (const Piece& p : pieces) plain += p.text;
  const char* place = kPlaces[0];
  for (const char* p : kPlaces)
    if (plain.find(p) == std::string::npos) {
      place = p;
      break;
    }
  std::string pattern;
  std::vector<Tensor> tensors, lines;
  const auto format = [&] {
    if (pattern.empty() && !lines.empty()) return;
    if (tensors.size() == 1 && pattern == place && tensors[0].dtype() == DType::kString &&
        tensors[0].shape() == Shape())
      lines.push_back(tensors[0]);
    else
      lines.push_back(apply(
          "StringFormat"_op.row(), tensors,
          Attrs{{"template"_attr, pattern}, {"placeholder"_attr, std::string(place)}, {"summarize"_attr, summarize}},
          "StringFormat"));
    pattern.clear();
    tensors.clear();
  };
  for (const Piece& p : pieces) {
    if (p.as_text) {
      if (!pattern.empty()) format();
      lines.push_back(p.tensor);
      continue;
    }
    pattern += p.tensor ? place : p.text;
    if (p.tensor) tensors.push_back(p.tensor);
  }
  format();
  const Tensor line = lines.size() == 1 ? lines[0] : footlight::apply("StringJoin"_op.row(), lines);
  if (!this_thread.builder) flush(stream);
  const size_t nodes = nodes_of_plain_graph();
  apply_all("PrintV2"_op.row(), std::span<const Tensor>(&line, 1),
            Attrs{{"output_stream"_attr, stream}, {"end"_attr, end}}, "PrintV2");
  return operation_since(nodes).release();
}

PyMethodDef print_method = {"print", as_method(guard<print>), METH_VARARGS | METH_KEYWORDS,
                            "print(*inputs, output_stream=sys.stderr, summarize=3, sep=' ', "
                            "end='\\n')\n--\n\n"
                            R"(Prints values when the program runs: in a traced function at each call, not once.

  >>> import sys
  >>> tf.print('sum:', tf.constant([1, 2]), output_stream=sys.stdout)
  sum: [1 2]

Args:
  inputs: values to print: tensors, variables, what Python prints, and structures of these.
  output_stream: sys.stderr, sys.stdout or 'file://PATH'; sys.stderr when it is not given.
  summarize: an int, how many elements are printed at both ends of a dimension, -1 for all; 3 when it is not given.
  sep: a str, what is printed between two values; a space when it is not given.
  end: a str, what is printed after the last one; a newline when it is not given.
  name: a str, the name of the operation.)"};

}  // namespace

void init_print() { publish_function("print", &print_method); }

}  // namespace footlight::python
