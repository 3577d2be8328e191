// The recording to read for a file that somebody opens: the file itself, or one that is made of a model or of what
// another program recorded.
#pragma once

#include <QString>
#include <QTemporaryDir>

#include <functional>
#include <memory>
#include <string>

namespace footlight::app {

// Makes `folder` for such a recording, which lives as long as it. `go_on` is told the share of an import that is done;
// false ends it. Throws Error.
std::string recording_for(const QString& path, std::unique_ptr<QTemporaryDir>& folder,
                          const std::function<bool(double)>& go_on);

}  // namespace footlight::app
