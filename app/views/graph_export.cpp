// Draws the whole canvas into other devices than the screen.
#include "app/views/graph_export.h"

#include "app/models/picture_place.h"
#include "app/views/theme.h"

#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr double kMargin = 24;
constexpr double kMaxPixels = 60e6;

QString quoted(const QString& text) {
  QString made = text;
  made.replace(QLatin1Char('\\'), QStringLiteral("\\\\")).replace(QLatin1Char('"'), QStringLiteral("\\\""));
  made.replace(QLatin1Char('\n'), QStringLiteral("\\n"));
  return QLatin1Char('"') + made + QLatin1Char('"');
}

void draw(GraphCanvas& canvas, QPainter& painter, QSizeF size) {
  painter.fillRect(QRectF({0, 0}, size), theme()["window"]);
  painter.translate(kMargin, kMargin);
  canvas.draw_whole(painter);
}

QByteArray dot_of(const GraphPlan& plan, const QString& title) {
  QString text = QStringLiteral("digraph ") + quoted(title) + QStringLiteral(" {\nnode [shape=box];\n");
  for (size_t i = 0; i < plan.boxes.size(); ++i) {
    const PlanBox& b = plan.boxes[i];
    QStringList lines{b.title};
    if (!b.subtitle.isEmpty()) lines << b.subtitle;
    for (const PlanChip& chip : b.chips) lines << chip.text;
    text += QStringLiteral("n%1 [label=").arg(i) + quoted(lines.join(QLatin1Char('\n'))) + QStringLiteral("];\n");
  }
  for (const PlanEdge& e : plan.edges) {
    text += QStringLiteral("n%1 -> n%2").arg(e.from).arg(e.to);
    QStringList how;
    if (!e.label.isEmpty()) how << QStringLiteral("label=") + quoted(e.label);
    if (e.control) how << QStringLiteral("style=dotted");
    if (!how.isEmpty()) text += QStringLiteral(" [") + how.join(QLatin1Char(',')) + QLatin1Char(']');
    text += QStringLiteral(";\n");
  }
  // Draws lines from a box to the area that is open for it.
  for (const PlanArea& area : plan.areas) {
    if (area.owner < 0 || area.boxes.empty()) continue;
    text += QStringLiteral("n%1 -> n%2 [style=dashed,arrowhead=none,label=%3];\n")
                .arg(area.owner).arg(area.boxes.front()).arg(quoted(area.title));
  }
  return (text + QStringLiteral("}\n")).toUtf8();
}

bool write(const QString& path, const QByteArray& bytes, QString& wrong) {
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return true;
  wrong = QStringLiteral("%1 could not be written: %2").arg(path, file.errorString());
  return false;
}

}  // namespace

QString export_graph(GraphCanvas& canvas, const QString& path, const QString& title) {
  const GraphPlan& plan = canvas.plan();
  if (plan.boxes.empty()) return QStringLiteral("There is no graph to export.");
  if (const QString why = why_not_saved(path); !why.isEmpty()) return why;
  const QSizeF size = plan.bounds.size() + QSizeF(2 * kMargin, 2 * kMargin);
  const QString ending = QFileInfo(path).suffix().toLower();
  QString wrong;
  if (ending == QStringLiteral("dot")) {
    write(path, dot_of(plan, title), wrong);
  } else if (ending == QStringLiteral("svg")) {
    QSvgGenerator svg;
    svg.setFileName(path);
    svg.setSize(size.toSize());
    svg.setViewBox(QRectF({0, 0}, size));
    svg.setTitle(title);
    QPainter painter;
    if (!painter.begin(&svg)) return QStringLiteral("%1 could not be written.").arg(path);
    draw(canvas, painter, size);
  } else if (ending == QStringLiteral("pdf")) {
    QPdfWriter pdf(path);
    pdf.setTitle(title);
    pdf.setResolution(72);  // one point is one pixel
    pdf.setPageSize(QPageSize(size, QPageSize::Point));
    pdf.setPageMargins({});
    QPainter painter;
    if (!painter.begin(&pdf)) return QStringLiteral("%1 could not be written.").arg(path);
    draw(canvas, painter, size);
  } else if (ending == QStringLiteral("png")) {
    const double scale = std::min(2.0, std::sqrt(kMaxPixels / (size.width() * size.height())));
    if (size.width() * scale > 32'000 || size.height() * scale > 32'000)
      return QStringLiteral("This graph is too large for a PNG picture; SVG and PDF have no limit.");
    QImage image((size * scale).toSize(), QImage::Format_RGB32);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    draw(canvas, painter, size);
    painter.end();
    if (!image.save(path)) return QStringLiteral("%1 could not be written.").arg(path);
  } else {
    return QStringLiteral("A graph can be exported as .svg, .png, .pdf or .dot, not as .%1.").arg(ending);
  }
  return wrong;
}

}  // namespace footlight::app
