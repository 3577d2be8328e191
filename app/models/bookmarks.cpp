// Stored as a list of "time text" per session file.
#include "app/models/bookmarks.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QSettings>
#include <QStringList>

#include <algorithm>
#include <cstdlib>

namespace footlight::app {
namespace {
constexpr size_t kMaxBookmarks = 500;
}

void Bookmarks::open(const QString& session) {
  all_.clear();
  key_.clear();
  if (session.isEmpty()) return;
  const QByteArray path = QFileInfo(session).absoluteFilePath().toUtf8();
  key_ = QStringLiteral("bookmarks/") +
         QString::fromLatin1(QCryptographicHash::hash(path, QCryptographicHash::Sha1).toHex());
  for (const QString& line : QSettings().value(key_).toStringList()) {
    bool is_number = false;
    const int64_t time = line.section(QLatin1Char(' '), 0, 0).toLongLong(&is_number);
    if (is_number && all_.size() < kMaxBookmarks) all_.push_back({time, line.section(QLatin1Char(' '), 1)});
  }
  std::sort(all_.begin(), all_.end(), [](const Bookmark& a, const Bookmark& b) { return a.time < b.time; });
}

void Bookmarks::toggle(int64_t time, int64_t slack, const QString& text) {
  const auto near = std::find_if(all_.begin(), all_.end(),
                                 [&](const Bookmark& b) { return std::abs(b.time - time) <= slack; });
  if (near != all_.end()) {
    all_.erase(near);
  } else if (all_.size() < kMaxBookmarks) {
    const auto after = std::upper_bound(all_.begin(), all_.end(), time,
                                        [](int64_t t, const Bookmark& b) { return t < b.time; });
    all_.insert(after, {time, text.section(QLatin1Char('\n'), 0, 0)});
  }
  save();
}

std::optional<Bookmark> Bookmarks::next(int64_t time, int by) const {
  if (all_.empty()) return {};
  if (by > 0) {
    for (const Bookmark& b : all_) {
      if (b.time > time) return b;
    }
    return all_.front();
  }
  for (auto b = all_.rbegin(); b != all_.rend(); ++b) {
    if (b->time < time) return *b;
  }
  return all_.back();
}

void Bookmarks::save() const {
  if (key_.isEmpty()) return;
  QSettings settings;
  QStringList lines;
  for (const Bookmark& b : all_) lines << QString::number(b.time) + QLatin1Char(' ') + b.text;
  if (lines.isEmpty()) settings.remove(key_);
  else settings.setValue(key_, lines);
}

}  // namespace footlight::app
