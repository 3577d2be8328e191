// Colours and fonts of the window, all from the one theme file in the resources.
#pragma once

#include <QColor>
#include <QFont>
#include <QHash>
#include <QPalette>
#include <QString>
#include <QStringList>

#include <string>
#include <utility>
#include <vector>

namespace footlight::app {

class Theme {
 public:
  // Throws std::runtime_error if the file or the theme does not exist.
  static Theme load(const QString& name);
  static QStringList names();

  const QString& name() const { return name_; }
  bool is_dark() const;
  QColor color(const QString& token) const;          // magenta if the theme lacks the name
  QColor operator[](const char* token) const { return color(QString::fromLatin1(token)); }
  QString family_tone(const std::string& family) const;  // "violet"
  QColor family_fill(const std::string& family) const;

  QFont ui(int delta = 0, int weight = QFont::Normal) const;
  QFont code(int delta = 0, int weight = QFont::Normal) const;

  QPalette palette() const;
  QString style_sheet() const;

 private:
  QString name_;
  QHash<QString, QColor> colors_;
  QHash<QString, QString> families_;
  QStringList ui_families_, code_families_;
  int ui_size_ = 13, code_size_ = 12;
};

// The theme in use. set_theme() changes palette, fonts and style sheet of the application.
const Theme& theme();
void set_theme(const QString& name);

}  // namespace footlight::app
