// A code view as a screen reader sees it: a text whose lines can be read one by one.
#pragma once

#include <QAccessible>

namespace footlight::app {

// Factory for QAccessible::installFactory().
QAccessibleInterface* make_code_accessible(const QString& class_name, QObject* object);

}  // namespace footlight::app
