// How the graph canvas draws: frames of scopes and bodies, edges, boxes; small scales without text, in batches.
#include "app/views/graph_canvas.h"

#include "app/models/text.h"
#include "app/views/paint.h"

#include <QPaintEvent>

#include <cmath>
#include <map>
#include <utility>

namespace footlight::app {
namespace {

constexpr double kTextScale = 0.4;   // below this no text
constexpr double kLabelScale = 0.6;
constexpr double kEdgeScale = 0.12;  // below this straight lines

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
    case PlanBox::Mark::kReplaced: return "violet";
    case PlanBox::Mark::kOnlyLeft: return "red";
    case PlanBox::Mark::kOnlyRight: return "green";
    default: return nullptr;
  }
}
QString cost_text(const PlanBox& box) {
  return (box.cost_shared ? QString::fromUtf8("≤ ") : QString()) + duration_text(box.cost_ns);
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
  // Draws from the outside in: a body covers what is below it, and its own scopes are drawn on top of it.
  if (!plan_.areas.empty()) clusters_of(0);
  for (size_t i = 0; i < plan_.boxes.size(); ++i) {
    const PlanBox& b = plan_.boxes[i];
    if (b.bodies.empty() || !b.rect.intersects(seen)) continue;
    const bool chosen = selected_.contains(static_cast<int>(i));
    const char* tone = mark_tone(b);
    const QColor ink = tone ? t[tone] : t["dim"];
    const QColor line = tone ? ink : chosen && !plan_.compared ? t["amber"] : t["hairline"];
    rounded(painter, b.rect, 9, tone ? with_alpha(t.color(soft(tone)), t.is_dark() ? 0.5 : 0.6) : t["panel"], line,
            chosen ? 2.4 : 1.4);
    if (chosen && plan_.compared) rounded(painter, b.rect.adjusted(-4, -4, 4, 4), 12, {}, t["focus"], 1.8);
    for (int body : b.bodies) {
      const PlanArea& area = plan_.areas[static_cast<size_t>(body)];
      rounded(painter, area.rect, 6,
              t.is_dark() ? with_alpha(t["panel"], 0.85) : with_alpha(t["window"], 0.9), t["hairline"], 1);
      clusters_of(body);
      if (!text) continue;
      const QFont font = t.ui(-1, QFont::Medium);
      text_in(painter, QRectF(area.rect.left() + 12, area.rect.top() + 3, area.rect.width() - 20, 22),
              area.title, t["dim"], font);
      const double after = area.rect.left() + 12 + QFontMetricsF(font).horizontalAdvance(area.title) + 10;
      text_in(painter, QRectF(after, area.rect.top() + 3, area.rect.right() - after - 8, 22), area.detail,
              t["faint"], t.ui(-1));
    }
    if (!text) continue;
    triangle(painter, b.rect.topLeft() + QPointF(17, 18), true, ink);
    const QFont strong = t.ui(0, QFont::DemiBold);
    const double title = std::min(QFontMetricsF(strong).horizontalAdvance(b.title) + 2, b.rect.width() - 40);
    text_in(painter, QRectF(b.rect.left() + 26, b.rect.top() + 6, title, 24), b.title, ink, strong);
    text_in(painter,
            QRectF(b.rect.left() + 36 + title, b.rect.top() + 6,
                   b.rect.width() - title - (b.cost_ns > 0 ? 140 : 48), 24),
            b.subtitle, ink, t.code(-1));
    if (b.cost_ns > 0) {
      text_in(painter, QRectF(b.rect.right() - 96, b.rect.top() + 6, 84, 24), cost_text(b), t["dim"],
              t.code(-1), Qt::AlignRight | Qt::AlignVCenter);
    }
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
  QVector<QLineF> far;  // from far away, edges are straight lines in one batch
  const auto draw = [&](const PlanEdge& e, const QColor& color, double width, bool lit) {
    QPen pen(color, width);
    if (e.control || e.cut) pen.setStyle(e.control ? Qt::DotLine : Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path_of(e.curve));
    if (scale_ < 0.25) return;
    arrow_head(painter, e.curve.back(), e.curve[e.curve.size() - 2], color);
    if (labels && !e.label.isEmpty() && (!e.cut || lit) && !faded(e.from) && !faded(e.to)) {
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
    const bool faint = faded(e.from) || faded(e.to);
    if (scale_ < kEdgeScale) {
      if (!e.cut && !faint) far.append(QLineF(e.curve.front(), e.curve.back()));
      continue;
    }
    if (faint && e.cut) continue;
    if (e.cut) {
      // The stub of a hub's edge: a short tick above its reader.
      painter.setPen(QPen(t["edge"], 1.2));
      painter.drawLine(e.curve.back(), e.curve.back() - QPointF(0, 9));
      continue;
    }
    draw(e, faint ? with_alpha(t["edge"], 0.15) : ink_of(e), 1.3, false);
  }
  if (!far.isEmpty()) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(t["edge"], 0));
    painter.drawLines(far);
    painter.setRenderHint(QPainter::Antialiasing, true);
  }
  for (const PlanEdge* e : bright) {
    const bool lit = selected_.contains(e->from) || selected_.contains(e->to);
    draw(*e, lit ? chosen : t["dim"], lit ? 2 : 1.5, lit);
  }
}

// One batch per colour: a hundred thousand boxes take only a few draw calls.
void GraphCanvas::draw_small_boxes(QPainter& painter, const QRectF& seen) const {
  const Theme& t = theme();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(Qt::NoPen);
  std::map<QRgb, QVector<QRectF>> batches;
  for (size_t i = 0; i < plan_.boxes.size(); ++i) {
    const PlanBox& b = plan_.boxes[i];
    if (!b.bodies.empty() || !b.rect.intersects(seen)) continue;
    const char* tone = mark_tone(b);
    QColor color = tone ? t.color(QLatin1String(tone) + QStringLiteral("Fill"))
                   : plan_.compared ? t["greySoft"] : colours_.stripe(b);
    if (faded(static_cast<int>(i))) color = with_alpha(color, 0.2);
    if (found_.contains(static_cast<int>(i))) color = t["focus"];
    if (selected_.contains(static_cast<int>(i))) color = t[plan_.compared ? "focus" : "amber"];
    batches[color.rgba()].push_back(b.rect);
  }
  for (const auto& [color, rects] : batches) {
    painter.setBrush(QColor::fromRgba(color));
    painter.drawRects(rects);
  }
}

void GraphCanvas::draw_chips(QPainter& painter, const PlanBox& b) const {
  const Theme& t = theme();
  for (size_t k = 0; k < b.chips.size(); ++k) {
    const bool variable = b.chips[k].kind == PlanChip::Kind::kVariable;
    const QColor ink = t[variable ? "green" : "dim"];
    const QRectF rect = chip_rect(b, k);
    rounded(painter, rect, 5, with_alpha(ink, 0.12), {}, 0);
    text_in(painter, rect.adjusted(6, 0, -4, 0), b.chips[k].text, ink, t.code(-2));
  }
}

void GraphCanvas::draw_boxes(QPainter& painter, const QRectF& seen) const {
  if (scale_ < kTextScale) {
    draw_small_boxes(painter, seen);
    return;
  }
  const Theme& t = theme();
  for (size_t i = 0; i < plan_.boxes.size(); ++i) {
    const PlanBox& b = plan_.boxes[i];
    if (!b.rect.intersects(seen)) continue;
    const int index = static_cast<int>(i);
    if (found_.contains(index) && !selected_.contains(index))
      rounded(painter, b.rect.adjusted(-3, -3, 3, 3), 8, {}, t["focus"], 1.6);
    if (!b.bodies.empty()) continue;
    const bool chosen = selected_.contains(index);
    const bool over = hovered_ == index;
    painter.setOpacity(faded(index) ? 0.22 : 1);
    if (b.kind != PlanBox::Kind::kNode) {
      // A folded group is drawn as a stack.
      if (b.times) rounded(painter, b.rect.translated(8, 8), 6, t["panel"], t["hairline"], 1);
      rounded(painter, b.rect.translated(4, 4), 6, t["panel"], t["hairline"], 1);
    }
    const char* tone = mark_tone(b);
    QColor fill = t[over ? "hover" : t.is_dark() ? "raised" : "panel"];
    QColor line = t["hairline"];
    if (tone) line = with_alpha(t[tone], b.follows ? 0.45 : 1);
    else if (chosen && !plan_.compared) line = t["amber"];
    if (b.mark >= PlanBox::Mark::kOnlyLeft && !over) fill = t.color(soft(tone));
    rounded(painter, b.rect, 6, fill, line, tone && !b.follows ? 1.8 : chosen && !plan_.compared ? 2.2 : 1);
    const QColor tint = colours_.tint(b);
    if (tint.isValid()) rounded(painter, b.rect.adjusted(1, 1, -1, -1), 5, tint, {}, 0);
    if (chosen && plan_.compared) rounded(painter, b.rect.adjusted(-4, -4, 4, 4), 9, {}, t["focus"], 1.8);
    painter.save();
    QPainterPath clip;
    clip.addRoundedRect(b.rect.adjusted(1, 1, -1, -1), 5, 5);
    painter.setClipPath(clip, Qt::IntersectClip);
    painter.fillRect(QRectF(b.rect.left(), b.rect.top(), 5, b.rect.height()), colours_.stripe(b));
    painter.restore();
    double left = b.rect.left() + 15;
    if (b.expandable) {
      triangle(painter, QPointF(left + 3, b.rect.top() + 15), false, t["dim"]);
      left += 13;
    }
    const bool single = b.subtitle.isEmpty() && b.chips.empty() && b.cost_ns <= 0 && b.numbers_text.isEmpty();
    text_in(painter,
            QRectF(left, b.rect.top() + (single ? 0 : 4), b.rect.right() - left - 8,
                   single ? b.rect.height() : 20),
            b.title, t["text"], t.ui(0, QFont::DemiBold));
    double right = b.rect.right() - 7;
    const bool bad = colour_ == GraphColour::kNumbers && !b.numbers_text.isEmpty();
    if (bad || b.cost_ns > 0) {
      const QString cost = bad ? b.numbers_text : cost_text(b);
      const double wide = QFontMetricsF(t.code(-1)).horizontalAdvance(cost) + 2;
      text_in(painter, QRectF(right - wide, b.rect.top() + 22, wide, 18), cost,
              bad ? t[b.numbers == PlanBox::Numbers::kNan ? "red" : "amber"] : t["dim"], t.code(-1),
              Qt::AlignRight | Qt::AlignVCenter);
      right -= wide + 8;
    }
    if (!single) {
      text_in(painter, QRectF(b.rect.left() + 15, b.rect.top() + 22, right - b.rect.left() - 15, 18), b.subtitle,
              b.mark == PlanBox::Mark::kChanged && !b.follows ? t["amber"] : t["dim"], t.code(-1));
    }
    draw_chips(painter, b);
    painter.setOpacity(1);
  }
}

void GraphCanvas::draw_legend(QPainter& painter) const {
  if (colour_ == GraphColour::kOp || plan_.compared) return;
  const Theme& t = theme();
  const QFont font = t.ui(-1);
  double wide = QFontMetricsF(font).horizontalAdvance(name_of(colour_));
  for (const auto& entry : colours_.legend())
    wide = std::max(wide, QFontMetricsF(font).horizontalAdvance(entry.text) + 22);
  const double high = 24 + 20 * static_cast<double>(colours_.legend().size());
  const QRectF frame(14, height() - high - 44, wide + 28, high + 8);
  rounded(painter, frame, 7, t["panel"], t["hairline"]);
  text_in(painter, QRectF(frame.left() + 12, frame.top() + 4, wide + 10, 20), name_of(colour_), t["faint"], font);
  double y = frame.top() + 26;
  for (const auto& entry : colours_.legend()) {
    rounded(painter, QRectF(frame.left() + 12, y + 4, 12, 12), 3, entry.colour);
    text_in(painter, QRectF(frame.left() + 32, y, wide, 20), entry.text, t["dim"], font);
    y += 20;
  }
}

void GraphCanvas::draw_whole(QPainter& painter) {
  const double scale = std::exchange(scale_, 1.0);
  const QPointF offset = std::exchange(offset_, QPointF(-plan_.bounds.topLeft()));
  const int hovered = std::exchange(hovered_, -1);
  painter.save();
  painter.translate(offset_);
  const QRectF seen = plan_.bounds.adjusted(-20, -20, 20, 20);
  draw_frames(painter, seen);
  draw_edges(painter, seen);
  draw_boxes(painter, seen);
  painter.restore();
  scale_ = scale;
  offset_ = offset;
  hovered_ = hovered;
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
  draw_legend(painter);
  if (busy_) {
    rounded(painter, QRectF(width() / 2.0 - 60, 10, 120, 26), 13, t["raised"], t["hairline"]);
    text_in(painter, QRectF(width() / 2.0 - 60, 10, 120, 26), QString::fromUtf8("Laying out …"), t["dim"],
            t.ui(-1), Qt::AlignCenter);
  }
  if (hasFocus()) rounded(painter, QRectF(rect()).adjusted(1, 1, -1, -1), 4, {}, with_alpha(t["focus"], 0.35), 1);
}

}  // namespace footlight::app
