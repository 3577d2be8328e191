// Asks once the user stops typing, or steps.
#include "app/views/graph_find_bar.h"

#include "app/models/text.h"

namespace footlight::app {

GraphFindBar::GraphFindBar(QWidget* parent)
    : SearchBar(QString::fromUtf8("name, op, attribute, shape, dtype …"),
                QStringLiteral("Finds nodes that contain all of these words"), QStringLiteral("match"), parent) {
  setObjectName(QStringLiteral("floating"));
  setAccessibleName(QStringLiteral("Search in the graph"));
  row()->setContentsMargins(8, 6, 8, 6);
  input()->setMinimumWidth(240);
  patience_.setSingleShot(true);
  patience_.setInterval(120);
  connect(input(), &QLineEdit::textChanged, &patience_, qOverload<>(&QTimer::start));
  connect(&patience_, &QTimer::timeout, this, [this] { Q_EMIT asked(text()); });
}

void GraphFindBar::show_found(size_t at, size_t of) {
  QString words;
  if (!text().trimmed().isEmpty())
    words = !of   ? QStringLiteral("Nothing found")
            : !at ? app::count_text(of)
                  : QStringLiteral("%1 of %2").arg(app::count_text(at), app::count_text(of));
  show_count(words, of > 0);
  adjustSize();
}

void GraphFindBar::step(int by) {
  if (patience_.isActive()) {
    patience_.stop();
    Q_EMIT asked(text());
  }
  Q_EMIT step_asked(by);
}

void GraphFindBar::close_bar() {
  hide();
  Q_EMIT closed();
}

}  // namespace footlight::app
