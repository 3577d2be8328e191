// Reads the theme file and writes palette and style sheet from its tokens.
#include "app/views/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <stdexcept>

static void load_resources() { Q_INIT_RESOURCE(footlight_app_resources); }

namespace footlight::app {
namespace {

QJsonObject theme_file() {
  load_resources();
  QFile file(QStringLiteral(":/footlight/themes/footlight.json"));
  if (!file.open(QIODevice::ReadOnly)) throw std::runtime_error("The theme file is missing from the program");
  QJsonParseError error;
  const QJsonDocument document = QJsonDocument::fromJson(file.readAll(), &error);
  if (document.isNull()) throw std::runtime_error("The theme file is damaged: " + error.errorString().toStdString());
  return document.object();
}

// The installed families, in order; the last one (a generic name) is the fallback.
QStringList available(const QJsonArray& wanted) {
  const QStringList have = QFontDatabase::families();
  QStringList found;
  for (const QJsonValue& v : wanted) {
    if (have.contains(v.toString())) found << v.toString();
  }
  if (found.isEmpty() && !wanted.isEmpty()) found << wanted.last().toString();
  return found;
}

Theme& current() {
  static Theme the_theme = Theme::load(QStringLiteral("dark"));
  return the_theme;
}

const char* const kSheet = R"(
* { outline: 0; }
QWidget { color: @text; }
QMainWindow, QDialog, #central { background: @window; }
#topBar, #navigator, #inspector, #statusLine { background: @panel; }
#topBar { border-bottom: 1px solid @hairline; }
#statusLine { border-top: 1px solid @hairline; }
#navigator { border-right: 1px solid @hairline; }
#inspector { border-left: 1px solid @hairline; }
#centreHead { background: @panel; border-bottom: 1px solid @hairline; }
#dock { background: @panel; border-top: 1px solid @hairline; }
QLabel { background: transparent; }
QLabel[role="dim"] { color: @dim; }
QLabel[role="faint"] { color: @faint; }
QLabel[role="big"] { color: @text; font-weight: 600; font-size: 28px; }
QLabel[role="bad"] { color: @red; }
QLabel[role="title"] { color: @text; font-weight: 600; font-size: 15px; }
QLabel[role="heading"] { color: @text; font-weight: 600; font-size: 14px; }
QLabel[role="strong"] { color: @text; font-weight: 600; }
QLabel[role="retrace"] { color: @amber; font-weight: 600; }
QLabel[role="caption"] { color: @faint; font-weight: 600; font-size: 11px; }
QLabel[role="group"] { color: @faint; font-weight: 600; font-size: 12px; }
QFrame[role="card"] { background: @panel; border: 1px solid @hairline; border-radius: 7px; }
QFrame[role="line"] { background: @hairline; border: 0; max-height: 1px; min-height: 1px; }
QPushButton { background: @raised; border: 1px solid @hairline; border-radius: 6px; padding: 4px 12px; color: @text; }
QPushButton:hover { background: @hover; }
QPushButton:focus { border-color: @focus; }
QPushButton:disabled { color: @faint; }
QPushButton#runButton { background: @amberFill; color: @onFill; border: 1px solid @amberFill; font-weight: 600;
    padding: 4px 14px; }
QPushButton#runButton:hover { background: @amber; border-color: @amber; @amberHoverText }
QPushButton#runButton:focus { border: 1px solid @focus; }
QPushButton#runButton:disabled { background: @amberSoft; border-color: @amberSoft; color: @dim; }
QPushButton#searchBox { background: @window; color: @faint; text-align: left; padding: 4px 12px; border-radius: 6px; }
QPushButton#searchBox:hover { border-color: @faint; }
QPushButton#searchBox:focus { border-color: @focus; }
QPushButton[role="chip"] { padding: 3px 10px; background: @raised; }
QPushButton[role="chip"]:!checked { background: @window; color: @dim; }
QPushButton[role="chip"]:checked { background: @raised; color: @text; }
QPushButton[role="link"] { background: transparent; border: 1px solid transparent; color: @blue;
    text-align: left; padding: 2px 3px; border-radius: 4px; }
QPushButton[role="link"]:hover { text-decoration: underline; }
QPushButton[role="link"]:focus { border-color: @focus; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 5px; padding: 2px 6px;
    color: @dim; }
QToolButton:hover { background: @hover; color: @text; }
QToolButton:focus { border-color: @focus; }
QToolButton:disabled { color: @hairline; }
QToolButton::menu-indicator { image: none; }
QLineEdit { background: @window; border: 1px solid @hairline; border-radius: 6px; padding: 4px 8px; color: @text;
            selection-background-color: @selection; selection-color: @selectionText; }
QLineEdit:focus { border-color: @focus; }
QLineEdit#arguments { background: transparent; border-color: transparent; color: @dim; }
QLineEdit#arguments:hover { border-color: @hairline; }
QLineEdit#arguments:focus { border-color: @focus; color: @text; background: @window; }
QComboBox { background: @raised; border: 1px solid @hairline; border-radius: 6px; padding: 3px 6px 3px 10px;
    color: @text; }
QComboBox:hover { background: @hover; }
QComboBox:focus { border-color: @focus; }
QComboBox::drop-down { border: 0; width: 20px; }
QComboBox::down-arrow { image: url(:/footlight/icons/down.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @hairline;
    selection-background-color: @selection;
                              selection-color: @selectionText; color: @text; }
QMenuBar { background: @panel; color: @dim; padding: 0 6px; border-bottom: 1px solid @hairline; }
QMenuBar::item { padding: 4px 8px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: @hover; color: @text; }
QMenu { background: @raised; border: 1px solid @hairline; padding: 5px; }
QMenu::item { padding: 5px 26px 5px 20px; border-radius: 4px; color: @text; }
QMenu::item:selected { background: @selection; color: @selectionText; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @hairline; margin: 5px 6px; }
QMenu::indicator { width: 10px; height: 10px; left: 6px; }
QMenu::indicator:checked { background: @amberFill; border-radius: 3px; }
QMenu::indicator:unchecked { border: 1px solid @faint; border-radius: 3px; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QTreeView, QTableView, QListView, QPlainTextEdit, QAbstractScrollArea { background: transparent; border: 0; }
QScrollArea:focus { border: 1px solid @focus; }
QListView[role="picker"], QTreeView[role="picker"] { background: @panel; border: 1px solid @hairline;
    border-radius: 7px; padding: 4px; }
QListView[role="picker"]:focus, QTreeView[role="picker"]:focus { border-color: @focus; }
QListView[role="picker"]::item, QTreeView[role="picker"]::item { padding: 2px 4px; }
QListView[role="picker"]::item:selected, QTreeView[role="picker"]::item:selected { background: @selection;
    color: @selectionText; }
QScrollArea > QWidget > QWidget { background: transparent; }
QTableView { gridline-color: transparent; }
QHeaderView { background: transparent; border: 0; }
QHeaderView::section { background: transparent; color: @faint; font-weight: 600; font-size: 11px; padding: 4px 8px;
                       border: 0; border-bottom: 1px solid @hairline; }
QPlainTextEdit { selection-background-color: @selection; selection-color: @selectionText; }
QToolTip { background: @raised; color: @text; border: 1px solid @hairline; padding: 4px 6px; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: @hairline; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @hairline; border-radius: 3px; margin: 2px; }
QScrollBar::handle:hover { background: @faint; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
#banner { background: @redSoft; border-bottom: 1px solid @red; }
#banner QLabel { color: @text; }
#banner[tone="note"] { background: @blueSoft; border-bottom: 1px solid @focus; }
#verdict { background: @amberSoft; border: 1px solid @amber; border-radius: 7px; }
#verdict[tone="same"] { background: @tealSoft; border: 1px solid @teal; }
#palette { background: @raised; border: 1px solid @faint; border-radius: 9px; }
#palette QLineEdit { background: transparent; border: 0; border-bottom: 1px solid @hairline; border-radius: 0;
    padding: 10px 12px; font-size: 15px; }
#dropZone { background: @panel; border: 1px solid @hairline; border-radius: 8px; }
#dropZone[over="true"] { border: 1px solid @focus; background: @blueSoft; }
#findingBody { background: @raised; border: 1px solid @hairline; border-left: 4px solid @amberFill;
    border-radius: 8px; }
#findingBody[tone="red"] { border-left: 4px solid @redFill; }
QPushButton#sideCard { background: @raised; border: 1px solid @raised; border-radius: 7px; }
QPushButton#sideCard:hover { background: @hover; }
QPushButton#sideCard:focus { border-color: @focus; }
QPushButton#sideCard[chosen="true"] { background: @selection; border-color: @selection; }
#onCanvas { background: @window; border-radius: 4px; padding: 2px 6px; }
#floating { background: @panel; border: 1px solid @hairline; border-radius: 7px; }
#finding { background: @raised; border: 1px solid @hairline; border-radius: 7px; }
#finding:hover { border-color: @faint; }
#finding:focus { border: 1px solid @amber; }
#finding[chosen="true"] { border: 1px solid @amber; }
QMessageBox { background: @panel; }
QProgressBar { background: @hairline; border: 0; border-radius: 2px; max-height: 4px; min-height: 4px; }
QProgressBar::chunk { background: @amberFill; border-radius: 2px; }
)";

}  // namespace

Theme Theme::load(const QString& name) {
  const QJsonObject file = theme_file();
  const QJsonObject tokens = file.value(QStringLiteral("themes")).toObject().value(name).toObject();
  if (tokens.isEmpty()) throw std::runtime_error("there is no theme called '" + name.toStdString() + "'");
  Theme made;
  made.name_ = name;
  for (auto it = tokens.begin(); it != tokens.end(); ++it)
    made.colors_.insert(it.key(), QColor(it.value().toString()));
  const QJsonObject families = file.value(QStringLiteral("families")).toObject();
  for (auto it = families.begin(); it != families.end(); ++it) made.families_.insert(it.key(), it.value().toString());
  const QJsonObject fonts = file.value(QStringLiteral("fonts")).toObject();
  if (QCoreApplication::instance()) {
    made.ui_families_ = available(fonts.value(QStringLiteral("interface")).toArray());
    made.code_families_ = available(fonts.value(QStringLiteral("code")).toArray());
  }
  made.ui_size_ = fonts.value(QStringLiteral("size")).toInt(13);
  made.code_size_ = fonts.value(QStringLiteral("codeSize")).toInt(12);
  return made;
}

QStringList Theme::names() {
  QStringList found{QStringLiteral("dark"), QStringLiteral("light")};
  const QJsonObject themes = theme_file().value(QStringLiteral("themes")).toObject();
  for (const QString& key : themes.keys()) {
    if (!found.contains(key)) found << key;
  }
  return found;
}

bool Theme::is_dark() const { return color(QStringLiteral("window")).lightnessF() < 0.5f; }

QColor Theme::color(const QString& token) const { return colors_.value(token, QColor(255, 0, 255)); }

QString Theme::family_tone(const std::string& family) const {
  return families_.value(QString::fromStdString(family).toLower(), QStringLiteral("grey"));
}

QColor Theme::family_fill(const std::string& family) const {
  return color(family_tone(family) + QStringLiteral("Fill"));
}

QFont Theme::ui(int delta, int weight) const {
  QFont font;
  font.setFamilies(ui_families_);
  font.setPixelSize(ui_size_ + delta);
  font.setWeight(static_cast<QFont::Weight>(weight));
  return font;
}

QFont Theme::code(int delta, int weight) const {
  QFont font;
  font.setFamilies(code_families_);
  font.setPixelSize(code_size_ + delta);
  font.setWeight(static_cast<QFont::Weight>(weight));
  font.setStyleHint(QFont::Monospace);
  // No ligatures: "->" and "==" must stay two columns wide.
  font.setStyleStrategy(static_cast<QFont::StyleStrategy>(QFont::PreferAntialias | QFont::PreferNoShaping));
  return font;
}

QPalette Theme::palette() const {
  QPalette p;
  p.setColor(QPalette::Window, (*this)["window"]);
  p.setColor(QPalette::Base, (*this)["window"]);
  p.setColor(QPalette::AlternateBase, (*this)["panel"]);
  p.setColor(QPalette::Button, (*this)["raised"]);
  for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
    p.setColor(role, (*this)["text"]);
  }
  p.setColor(QPalette::ToolTipBase, (*this)["raised"]);
  p.setColor(QPalette::PlaceholderText, (*this)["faint"]);
  p.setColor(QPalette::Highlight, (*this)["selection"]);
  p.setColor(QPalette::HighlightedText, (*this)["selectionText"]);
  p.setColor(QPalette::Link, (*this)["blue"]);
  p.setColor(QPalette::LinkVisited, (*this)["blue"]);
  p.setColor(QPalette::Mid, (*this)["hairline"]);
  p.setColor(QPalette::Dark, (*this)["hairline"]);
  return p;
}

QString Theme::style_sheet() const {
  QString sheet = QString::fromUtf8(kSheet);
  // The text amber of the light theme is dark: a hovered Run button needs light text.
  sheet.replace(
      QStringLiteral("@amberHoverText"),
      is_dark() ? QString()
                : QStringLiteral("color: ") + color(QStringLiteral("window")).name() + QStringLiteral(";"));
  QStringList tokens = colors_.keys();
  std::sort(tokens.begin(), tokens.end(), [](const QString& a, const QString& b) { return a.size() > b.size(); });
  for (const QString& token : tokens) sheet.replace(QLatin1Char('@') + token, colors_[token].name());
  return sheet;
}

const Theme& theme() { return current(); }

void set_theme(const QString& name) {
  current() = Theme::load(name);
  qApp->setPalette(theme().palette());
  // Each of the three costs a pass over all widgets.
  if (qApp->font() != theme().ui()) qApp->setFont(theme().ui());
  qApp->setStyleSheet(theme().style_sheet());
}

}  // namespace footlight::app
