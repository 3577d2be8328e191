// Why nothing of what is open can be run: no script stands behind it.
#pragma once

#include "app/models/document.h"

#include <QString>

namespace footlight::app {

// A sentence; empty: a script stands behind the recording, or nothing is open.
QString why_not_run(const Document& document);

}  // namespace footlight::app
