// The parts of a canvas of Compare are what it says itself.
#include "app/views/compare_access.h"

#include "app/views/part_access.h"

namespace footlight::app {
namespace {

class PaintedAccess : public PartAccess {
 public:
  explicit PaintedAccess(PaintedParts* canvas) : PartAccess(canvas), canvas_(canvas) {}
  int count() const override { return canvas_->parts(); }
  QString part_name(int part) const override { return canvas_->part_name(part); }
  QString part_description(int part) const override { return canvas_->part_description(part); }
  QRectF part_rect(int part) const override { return canvas_->part_rect(part); }
  int current() const override { return canvas_->current_part(); }
  void act(int part, const QString& action) override {
    if (action == QAccessibleActionInterface::pressAction()) canvas_->press_part(part);
  }

 private:
  PaintedParts* canvas_;
};

}  // namespace

PaintedParts::PaintedParts(QWidget* parent) : QWidget(parent) {
  install_part_access<PaintedParts, PaintedAccess>();
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void PaintedParts::tell_current() { tell_current_part(this); }

}  // namespace footlight::app
