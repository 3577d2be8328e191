// A stand-in for the recorder: a package of that name, whose main program is the given text. What is tested with it is
// how the window deals with a process.
#pragma once

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QString>

namespace footlight::app {

inline void write_file(const QString& path, const QByteArray& text) {
  QFile file(path);
  if (file.open(QIODevice::WriteOnly)) file.write(text);
}

// Writes it into `folder`; runs that are started later use it.
inline void install_stand_in(const QString& folder, const QByteArray& program) {
  const QString engine = folder + QStringLiteral("/package/footlight"),
                recorder = folder + QStringLiteral("/package/footlight_recorder");
  for (const QString& package : {engine, recorder}) {
    QDir().mkpath(package);
    write_file(package + QStringLiteral("/__init__.py"), "");
  }
  write_file(recorder + QStringLiteral("/__main__.py"), program);
  // A Python is taken that has the extension module.
  QProcess version;
  version.start(QStringLiteral("python3"),
                {QStringLiteral("-c"), QStringLiteral("import sys; print('%d%d' % sys.version_info[:2])")});
  version.waitForFinished();
  write_file(engine + QStringLiteral("/_engine.cpython-") +
                 QString::fromUtf8(version.readAllStandardOutput()).trimmed() + QStringLiteral("-test.so"),
             "");
  qputenv("FOOTLIGHT_PACKAGE", (folder + QStringLiteral("/package")).toUtf8());
}

}  // namespace footlight::app
