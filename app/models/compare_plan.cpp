// Writes the plan of a comparison as arguments of `footlight record`, and as sentences for the window.
#include "app/models/compare_plan.h"

#include "app/models/text.h"

#include <algorithm>

namespace footlight::app {

QStringList words_of(const ComparePlan& plan) {
  return {QStringLiteral("--compare"), plan.function + QLatin1Char(':') + QString::number(plan.call),
          QStringLiteral("--compare-pairs"), QString::number(plan.pairs), QStringLiteral("--compare-seconds"),
          QString::number(plan.seconds)};
}

QString promise_of(const ComparePlan& plan, const Document& document) {
  QString script = file_name(document.run.script);
  for (const std::string& word : document.run.arguments) script += QLatin1Char(' ') + q(word);
  const QString name = plan.function.isEmpty() ? QStringLiteral("a traced function") : plan.function;
  const QString which =
      plan.call == 1 ? QStringLiteral("the first time") : QStringLiteral("time number ") + count_text(plan.call);
  return QStringLiteral("Footlight runs %1 again. After it has called %2 for %3, that call is repeated with the same "
                        "arguments, alternately eagerly and traced, up to %4 times each and for at most about %5 s. "
                        "Variables and random state are put back before each repetition. Then the script continues.")
      .arg(script.isEmpty() ? QStringLiteral("the script") : script, name, which, QString::number(plan.pairs),
           QString::number(plan.seconds));
}

QStringList effects_of(const Document& document, FunctionId function) {
  QStringList found;
  for (const session::ObservationRecord& o : document.observations) {
    if (o.function != function) continue;
    QString text;
    switch (o.kind) {
      case session::ObservationKind::kSideEffect: text = QStringLiteral("changes "); break;
      case session::ObservationKind::kPythonCall: text = QStringLiteral("calls Python"); break;
      case session::ObservationKind::kTensorLeak: text = QStringLiteral("keeps a tensor in "); break;
      default: continue;
    }
    if (o.kind != session::ObservationKind::kPythonCall) text += q(o.path);
    if (const QString place = document.place_text({o.file, o.line}); !place.isEmpty())
      text += QStringLiteral(" (%1)").arg(place);
    if (!found.contains(text)) found << text;
  }
  return found;
}

qulonglong calls_to_choose(const Document& document, FunctionId function) {
  return std::max<qulonglong>(1, document.calls_of(function).calls);
}

}  // namespace footlight::app
