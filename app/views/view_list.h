// The views of the centre, one entry each: tabs, menu, palette, settings, `--view` and its help follow from the list.
#pragma once

#include "app/views/view.h"

#include <QStringList>

#include <span>

namespace footlight::app {

struct ViewEntry {
  const char* name;   // for commands and settings
  const char* title;  // of the tab and of the menu's line
  const char* key;    // opens the view
  View* (*make)(const Context&);
  bool (*suits)(const Document&) = nullptr;  // whether the recording has something for it; null: each may have
};

// In the order of the tabs.
std::span<const ViewEntry> view_list();
// What `--view` can show: the views, and the other parts of the window.
QStringList shown_names();

}  // namespace footlight::app
