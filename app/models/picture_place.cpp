// Looks at the first bytes of what is there.
#include "app/models/picture_place.h"

#include "engine/session/output_place.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <string_view>

namespace footlight::app {
namespace {

struct PictureKind {
  const char* ending;
  const char* name;
  std::array<std::string_view, 3> beginnings;  // empty: none
};

// A picture is a PNG if its ending is unknown.
constexpr PictureKind kPictures[] = {{"png", "a PNG picture", {"\x89PNG\r\n"}},
                                     {"svg", "an SVG picture", {"<?xml", "<svg"}},
                                     {"pdf", "a PDF page", {"%PDF-"}},
                                     {"dot", "a graph for Graphviz", {"digraph", "graph", "strict"}}};

bool begins_as(const PictureKind& kind, std::string_view first) {
  return std::ranges::any_of(kind.beginnings, [&](std::string_view b) { return !b.empty() && first.starts_with(b); });
}

}  // namespace

QString kept_there(const QString& path) {
  const session::FileAtPath found = session::look_at(QFile::encodeName(path).toStdString());
  if (found.type == session::FileType::kNothing) return {};
  if (found.type != session::FileType::kRegular) return QString::fromUtf8(words_for(found.type));
  const QString ending = QFileInfo(path).suffix().toLower();
  const PictureKind* kind = std::find_if(std::begin(kPictures), std::end(kPictures), [&](const PictureKind& k) {
    return ending == QLatin1String(k.ending);
  });
  if (kind == std::end(kPictures)) kind = kPictures;
  if (found.is_readable && (found.first.empty() || begins_as(*kind, found.first))) return {};
  if (session::begins_as_recording(found.first)) return QStringLiteral("a recording");
  return QStringLiteral("a file that is not ") + QLatin1String(kind->name);
}

QString why_not_saved(const QString& path) {
  const QString target = QFileInfo(path).canonicalFilePath();
  const QString kept = kept_there(target.isEmpty() ? path : target);
  if (kept.isEmpty()) return {};
  return QStringLiteral("%1 is %2, which a picture does not replace: choose another name, or move this one away first.")
      .arg(path, kept);
}

}  // namespace footlight::app
