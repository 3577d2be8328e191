// One action for each line that called.
#include "app/views/callers_menu.h"

#include "app/models/text.h"

namespace footlight::app {

void add_callers_menu(QMenu* menu, const Document& document, SourcePlace place, std::function<void(SourcePlace)> go) {
  menu->addSeparator();
  QMenu* callers = menu->addMenu(QStringLiteral("Called from"));
  const std::vector<CalledFrom> found = called_from(document, place);
  callers->setEnabled(!found.empty());
  for (const CalledFrom& one : found) {
    QString text = document.place_text(one.caller.place);
    if (!one.caller.name.empty()) text += QStringLiteral("  in ") + q(one.caller.name);
    const QString line = document.line_text(one.caller.place).trimmed();
    if (!line.isEmpty()) text += QStringLiteral("    ") + beginning_of(line, 60);
    text.replace(QLatin1Char('&'), QStringLiteral("&&"));
    QObject::connect(callers->addAction(text), &QAction::triggered, menu, [go, at = one.caller.place] { go(at); });
  }
  if (found.empty()) callers->setTitle(QStringLiteral("Called from: nothing was recorded"));
}

}  // namespace footlight::app
