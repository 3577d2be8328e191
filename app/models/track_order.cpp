// Stored as a list of "kind number stream pinned hidden place folded" per recording; older ones end before "folded".
// Beside these are lines "process number", of processes that are not folded.
#include "app/models/track_order.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QSettings>
#include <QStringList>

#include <algorithm>
#include <map>

namespace footlight::app {
namespace {
constexpr qsizetype kMaxTracks = 2000;
}

void TrackOrder::open(const QString& recording) {
  order_.clear();
  pinned_.clear();
  hidden_.clear();
  folded_.clear();
  open_.clear();
  summaries_.clear();
  closed_.clear();
  key_.clear();
  hidden_here_ = 0;
  if (recording.isEmpty()) return;
  const QByteArray path = QFileInfo(recording).absoluteFilePath().toUtf8();
  key_ = QStringLiteral("tracks/") +
         QString::fromLatin1(QCryptographicHash::hash(path, QCryptographicHash::Sha1).toHex());
  std::map<int, query::TrackKey> places;
  for (const QString& line : QSettings().value(key_).toStringList().mid(0, kMaxTracks)) {
    const QStringList words = line.split(QLatin1Char(' '));
    if (words.size() == 2 && words[0] == QStringLiteral("process")) open_.insert(words[1].toUInt());
    if (words.size() != 6 && words.size() != 7) continue;
    const query::TrackKey track{query::TrackKind(std::clamp(words[0].toInt(), 0, int(query::TrackKind::kApi))),
                                words[1].toUInt(), words[2].toUInt()};
    if (words[3] == QStringLiteral("1")) pinned_.insert(track);
    if (words[4] == QStringLiteral("1")) hidden_.insert(track);
    if (words.size() == 7 && words[6] == QStringLiteral("1")) folded_.insert(track);
    if (words[5].toInt() >= 0) places.emplace(words[5].toInt(), track);
  }
  for (const auto& [place, track] : places) order_.push_back(track);
}

void TrackOrder::arrange(std::vector<query::TrackPicture>& tracks) {
  summaries_.clear();
  closed_.clear();
  const auto is_open = [&](const query::TrackPicture& t) { return open_.contains(query::process_of(t.key)); };
  for (const query::TrackPicture& t : tracks) {
    if (!t.is_summary) continue;
    summaries_.insert(t.key);
    if (!is_open(t)) closed_.insert(t.key);
  }
  if (!summaries_.empty()) std::erase_if(tracks, [&](const auto& t) { return !t.is_summary && !is_open(t); });
  // One stays, to come back by.
  const auto is_hidden = [&](const query::TrackPicture& t) { return hidden_.contains(t.key); };
  const bool hides_all = std::all_of(tracks.begin(), tracks.end(), is_hidden);
  hidden_here_ = hides_all ? 0 : std::erase_if(tracks, is_hidden);
  const auto place = [&](const query::TrackKey& track) {
    return std::find(order_.begin(), order_.end(), track) - order_.begin();  // new ones come last
  };
  std::stable_sort(tracks.begin(), tracks.end(), [&](const query::TrackPicture& a, const query::TrackPicture& b) {
    const bool a_pinned = pinned_.contains(a.key), b_pinned = pinned_.contains(b.key);
    return a_pinned != b_pinned ? a_pinned : place(a.key) < place(b.key);
  });
}

void TrackOrder::set_pinned(const query::TrackKey& track, bool pinned) {
  if (pinned) pinned_.insert(track);
  else pinned_.erase(track);
  save();
}

void TrackOrder::set_folded(const query::TrackKey& track, bool folded) {
  if (is_of_process(track)) {
    if (folded) open_.erase(query::process_of(track));
    else open_.insert(query::process_of(track));
    folded_.erase(track);
    return save();
  }
  if (folded) folded_.insert(track);
  else folded_.erase(track);
  save();
}

void TrackOrder::hide(const query::TrackKey& track) {
  hidden_.insert(track);
  save();
}

void TrackOrder::show_all() {
  hidden_.clear();
  save();
}

void TrackOrder::reset() {
  order_.clear();
  pinned_.clear();
  hidden_.clear();
  folded_.clear();
  open_.clear();
  save();
}

void TrackOrder::move(const query::TrackKey& track, int by, const std::vector<query::TrackPicture>& shown) {
  std::vector<query::TrackKey> order;
  for (const query::TrackPicture& t : shown) order.push_back(t.key);
  const auto at = std::find(order.begin(), order.end(), track) - order.begin();
  const ptrdiff_t to = at + (by > 0 ? 1 : -1);
  if (at == std::ssize(order) || to < 0 || to >= std::ssize(order)) return;
  if (is_pinned(order[static_cast<size_t>(at)]) != is_pinned(order[static_cast<size_t>(to)])) return;
  std::swap(order[static_cast<size_t>(at)], order[static_cast<size_t>(to)]);
  // Hidden ones keep their places behind.
  for (const query::TrackKey& known : order_)
    if (std::find(order.begin(), order.end(), known) == order.end()) order.push_back(known);
  order_ = std::move(order);
  save();
}

void TrackOrder::save() const {
  if (key_.isEmpty()) return;
  std::set<query::TrackKey> all(order_.begin(), order_.end());
  all.insert(pinned_.begin(), pinned_.end());
  all.insert(hidden_.begin(), hidden_.end());
  all.insert(folded_.begin(), folded_.end());
  QStringList lines;
  for (const query::TrackKey& t : all) {
    const auto place = std::find(order_.begin(), order_.end(), t);
    lines << QStringLiteral("%1 %2 %3 %4 %5 %6 %7")
                 .arg(int(t.kind))
                 .arg(t.number)
                 .arg(t.stream)
                 .arg(int(pinned_.contains(t)))
                 .arg(int(hidden_.contains(t)))
                 .arg(place == order_.end() ? -1 : int(place - order_.begin()))
                 .arg(int(folded_.contains(t)));
  }
  for (const uint32_t process : open_) lines << QStringLiteral("process %1").arg(process);
  QSettings settings;
  if (lines.isEmpty()) settings.remove(key_);
  else settings.setValue(key_, lines);
}

}  // namespace footlight::app
