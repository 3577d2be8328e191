// Options of a script's runs: interpreter, working directory, arguments and environment. The user's settings keep them
// for each script.
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

class QSettings;

namespace footlight::app {

struct RunOptions {
  QString python;           // empty: choose_python()
  QString directory;        // empty: the script's
  QStringList arguments;
  QStringList environment;  // "NAME=value", besides the window's own
  QString engine = {};      // "tensorflow", "jax", "torch"; empty: auto
  friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

// Saves all but the interpreter, which all scripts share. A script without options has no entry.
void save_options(QSettings& settings, const QString& script, const RunOptions& options);
RunOptions load_options(const QSettings& settings, const QString& script);
// Options for a script that replaces another: those kept for it, or none. All scripts share the interpreter. A sample
// of another engine is recorded under that one.
RunOptions options_for(const QString& script, bool are_kept, const QString& python);

// Words as a shell takes them: quotes of both kinds, and a backslash before what is meant as it is.
QStringList split_arguments(const QString& text);
// The text that is split into these words again.
QString joined_arguments(const QStringList& arguments);

struct Interpreter {
  QString path;
  QString about;  // "the active environment", "python3 on the path"
};
// Interpreters that the user probably means, each once: of the active environment, of environments beside the script
// and in the folders above it, on the path, of pyenv.
std::vector<Interpreter> find_interpreters(const QString& script);

// Lines of "NAME=value"; comments and empty lines are left out. `wrong` gets what is wrong with the first bad line.
QStringList read_environment(const QString& text, QString* wrong);
// "3.11.7 (/usr/bin/python3)", as a recording names its interpreter -> "/usr/bin/python3"
QString interpreter_of(const QString& recorded);
// Says what is wrong with the options; empty if nothing is.
QString check_options(const RunOptions& options);

}  // namespace footlight::app
