// Shared by the tests of the timeline: the parts of its view, and the sample in it.
#pragma once

#include "tests/app/window_case.h"

namespace footlight::app {

class TimelineCase : public WindowCase {
 protected:
  SampleRun run_ = sample_run();

  TimelineView* view() { return window().timeline(); }
  TimelineCanvas* canvas() { return view()->canvas(); }
  TimelineTable* table() { return view()->table(); }
  void show_timeline() {
    with_sample();
    go_to_view("timeline");
    canvas()->setFocus();
  }
};

}  // namespace footlight::app
