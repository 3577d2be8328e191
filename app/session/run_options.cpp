// Looks for interpreters, checks options, and keeps them under a key made of the script's path.
#include "app/session/run_options.h"

#include "app/models/samples.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr int kFoldersAbove = 4;

QString group_of(const QString& script) {
  const QByteArray hash = QCryptographicHash::hash(script.toUtf8(), QCryptographicHash::Sha256).toHex().left(16);
  return QStringLiteral("runOptions/") + QLatin1String(hash) + QLatin1Char('/');
}

}  // namespace

void save_options(QSettings& settings, const QString& script, const RunOptions& options) {
  if (script.isEmpty()) return;
  const QString group = group_of(script);
  const auto keep = [&](const char* name, const auto& value) {
    if (value.isEmpty()) settings.remove(group + QLatin1String(name));
    else settings.setValue(group + QLatin1String(name), value);
  };
  keep("directory", options.directory);
  keep("arguments", options.arguments);
  keep("environment", options.environment);
  keep("engine", options.engine);
}

RunOptions load_options(const QSettings& settings, const QString& script) {
  const QString group = group_of(script);
  RunOptions options;
  options.directory = settings.value(group + QStringLiteral("directory")).toString();
  options.arguments = settings.value(group + QStringLiteral("arguments")).toStringList();
  options.environment = settings.value(group + QStringLiteral("environment")).toStringList();
  options.engine = settings.value(group + QStringLiteral("engine")).toString();
  return options;
}

RunOptions options_for(const QString& script, bool are_kept, const QString& python) {
  RunOptions options = are_kept ? load_options(QSettings(), script) : RunOptions();
  options.python = python;
  if (options.engine.isEmpty()) options.engine = engine_of_sample(script);
  return options;
}

QStringList split_arguments(const QString& text) {
  QStringList words;
  QString word;
  bool has_word = false;
  QChar quote;
  for (qsizetype i = 0; i < text.size(); ++i) {
    const QChar c = text[i];
    const bool escapes = c == QLatin1Char('\\') && quote != QLatin1Char('\'') && i + 1 < text.size();
    const bool ends = !quote.isNull() && c == quote;
    const bool begins = quote.isNull() && (c == QLatin1Char('"') || c == QLatin1Char('\''));
    if (escapes && (quote.isNull() || text[i + 1] == quote || text[i + 1] == c)) {
      word += text[++i];
      has_word = true;
    } else if (ends || begins) {
      quote = ends ? QChar() : c;
      has_word = true;
    } else if (quote.isNull() && c.isSpace()) {
      if (has_word) words << word;
      word.clear();
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (has_word) words << word;
  return words;
}

QString joined_arguments(const QStringList& arguments) {
  static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_@%+=:,./-]+$"));
  QStringList quoted;
  for (QString word : arguments) {
    if (!plain.match(word).hasMatch())
      word = QLatin1Char('\'') + word.replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
    quoted << word;
  }
  return quoted.join(QLatin1Char(' '));
}

std::vector<Interpreter> find_interpreters(const QString& script) {
  std::vector<Interpreter> found;
  const auto add = [&](const QString& path, const QString& about) {
    const QFileInfo info(path);
    if (path.isEmpty() || !info.isFile() || !info.isExecutable()) return;
    if (std::ranges::none_of(found, [&](const Interpreter& i) { return i.path == path; }))
      found.push_back({path, about});
  };
  const QString environment = qEnvironmentVariable("VIRTUAL_ENV");
  if (!environment.isEmpty())
    add(environment + QStringLiteral("/bin/python3"), QStringLiteral("the active environment"));
  QDir folder = QFileInfo(script).absoluteDir();
  for (int i = 0; i < kFoldersAbove && !script.isEmpty(); ++i) {
    for (const char* name : {".venv", "venv", "env"})
      add(folder.filePath(QLatin1String(name) + QStringLiteral("/bin/python3")),
          QStringLiteral("the environment in ") + folder.absolutePath());
    if (!folder.cdUp()) break;
  }
  for (const char* name : {"python3", "python3.13", "python3.12", "python3.11"})
    add(QStandardPaths::findExecutable(QLatin1String(name)), QLatin1String(name) + QStringLiteral(" on the path"));
  const QDir versions(QDir::homePath() + QStringLiteral("/.pyenv/versions"));
  for (const QString& version : versions.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed))
    add(versions.filePath(version + QStringLiteral("/bin/python3")), QStringLiteral("pyenv ") + version);
  return found;
}

QStringList read_environment(const QString& text, QString* wrong) {
  static const QRegularExpression name(QStringLiteral("^[A-Za-z_][A-Za-z0-9_]*$"));
  QStringList all;
  for (const QString& line : text.split(QLatin1Char('\n'))) {
    const QString one = line.trimmed();
    if (one.isEmpty() || one.startsWith(QLatin1Char('#'))) continue;
    if (!one.contains(QLatin1Char('=')) || !name.match(one.section(QLatin1Char('='), 0, 0)).hasMatch()) {
      if (wrong && wrong->isEmpty()) *wrong = QStringLiteral("Write NAME=value; this is not: ") + one.left(80);
      continue;
    }
    all << one;
  }
  return all;
}

QString interpreter_of(const QString& recorded) {
  const qsizetype open = recorded.indexOf(QStringLiteral(" (/"));
  return open >= 0 && recorded.endsWith(QLatin1Char(')')) ? recorded.mid(open + 2).chopped(1) : QString();
}

QString check_options(const RunOptions& options) {
  const QFileInfo python(options.python), directory(options.directory);
  if (!options.python.isEmpty() && !python.exists())
    return QStringLiteral("There is no interpreter at ") + options.python;
  if (!options.python.isEmpty() && (!python.isFile() || !python.isExecutable()))
    return options.python + QStringLiteral(" cannot be executed. Choose a Python interpreter.");
  if (!options.directory.isEmpty() && !directory.isDir())
    return QStringLiteral("There is no folder ") + options.directory;
  return {};
}

}  // namespace footlight::app
