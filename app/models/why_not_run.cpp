// Asks what the recording was made of.
#include "app/models/why_not_run.h"

#include "app/models/text.h"

#include "engine/session/nothing_ran.h"

namespace footlight::app {

QString why_not_run(const Document& document) {
  const std::string& engine = document.run.engine;
  const QString open = QStringLiteral(" Open a Python script to run one.");
  if (session::is_model(engine))
    return file_name(document.run.script) + QStringLiteral(" is a model, which cannot be run.") + open;
  if (!session::is_imported(engine)) return {};
  if (session::nothing_ran(engine))
    return file_name(document.run.script) +
           QStringLiteral(" is the text of a graph, without the script that made it: it cannot be run.") + open;
  return QStringLiteral("Another program recorded %1, and the script is not in it: it cannot be run again.")
             .arg(file_name(document.run.script)) + open;
}

}  // namespace footlight::app
