// How the graph canvas draws: frames of scopes and bodies, edges, boxes; small scales without text, in batches.
#include "app/views/graph_canvas.h"
#include "app/views/paint.h"

#include <QPaintEvent>

#include <cmath>
#include <map>

namespace footlight::app {
namespace {

constexpr double kTextScale = 0.4;   // below this no text
constexpr double kLabelScale = 0.6;

QPainterPath path_of(const std::vector<QPointF>& curve) {
  QPainterPath path;
  if (curve.empty()) return path;
  path.moveTo(curve.front());
  for (size_t i = 1; i + 2 < curve.size(); i += 3) path.cubicTo(curve[i], curve[i + 1], curve[i + 2]);
  return path;
}

void arrow_head(QPainter& painter, QPointF tip, QPointF from, const QColor& color) {
  QPointF along = tip - from;
  const double length = std::hypot(along.x(), along.y());
  if (length < 1e-6) return;
  along /= length;
  const QPointF side(-along.y(), along.x());
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawPolygon(QPolygonF() << tip << tip - along * 8 + side * 4 << tip - along * 8 - side * 4);
}

// The colour of what differs in a comparison of two graphs; none for the rest.
const char* mark_tone(const PlanBox& box) {
  switch (box.mark) {
    case PlanBox::Mark::kChanged: return "amber";
    case PlanBox::Mark::kOnlyLeft: return "red";
    case PlanBox::Mark::kOnlyRight: return "green";
    default: return nullptr;
  }
}
QString soft(const char* tone) { return QLatin1String(tone) + QStringLiteral("Soft"); }

}  // namespace

void GraphCanvas::draw_frames(QPainter& painter, const QRectF& seen) const {
  const Theme& t = theme();
  const bool text = scale_ >= kTextScale;
  const auto clusters_of = [&](int area) {
    for (int index : plan_.areas[static_cast<size_t>(area)].clusters) {
      const PlanCluster& c = plan_.clusters[static_cast<size_t>(index)];
      if (!c.rect.intersects(seen)) continue;
      rounded(painter, c.rect, 8, with_alpha(t["blueSoft"], t.is_dark() ? 0.35 : 0.5), t["hairline"], 1.2);
      if (!text) continue;
      triangle(painter, c.rect.topLeft() + QPointF(16, 15), true, t["dim"]);
      text_in(painter, QRectF(c.rect.left() + 24, c.rect.top() + 4, c.rect.width() - 30, 22), c.title,
              t["dim"], t.ui(-1, QFont::DemiBold));
    }
  };
  // From the outside in: a body covers what is below it, and its own scopes are drawn on top of it.
  if (!plan_.areas.empty()) clusters_of(0);
  for (size_t i = 0; i < plan_.boxes.size(); ++i) {
    const PlanBox& b = plan_.boxes[i];
    if (b.bodies.empty() || !b.rect.intersects(seen)) continue;
    const bool chosen = selected_.contains(static_cast<int>(i));
    // Amber says that something differs where two graphs are compared, else that the box is open.
    const char* tone = plan_.compared ? mark_tone(b) : "amber";
    const QColor ink = tone ? t[tone] : t["dim"];
    rounded(painter, b.rect, 9, tone ? with_alpha(t.color(soft(tone)), t.is_dark() ? 0.5 : 0.6) : t["panel"],
            tone ? ink : t["hairline"], chosen ? 2.4 : 1.4);
    if (chosen && plan_.compared) rounded(painter, b.rect.adjusted(-4, -4, 4, 4), 12, {}, t["focus"], 1.8);
    for (int body : b.bodies) {
      const PlanArea& area = plan_.areas[static_cast<size_t>(body)];
      rounded(painter, area.rect, 6,
              t.is_dark() ? with_alpha(t["panel"], 0.85) : with_alpha(t["window"], 0.9), t["hairline"], 1);
      clusters_of(body);
      if (!text) continue;
      const bool then = area.title == QStringLiteral("then");
      const QFont font = t.ui(-1, QFont::Medium);
      text_in(painter, QRectF(area.rect.left() + 12, area.rect.top() + 3, area.rect.width() - 20, 22),
              area.title, then ? t["green"] : t["dim"], font);
      const double after = area.rect.left() + 12 + QFontMetricsF(font).horizontalAdvance(area.title) + 10;
      text_in(painter, QRectF(after, area.rect.top() + 3, area.rect.right() - after - 8, 22), area.detail,
              t["faint"], t.ui(-1));
    }
    if (!text) continue;
    triangle(painter, b.rect.topLeft() + QPointF(17, 18), true, ink);
    const QFont strong = t.ui(0, QFont::DemiBold);
    const double title = std::min(QFontMetricsF(strong).horizontalAdvance(b.title) + 2, b.rect.width() - 40);
    text_in(painter, QRectF(b.rect.left() + 26, b.rect.top() + 6, title, 24), b.title, ink, strong);
    text_in(painter, QRectF(b.rect.left() + 36 + title, b.rect.top() + 6, b.rect.width() - title - 48, 24),
            b.subtitle, ink, t.code(-1));
  }
}

void GraphCanvas::draw_edges(QPainter& painter, const QRectF& seen) const {
  const Theme& t = theme();
  painter.setRenderHint(QPainter::Antialiasing, true);
  const bool labels = labels_ && scale_ >= kLabelScale;
  const QColor chosen = t[plan_.compared ? "focus" : "amber"];
  // An edge of a node that only one graph has belongs to that graph.
  const auto ink_of = [&](const PlanEdge& e) {
    for (int end : {e.from, e.to}) {
      const PlanBox& box = plan_.boxes[static_cast<size_t>(end)];
      if (box.mark >= PlanBox::Mark::kOnlyLeft) return with_alpha(t[mark_tone(box)], 0.75);
    }
    return e.control ? with_alpha(t["edge"], 0.55) : t["edge"];
  };
  std::vector<const PlanEdge*> bright;
  const auto draw = [&](const PlanEdge& e, const QColor& color, double width, bool lit) {
    QPen pen(color, width);
    if (e.control || e.cut) pen.setStyle(e.control ? Qt::DotLine : Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path_of(e.curve));
    if (scale_ < 0.25) return;
    arrow_head(painter, e.curve.back(), e.curve[e.curve.size() - 2], color);
    if (labels && !e.label.isEmpty() && (!e.cut || lit)) {
      const size_t piece = (e.curve.size() / 3) / 2 * 3;
      const size_t at = std::min(piece, e.curve.size() - 4);
      // The midpoint of the middle segment.
      const QPointF middle = (e.curve[at] + 3 * e.curve[at + 1] + 3 * e.curve[at + 2] + e.curve[at + 3]) / 8;
      text_in(painter, QRectF(middle.x() + 7, middle.y() - 9, 150, 18), e.label,
              lit ? chosen : t["faint"], t.code(-1));
    }
  };
  for (const PlanEdge& e : plan_.edges) {
    if (e.curve.size() < 4) continue;
    const bool lit = selected_.contains(e.from) || selected_.contains(e.to);
    const bool near_hover = hovered_ >= 0 && (e.from == hovered_ || e.to == hovered_);
    if (lit || near_hover) {
      bright.push_back(&e);
      continue;
    }
    QRectF around(e.curve.front(), e.curve.back());
    around = around.normalized().adjusted(-80, -20, 80, 20);
    if (!around.intersects(seen)) continue;
    if (e.cut) {
      // The stub of a hub's edge: a short tick above its reader.
      painter.setPen(QPen(t["edge"], 1.2));
      painter.drawLine(e.curve.back(), e.curve.back() - QPointF(0, 9));
      continue;
    }
    draw(e, ink_of(e), 1.3, false);
  }
  for (const PlanEdge* e : bright) {
    const bool lit = selected_.contains(e->from) || selected_.contains(e->to);
    draw(*e, lit ? chosen : t["dim"], lit ? 2 : 1.5, lit);
  }
}

void GraphCanvas::draw_boxes(QPainter& painter, const QRectF& seen) const {
  const Theme& t = theme();
  if (scale_ < kTextScale) {
    // One batch per colour: a hundred thousand boxes take only a few draw calls.
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    std::map<QRgb, QVector<QRectF>> batches;
    for (size_t i = 0; i < plan_.boxes.size(); ++i) {
      const PlanBox& b = plan_.boxes[i];
      if (!b.bodies.empty() || !b.rect.intersects(seen)) continue;
      const char* tone = mark_tone(b);
      QColor color = tone ? t.color(QLatin1String(tone) + QStringLiteral("Fill"))
                     : plan_.compared ? t["greySoft"] : t.family_fill(b.family.toStdString());
      if (selected_.contains(static_cast<int>(i))) color = t[plan_.compared ? "focus" : "amber"];
      batches[color.rgb()].push_back(b.rect);
    }
    for (const auto& [color, rects] : batches) {
      painter.setBrush(QColor(color));
      painter.drawRects(rects);
    }
    return;
  }
  for (size_t i = 0; i < plan_.boxes.size(); ++i) {
    const PlanBox& b = plan_.boxes[i];
    if (!b.bodies.empty() || !b.rect.intersects(seen)) continue;
    const bool chosen = selected_.contains(static_cast<int>(i));
    const bool over = hovered_ == static_cast<int>(i);
    const QColor stripe = b.kind == PlanBox::Kind::kScope ? t["blue"] : t.family_fill(b.family.toStdString());
    if (b.kind == PlanBox::Kind::kScope) {
      // A folded scope is drawn as a stack.
      rounded(painter, b.rect.translated(4, 4), 6, t["panel"], t["hairline"], 1);
    }
    const char* tone = mark_tone(b);
    QColor fill = t[over ? "hover" : t.is_dark() ? "raised" : "panel"];
    QColor line = t["hairline"];
    if (tone) line = with_alpha(t[tone], b.follows ? 0.45 : 1);
    else if (chosen && !plan_.compared) line = t["amber"];
    if (b.mark >= PlanBox::Mark::kOnlyLeft && !over) fill = t.color(soft(tone));
    rounded(painter, b.rect, 6, fill, line, tone && !b.follows ? 1.8 : chosen && !plan_.compared ? 2.2 : 1);
    if (chosen && plan_.compared) rounded(painter, b.rect.adjusted(-4, -4, 4, 4), 9, {}, t["focus"], 1.8);
    painter.save();
    QPainterPath clip;
    clip.addRoundedRect(b.rect.adjusted(1, 1, -1, -1), 5, 5);
    painter.setClipPath(clip);
    painter.fillRect(QRectF(b.rect.left(), b.rect.top(), 5, b.rect.height()), stripe);
    painter.restore();
    double left = b.rect.left() + 15;
    if (b.expandable) {
      triangle(painter, QPointF(left + 3, b.rect.top() + 15), false, t["dim"]);
      left += 13;
    }
    const bool single = b.subtitle.isEmpty();
    text_in(painter,
            QRectF(left, b.rect.top() + (single ? 0 : 4), b.rect.right() - left - 8,
                   single ? b.rect.height() : 20),
            b.title, t["text"], t.ui(0, QFont::DemiBold));
    if (!single) {
      text_in(painter, QRectF(b.rect.left() + 15, b.rect.top() + 22, b.rect.width() - 22, 18), b.subtitle,
              b.mark == PlanBox::Mark::kChanged && !b.follows ? t["amber"] : t["dim"], t.code(-1));
    }
  }
}

void GraphCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = theme();
  painter.fillRect(rect(), t[surface_]);
  if (plan_.boxes.empty()) {
    painter.setFont(t.ui());
    painter.setPen(t["faint"]);
    painter.drawText(rect().adjusted(40, 0, -40, 0), Qt::AlignCenter | Qt::TextWordWrap, message_);
    return;
  }
  painter.save();
  painter.translate(offset_);
  painter.scale(scale_, scale_);
  const QRectF seen = visible_world();
  draw_frames(painter, seen);
  draw_edges(painter, seen);
  draw_boxes(painter, seen);
  painter.restore();
  if (busy_) {
    rounded(painter, QRectF(width() / 2.0 - 60, 10, 120, 26), 13, t["raised"], t["hairline"]);
    text_in(painter, QRectF(width() / 2.0 - 60, 10, 120, 26), QString::fromUtf8("laying out …"), t["dim"],
            t.ui(-1), Qt::AlignCenter);
  }
  if (hasFocus()) rounded(painter, QRectF(rect()).adjusted(1, 1, -1, -1), 4, {}, with_alpha(t["focus"], 0.35), 1);
}

}  // namespace footlight::app
