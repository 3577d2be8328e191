// Exposes only boxes in view as children: a person can step through these.
#include "app/views/graph_access.h"

#include "app/views/graph_canvas.h"
#include "app/views/part_access.h"

#include <algorithm>
#include <utility>

namespace footlight::app {
namespace {

constexpr int kMaxChildren = 500;

class GraphAccess : public PartAccess {
 public:
  explicit GraphAccess(GraphCanvas* canvas) : PartAccess(canvas), canvas_(canvas) {}

  int count() const override { return static_cast<int>(seen().size()); }
  int part(int index) const override {
    const std::vector<int> boxes = seen();
    return static_cast<size_t>(index) < boxes.size() ? boxes[static_cast<size_t>(index)] : -1;
  }
  bool has(int part) const override { return part >= 0 && static_cast<size_t>(part) < plan().boxes.size(); }
  QString part_name(int part) const override { return box(part).title; }
  QString part_description(int part) const override { return canvas_->spoken(part); }
  QRectF part_rect(int part) const override {
    const QRectF world = box(part).rect;
    return {canvas_->to_screen(world.topLeft()), canvas_->to_screen(world.bottomRight())};
  }
  int current() const override {
    return canvas_->selected().isEmpty() ? -1 : *std::ranges::min_element(canvas_->selected());
  }
  bool selected(int part) const override { return canvas_->selected().contains(part); }
  void add_state(int part, QAccessible::State& state) const override {
    state.expandable = box(part).expandable;
    state.expanded = !box(part).bodies.empty();
    state.collapsed = box(part).expandable && box(part).bodies.empty();
  }
  QStringList actions() const override {
    return {QAccessibleActionInterface::pressAction(), QAccessibleActionInterface::toggleAction()};
  }
  void act(int part, const QString& action) override {
    if (action == QAccessibleActionInterface::pressAction()) Q_EMIT canvas_->box_activated(part);
    else if (action == QAccessibleActionInterface::toggleAction()) Q_EMIT canvas_->box_toggled(part);
  }

 protected:
  int part_at(QPointF point) const override { return canvas_->box_at(point); }

 private:
  const GraphPlan& plan() const { return std::as_const(*canvas_).plan(); }
  const PlanBox& box(int part) const { return plan().boxes[static_cast<size_t>(part)]; }
  std::vector<int> seen() const {
    std::vector<int> boxes;
    const QRectF world = canvas_->visible_world();
    for (size_t i = 0; i < plan().boxes.size() && boxes.size() < kMaxChildren; ++i)
      if (plan().boxes[i].rect.intersects(world)) boxes.push_back(static_cast<int>(i));
    return boxes;
  }

  GraphCanvas* canvas_;
};

}  // namespace

void install_graph_access() { install_part_access<GraphCanvas, GraphAccess>(); }

}  // namespace footlight::app
