// Names a finding by what stays the same from run to run.
#include "app/models/dismissed.h"

#include "app/models/text.h"

namespace footlight::app {
namespace {
constexpr qsizetype kMaxDismissed = 500;  // the oldest are forgotten
}

QString Dismissed::key_of(const Document& document, const FindingCard& card) {
  if (!card.finding) return {};
  const session::FileRecord* file = document.file(card.place.file);
  return QStringLiteral("%1\n%2\n%3:%4").arg(q(document.run.script), q(card.finding->cause),
                                             file ? q(file->path) : QString(), QString::number(card.place.line));
}

void Dismissed::set(const QString& key, bool dismissed) {
  if (key.isEmpty()) return;
  keys_.removeAll(key);
  if (dismissed) keys_ << key;
  if (keys_.size() > kMaxDismissed) keys_.removeFirst();
}

}  // namespace footlight::app
