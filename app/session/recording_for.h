// The recording to read for a file that somebody opens: the file itself, or one that is made of a model.
#pragma once

#include <QString>
#include <QTemporaryDir>

#include <memory>
#include <string>

namespace footlight::app {

// Makes `folder` for a model's recording, which lives as long as it. Throws Error.
std::string recording_for(const QString& path, std::unique_ptr<QTemporaryDir>& folder);

}  // namespace footlight::app
