// Errors from traced code: "in user code:", the user's frames and source lines, then the original message; in a class
// that TensorFlow's handlers know too (footlight/_autograph/staging.py).
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/source.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/disable_tracing.h"

#include <algorithm>
#include <frameobject.h>

namespace footlight::python {

namespace {

struct Frame {
  std::string file, function, source, reason;
  int line;
  bool converted;
};

std::string source_line(PyObject* file, int line, PyObject* globals) {
  const Ref lines = lines_of_file(file, globals);
  if (!lines && PyErr_Occurred()) throw PythonErrorSet();
  if (!lines || !PyList_Check(lines.get()) || line < 1 || line > PyList_GET_SIZE(lines.get())) return {};
  const std::string source = readable(PyList_GET_ITEM(lines.get(), line - 1));
  const size_t first = source.find_first_not_of(" \t"), last = source.find_last_not_of(" \t\r\n");
  return first == source.npos ? "" : source.substr(first, last - first + 1);
}

std::vector<Frame> frames_of(PyObject* traceback) {
  std::vector<Frame> frames;
  bool reached = false;
  for (auto* tb = reinterpret_cast<PyTracebackObject*>(traceback); tb; tb = tb->tb_next) {
    const Ref code_object = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(tb->tb_frame)));
    auto* code = reinterpret_cast<PyCodeObject*>(code_object.get());
    const std::string file = readable(code->co_filename);
    if (is_own_file(file.c_str())) continue;
    const bool converted = ag_is_converted_code(code_object.get()) || ag_may_run_as_written(code_object.get());
    const std::string reason = converted ? "" : ag_code_reason(code_object.get());
    if (reason == kLibraryReason) continue;
    reached |= converted || !reason.empty();
    if (!reached) continue;
    const bool block = ag_is_block_code(code_object.get());
    const int line = tb->tb_lineno > 0 ? tb->tb_lineno : PyFrame_GetLineNumber(tb->tb_frame);
    Frame frame{file, readable(code->co_name), {}, reason, line, converted};
    const Ref globals = checked(PyFrame_GetGlobals(tb->tb_frame));
    frame.source = source_line(code->co_filename, frame.line, globals.get());
    // A block runs in its own frame, below that of its statement.
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

// The message without the prefix that an inner trace added.
Ref original_message(PyObject* value, PyObject* shown) {
  const Ref kept = optional_attribute(value, "__user_message__");
  return kept && PyUnicode_Check(kept.get()) ? kept : Ref::borrow(shown);
}

bool is_text(PyObject* object, PyObject* text) {
  return object && PyUnicode_Check(object) && PyUnicode_Compare(object, text) == 0;
}

// Whether the attribute could be set: the class may not allow attributes.
bool set_attribute(PyObject* value, const char* name, PyObject* attribute) {
  if (PyObject_SetAttrString(value, name, attribute) == 0) return true;
  clear_only(PyExc_Exception);
  return false;
}

// Changes str(value), for kinds of exceptions that are known to keep their text in one place.
bool set_message(PyObject* value, PyObject* shown, PyObject* message) {
  const Ref args = optional_attribute(value, "args");
  if (args && PyTuple_Check(args.get()) &&
      (PyTuple_GET_SIZE(args.get()) == 1 ? is_text(PyTuple_GET_ITEM(args.get(), 0), shown)
                                         : PyTuple_GET_SIZE(args.get()) == 0 && PyUnicode_GET_LENGTH(shown) == 0)) {
    const Ref changed = checked(PyTuple_Pack(1, message));
    return set_attribute(value, "args", changed.get());
  }
  const Ref own = optional_attribute(value, "_message");  // attribute of tf.errors.OpError
  return is_text(own.get(), shown) && set_attribute(value, "_message", message);
}

std::vector<Frame> frames_of_exception(PyObject* value) {
  const Ref traceback = Ref::steal(PyException_GetTraceback(value));
  return frames_of(traceback.get());
}

// "in user code:" and the frames; empty if there are no frames.
std::string shown_frames(const std::vector<Frame>& frames) {
  if (frames.empty()) return {};
  std::string text = "in user code:\n\n";
  for (const Frame& frame : frames) {
    text += "    File \"" + frame.file + "\", line " + std::to_string(frame.line) + ", in " + frame.function +
            (frame.converted ? "  *\n" : "  **\n");
    if (!frame.source.empty()) text += "        " + frame.source + "\n";
    if (!frame.reason.empty()) text += "        (" + frame.function + " is not converted: " + frame.reason + ")\n";
  }
  return text;
}

// The name of the class that the program raised.
std::string class_of(PyObject* value) {
  const Ref name = optional_attribute(value, "__user_class__");
  return name && PyUnicode_Check(name.get()) ? readable(name.get()) : Py_TYPE(value)->tp_name;
}

// The exception to raise instead; null: this one, which was changed.
Ref explain(PyObject* value, const std::vector<Frame>& frames) {
  const std::string text = shown_frames(frames);
  if (text.empty()) return {};
  // The message becomes part of a text with the frames; where that cannot be, they are added as a note.
  const Ref shown = Ref::steal(PyObject_Str(value));
  if (!shown) clear_only(PyExc_Exception);
  if (const Ref message = shown ? original_message(value, shown.get()) : Ref()) {
    const Ref whole = text_object(text + "\n" + indented(class_of(value) + ": " + readable(message.get())) + "\n");
    const bool converted = std::ranges::any_of(frames, [](const Frame& frame) { return frame.converted; });
    const DisableTracing disable_tracing;
    const Ref staging = checked(PyImport_ImportModule("footlight._autograph.staging"));
    const Ref keeps = checked(PyObject_CallMethod(staging.get(), "keeps_class", "O", Py_TYPE(value)));
    const bool kept = !converted || keeps.get() == Py_True;
    if (kept && set_attribute(value, "__user_message__", message.get()) &&
        set_message(value, shown.get(), whole.get()))
      return {};
    if (converted) {
      Ref told = checked(PyObject_CallMethod(staging.get(), "told", "OOO", value, whole.get(), message.get()));
      if (told.get() != Py_None) return told;
    }
  }
  const Ref notes = optional_attribute(value, "__notes__");
  if (notes && PyList_Check(notes.get()) && PyList_GET_SIZE(notes.get()) > 0) {
    // An outer trace sees all frames of an inner one.
    const Py_ssize_t last = PyList_GET_SIZE(notes.get()) - 1;
    PyObject* note = PyList_GET_ITEM(notes.get(), last);
    if (PyUnicode_Check(note) && readable(note).starts_with("in user code:") &&
        PyList_SetSlice(notes.get(), last, last + 1, nullptr) < 0)
      throw PythonErrorSet();
  }
  checked(PyObject_CallMethod(value, "add_note", "N", text_object(text).release()));
  return {};
}

Ref frames_object(const std::vector<Frame>& frames) {
  return list_of(frames, [](const Frame& frame) {
    return checked(Py_BuildValue("(NiNNO)", text_object(frame.file).release(), frame.line,
                                 text_object(frame.function).release(), text_object(frame.source).release(),
                                 frame.converted ? Py_True : Py_False));
  });
}

// Attaches the frames in the program's code to the exception, for programs that ask for them.
void note_metadata(PyObject* value, const std::vector<Frame>& frames) {
  const DisableTracing disable_tracing;
  const Ref staging = checked(PyImport_ImportModule("footlight._autograph.staging"));
  checked(PyObject_CallMethod(staging.get(), "note_metadata", "OO", value, frames_object(frames).get()));
}

// Reports an unbound variable as a local of the user's function, whichever generated block reads it. Null if `value` is
// a different error.
Ref as_local(PyObject* value) {
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(value));
  if (type != PyExc_NameError && type != PyExc_UnboundLocalError) return {};
  const std::string text = str_of(value);
  std::string name;
  for (const std::string_view start : {"cannot access free variable ", "cannot access local variable "})
    if (text.starts_with(start)) name = text.substr(start.size(), text.find(' ', start.size()) - start.size());
  if (name.empty()) return {};
  const Ref message = text_object(
      name + " is used before assignment: cannot access local variable " + name +
      " where it is not associated with a value");
  Ref local = checked(PyObject_CallOneArg(PyExc_UnboundLocalError, message.get()));
  if (const Ref bare = optional_attribute(value, "name")) set_attribute(local.get(), "name", bare.get());
  const Ref traceback = Ref::steal(PyException_GetTraceback(value));
  if (traceback && PyException_SetTraceback(local.get(), traceback.get()) < 0) throw PythonErrorSet();
  return local;
}

}  // namespace

std::string ag_explained(PyObject* exception) {
  const Ref shown = text_object(str_of(exception));
  const Ref message = original_message(exception, shown.get());
  return shown_frames(frames_of_exception(exception)) +
         indented(class_of(exception) + ": " + readable(message.get()));
}

std::string ag_user_frames(PyObject* exception) { return shown_frames(frames_of_exception(exception)); }

Ref ag_frames(PyObject* exception) { return frames_object(frames_of_exception(exception)); }

void ag_explain_error() {
  if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_Exception)) return;
  Ref exception = take_exception();
  try {
    if (Ref local = as_local(exception.get())) exception = std::move(local);
    const std::vector<Frame> frames = frames_of_exception(exception.get());
    if (Ref told = explain(exception.get(), frames)) exception = std::move(told);
    if (!frames.empty()) note_metadata(exception.get(), frames);
  } catch (const PythonErrorSet&) {
    // Never lose the user's exception, except to an interrupt, which replaces it.
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return;
    take_message();
  }
  raise_again(std::move(exception));
}

}  // namespace footlight::python
