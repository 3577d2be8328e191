// The files that were opened last, each with a line about what it was: kept in the user's settings and shown on the
// welcome page.
#pragma once

#include "app/models/findings.h"

#include <QDateTime>
#include <QStringList>

#include <vector>

class QSettings;

namespace footlight::app {

struct RecentFile {
  QString path;
  QDateTime when;
  QString note;  // "12 traces of train_step, 10 avoidable"; empty: never run
};

class RecentFiles {
 public:
  // Puts the file first; its note stays.
  void add(const QString& path);
  // Sets the note of a file in the list; ignores other files.
  void set_note(const QString& path, const QString& note);
  void remove(const QString& path);
  const std::vector<RecentFile>& files() const { return files_; }
  QStringList paths() const;

  void load(const QSettings& settings);
  void save(QSettings& settings) const;

 private:
  std::vector<RecentFile> files_;
};

// A run in one line: how it ended if it failed, else what was traced and what could be avoided.
QString run_note(const Document& document, const std::vector<FindingCard>& findings);
// "today 12:04", "yesterday", "Thursday", "3 May 2026".
QString day_text(const QDateTime& when, const QDateTime& now);

}  // namespace footlight::app
