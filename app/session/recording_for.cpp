// A model becomes a recording of its own, in which nothing ran.
#include "app/session/recording_for.h"

#include "engine/base/errors.h"
#include "engine/model/describe.h"

namespace footlight::app {

std::string recording_for(const QString& path, std::unique_ptr<QTemporaryDir>& folder) {
  const std::string file = path.toStdString();
  if (!model::looks_like_model(file)) return file;
  const model::ModelFile found = model::read_model(file);
  folder = std::make_unique<QTemporaryDir>();
  if (!folder->isValid()) throw Error(ErrorKind::kIo, "there is no room for a temporary file");
  const std::string made = folder->filePath(QStringLiteral("model.footlight")).toStdString();
  model::write_session(found, made);
  return made;
}

}  // namespace footlight::app
