// Appends console lines as they arrive and opens the source locations in them.
#include "app/views/console_view.h"

#include "app/views/labels.h"
#include "app/views/paint.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr int kMargin = 122;
constexpr size_t kMostLines = 20'000;

std::pair<const char*, const char*> tag_of(session::ConsoleStream stream) {
  switch (stream) {
    case session::ConsoleStream::kStdout: return {"print", "faint"};
    case session::ConsoleStream::kStderr: return {"stderr", "red"};
    case session::ConsoleStream::kTfPrint: return {"tf.print", "amber"};
    case session::ConsoleStream::kNote: return {"footlight", "blue"};
  }
  return {"", "faint"};
}

}  // namespace

ConsoleText::ConsoleText(QWidget* parent) : QPlainTextEdit(parent), margin_(new QWidget(this)) {
  setReadOnly(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard |
                          Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  setLineWrapMode(QPlainTextEdit::WidgetWidth);
  setFrameShape(QFrame::NoFrame);
  setUndoRedoEnabled(false);
  setViewportMargins(kMargin, 4, 4, 0);
  viewport()->setMouseTracking(true);
  margin_->installEventFilter(this);
  connect(this, &QPlainTextEdit::updateRequest, margin_, [this] { margin_->update(); });
}

void ConsoleText::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  margin_->setGeometry(0, contentsRect().top() + 4, kMargin, contentsRect().height() - 4);
}

bool ConsoleText::eventFilter(QObject* object, QEvent* event) {
  if (object == margin_ && event->type() == QEvent::Paint) {
    paint_tags();
    return true;
  }
  return QPlainTextEdit::eventFilter(object, event);
}

void ConsoleText::paint_tags() {
  QPainter painter(margin_);
  const Theme& t = theme();
  QTextBlock block = firstVisibleBlock();
  const int row = fontMetrics().height();
  while (block.isValid() && lines_) {
    const QRectF at = blockBoundingGeometry(block).translated(contentOffset());
    if (at.top() > margin_->height()) break;
    const size_t number = first_ + static_cast<size_t>(block.blockNumber());
    if (number < lines_->size()) {
      const ConsoleLine& line = (*lines_)[number];
      const auto [tag, tone] = tag_of(line.stream);
      text_in(painter, QRectF(0, at.top(), 52, row), line.stamp, t["faint"], t.code(-2),
              Qt::AlignRight | Qt::AlignVCenter);
      text_in(painter, QRectF(60, at.top(), kMargin - 64, row), QLatin1String(tag), t[tone], t.ui(-2, QFont::Medium));
    }
    block = block.next();
  }
}

bool ConsoleText::open_link(const QTextCursor& cursor) {
  const QString anchor = cursor.charFormat().anchorHref();
  const qsizetype mark = anchor.lastIndexOf(QLatin1Char('#'));
  if (mark < 0) return false;
  Q_EMIT link_activated(anchor.left(mark), anchor.mid(mark + 1).toInt());
  return true;
}

bool ConsoleText::step_link(int by) {
  struct Place { int position, length; };
  std::vector<Place> places;
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextFragment part = it.fragment();
      if (part.charFormat().isAnchor()) places.push_back({part.position(), part.length()});
    }
  }
  if (places.empty()) return false;
  const int here = textCursor().selectionStart();
  const auto next = std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.position > here; });
  const auto at = std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.position >= here; });
  const Place to = by > 0 ? (next == places.end() ? places.front() : *next)
                          : (at == places.begin() ? places.back() : *std::prev(at));
  // Select it, to show the current position.
  QTextCursor cursor(document());
  cursor.setPosition(to.position);
  cursor.setPosition(to.position + to.length, QTextCursor::KeepAnchor);
  setTextCursor(cursor);
  ensureCursorVisible();
  QTextCursor inside(document());
  inside.setPosition(to.position + 1);
  return open_link(inside);
}

void ConsoleText::mouseMoveEvent(QMouseEvent* event) {
  const QString anchor = anchorAt(event->pos());
  viewport()->setCursor(anchor.isEmpty() ? Qt::IBeamCursor : Qt::PointingHandCursor);
  QPlainTextEdit::mouseMoveEvent(event);
}

void ConsoleText::mouseReleaseEvent(QMouseEvent* event) {
  const QString anchor = anchorAt(event->pos());
  if (event->button() == Qt::LeftButton && !anchor.isEmpty() && !textCursor().hasSelection()) {
    const qsizetype mark = anchor.lastIndexOf(QLatin1Char('#'));
    Q_EMIT link_activated(anchor.left(mark), anchor.mid(mark + 1).toInt());
    return;
  }
  QPlainTextEdit::mouseReleaseEvent(event);
}

void ConsoleText::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    // The location under the cursor, else the first one in its line.
    QTextCursor cursor = textCursor();
    if (open_link(cursor)) return;
    const QTextBlock block = cursor.block();
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QString anchor = it.fragment().charFormat().anchorHref();
      const qsizetype mark = anchor.lastIndexOf(QLatin1Char('#'));
      if (mark < 0) continue;
      Q_EMIT link_activated(anchor.left(mark), anchor.mid(mark + 1).toInt());
      return;
    }
  }
  QPlainTextEdit::keyPressEvent(event);
}

ConsoleView::ConsoleView(const Context& context, QWidget* parent) : View(context, parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 0, 6, 6);
  column->setSpacing(4);
  text_ = new ConsoleText;
  text_->setAccessibleName(QStringLiteral("Console"));
  text_->setPlaceholderText(QStringLiteral("What the script prints appears here."));
  column->addWidget(text_, 1);
  input_row_ = new QWidget;
  auto* row = new QHBoxLayout(input_row_);
  row->setContentsMargins(8, 0, 8, 0);
  input_ = new QLineEdit;
  input_->setPlaceholderText(QStringLiteral("input for the script (stdin), Enter sends"));
  input_->setAccessibleName(QStringLiteral("Input for the script"));
  row->addWidget(input_, 1);
  auto* end = new QToolButton;
  end->setText(QStringLiteral("End input"));
  set_tip(end, QStringLiteral("Tell the script that there is no more input"));
  row->addWidget(end);
  column->addWidget(input_row_);
  input_row_->hide();
  connect(input_, &QLineEdit::returnPressed, this, [this] {
    Q_EMIT entered(input_->text());
    input_->clear();
  });
  connect(end, &QToolButton::clicked, this, [this] {
    input_row_->hide();
    Q_EMIT input_ended();
  });
  connect(text_, &ConsoleText::link_activated, this, [this](const QString& path, int line) {
    const session::FileId file = context_.session->file_anywhere(path);
    if (!file.valid()) {
      Q_EMIT nowhere(path);
      return;
    }
    context_.selection->select(Selection::of_line(document(), {file, line}));
    Q_EMIT wants_view(QStringLiteral("source"));
  });
  reset();
}

void ConsoleView::set_input_open(bool open) { input_row_->setVisible(open); }

void ConsoleView::reset() {
  lines_.clear();
  text_->clear();
  written_ = dropped_ = 0;
  text_->set_tags(&lines_.lines(), 0);
  refresh();
}

void ConsoleView::refresh() {
  const size_t first = lines_.take(document());
  write_from(std::min(first, written_ + dropped_));
}

void ConsoleView::note(const QString& text) {
  lines_.note(text);
  write_from(written_ + dropped_);
}

void ConsoleView::show_theme() {
  text_->setFont(theme().code());
  text_->clear();
  written_ = 0;
  dropped_ = 0;
  write_from(0);
}

void ConsoleView::write_from(size_t first) {
  const auto& lines = lines_.lines();
  if (first >= lines.size()) return;
  const Theme& t = theme();
  text_->setFont(t.code());
  const bool at_end = text_->verticalScrollBar()->value() >= text_->verticalScrollBar()->maximum() - 2;
  QTextCursor cursor(text_->document());
  cursor.beginEditBlock();
  // Too much output: show only the end; the session has the rest.
  if (lines.size() - dropped_ > kMostLines + kMostLines / 4) {
    const size_t keep_from = lines.size() - kMostLines;
    cursor.select(QTextCursor::Document);
    cursor.removeSelectedText();
    dropped_ = keep_from;
    written_ = 0;
    first = keep_from;
  } else if (first < dropped_ + written_) {
    // Rewrite the lines that changed.
    const QTextBlock block = text_->document()->findBlockByNumber(static_cast<int>(first - dropped_));
    cursor.setPosition(block.position());
    cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
    cursor.removeSelectedText();
    if (first > dropped_) cursor.deletePreviousChar();
    written_ = first - dropped_;
  }
  cursor.movePosition(QTextCursor::End);
  for (size_t i = std::max(first, dropped_); i < lines.size(); ++i) {
    const ConsoleLine& line = lines[i];
    if (written_ > 0) cursor.insertBlock();
    QTextCharFormat plain_format;
    const bool error = line.stream == session::ConsoleStream::kStderr;
    plain_format.setForeground(error                                             ? t["red"]
                               : line.stream == session::ConsoleStream::kNote    ? t["blue"]
                               : line.stream == session::ConsoleStream::kTfPrint ? t["amber"]
                                                                                 : t["text"]);
    int at = 0;
    for (const ConsoleLink& link : line.links) {
      cursor.insertText(line.text.mid(at, link.start - at), plain_format);
      QTextCharFormat format = plain_format;
      format.setAnchor(true);
      format.setAnchorHref(link.path + QLatin1Char('#') + QString::number(link.line));
      format.setForeground(t["blue"]);
      format.setFontUnderline(true);
      cursor.insertText(line.text.mid(link.start, link.length), format);
      at = link.start + link.length;
    }
    cursor.insertText(line.text.mid(at), plain_format);
    ++written_;
  }
  cursor.endEditBlock();
  text_->set_tags(&lines, dropped_);
  if (at_end) text_->verticalScrollBar()->setValue(text_->verticalScrollBar()->maximum());
}

}  // namespace footlight::app
