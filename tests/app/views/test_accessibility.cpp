// Walks what a screen reader sees of the window, in every view: each thing that can be used has a name and a role.
#include "tests/app/window_case.h"

#include "app/views/view_list.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QButtonGroup>
#include <QPlainTextEdit>

#include <ranges>

using namespace footlight;
using namespace footlight::app;

namespace {

bool is_control(QAccessible::Role role) {
  switch (role) {
    case QAccessible::PushButton:
    case QAccessible::ButtonMenu:
    case QAccessible::CheckBox:
    case QAccessible::RadioButton:
    case QAccessible::ComboBox:
    case QAccessible::EditableText:
    case QAccessible::Slider:
    case QAccessible::SpinBox:
    case QAccessible::PageTab:
    case QAccessible::PageTabList:
    case QAccessible::List:
    case QAccessible::Table:
    case QAccessible::Tree:
    case QAccessible::MenuItem:
      return true;
    default:
      return false;
  }
}

struct Walk {
  QStringList nameless, without_role;
  int controls = 0, focusable = 0;

  void visit(QAccessibleInterface* at, const QString& path, int depth = 0) {
    if (!at || !at->isValid() || at->state().invisible || depth > 40) return;
    const QAccessible::Role role = at->role();
    const char* of = at->object() ? at->object()->metaObject()->className() : "item";
    const QString here = path + QLatin1Char('/') + QLatin1String(of);
    const bool takes_keys = at->state().focusable;
    const QString name = at->text(QAccessible::Name);
    if (role == QAccessible::NoRole) without_role << here;
    controls += is_control(role);
    focusable += takes_keys;
    // Rows of a table may be empty, the table itself has a name; scroll areas without keys are only frames.
    const bool cell = role == QAccessible::Cell || role == QAccessible::TreeItem || role == QAccessible::ListItem;
    if ((is_control(role) || (takes_keys && !cell)) && name.isEmpty()) without_name(at, here);
    // The rows of a large table are all alike.
    const int children = std::min(at->childCount(), 200);
    for (int i = 0; i < children; ++i) visit(at->child(i), here, depth + 1);
  }

  void without_name(QAccessibleInterface* at, const QString& here) {
    // Separators of menus are items without a text, and so is the window's own menu bar button of the platform.
    if (at->role() == QAccessible::MenuItem && at->childCount() == 0) return;
    nameless << here + QStringLiteral(" role %1").arg(at->role());
  }
};

}  // namespace

class AccessibilityTest : public WindowCase {
  Q_OBJECT

  void check(const char* what) {
    window().settle();
    Walk walk;
    walk.visit(QAccessible::queryAccessibleInterface(&window()), {});
    QVERIFY2(walk.nameless.isEmpty(), qPrintable(QLatin1String(what) + QStringLiteral(": ") +
                                                 walk.nameless.join(QStringLiteral("\n"))));
    QVERIFY2(walk.without_role.isEmpty(), qPrintable(walk.without_role.join(QStringLiteral("\n"))));
    // The walk has seen the window: menus, Run and Stop, tabs, panels.
    QVERIFY2(walk.controls > 15, qPrintable(QString::number(walk.controls)));
    QVERIFY(walk.focusable > 8);
  }

 private Q_SLOTS:
  void the_welcome_page() { check("welcome"); }

  void every_view() {
    with_sample();
    for (const char* view : view_list() | std::views::transform(&ViewEntry::name)) {
      window().show_view(QLatin1String(view));
      check(view);
    }
    window().show_view(QStringLiteral("console"));
    check("console");
  }

  void a_finding() {
    with_sample();
    window().findings()->open_first();
    QVERIFY(window().finding_is_open());
    check("finding");
  }

  void the_palette() {
    with_sample();
    window().open_palette(QStringLiteral("train"));
    check("palette");
  }

  // The Tab key comes to each control of the window, whatever is shown.
  void every_control_is_reached_by_tab() {
    const auto walk = [&](const QString& what) {
      window().settle();
      QSet<QWidget*> seen;
      QWidget* first = QApplication::focusWidget();
      QVERIFY(first);
      for (int i = 0; i < 200; ++i) {
        QWidget* at = QApplication::focusWidget();
        if (!at || (at == first && !seen.isEmpty())) break;
        seen.insert(at);
        const auto* text = qobject_cast<QPlainTextEdit*>(at);
        const bool takes_tabs = text && !text->isReadOnly() && !text->tabChangesFocus();
        QTest::keyClick(at, Qt::Key_Tab, takes_tabs ? Qt::ControlModifier : Qt::NoModifier);
      }
      QStringList missed;
      for (QWidget* w : window().findChildren<QWidget*>()) {
        const bool control = w->inherits("QAbstractButton") || w->inherits("QLineEdit") || w->inherits("QComboBox") ||
                             w->inherits("QAbstractItemView") || w->inherits("QAbstractSpinBox") ||
                             w->inherits("QTabBar") || (w->focusPolicy() & Qt::TabFocus);
        if (!control || !w->isVisible() || !w->isEnabled() || seen.contains(w)) continue;
        // Parts of a control that has the keys itself: the box in a spin box, the clear button of an input.
        // Of several buttons one of which is down, that one is a stop, and arrows go to the others.
        const auto* button = qobject_cast<QAbstractButton*>(w);
        if (button && button->group() && button->group()->exclusive() && !button->isChecked()) continue;
        bool part = w->inherits("QHeaderView") || w->inherits("QMenuBar") || w->inherits("QTableCornerButton");
        for (QWidget* p = w->parentWidget(); p && !part; p = p->parentWidget())
          part = seen.contains(p) || p->inherits("QMenuBar");
        if (!part) missed << QLatin1String(w->metaObject()->className()) + QLatin1Char(' ') + w->accessibleName() +
                             (button ? button->text() : QString());
      }
      QVERIFY2(missed.isEmpty(), qPrintable(what + QStringLiteral(": ") + missed.join(QStringLiteral(", "))));
    };
    window().setFocus();
    window().welcome()->main_widget()->setFocus();
    walk(QStringLiteral("welcome"));
    with_sample();
    for (const char* view : view_list() | std::views::transform(&ViewEntry::name)) {
      window().show_view(QLatin1String(view));
      walk(QLatin1String(view));
    }
    window().show_view(QStringLiteral("console"));
    walk(QStringLiteral("console"));
    window().findings()->open_first();
    window().finding_page()->setFocus();
    walk(QStringLiteral("finding"));
  }

  // Each stop of the Tab key can be told from the others: something in the picture changes where the keys are.
  void every_stop_shows_that_it_has_the_keys() {
    with_sample();
    QStringList silent;
    for (const char* view : view_list() | std::views::transform(&ViewEntry::name)) {
      go_to_view(view);
      QSet<QWidget*> seen;
      for (int i = 0; i < 60; ++i) {
        QWidget* at = QApplication::focusWidget();
        QVERIFY(at);
        if (seen.contains(at)) break;
        seen.insert(at);
        const QImage with = window().grab().toImage();
        at->clearFocus();
        const QImage without = window().grab().toImage();
        const QString name = QLatin1String(at->metaObject()->className()) + QLatin1Char(' ') + at->accessibleName();
        if (with == without) silent << name + QStringLiteral(" in ") + QLatin1String(view);
        at->setFocus(Qt::TabFocusReason);
        const auto* text = qobject_cast<QPlainTextEdit*>(at);
        const bool takes_tab = text && !text->tabChangesFocus();
        QTest::keyClick(at, Qt::Key_Tab, takes_tab ? Qt::ControlModifier : Qt::NoModifier);
      }
      QVERIFY2(seen.size() > 4, view);
    }
    QVERIFY2(silent.isEmpty(), qPrintable(silent.join(QStringLiteral("\n"))));
  }
};

QTEST_MAIN(AccessibilityTest)
#include "test_accessibility.moc"
