// The recordings that the window made: files in the user's folder, named by their time and their script.
#pragma once

#include <QDateTime>
#include <QString>

#include <vector>

namespace footlight::app {

struct RunFile {
  QString path;
  QString title;   // "retracing.py", or what the user calls it
  QDateTime when;
};

// FOOTLIGHT_RUNS names another folder than the user's. It is made if it does not exist.
QString runs_folder();
QString new_session_path(const QString& script);
// Newest first.
std::vector<RunFile> recorded_runs(size_t most);
// False if `path` is no file of that folder, or the system refuses. The new path of a renamed run.
bool delete_run(const QString& path);
QString rename_run(const QString& path, const QString& title);

}  // namespace footlight::app
