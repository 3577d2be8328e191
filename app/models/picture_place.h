// Whether a picture may be written to a file: what is no picture of its kind stays, as it does for the command line.
#pragma once

#include <QString>

namespace footlight::app {

// What exists at the path, in words ("a recording", "a device"), if a picture with this ending must not replace it;
// empty: it may be written. Links are not followed.
QString kept_there(const QString& path);

// The same of what a link leads to, as a sentence for somebody who chose the file in a dialog.
QString why_not_saved(const QString& path);

}  // namespace footlight::app
