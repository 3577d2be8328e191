// "Called from" in the menu of a line of code.
#pragma once

#include "app/models/called_from.h"

#include <QMenu>

#include <functional>

namespace footlight::app {

// Adds the submenu; `go` is called with the line that is chosen.
void add_callers_menu(QMenu* menu, const Document& document, SourcePlace place, std::function<void(SourcePlace)> go);

}  // namespace footlight::app
