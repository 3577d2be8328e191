// The number of a part is that of the bar in view; areas come after the bars.
#include "app/views/timeline_access.h"

#include "app/views/part_access.h"
#include "app/views/timeline_canvas.h"

namespace footlight::app {
namespace {

class TimelineAccess : public PartAccess {
 public:
  explicit TimelineAccess(TimelineCanvas* canvas) : PartAccess(canvas), canvas_(canvas) {}

  int count() const override { return bars() + static_cast<int>(canvas_->area_count()); }
  QString part_name(int part) const override { return words(part).section(QLatin1Char('\n'), 0, 0); }
  QString part_description(int part) const override { return words(part).section(QLatin1Char('\n'), 1); }
  QRectF part_rect(int part) const override {
    if (part >= bars()) return canvas_->area_rect(static_cast<size_t>(part - bars()));
    return canvas_->rect_of(bar(part)).value_or(QRectF());
  }
  int current() const override {
    const auto& chosen = canvas_->selected();
    for (int i = 0; chosen && i < bars(); ++i)
      if (bar(i).track == chosen->track && bar(i).lane == chosen->lane && bar(i).bar.row == chosen->bar.row) return i;
    return -1;
  }
  void act(int part, const QString& action) override {
    if (part < bars() && action == QAccessibleActionInterface::pressAction()) canvas_->choose(query::Placed(bar(part)));
  }

 private:
  int bars() const { return static_cast<int>(canvas_->bars_in_view().size()); }
  const query::Placed& bar(int part) const { return canvas_->bars_in_view()[static_cast<size_t>(part)]; }
  QString words(int part) const {
    return part < bars() ? canvas_->describe(bar(part)) : canvas_->describe_area(static_cast<size_t>(part - bars()));
  }

  TimelineCanvas* canvas_;
};

}  // namespace

void install_timeline_access() { install_part_access<TimelineCanvas, TimelineAccess>(); }

}  // namespace footlight::app
