// View state of the graph canvas: pan and zoom, hits, keys, and the minimap.
#include "app/views/graph_canvas.h"

#include "app/views/labels.h"
#include "app/views/paint.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {
constexpr double kLeast = 0.02, kMost = 3;
constexpr double kMargin = 28;
}  // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(200, 120);
  setAccessibleName(QStringLiteral("Graph"));
}

void GraphCanvas::set_plan(const GraphPlan& plan, const QString& keep, bool another) {
  QPointF held;
  bool hold = false;
  const int before = keep.isEmpty() ? -1 : plan_.box_with_key(keep);
  if (before >= 0 && !another) {
    held = to_screen(plan_.boxes[static_cast<size_t>(before)].rect.topLeft());
    hold = true;
  }
  plan_ = plan;
  selected_.clear();
  hovered_ = -1;
  const int after = hold ? plan_.box_with_key(keep) : -1;
  if (after >= 0) {
    offset_ += held - to_screen(plan_.boxes[static_cast<size_t>(after)].rect.topLeft());
    moved();
  } else if (another || !fitted_) {
    fit_readable();
  } else {
    moved();
  }
}

void GraphCanvas::moved() {
  update();
  Q_EMIT view_changed();
}

QRectF GraphCanvas::visible_world() const { return {to_world({0, 0}), to_world(QPointF(width(), height()))}; }

void GraphCanvas::fit() {
  if (plan_.boxes.empty() || width() < 50 || height() < 50) return;
  const double room = std::max(160.0, static_cast<double>(width() - right_margin_));
  scale_ = std::clamp(std::min((room - 2 * kMargin) / std::max(1.0, plan_.bounds.width()),
                               (height() - 2 * kMargin) / std::max(1.0, plan_.bounds.height())), kLeast, 1.0);
  offset_ = QPointF((room - plan_.bounds.width() * scale_) / 2,
                    std::max(kMargin * 0.6, (height() - plan_.bounds.height() * scale_) / 2)) -
            plan_.bounds.topLeft() * scale_;
  fitted_ = true;
  moved();
}

void GraphCanvas::fit_readable() {
  fit();
  touched_ = false;
  constexpr double readable = 0.55;
  if (plan_.boxes.empty() || scale_ >= readable) return;
  const double room = width() - right_margin_;
  scale_ = 0.75;
  offset_ = QPointF(room / 2 - plan_.bounds.center().x() * scale_, kMargin * 0.6 - plan_.bounds.top() * scale_);
  // Start at the first row of a wide graph, which need not be in the middle.
  if (plan_.bounds.width() * scale_ > room) {
    const auto top =
        std::min_element(plan_.boxes.begin(), plan_.boxes.end(),
                         [](const PlanBox& a, const PlanBox& b) { return a.rect.top() < b.rect.top(); });
    offset_.setX(room / 2 - top->rect.center().x() * scale_);
  }
  moved();
}

int GraphCanvas::primary() const {
  return selected_.isEmpty() ? -1 : *std::min_element(selected_.begin(), selected_.end());
}

void GraphCanvas::frame_selected() {
  if (selected_.isEmpty()) {
    fit();
    return;
  }
  QRectF all;
  for (int b : selected_) all = all.united(plan_.boxes[static_cast<size_t>(b)].rect);
  const double room = width() - right_margin_;
  scale_ = std::clamp(std::min((room - 4 * kMargin) / std::max(1.0, all.width()),
                               (height() - 4 * kMargin) / std::max(1.0, all.height())),
                      kLeast, 1.0);
  offset_ = QPointF(room / 2, height() / 2.0) - all.center() * scale_;
  touched_ = true;
  moved();
}

void GraphCanvas::reveal_selected() {
  const int box = primary();
  if (box < 0) return;
  const QRectF rect = plan_.boxes[static_cast<size_t>(box)].rect;
  const QRectF on_screen(to_screen(rect.topLeft()), to_screen(rect.bottomRight()));
  const QRectF room(8, 8, width() - 16 - right_margin_, height() - 16);
  if (room.intersects(on_screen) && (room.contains(on_screen) || on_screen.width() > room.width())) return;
  if (scale_ < 0.4) scale_ = 0.75;
  centre_on(rect.center());
}

void GraphCanvas::centre_on(QPointF world) {
  offset_ = QPointF((width() - right_margin_) / 2.0, height() / 2.0) - world * scale_;
  touched_ = true;
  moved();
}

void GraphCanvas::zoom(double factor, QPointF at) {
  const QPointF world = to_world(at);
  scale_ = std::clamp(scale_ * factor, kLeast, kMost);
  offset_ = at - world * scale_;
  touched_ = true;
  moved();
}

void GraphCanvas::set_selected(const QSet<int>& boxes) {
  if (selected_ == boxes) return;
  selected_ = boxes;
  const int box = primary();
  if (box >= 0) {
    const PlanBox& b = plan_.boxes[static_cast<size_t>(box)];
    int inputs = 0, readers = 0;
    for (const PlanEdge& e : plan_.edges) inputs += e.to == box, readers += e.from == box;
    setAccessibleDescription(
        QStringLiteral("%1, %2, %3 inputs, %4 readers").arg(b.title, b.subtitle).arg(inputs).arg(readers) +
        (b.note.isEmpty() ? QString() : QStringLiteral(", ") + b.note));
  }
  update();
}

int GraphCanvas::box_at(QPointF screen) const {
  const QPointF world = to_world(screen);
  for (size_t i = plan_.boxes.size(); i-- > 0;) {
    const PlanBox& b = plan_.boxes[i];
    if (!b.rect.contains(world)) continue;
    // Only the header of an open box counts as the box; the rest is its content.
    if (!b.bodies.empty() && world.y() > b.rect.top() + 34) continue;
    return static_cast<int>(i);
  }
  return -1;
}

int GraphCanvas::cluster_header_at(QPointF screen) const {
  const QPointF world = to_world(screen);
  for (size_t i = plan_.clusters.size(); i-- > 0;) {
    QRectF head = plan_.clusters[i].rect;
    head.setHeight(26);
    if (head.contains(world)) return static_cast<int>(i);
  }
  return -1;
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  press_ = event->position();
  press_offset_ = offset_;
  pressed_ = true;
  dragging_ = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (pressed_ && (event->buttons() & (Qt::LeftButton | Qt::MiddleButton))) {
    if (!dragging_ && (event->position() - press_).manhattanLength() > 4) {
      dragging_ = true;
      setCursor(Qt::ClosedHandCursor);
    }
    if (dragging_) {
      offset_ = press_offset_ + event->position() - press_;
      touched_ = true;
      moved();
    }
    return;
  }
  const int over = box_at(event->position());
  if (over != hovered_) {
    hovered_ = over;
    setCursor(over >= 0 || cluster_header_at(event->position()) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
  }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  pressed_ = false;
  if (dragging_) {
    dragging_ = false;
    setCursor(Qt::ArrowCursor);
    return;
  }
  if (event->button() != Qt::LeftButton) return;
  const int box = box_at(event->position());
  if (box >= 0) {
    const PlanBox& b = plan_.boxes[static_cast<size_t>(box)];
    // The triangle opens at once; elsewhere a click selects.
    if (b.expandable && to_world(event->position()).x() < b.rect.left() + 26 && scale_ >= 0.4) {
      Q_EMIT box_toggled(box);
    } else {
      Q_EMIT box_activated(box);
    }
    return;
  }
  const int cluster = cluster_header_at(event->position());
  if (cluster >= 0) {
    Q_EMIT cluster_toggled(cluster);
  } else {
    Q_EMIT background_clicked();
  }
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  const int box = box_at(event->position());
  if (box >= 0 && plan_.boxes[static_cast<size_t>(box)].expandable) Q_EMIT box_toggled(box);
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ShiftModifier) {
    offset_ += QPointF(event->angleDelta().y(), event->angleDelta().x()) * 0.5;
    moved();
  } else {
    zoom(std::pow(1.0015, event->angleDelta().y()), event->position());
  }
  event->accept();
}

void GraphCanvas::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void GraphCanvas::resizeEvent(QResizeEvent*) {
  if (!fitted_ || !touched_) {
    fit_readable();
    // Keep the selected box in view.
    if (!selected_.isEmpty()) reveal_selected(), touched_ = false;
  }
  Q_EMIT view_changed();
}

bool GraphCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int box = box_at(help->pos());
    if (box >= 0) {
      const PlanBox& b = plan_.boxes[static_cast<size_t>(box)];
      QStringList lines{b.title};
      for (const QString& line : {b.subtitle, b.note})
        if (!line.isEmpty()) lines << line;
      show_tip(help->globalPos(), lines.join(QLatin1Char('\n')), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

// Down and Up follow edges to the nearest reader or input, Left and Right move along the row.
void GraphCanvas::walk(int key) {
  int from = primary();
  if (plan_.boxes.empty()) return;
  if (from < 0) {
    const auto top = std::min_element(plan_.boxes.begin(), plan_.boxes.end(), [](const PlanBox& a, const PlanBox& b) {
      return std::pair(a.rect.top(), a.rect.left()) < std::pair(b.rect.top(), b.rect.left());
    });
    Q_EMIT box_activated(static_cast<int>(top - plan_.boxes.begin()));
    return;
  }
  const QRectF here = plan_.boxes[static_cast<size_t>(from)].rect;
  int best = -1;
  double least = 1e18;
  const auto consider = [&](int box, double distance) {
    if (distance < least) least = distance, best = box;
  };
  if (key == Qt::Key_Down || key == Qt::Key_Up) {
    for (const PlanEdge& e : plan_.edges) {
      const int other = key == Qt::Key_Down ? (e.from == from ? e.to : -1) : (e.to == from ? e.from : -1);
      if (other < 0) continue;
      const QRectF rect = plan_.boxes[static_cast<size_t>(other)].rect;
      consider(other, std::abs(rect.center().x() - here.center().x()) + (e.control ? 1e6 : 0));
    }
    // Enter an open box, or leave it.
    const PlanBox& box = plan_.boxes[static_cast<size_t>(from)];
    if (best < 0 && key == Qt::Key_Down) {
      for (int body : box.bodies) {
        for (int inner : plan_.areas[static_cast<size_t>(body)].boxes)
          consider(inner, plan_.boxes[static_cast<size_t>(inner)].rect.top());
      }
    }
    if (best < 0 && plan_.areas[static_cast<size_t>(box.area)].owner >= 0)
      best = plan_.areas[static_cast<size_t>(box.area)].owner;
  } else {
    for (size_t i = 0; i < plan_.boxes.size(); ++i) {
      if (static_cast<int>(i) == from || plan_.boxes[i].area != plan_.boxes[static_cast<size_t>(from)].area) continue;
      const QRectF rect = plan_.boxes[i].rect;
      const double dx = rect.center().x() - here.center().x();
      if ((key == Qt::Key_Right) != (dx > 0) || dx == 0) continue;
      consider(static_cast<int>(i), std::abs(dx) + 6 * std::abs(rect.center().y() - here.center().y()));
    }
  }
  if (best >= 0) Q_EMIT box_activated(best);
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
  const QPointF centre(width() / 2.0, height() / 2.0);
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
      if (event->modifiers() & Qt::ShiftModifier) {
        const double step = 60;
        offset_ += QPointF(event->key() == Qt::Key_Left ? step : event->key() == Qt::Key_Right ? -step : 0,
                           event->key() == Qt::Key_Up ? step : event->key() == Qt::Key_Down ? -step : 0);
        moved();
      } else if (event->modifiers() & Qt::AltModifier) {
        QWidget::keyPressEvent(event);
      } else {
        walk(event->key());
      }
      break;
    case Qt::Key_F: frame_selected(); break;
    case Qt::Key_0:
    case Qt::Key_Home: fit(); break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(1.25, centre); break;
    case Qt::Key_Minus: zoom(0.8, centre); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: {
      const int box = primary();
      if (box >= 0 && plan_.boxes[static_cast<size_t>(box)].expandable) Q_EMIT box_toggled(box);
      break;
    }
    case Qt::Key_Escape: Q_EMIT background_clicked(); break;
    default: QWidget::keyPressEvent(event);
  }
}

Minimap::Minimap(GraphCanvas* canvas) : QWidget(canvas), canvas_(canvas) {
  setObjectName(QStringLiteral("floating"));
  setAccessibleName(QStringLiteral("Overview of the graph"));
  setFixedSize(168, 122);
  setCursor(Qt::PointingHandCursor);
  connect(canvas, &GraphCanvas::view_changed, this, qOverload<>(&QWidget::update));
}

double Minimap::factor() const {
  const QRectF all = canvas_->plan().bounds;
  return std::min((width() - 16) / std::max(1.0, all.width()), (height() - 16) / std::max(1.0, all.height()));
}

QPointF Minimap::origin() const {
  const QRectF all = canvas_->plan().bounds;
  return QPointF((width() - all.width() * factor()) / 2, (height() - all.height() * factor()) / 2) -
         all.topLeft() * factor();
}

void Minimap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = theme();
  rounded(painter, rect(), 7, t["panel"], t["hairline"]);
  const double f = factor();
  const QPointF o = origin();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(Qt::NoPen);
  for (const PlanBox& b : canvas_->plan().boxes) {
    const QRectF r(b.rect.topLeft() * f + o,
                   QSizeF(std::max(1.5, b.rect.width() * f), std::max(1.5, b.rect.height() * f)));
    painter.setBrush(b.bodies.empty() ? with_alpha(t["faint"], 0.8) : with_alpha(t["amber"], 0.25));
    painter.drawRect(r);
  }
  const QRectF seen = canvas_->visible_world();
  QRectF frame(seen.topLeft() * f + o, seen.size() * f);
  frame = frame.intersected(QRectF(rect()).adjusted(3, 3, -3, -3));
  rounded(painter, frame, 2, with_alpha(t["amber"], 0.08), t["amber"], 1.2);
}

void Minimap::go(QPointF at) { canvas_->centre_on((at - origin()) / std::max(1e-6, factor())); }
void Minimap::mousePressEvent(QMouseEvent* event) { go(event->position()); }
void Minimap::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) go(event->position());
}

}  // namespace footlight::app
