// Keeps the list in the settings and puts a run into a line.
#include "app/models/recent.h"

#include "app/models/run_end.h"
#include "app/models/text.h"

#include <QSettings>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr size_t kMaxRecentFiles = 12;

auto with_path(std::vector<RecentFile>& files, const QString& path) {
  return std::find_if(files.begin(), files.end(), [&](const RecentFile& f) { return f.path == path; });
}

}  // namespace

void RecentFiles::add(const QString& path) {
  RecentFile file{path, QDateTime::currentDateTime(), {}};
  if (const auto at = with_path(files_, path); at != files_.end()) {
    file.note = at->note;
    files_.erase(at);
  }
  files_.insert(files_.begin(), std::move(file));
  if (files_.size() > kMaxRecentFiles) files_.resize(kMaxRecentFiles);
}

void RecentFiles::set_note(const QString& path, const QString& note) {
  if (const auto at = with_path(files_, path); at != files_.end()) at->note = note;
}

void RecentFiles::remove(const QString& path) {
  if (const auto at = with_path(files_, path); at != files_.end()) files_.erase(at);
}

QStringList RecentFiles::paths() const {
  QStringList all;
  for (const RecentFile& f : files_) all << f.path;
  return all;
}

void RecentFiles::load(const QSettings& settings) {
  files_.clear();
  const QStringList paths = settings.value(QStringLiteral("recent")).toStringList();
  const QStringList times = settings.value(QStringLiteral("recentTimes")).toStringList();
  const QStringList notes = settings.value(QStringLiteral("recentNotes")).toStringList();
  for (qsizetype i = 0; i < paths.size() && files_.size() < kMaxRecentFiles; ++i)
    files_.push_back({paths[i], QDateTime::fromString(times.value(i), Qt::ISODate), notes.value(i)});
}

void RecentFiles::save(QSettings& settings) const {
  QStringList times, notes;
  for (const RecentFile& f : files_) {
    times << f.when.toString(Qt::ISODate);
    notes << f.note;
  }
  settings.setValue(QStringLiteral("recent"), paths());
  settings.setValue(QStringLiteral("recentTimes"), times);
  settings.setValue(QStringLiteral("recentNotes"), notes);
}

QString run_note(const Document& document, const std::vector<FindingCard>& findings) {
  const RunEnd end = run_end(document);
  if (!end.is_known) return QStringLiteral("Incomplete: the program was killed");
  if (!end.is_good) return end.text;
  if (findings.empty())
    return QStringLiteral("Finished in %1, no finding").arg(duration_text(document.duration_ns()));
  const QString first = findings.front().title;
  return findings.size() == 1 ? first
                              : QStringLiteral("%1, and %2 more").arg(first, count_text(findings.size() - 1));
}

QString day_text(const QDateTime& when, const QDateTime& now) {
  if (!when.isValid()) return {};
  const qint64 days = when.date().daysTo(now.date());
  if (days == 0) return QStringLiteral("today ") + when.toString(QStringLiteral("HH:mm"));
  if (days == 1) return QStringLiteral("yesterday");
  if (days > 1 && days < 7) return QLocale::c().dayName(when.date().dayOfWeek());
  return QLocale::c().toString(when.date(), QStringLiteral("d MMM yyyy"));
}

}  // namespace footlight::app
