// Errors from traced code: "in user code:", the user's frames and source lines, then what the error said.
#include "engine/python/autograph/convert.h"
#include "engine/python/interpreter/source.h"

#include <frameobject.h>

namespace footlight::python {

namespace {

std::string text_of(PyObject* object) {
  const char* text = object && PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
  if (!text) PyErr_Clear();
  return text ? text : "";
}

struct Frame {
  std::string file, function, source, reason;
  int line;
  bool converted;
};

std::string source_line(PyObject* file, int line, PyObject* globals) {
  const Ref module = Ref::steal(PyImport_ImportModule("linecache"));
  const Ref text =
      Ref::steal(module ? PyObject_CallMethod(module.get(), "getline", "OiO", file, line, globals) : nullptr);
  if (!text) PyErr_Clear();
  std::string source = text_of(text.get());
  const size_t first = source.find_first_not_of(" \t"), last = source.find_last_not_of(" \t\r\n");
  return first == source.npos ? "" : source.substr(first, last - first + 1);
}

std::vector<Frame> frames_of(PyObject* traceback) {
  std::vector<Frame> frames;
  bool reached = false;
  for (auto* tb = reinterpret_cast<PyTracebackObject*>(traceback); tb; tb = tb->tb_next) {
    const Ref code_object = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(tb->tb_frame)));
    auto* code = reinterpret_cast<PyCodeObject*>(code_object.get());
    const std::string file = text_of(code->co_filename);
    if (is_own_file(file.c_str())) continue;
    const bool converted = ag_is_converted_code(code_object.get());
    const std::string reason = converted ? "" : ag_code_reason(code_object.get());
    if (reason == kLibraryReason) continue;
    reached |= converted || !reason.empty();
    if (!reached) continue;
    const bool block = ag_is_block_code(code_object.get());
    const int line = tb->tb_lineno > 0 ? tb->tb_lineno : PyFrame_GetLineNumber(tb->tb_frame);
    Frame frame{file, text_of(code->co_name), {}, reason, line, converted};
    const Ref globals = Ref::steal(PyFrame_GetGlobals(tb->tb_frame));
    frame.source = source_line(code->co_filename, frame.line, globals.get());
    // A block runs in a frame of its own, below that of the statement it belongs to.
    if (block && !frames.empty() && frames.back().converted && frames.back().function == frame.function)
      frames.back() = frame;
    else frames.push_back(std::move(frame));
  }
  return frames;
}

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out;
}

// The message without what an inner trace put in front of it.
Ref original_message(PyObject* value, PyObject* shown) {
  Ref kept = Ref::steal(PyObject_GetAttrString(value, "__user_message__"));
  if (kept) return kept;
  PyErr_Clear();
  return Ref::borrow(shown);
}

bool is_text(PyObject* object, PyObject* text) {
  return object && PyUnicode_Check(object) && PyUnicode_Compare(object, text) == 0;
}

// Makes str(value) another text, if it is one of the kinds whose text is known to be kept in one place.
bool set_message(PyObject* value, PyObject* shown, PyObject* message) {
  const Ref args = Ref::steal(PyObject_GetAttrString(value, "args"));
  if (args && PyTuple_Check(args.get()) && PyTuple_GET_SIZE(args.get()) == 1 &&
      is_text(PyTuple_GET_ITEM(args.get(), 0), shown)) {
    const Ref changed = Ref::steal(PyTuple_Pack(1, message));
    return changed && PyObject_SetAttrString(value, "args", changed.get()) == 0;
  }
  PyErr_Clear();
  // tf.errors.OpError
  const Ref own = Ref::steal(PyObject_GetAttrString(value, "_message"));
  return is_text(own.get(), shown) && PyObject_SetAttrString(value, "_message", message) == 0;
}

void explain(PyObject* type, PyObject* value, PyObject* traceback) {
  const std::vector<Frame> frames = frames_of(traceback);
  if (frames.empty()) return;
  std::string text = "in user code:\n\n";
  for (const Frame& frame : frames) {
    text += "    File \"" + frame.file + "\", line " + std::to_string(frame.line) + ", in " + frame.function +
            (frame.converted ? "  *\n" : "  **\n");
    if (!frame.source.empty()) text += "        " + frame.source + "\n";
    if (!frame.reason.empty()) text += "        (" + frame.function + " runs as it is: " + frame.reason + ")\n";
  }
  // Where str() is the message alone, the message becomes what is explained. Else the frames come as a note.
  const Ref shown = Ref::steal(PyObject_Str(value));
  const Ref said = shown ? original_message(value, shown.get()) : Ref();
  if (said && PyObject_SetAttrString(value, "__user_message__", said.get()) == 0) {
    const std::string whole =
        text + "    \n" +
        indented(std::string(reinterpret_cast<PyTypeObject*>(type)->tp_name) + ": " + text_of(said.get())) +
        "\n";
    const Ref message = Ref::steal(PyUnicode_FromStringAndSize(whole.data(), static_cast<Py_ssize_t>(whole.size())));
    if (message && set_message(value, shown.get(), message.get())) return;
  }
  PyErr_Clear();
  const Ref notes = Ref::steal(PyObject_GetAttrString(value, "__notes__"));
  PyErr_Clear();
  if (notes && PyList_Check(notes.get()) && PyList_GET_SIZE(notes.get()) > 0) {
    // An outer trace sees all the frames of an inner one.
    const Py_ssize_t last = PyList_GET_SIZE(notes.get()) - 1;
    if (text_of(PyList_GET_ITEM(notes.get(), last)).starts_with("in user code:"))
      PyList_SetSlice(notes.get(), last, last + 1, nullptr);
  }
  const Ref added = Ref::steal(PyObject_CallMethod(value, "add_note", "s", text.c_str()));
}

}  // namespace

namespace {

// A variable without a value is local to the user's function, whatever block of ours reads it.
void as_local(PyObject*& type, PyObject*& value) {
  constexpr std::string_view kFree = "cannot access free variable ";
  if (type != PyExc_NameError) return;
  const Ref said = Ref::steal(PyObject_Str(value));
  const std::string text = text_of(said.get());
  if (!text.starts_with(kFree)) return;
  const std::string name = text.substr(kFree.size(), text.find(' ', kFree.size()) - kFree.size());
  const std::string message = "cannot access local variable " + name + " where it is not associated with a value";
  const Ref local = Ref::steal(PyObject_CallFunction(PyExc_UnboundLocalError, "s", message.c_str()));
  if (!local) {
    PyErr_Clear();
    return;
  }
  const Ref bare = Ref::steal(PyObject_GetAttrString(value, "name"));
  if (!bare || PyObject_SetAttrString(local.get(), "name", bare.get()) < 0) PyErr_Clear();
  Py_SETREF(value, Py_NewRef(local.get()));
  Py_SETREF(type, Py_NewRef(PyExc_UnboundLocalError));
}

}  // namespace

void ag_explain_error() {
  if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_Exception)) return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value && traceback) {
    as_local(type, value);
    PyException_SetTraceback(value, traceback);
    explain(type, value, traceback);
  }
  PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

}  // namespace footlight::python
