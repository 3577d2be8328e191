// Splits the process in two before a recorded script runs: the supervisor, which never comes back to Python, and the
// script, which records into the session.
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/worker/console.h"
#include "engine/python/worker/supervisor.h"

#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/record/recorder.h"
#include "engine/tensor/gpu.h"

#include "footlight_version.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

namespace footlight::python {


namespace {

std::string text_of(PyObject* o) {
  Ref bytes = checked(PyUnicode_EncodeFSDefault(o));
  return std::string(PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get())));
}

RecordingLevel level_of(const std::string& name) {
  if (name == "off") return RecordingLevel::kOff;
  if (name == "structure") return RecordingLevel::kStructure;
  if (name == "ops") return RecordingLevel::kOps;
  throw Error(ErrorKind::kValue, "--level is off, structure or ops, not '" + name + "'");
}

std::string machine_words() {
  std::string model = "CPU";
  if (FILE* file = std::fopen("/proc/cpuinfo", "re")) {
    char line[256];
    while (std::fgets(line, sizeof line, file))
      if (std::strncmp(line, "model name", 10) == 0 && std::strchr(line, ':')) {
        model = std::strchr(line, ':') + 2;
        model.resize(model.find_last_not_of('\n') + 1);
        break;
      }
    std::fclose(file);
  }
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads, " + gpu::at_a_glance();
}

void open_pipe(int (&ends)[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::kIo, std::string("cannot make a pipe for the console: ") + std::strerror(errno));
}

void become_the_script(int (&out)[2], int (&err)[2], int (&print)[2], int (&control)[2]) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // When memory runs out, the kernel is to take the script, not the app nor the user's other programs.
  if (FILE* file = std::fopen("/proc/self/oom_score_adj", "we")) {
    std::fputs("1000", file);
    std::fclose(file);
  }
  dup2(out[1], 1);
  dup2(err[1], 2);
  for (int descriptor : {out[0], out[1], err[0], err[1], print[0], control[1]}) close(descriptor);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  record_prints(print[1], 1, 2);
  listen_to_supervisor(control[0]);
}

// worker_start(script, arguments, python, output, level, commands): returns in the script's process only.
PyObject* worker_start(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *script, *arguments, *python, *output;
    const char* level_name;
    int commands;
    if (!PyArg_ParseTuple(args, "UO!UUsi", &script, &PyList_Type, &arguments, &python, &output, &level_name, &commands))
      throw PythonErrorSet();
    session::RunRecord run;
    run.script = text_of(script);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(arguments); ++i)
      run.arguments.push_back(text_of(PyList_GET_ITEM(arguments, i)));
    char directory[4096];
    run.working_directory = getcwd(directory, sizeof directory) ? directory : "";
    run.python = text_of(python);
    run.engine = "footlight " FOOTLIGHT_VERSION;
    run.machine = machine_words();
    run.started_ns = now_ns();
    const RecordingLevel level = level_of(level_name);
    SupervisedScript supervised;
    supervised.session = text_of(output);
    supervised.commands = commands;
    if (commands >= 0) fcntl(commands, F_SETFD, FD_CLOEXEC);
    auto between = session::Writer::create(supervised.session, run, level);
    between->rest();  // who follows the session must not take it for a killed one before both processes write

    int out[2], err[2], print[2], control[2];
    open_pipe(out);
    open_pipe(err);
    open_pipe(print);
    open_pipe(control);
    PyOS_BeforeFork();
    const pid_t process = fork();
    if (process < 0) {
      PyOS_AfterFork_Parent();
      throw Error(ErrorKind::kIo, std::string("cannot start a process for the script: ") + std::strerror(errno));
    }
    if (process > 0) {
      for (int descriptor : {out[1], err[1], print[1], control[0]}) close(descriptor);
      supervised.process = process;
      supervised.stdout_pipe = out[0];
      supervised.stderr_pipe = err[0];
      supervised.print_pipe = print[0];
      supervised.control_pipe = control[1];
      _exit(supervise(std::move(supervised)));
    }
    PyOS_AfterFork_Child();
    if (commands >= 0) close(commands);
    become_the_script(out, err, print, control);
    profile::attach_recording(supervised.session, level);
    between.reset();
    record_op_names();
    record_all_known_codes();
    Py_RETURN_NONE;
  });
}

PyObject* worker_reason(PyObject*, PyObject* words) {
  return guarded([&]() -> PyObject* {
    send_reason(text_of(words));
    Py_RETURN_NONE;
  });
}

PyMethodDef functions[] = {
    {"worker_start", worker_start, METH_VARARGS, "Forks the supervisor off; returns in the script's process."},
    {"worker_reason", worker_reason, METH_O, "Says in the session how the script ended."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_worker(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
