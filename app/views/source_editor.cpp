// A plain text edit with a margin for numbers, and the care for the file.
#include "app/views/source_editor.h"

#include "app/views/paint.h"

#include <QFile>
#include <QFileInfo>
#include <QKeyEvent>
#include <QSaveFile>
#include <QStringDecoder>
#include <QTextBlock>
#include <QTimer>

#include <optional>

namespace footlight::app {
namespace {

constexpr qint64 kLargest = 4 << 20;
constexpr int kIndent = 4;

std::optional<QByteArray> read_all(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return file.read(kLargest + 1);
}

}  // namespace

void PythonColours::highlightBlock(const QString& text) {
  LineState state = static_cast<LineState>(std::max(0, previousBlockState()));
  for (const ColouredText& token : python_tokens(text, state))
    setFormat(static_cast<int>(token.start), static_cast<int>(token.length), theme().color(token_tone(token.colour)));
  setCurrentBlockState(static_cast<int>(state));
}

SourceEditor::SourceEditor(QWidget* parent) : QPlainTextEdit(parent), margin_(new QWidget(this)) {
  setFrameShape(QFrame::NoFrame);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setAccessibleName(QStringLiteral("Editor"));
  setTabChangesFocus(false);
  colours_ = new PythonColours(document());
  margin_->installEventFilter(this);
  connect(this, &QPlainTextEdit::updateRequest, margin_, [this] { margin_->update(); });
  connect(this, &QPlainTextEdit::blockCountChanged, this, &SourceEditor::place_margin);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, [this] {
    // A file that is replaced is gone for a moment.
    QTimer::singleShot(60, this, &SourceEditor::look_at_disk);
  });
  show_theme();
}

void SourceEditor::show_theme() {
  setFont(theme().code());
  setTabStopDistance(kIndent * QFontMetricsF(theme().code()).horizontalAdvance(QLatin1Char(' ')));
  colours_->rehighlight();
  place_margin();
}

QString SourceEditor::open(const QString& path) {
  const auto data = read_all(path);
  const QString name = QFileInfo(path).fileName();
  if (!data) return name + QStringLiteral(" cannot be read from the disk.");
  if (data->size() > kLargest) return name + QStringLiteral(" is too large to be edited here.");
  QStringDecoder decoder(QStringDecoder::Utf8, QStringConverter::Flag::Stateless);
  const QString text = decoder(*data);
  if (decoder.hasError() || data->contains('\0'))
    return name + QStringLiteral(" is not UTF-8 text, so it cannot be edited here without damage.");
  const qsizetype windows = text.count(QStringLiteral("\r\n"));
  const bool mixed = text.count(QLatin1Char('\r')) != windows || (windows && text.count(QLatin1Char('\n')) != windows);
  if (mixed || text.contains(QChar(QChar::ParagraphSeparator)) || text.contains(QChar(QChar::LineSeparator)))
    return name + QStringLiteral(" has line ends of several kinds, so it cannot be edited here without damage.");
  const int line = path == path_ ? this->line() : 1;
  path_ = path;
  mark_ = data->startsWith("\xef\xbb\xbf");
  windows_ends_ = windows > 0;
  setPlainText(text);
  base_ = whole();
  document()->setModified(false);
  if (!watcher_.files().isEmpty()) watcher_.removePaths(watcher_.files());
  watcher_.addPath(path_);
  show_line(line);
  return {};
}

// toPlainText() turns no-break spaces into spaces.
QString SourceEditor::whole() const {
  return document()->toRawText().replace(QChar(QChar::ParagraphSeparator), QLatin1Char('\n'));
}

QByteArray SourceEditor::bytes() const {
  QString text = whole();
  if (windows_ends_) text.replace(QLatin1Char('\n'), QStringLiteral("\r\n"));
  return (mark_ ? QByteArray("\xef\xbb\xbf") : QByteArray()) + text.toUtf8();
}

QString SourceEditor::save(bool force) {
  if (!modified() && !force) return {};
  const QString name = QFileInfo(path_).fileName();
  const auto now = read_all(path_);
  if (!force && (!now || QString::fromUtf8(*now).remove(QLatin1Char('\r')) != base_))
    return name + QStringLiteral(" has changed on the disk since it was opened here.");
  QSaveFile file(path_);
  const QByteArray data = bytes();
  if (!file.open(QIODevice::WriteOnly) || file.write(data) != data.size() || !file.commit())
    return name + QStringLiteral(" could not be saved: ") + file.errorString();
  base_ = whole();
  document()->setModified(false);
  if (!watcher_.files().contains(path_)) watcher_.addPath(path_);
  return {};
}

void SourceEditor::look_at_disk() {
  if (path_.isEmpty()) return;
  if (QFileInfo::exists(path_) && !watcher_.files().contains(path_)) watcher_.addPath(path_);
  const auto now = read_all(path_);
  if (now && QString::fromUtf8(*now).remove(QLatin1Char('\r')) == base_) return;
  Q_EMIT disk_changed(modified());
}

void SourceEditor::show_line(int number) {
  QTextCursor cursor(document()->findBlockByNumber(std::max(0, number - 1)));
  setTextCursor(cursor);
  centerCursor();
}

QString SourceEditor::search_text(size_t row) const {
  return document()->findBlockByNumber(static_cast<int>(row)).text();
}

void SourceEditor::show_found(const Found* found) {
  if (!found) return;
  const QTextBlock block = document()->findBlockByNumber(static_cast<int>(found->row));
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + static_cast<int>(found->start));
  cursor.setPosition(cursor.position() + static_cast<int>(found->length), QTextCursor::KeepAnchor);
  setTextCursor(cursor);
  centerCursor();
}

bool SourceEditor::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Find) || key->matches(QKeySequence::Save)) {
      event->accept();
      return true;
    }
  }
  return QPlainTextEdit::event(event);
}

void SourceEditor::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Save)) return save_asked();
  if (event->matches(QKeySequence::Find)) return find_asked();
  if (event->key() == Qt::Key_Escape) return leave_asked();
  if (event->key() == Qt::Key_Tab && !textCursor().hasSelection()) {
    const int column = textCursor().positionInBlock();
    insertPlainText(QString(kIndent - column % kIndent, QLatin1Char(' ')));
    return;
  }
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return indent_new_line();
  QPlainTextEdit::keyPressEvent(event);
}

// Indents like the line before, and further after a colon.
void SourceEditor::indent_new_line() {
  const QString before = textCursor().block().text().left(textCursor().positionInBlock());
  qsizetype indent = 0;
  while (indent < before.size() && before[indent] == QLatin1Char(' ')) ++indent;
  if (before.trimmed().endsWith(QLatin1Char(':'))) indent += kIndent;
  insertPlainText(QLatin1Char('\n') + QString(indent, QLatin1Char(' ')));
  ensureCursorVisible();
}

void SourceEditor::place_margin() {
  const int width = 24 + QFontMetrics(theme().code()).horizontalAdvance(QString::number(std::max(blockCount(), 100)));
  setViewportMargins(width, 0, 0, 0);
  margin_->setGeometry(0, contentsRect().top(), width, contentsRect().height());
}

void SourceEditor::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  place_margin();
}

bool SourceEditor::eventFilter(QObject* object, QEvent* event) {
  if (object == margin_ && event->type() == QEvent::Paint) {
    paint_numbers();
    return true;
  }
  return QPlainTextEdit::eventFilter(object, event);
}

void SourceEditor::paint_numbers() {
  QPainter painter(margin_);
  const int here = textCursor().blockNumber();
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF at = blockBoundingGeometry(block).translated(contentOffset());
    if (at.top() > margin_->height()) break;
    text_in(painter, QRectF(0, at.top(), margin_->width() - 10, at.height()), QString::number(block.blockNumber() + 1),
            theme()[block.blockNumber() == here ? "text" : "faint"], theme().code(), Qt::AlignRight | Qt::AlignVCenter);
  }
}

}  // namespace footlight::app
