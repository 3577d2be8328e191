// View state of the graph canvas: pan and zoom, hits, keys, and the minimap.
#include "app/views/graph_canvas.h"

#include "app/models/graph_paths.h"
#include "app/models/text.h"
#include "app/views/graph_access.h"
#include "app/views/labels.h"
#include "app/views/paint.h"
#include "app/views/part_access.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {
constexpr double kMinScale = 0.02, kMaxScale = 3;
constexpr double kMargin = 28;
constexpr double kReadable = 0.55, kReading = 0.75;  // the least scale for reading, and one for it
constexpr double kOneBox = 0.85;                     // for reading a box that was searched for
}  // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
  install_graph_access();  // first: a name makes Qt ask for the canvas's interface, and keep it
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(200, 120);
  setAccessibleName(QStringLiteral("Graph"));
}

// The place of a box or an open scope with that key; null if none has it.
QRectF GraphCanvas::place_with_key(const QString& key) const {
  const int box = plan_.box_with_key(key);
  if (box >= 0) return plan_.boxes[static_cast<size_t>(box)].rect;
  for (const PlanCluster& c : plan_.clusters)
    if (c.key == key) return c.rect;
  return {};
}

void GraphCanvas::set_plan(const GraphPlan& plan, const QString& keep, bool another) {
  // Something on the screen stays where it is: what was opened or closed, else the box nearest to the middle.
  std::vector<std::pair<QString, QPointF>> held;
  if (!another) {
    const QRectF before = keep.isEmpty() ? QRectF() : place_with_key(keep);
    if (!before.isNull()) {
      held.emplace_back(keep, to_screen(before.topLeft()));
    } else {
      const QPointF middle = to_world(QPointF(width(), height()) / 2);
      const auto distance = [&](const PlanBox& b) { return (b.rect.center() - middle).manhattanLength(); };
      std::vector<const PlanBox*> near;
      for (const PlanBox& b : plan_.boxes)
        if (b.rect.intersects(visible_world())) near.push_back(&b);
      std::ranges::sort(near, {}, [&](const PlanBox* b) { return distance(*b); });
      for (const PlanBox* b : near) held.emplace_back(b->key, to_screen(b->rect.topLeft()));
    }
  }
  plan_ = plan;
  selected_.clear();
  found_.clear();
  near_.clear();
  if (another) steps_ = 0;
  hovered_ = -1;
  costs_changed();
  for (const auto& [key, place] : held) {
    const QRectF after = place_with_key(key);
    if (after.isNull()) continue;
    offset_ += place - to_screen(after.topLeft());
    if (key == keep) show_opened(after);
    moved();
    return;
  }
  if (another || !fitted_) fit_readable();
  else moved();
}

// An opened part may be larger than the view: scrolls so that as much of it as fits comes into view.
void GraphCanvas::show_opened(const QRectF& rect) {
  const QRectF on_screen(to_screen(rect.topLeft()), to_screen(rect.bottomRight()));
  const QRectF room(12, 12, width() - 24, height() - 24);
  const auto push = [](double low, double high, double from, double to) {
    if (high - low > to - from) return low > from + (to - from) / 3 ? from - low : 0.0;
    return low < from ? from - low : high > to ? to - high : 0.0;
  };
  offset_ += QPointF(push(on_screen.left(), on_screen.right(), room.left(), room.right()),
                     push(on_screen.top(), on_screen.bottom(), room.top(), room.bottom()));
}

void GraphCanvas::costs_changed() {
  colours_ = GraphColours(plan_, colour_);
  update();
}

void GraphCanvas::set_colour(GraphColour by) {
  colour_ = by;
  costs_changed();
}

void GraphCanvas::set_found(const QSet<int>& boxes) {
  found_ = boxes;
  update();
}

void GraphCanvas::set_steps(int steps) {
  steps_ = selected_.isEmpty() ? 0 : steps;
  near_ = steps_ ? neighbourhood(plan_, selected_, steps_) : QSet<int>();
  Q_EMIT view_changed();
  update();
}

void GraphCanvas::moved() {
  update();
  Q_EMIT view_changed();
}

QRectF GraphCanvas::visible_world() const { return {to_world({0, 0}), to_world(QPointF(width(), height()))}; }

// Small enough to fit the whole graph, however large it is.
double GraphCanvas::least_scale() const {
  const double whole = std::min(width() / std::max(1.0, plan_.bounds.width()),
                                height() / std::max(1.0, plan_.bounds.height()));
  return std::min(kMinScale, 0.5 * whole);
}

void GraphCanvas::fit() {
  if (plan_.boxes.empty() || width() < 50 || height() < 50) return;
  const double room = std::max(160.0, static_cast<double>(width()));
  scale_ = std::clamp(std::min((room - 2 * kMargin) / std::max(1.0, plan_.bounds.width()),
                               (height() - 2 * kMargin) / std::max(1.0, plan_.bounds.height())), least_scale(), 1.0);
  offset_ = QPointF((room - plan_.bounds.width() * scale_) / 2,
                    std::max(kMargin * 0.6, (height() - plan_.bounds.height() * scale_) / 2)) -
            plan_.bounds.topLeft() * scale_;
  fitted_ = true;
  moved();
}

void GraphCanvas::fit_readable() {
  fit();
  touched_ = false;
  if (plan_.boxes.empty() || scale_ >= kReadable) return;
  // Where the width fits, the first rows of a tall graph; else its entry, which need not be in the middle.
  const double room = width(), wide = plan_.bounds.width();
  scale_ = std::clamp((room - 2 * kMargin) / std::max(1.0, wide), kReadable, kReading);
  offset_ = QPointF(room / 2 - plan_.bounds.center().x() * scale_, kMargin * 0.6 - plan_.bounds.top() * scale_);
  const QRectF entry = plan_.boxes[static_cast<size_t>(entry_box())].rect;
  if (wide * scale_ > room) offset_.setX(room / 2 - entry.center().x() * scale_);
  const double below = to_screen(entry.bottomRight()).y() + kMargin - height();
  if (below > 0) offset_.setY(offset_.y() - below);
  moved();
}

// The uppermost parameter of the function; of a graph without any, the uppermost box.
int GraphCanvas::entry_box() const {
  const auto order = [](const PlanBox& b) { return std::pair(!b.is_parameter, b.rect.top()); };
  const auto first = std::ranges::min_element(plan_.boxes, {}, order);
  return static_cast<int>(first - plan_.boxes.begin());
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
  const double room = width();
  scale_ = std::clamp(std::min((room - 4 * kMargin) / std::max(1.0, all.width()),
                               (height() - 4 * kMargin) / std::max(1.0, all.height())),
                      least_scale(), 1.0);
  offset_ = QPointF(room / 2, height() / 2.0) - all.center() * scale_;
  touched_ = true;
  moved();
}

void GraphCanvas::reveal_selected() {
  const int box = primary();
  if (box < 0) return;
  const QRectF rect = plan_.boxes[static_cast<size_t>(box)].rect;
  const QRectF on_screen(to_screen(rect.topLeft()), to_screen(rect.bottomRight()));
  const QRectF room(8, 8, width() - 16, height() - 16);
  if (room.intersects(on_screen) && (room.contains(on_screen) || on_screen.width() > room.width())) return;
  if (scale_ < 0.4) scale_ = 0.75;
  centre_on(rect.center());
}

void GraphCanvas::show_selected_readably() {
  const int box = primary();
  if (box < 0) return;
  if (scale_ >= kReading) return reveal_selected();
  scale_ = kOneBox;
  centre_on(plan_.boxes[static_cast<size_t>(box)].rect.center());
}

void GraphCanvas::centre_on(QPointF world) {
  offset_ = QPointF(width() / 2.0, height() / 2.0) - world * scale_;
  touched_ = true;
  moved();
}

void GraphCanvas::zoom(double factor, QPointF at) {
  const QPointF world = to_world(at);
  scale_ = std::clamp(scale_ * factor, least_scale(), kMaxScale);
  offset_ = at - world * scale_;
  touched_ = true;
  moved();
}

void GraphCanvas::set_selected(const QSet<int>& boxes) {
  if (selected_ == boxes) return;
  selected_ = boxes;
  if (steps_) set_steps(steps_);
  const int box = primary();
  if (box >= 0) {
    setAccessibleDescription(spoken(box));
    tell_current_part(this);
  }
  update();
}

QString GraphCanvas::spoken(int box) const {
  const PlanBox& b = plan_.boxes[static_cast<size_t>(box)];
  uint64_t inputs = 0, readers = 0;
  for (const PlanEdge& e : plan_.edges) inputs += e.to == box, readers += e.from == box;
  QStringList words{b.title, b.subtitle, QStringLiteral("%1 inputs").arg(count_text(inputs)),
                    QStringLiteral("%1 readers").arg(count_text(readers))};
  if (b.cost_ns >= 0) words << duration_text(b.cost_ns);
  if (!b.numbers_text.isEmpty()) words << b.numbers_text;
  for (const PlanChip& chip : b.chips)
    words << (chip.kind == PlanChip::Kind::kVariable ? QStringLiteral("variable ")
                                                     : QStringLiteral("gradient ")) +
                 chip.text;
  if (!b.note.isEmpty()) words << b.note;
  if (b.expandable) words << (b.bodies.empty() ? QStringLiteral("closed") : QStringLiteral("open"));
  return words.join(QStringLiteral(", "));
}

QRectF GraphCanvas::chip_rect(const PlanBox& box, size_t chip) {
  double left = box.rect.left() + 13;
  const auto room_of = [&](size_t k) { return 6.6 * static_cast<double>(box.chips[k].text.size()) + 20; };
  double all = 0;
  for (size_t k = 0; k < box.chips.size(); ++k) all += room_of(k);
  const double scale = std::min(1.0, (box.rect.width() - 24) / all);  // a box has a greatest width
  for (size_t k = 0; k < chip; ++k) left += scale * room_of(k);
  const double wide = scale * room_of(chip) - 6;
  const double top = box.bodies.empty() ? box.rect.top() + 43 : box.rect.top() + 8;
  return QRectF(left, top, std::max(20.0, std::min(wide, box.rect.right() - left - 6)), 17);
}

const PlanChip* GraphCanvas::chip_at(QPointF screen) const {
  const int at = scale_ < 0.4 ? -1 : box_at(screen);
  if (at < 0) return nullptr;
  const PlanBox& box = plan_.boxes[static_cast<size_t>(at)];
  if (!box.bodies.empty()) return nullptr;
  for (size_t k = 0; k < box.chips.size(); ++k)
    if (chip_rect(box, k).contains(to_world(screen))) return &box.chips[k];
  return nullptr;
}

// The open repeat that a box lies in, as a cluster; -1.
int GraphCanvas::repeat_around(int box) const {
  if (box < 0) return -1;
  for (int c = plan_.boxes[static_cast<size_t>(box)].cluster; c >= 0; c = plan_.clusters[static_cast<size_t>(c)].parent)
    if (plan_.clusters[static_cast<size_t>(c)].times) return c;
  return -1;
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
  if (const PlanChip* chip = chip_at(event->position())) {
    Q_EMIT chip_activated(chip->graph, chip->node);
    return;
  }
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

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_mouse = event->reason() == QContextMenuEvent::Mouse;
  const int box = by_mouse ? box_at(event->pos()) : primary();
  QPoint at = event->globalPos();
  if (!by_mouse && box >= 0)
    at = mapToGlobal(to_screen(plan_.boxes[static_cast<size_t>(box)].rect.center()).toPoint());
  Q_EMIT menu_asked(box, at);
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
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Find)) {
    event->accept();  // it finds in the graph
    return true;
  }
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int box = box_at(help->pos());
    if (const PlanChip* chip = chip_at(help->pos())) {
      const bool variable = chip->kind == PlanChip::Kind::kVariable;
      show_tip(help->globalPos(),
               (variable ? QStringLiteral("Variable ") : QStringLiteral("Gradient: ")) + chip->text, this);
    } else if (box >= 0) {
      const PlanBox& b = plan_.boxes[static_cast<size_t>(box)];
      QStringList lines{b.title};
      if (b.cost_ns >= 0)
        lines << (b.expandable ? QStringLiteral("%1 in total, including what it calls") : QStringLiteral("%1 in total"))
                     .arg(duration_text(b.cost_ns));
      if (b.cost_shared) lines << QStringLiteral("This counts what the same function took where others call it.");
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
    case Qt::Key_F:
      if (event->modifiers() & Qt::ControlModifier) Q_EMIT find_asked();
      else frame_selected();
      break;
    case Qt::Key_Slash: Q_EMIT find_asked(); break;
    case Qt::Key_BracketLeft:
    case Qt::Key_BracketRight: {
      const int repeat = repeat_around(primary());
      if (repeat >= 0) Q_EMIT piece_asked(repeat, event->key() == Qt::Key_BracketRight ? 1 : -1);
      break;
    }
    case Qt::Key_1:
    case Qt::Key_2:
    case Qt::Key_3:
    case Qt::Key_4:
    case Qt::Key_5:
    case Qt::Key_6:
    case Qt::Key_7:
    case Qt::Key_8:
    case Qt::Key_9:
      if (event->modifiers() & ~Qt::KeypadModifier) QWidget::keyPressEvent(event);
      else set_steps(event->key() - Qt::Key_0);
      break;
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
    case Qt::Key_Escape:
      if (steps_) set_steps(0);
      else Q_EMIT background_clicked();
      break;
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
    painter.setBrush(b.bodies.empty() ? with_alpha(t["faint"], 0.8) : with_alpha(t["faint"], 0.2));
    painter.drawRect(r);
  }
  const QRectF seen = canvas_->visible_world();
  QRectF frame(seen.topLeft() * f + o, seen.size() * f);
  frame = frame.intersected(QRectF(rect()).adjusted(3, 3, -3, -3));
  rounded(painter, frame, 2, with_alpha(t["focus"], 0.1), t["focus"], 1.2);
}

void Minimap::go(QPointF at) { canvas_->centre_on((at - origin()) / std::max(1e-6, factor())); }
void Minimap::mousePressEvent(QMouseEvent* event) { go(event->position()); }
void Minimap::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) go(event->position());
}

}  // namespace footlight::app
