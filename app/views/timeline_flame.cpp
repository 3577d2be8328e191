// Lays out the boxes below the zoomed one, and moves between them by keys and mouse.
#include "app/views/timeline_flame.h"

#include "app/models/callers_model.h"
#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/paint.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>

namespace footlight::app {
namespace {
constexpr double kRow = 22, kTallest = 44, kMinWidth = 0.6;  // narrower boxes are left out
}

FlameView::FlameView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(QStringLiteral("Flame graph of the range"));
}

void FlameView::set(const Document* document, query::StackTree tree) {
  document_ = document;
  tree_ = std::move(tree);
  current_ = zoomed_ = 0;
  setMinimumHeight(sizeHint().height());
  go(0);
}

int FlameView::rows() const {
  std::vector<int> depth(tree_.frames.size(), 0);
  int deepest = 0;
  for (size_t i = 1; i < depth.size(); ++i) deepest = std::max(deepest, depth[i] = depth[tree_.frames[i].parent] + 1);
  return deepest + 1;
}

QSize FlameView::sizeHint() const { return {400, static_cast<int>(rows() * kRow) + 8}; }

// The frames around the zoomed one, then everything inside it.
void FlameView::lay_out(std::vector<Box>& boxes) const {
  if (tree_.frames.empty()) return;
  std::vector<uint32_t> around;
  for (uint32_t at = zoomed_; at != 0; at = tree_.frames[at].parent) around.push_back(tree_.frames[at].parent);
  double y = 2;
  const double row = std::clamp((height() - 8.0) / rows(), kRow, kTallest);  // few fill the view
  for (auto it = around.rbegin(); it != around.rend(); ++it, y += row)
    boxes.push_back({*it, QRectF(0, y, width(), row - 2)});
  const size_t first = boxes.size();
  boxes.push_back({zoomed_, QRectF(0, y, width(), row - 2)});
  for (size_t i = first; i < boxes.size(); ++i) {
    const query::Frame& frame = tree_.frames[boxes[i].frame];
    const QRectF outer = boxes[i].rect;
    double x = outer.left();
    for (const uint32_t child : frame.children) {
      const double wide = outer.width() * static_cast<double>(tree_.frames[child].total) /
                          static_cast<double>(std::max<int64_t>(1, frame.total));
      if (wide < kMinWidth) break;  // the others are narrower
      boxes.push_back({child, QRectF(x, outer.top() + row, wide, row - 2)});
      x += wide;
    }
  }
}

std::optional<uint32_t> FlameView::at(QPointF point) const {
  std::vector<Box> boxes;
  lay_out(boxes);
  for (const Box& box : boxes) {
    if (box.rect.contains(point)) return box.frame;
  }
  return {};
}

QString FlameView::describe(uint32_t number) const {
  if (!document_ || number >= tree_.frames.size()) return {};
  const query::Frame& f = tree_.frames[number];
  const QString dot = QString::fromUtf8(" · ");
  QString text = frame_name(*document_, tree_.phases, f.kind, f.what) + QStringLiteral("  ") + duration_text(f.total) +
                 dot + share_text(f.total, tree_.frames.front().total);
  if (f.self > 0 && f.self < f.total) text += dot + duration_text(f.self) + QStringLiteral(" of its own time");
  if (f.count) text += dot + counted(f.count, "time", "times");
  return text;
}

void FlameView::go(uint32_t frame) {
  current_ = frame;
  setAccessibleDescription(describe(frame));
  update();
}

void FlameView::zoom(uint32_t frame) {
  zoomed_ = frame;
  go(frame);
}

QColor FlameView::color_of(const query::Frame& frame) const {
  const Theme& t = theme();
  switch (frame.kind) {
    case query::FrameKind::kFunction: return t["tealFill"];
    case query::FrameKind::kTracing: return t["amberFill"];
    case query::FrameKind::kPhase: {
      const std::string name = frame.what < tree_.phases.size() ? tree_.phases[frame.what] : std::string();
      return name == "python" || name == "record" ? t["greyFill"] : name == "autograph" ? t["blueFill"] : t["pinkFill"];
    }
    case query::FrameKind::kGraph: return t["pinkFill"];
    case query::FrameKind::kOp: {
      session::OpNumber op;
      op.value = frame.what;
      return t.family_fill(document_->op(op).family);
    }
    default: return t["greyFill"];
  }
}

void FlameView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = theme();
  if (!document_ || tree_.frames.size() < 2) {
    text_in(painter, rect(), QStringLiteral("Nothing ran in this range."), t["faint"], t.ui(), Qt::AlignCenter);
    return;
  }
  std::vector<Box> boxes;
  lay_out(boxes);
  const QFont font = t.ui(-2, QFont::Medium);
  bool inside = false;  // from the zoomed one on
  for (const Box& box : boxes) {
    inside = inside || box.frame == zoomed_;
    const query::Frame& frame = tree_.frames[box.frame];
    const QRectF inner = box.rect.adjusted(0, 0, box.rect.width() > 3 ? -1 : 0, 0);
    rounded(painter, inner, std::min(3.0, inner.width() / 4), color_of(frame));
    if (inner.width() > 22)
      text_in(painter, inner.adjusted(5, 0, -3, 0),
              frame_name(*document_, tree_.phases, frame.kind, frame.what) + QStringLiteral("  ") +
                  duration_text(frame.total),
              t["onFill"], font);
    // The room that its children leave.
    int64_t below = 0;
    for (const uint32_t child : frame.children) below += tree_.frames[child].total;
    const double used = box.rect.width() * static_cast<double>(below) /
                        static_cast<double>(std::max<int64_t>(1, frame.total));
    const QRectF own(box.rect.left() + used + 8, box.rect.bottom() + 2, box.rect.width() - used - 8, box.rect.height());
    if (inside && frame.kind == query::FrameKind::kFunction && frame.self > 0 && own.width() > 120)
      text_in(painter, own, duration_text(frame.self) + QStringLiteral(" of its own time: Python, dispatch"),
              t["faint"], font);
    if (box.frame == current_) rounded(painter, inner.adjusted(1, 1, -1, -1), 3, {}, t["text"], 1.6);
  }
  if (hasFocus()) focus_ring(painter, this);
}

void FlameView::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (const auto frame = at(event->position())) go(*frame);
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const auto frame = at(event->position())) zoom(*frame);
}

void FlameView::keyPressEvent(QKeyEvent* event) {
  if (tree_.frames.empty()) return QWidget::keyPressEvent(event);
  const query::Frame& frame = tree_.frames[current_];
  const std::vector<uint32_t>& beside = tree_.frames[frame.parent].children;
  const auto here = std::find(beside.begin(), beside.end(), current_);
  switch (event->key()) {
    case Qt::Key_Up: go(frame.parent); break;
    case Qt::Key_Down:
      if (!frame.children.empty()) go(frame.children.front());
      break;
    case Qt::Key_Left:
      if (current_ != 0 && here != beside.begin()) go(*(here - 1));
      break;
    case Qt::Key_Right:
      if (current_ != 0 && here + 1 < beside.end()) go(*(here + 1));
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter: zoom(current_); break;
    case Qt::Key_Backspace:
    case Qt::Key_Home: zoom(event->key() == Qt::Key_Home ? 0 : tree_.frames[zoomed_].parent); break;
    default: QWidget::keyPressEvent(event);
  }
}

bool FlameView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto frame = at(help->pos());
    if (frame) show_tip(help->globalPos(), describe(*frame), this);
    else QToolTip::hideText();
    return true;
  }
  return QWidget::event(event);
}

}  // namespace footlight::app
