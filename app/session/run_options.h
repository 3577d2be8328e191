// What a script is run with besides its own name: interpreter, working directory, arguments and environment. Kept for
// each script in the user's settings.
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
  friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

// Without the interpreter, which all scripts share. Nothing is kept of a script without options.
void save_options(QSettings& settings, const QString& script, const RunOptions& options);
RunOptions load_options(const QSettings& settings, const QString& script);
// For a script that takes the place of another: what is kept for it, or nothing. All scripts share the interpreter.
RunOptions options_for(const QString& script, bool are_kept, const QString& python);

// Words as a shell takes them: quotes of both kinds, and a backslash before what is meant as it is.
QStringList split_arguments(const QString& text);
// The text that is split into these words again.
QString joined_arguments(const QStringList& arguments);

struct Interpreter {
  QString path;
  QString about;  // "the active environment", "python3 on the path"
};
// Those that a person probably means, each once: of the active environment, of environments beside the script and in
// the folders above it, on the path, of pyenv.
std::vector<Interpreter> find_interpreters(const QString& script);

// Lines of "NAME=value"; comments and empty lines are left out. `wrong` gets what is wrong with the first bad line.
QStringList read_environment(const QString& text, QString* wrong);
// What is wrong with the options, for the user; empty: nothing.
QString check_options(const RunOptions& options);

}  // namespace footlight::app
