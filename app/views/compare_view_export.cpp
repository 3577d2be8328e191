// Exports of the Compare tab: the table as text, the sentence and the pictures as files.
#include "app/models/compare_facts.h"
#include "app/models/picture_place.h"
#include "app/models/text.h"
#include "app/views/compare_view.h"
#include "app/views/paint.h"

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QSvgGenerator>

namespace footlight::app {
namespace {

constexpr int kMargin = 20, kTitle = 26, kLine = 20;

// Title, sentence, waterfall and timelines under each other.
void draw(QPainter& painter, QSize size, const explain::Comparison& c, QWidget* waterfall, QWidget* timelines) {
  const Theme& t = theme();
  painter.fillRect(QRect(QPoint(0, 0), size), t["window"]);
  const int wide = size.width() - 2 * kMargin;
  text_in(painter, QRectF(kMargin, kMargin, wide, kTitle), title_of(c), t["text"], t.ui(1, QFont::DemiBold));
  text_in(painter, QRectF(kMargin, kMargin + kTitle, wide, kLine), q(explain::sentence_of(c)), t["text"], t.ui());
  text_in(painter, QRectF(kMargin, kMargin + kTitle + kLine, wide, kLine), how_made(c), t["dim"], t.ui(-1));
  int y = kMargin + kTitle + 2 * kLine + 8;
  for (QWidget* picture : {waterfall, timelines}) {
    picture->render(&painter, QPoint(kMargin, y), {}, QWidget::DrawChildren);
    y += picture->height() + 8;
  }
}

}  // namespace

void CompareView::copy(const QString& text) { QGuiApplication::clipboard()->setText(text); }

bool CompareView::save_picture(const QString& path) const {
  if (!shown_) return false;
  const QSize size(std::max(waterfall_->width(), timelines_->width()) + 2 * kMargin,
                   2 * kMargin + kTitle + 2 * kLine + 16 + waterfall_->height() + timelines_->height());
  if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return false;
    QSvgGenerator generator;
    generator.setOutputDevice(&file);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(title_of(*shown_));
    QPainter painter(&generator);
    draw(painter, size, *shown_, waterfall_, timelines_);
    painter.end();
    return file.error() == QFileDevice::NoError;
  }
  constexpr int kScale = 2;   // sharp where it is shown larger
  QImage image(size * kScale, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(kScale);
  QPainter painter(&image);
  draw(painter, size, *shown_, waterfall_, timelines_);
  painter.end();
  return image.save(path, "PNG");
}

void CompareView::save_as() {
  const QString path =
      QFileDialog::getSaveFileName(this, QStringLiteral("Save the picture"), QStringLiteral("compare.png"),
                                   QStringLiteral("PNG (*.png);;SVG (*.svg)"));
  if (path.isEmpty()) return;
  const QString why = why_not_saved(path);
  if (!why.isEmpty()) {
    Q_EMIT failed(why);
  } else if (!save_picture(path)) {
    Q_EMIT failed(QStringLiteral("The picture could not be written to ") + path);
  }
}

}  // namespace footlight::app
