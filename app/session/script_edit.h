// Changes a script on disk, only if it still is what was recorded.
#pragma once

#include <QString>

namespace footlight::app {

// Replaces the file as a whole, so that no reader sees half of it. Returns why not, for the user; empty: done.
QString replace_text(const QString& path, const QString& expected, const QString& text);

}  // namespace footlight::app
