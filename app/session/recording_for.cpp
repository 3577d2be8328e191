// A model becomes a recording in which nothing ran; a file of another program is imported.
#include "app/session/recording_for.h"

#include "engine/base/errors.h"
#include "engine/foreign/foreign.h"
#include "engine/model/describe.h"

namespace footlight::app {

std::string recording_for(const QString& path, std::unique_ptr<QTemporaryDir>& folder,
                          const std::function<bool(double)>& go_on) {
  const std::string file = path.toStdString();
  const bool is_foreign = foreign::is_foreign(file);
  if (!is_foreign && !model::looks_like_model(file)) return file;
  const auto make_folder = [&folder](const QString& name) {
    folder = std::make_unique<QTemporaryDir>();
    if (!folder->isValid()) throw Error(ErrorKind::kIo, "there is no room for a temporary file");
    return folder->filePath(name).toStdString();
  };
  if (is_foreign) {
    const std::string made = make_folder(QStringLiteral("imported.footlight"));
    foreign::import_files({file}, made, {go_on});
    return made;
  }
  const model::ModelFile found = model::read_model(file);
  const std::string made = make_folder(QStringLiteral("model.footlight"));
  model::write_session(found, made);
  return made;
}

}  // namespace footlight::app
