// Pictures of the window without a display: one, or one of every view.
#pragma once

#include <QSize>
#include <QString>

namespace footlight::app {

struct ScreenshotRequest {
  QString out;     // a .png file, or a folder for a picture of every view
  QString view;    // view for a file; empty: the view that the window opens with
  QString session;
  QString select;  // "#3;train.py:12"
  QSize size;
};

// The exit status; problems are said on stderr.
int take_screenshots(const ScreenshotRequest& request);

}  // namespace footlight::app
