// Starting and ending a recording from Python: in this process, or with a supervisor process.
#include "engine/python/recorder/module.h"

#include "engine/base/clock.h"
#include "engine/base/error_words.h"
#include "engine/base/recording.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/interpreter/text.h"
#include "engine/record/console.h"
#include "engine/record/machine.h"
#include "engine/record/recorder.h"
#include "engine/record/script.h"
#include "engine/record/sources.h"
#include "engine/record/this_process.h"
#include "engine/session/given_sources.h"
#include "engine/session/writer.h"

#include "footlight_version.h"

namespace footlight::python {
namespace {

// A path or a word of the command line, in the bytes that the system has for it.
std::string system_text(PyObject* o) {
  const Ref bytes = checked(PyUnicode_EncodeFSDefault(o));
  return std::string(PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get())));
}

// script, arguments (a list) and the interpreter in words.
session::RunRecord run_record(PyObject* script, PyObject* arguments, PyObject* python) {
  session::RunRecord run;
  run.script = system_text(script);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(arguments); ++i)
    run.arguments.push_back(system_text(PyList_GET_ITEM(arguments, i)));
  run.python = system_text(python);
  run.engine = "footlight " FOOTLIGHT_VERSION;
  return run;
}

PyObject* run_script(PyObject*, PyObject* args) {
  PyObject *script, *arguments, *python, *output;
  const char* level;
  record::RecordedScript recorded;
  if (!PyArg_ParseTuple(args, "UO!UUsi", &script, &PyList_Type, &arguments, &python, &output, &level,
                        &recorded.commands))
    throw PythonErrorSet();
  recorded.run = run_record(script, arguments, python);
  recorded.session = system_text(output);
  recorded.level = record::level_of(level);
  record::run_supervised(std::move(recorded), {PyOS_BeforeFork, PyOS_AfterFork_Parent, PyOS_AfterFork_Child});
  Py_RETURN_NONE;
}

PyObject* start(PyObject*, PyObject* args) {
  PyObject *script, *arguments, *python, *output;
  const char* level;
  if (!PyArg_ParseTuple(args, "UO!UUs", &script, &PyList_Type, &arguments, &python, &output, &level))
    throw PythonErrorSet();
  session::RunRecord run = run_record(script, arguments, python);
  run.machine = record::describe_machine();
  record::start_recording(system_text(output), run, record::level_of(level));
  Py_RETURN_NONE;
}

PyObject* stop(PyObject*, PyObject* args) {
  PyObject* reason = nullptr;
  if (!PyArg_ParseTuple(args, "|U:stop", &reason)) throw PythonErrorSet();
  session::EndRecord end{now_ns(), 0, 0, reason ? readable(reason) : "the program stopped recording"};
  std::string words;
  {
    const GilReleased released;  // ending a recording waits for the devices and the disk
    words = record::stop_recording(end).words;
  }
  return PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace");
}

PyObject* recording(PyObject*, PyObject*) { return PyBool_FromLong(record::recording()); }

// set_level(name): the level that holds from here on; gives the one before.
PyObject* set_level(PyObject*, PyObject* name) {
  const RecordingLevel before = recording_level.exchange(record::level_of(std::string(utf8(name))));
  return checked(PyUnicode_FromString(record::name_of(before))).release();
}

PyObject* end_process(PyObject*, PyObject* args) {
  int status;
  if (!PyArg_ParseTuple(args, "i", &status)) throw PythonErrorSet();
  {
    const GilReleased released;
    record::stop_recording({now_ns(), status, 0, status ? "exited with status " + std::to_string(status) : "finished"});
  }
  Py_RETURN_NONE;
}

PyObject* rank(PyObject*, PyObject*) {
  const std::optional<record::Rank> rank = record::rank_from_launcher();
  if (!rank) Py_RETURN_NONE;
  return Py_BuildValue("iii", rank->rank, rank->world, rank->local_rank);
}

PyObject* send_reason(PyObject*, PyObject* words) {
  record::send_reason(system_text(words));
  Py_RETURN_NONE;
}

PyObject* error_words_of(PyObject*, PyObject* text) {
  const std::string words = error_words(readable(text)).text();
  return checked(PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace")).release();
}

PyObject* program_ended(PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    {
      const GilReleased released;  // ending a recording waits for the devices and the disk
      record::program_ended();
    }
    Py_RETURN_NONE;
  });
}

PyObject* is_library_file(PyObject*, PyObject* path) {
  return PyBool_FromLong(record::is_library_file(readable(path)));
}

PyObject* give_source(PyObject*, PyObject* args) {
  PyObject *path, *name, *text;
  if (!PyArg_ParseTuple(args, "UUU:give_source", &path, &name, &text)) throw PythonErrorSet();
  session::give_source(readable(path), {readable(name), readable(text)});
  Py_RETURN_NONE;
}

PyObject* record_source(PyObject*, PyObject* path) {
  session::Writer* const writer = recording_structure() ? session::active_writer() : nullptr;
  if (writer) writer->file(readable(path));
  return PyBool_FromLong(writer != nullptr);
}

PyMethodDef functions[] = {
    {"run_script", guard<run_script>, METH_VARARGS,
     "run_script(script, arguments, python, output, level, commands): creates the session and forks the supervisor "
     "off; returns in the script's process only."},
    {"start", guard<start>, METH_VARARGS,
     "start(script, arguments, python, output, level): records this process into a session of its own."},
    {"stop", guard<stop>, METH_VARARGS,
     "stop(reason): ends what start() began; returns what went wrong, or ''. The session keeps the reason."},
    {"recording", guard<recording>, METH_NOARGS, "recording(): whether this process is recorded now."},
    {"set_level", guard<set_level>, METH_O,
     "set_level(name): records at that level from here on; returns the name of the level before."},
    {"end_process", guard<end_process>, METH_VARARGS,
     "end_process(status): ends what start() began, for a process that ends without exit handlers."},
    {"rank", rank, METH_NOARGS,
     "(rank, world, local rank) of this process in a distributed run, as its launcher says; None if there is none."},
    {"give_source", guard<give_source>, METH_VARARGS,
     "give_source(path, name, text): code objects name code by this path that is in no file; recordings show the text "
     "under the name."},
    {"record_source", guard<record_source>, METH_O,
     "record_source(path): adds the text of that code to the recording."},
    {"send_reason", guard<send_reason>, METH_O, "Records in the session how the script ended."},
    {"error_words", guard<error_words_of>, METH_O,
     "Of a traceback: its message and the innermost line of the user's code, in a line."},
    {"is_library_file", guard<is_library_file>, METH_O,
     "is_library_file(path): whether a file belongs to a library whose lines are not the user's own, such as Keras."},
    {"program_ended", program_ended, METH_NOARGS,
     "Ends the recording; for the last function that atexit calls."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_recording(PyObject* module) { if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet(); }

}  // namespace footlight::python
