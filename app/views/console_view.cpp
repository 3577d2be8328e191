// Appends console lines as they arrive and opens the source locations in them.
#include "app/views/console_view.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"
#include "app/views/paint.h"

#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolButton>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr int kMargin = 122;
constexpr size_t kMaxRows = 10'000;       // rows in the widget; others are added when searched for
constexpr size_t kBytesAtOnce = 1 << 17;
constexpr qint64 kSliceMs = 12, kWriteMs = 200;

std::pair<const char*, const char*> tag_of(session::ConsoleStream stream) {
  switch (stream) {
    case session::ConsoleStream::kStdout: return {"print", "faint"};
    case session::ConsoleStream::kStderr: return {"stderr", "red"};
    case session::ConsoleStream::kTfPrint: return {"tf.print", "violet"};
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
  while (block.isValid() && line_of_) {
    const QRectF at = blockBoundingGeometry(block).translated(contentOffset());
    if (at.top() > margin_->height()) break;
    if (const std::optional<ConsoleLine> line = line_of_(block.blockNumber())) {
      const auto [tag, tone] = tag_of(line->stream);
      text_in(painter, QRectF(0, at.top(), 52, row), line->stamp, t["faint"], t.code(-2),
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
  struct Link { int position, length; };
  std::vector<Link> places;
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextFragment part = it.fragment();
      if (part.charFormat().isAnchor()) places.push_back({part.position(), part.length()});
    }
  }
  if (places.empty()) return false;
  const int here = textCursor().selectionStart();
  const auto next = std::find_if(places.begin(), places.end(), [&](const Link& p) { return p.position > here; });
  const auto at = std::find_if(places.begin(), places.end(), [&](const Link& p) { return p.position >= here; });
  const Link to = by > 0 ? (next == places.end() ? places.front() : *next)
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

bool ConsoleText::event(QEvent* event) {
  // Ctrl+F finds here; elsewhere it opens the search over everything.
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Find)) {
    event->accept();
    return true;
  }
  return QPlainTextEdit::event(event);
}

void ConsoleText::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Find)) return find_asked();
  const bool plain_key = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
  if (typing_ && plain_key && !event->text().isEmpty() && event->text().front().isPrint()) return typed(event->text());
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
  auto* column = column_in(this, {6, 0, 6, 6}, 4);
  build_bar(column);
  text_ = new ConsoleText;
  text_->setAccessibleName(QStringLiteral("Console"));
  text_->setPlaceholderText(QStringLiteral("What the script prints appears here."));
  text_->set_tags([this](int block) {
    const size_t row = first_ + static_cast<size_t>(block);
    return row < rows() && row < first_ + written_ ? std::optional(line(row)) : std::nullopt;
  });
  find_ = new FindBar(this, text_);
  column->addWidget(find_);
  column->addWidget(text_, 1);
  build_input(column);
  slices_.setInterval(0);
  connect(&slices_, &QTimer::timeout, this, &ConsoleView::slice);
  connect(text_, &ConsoleText::find_asked, find_, &FindBar::open);
  connect(text_, &ConsoleText::typed, this, [this](const QString& text) {
    input_->setFocus(Qt::OtherFocusReason);
    input_->insert(text);
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

void ConsoleView::build_bar(QVBoxLayout* column) {
  auto* bar = row_in(nullptr, {8, 0, 8, 0}, 6);
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(QStringLiteral("Filter: only lines with this text"));
  filter_->setAccessibleName(QStringLiteral("Filter of the console"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(300);
  bar->addWidget(filter_, 1);
  connect(filter_, &QLineEdit::textChanged, this, &ConsoleView::filter_changed);
  for (size_t i = 0; i < std::size(streams_); ++i) {
    const QString name = QLatin1String(tag_of(static_cast<session::ConsoleStream>(i)).first);
    streams_[i] = chip_switch(name, QStringLiteral("Show or hide lines of ") + name, true);
    streams_[i]->setAccessibleName(QStringLiteral("Show lines of ") + name);
    bar->addWidget(streams_[i]);
    connect(streams_[i], &QPushButton::toggled, this, &ConsoleView::filter_changed);
  }
  count_ = plain_label({}, "faint");
  count_->setAccessibleName(QStringLiteral("Lines in the console"));
  bar->addWidget(count_);
  bar->addStretch(1);
  column->addLayout(bar);
}

void ConsoleView::build_input(QVBoxLayout* column) {
  input_row_ = new QWidget;
  auto* row = row_in(input_row_, {8, 0, 8, 0});
  input_ = new QLineEdit;
  input_->setPlaceholderText(QStringLiteral("Input for the script; Enter sends it"));
  input_->setAccessibleName(QStringLiteral("Input for the script"));
  input_->installEventFilter(this);
  row->addWidget(input_, 1);
  auto* end = new QToolButton;
  end->setText(QStringLiteral("End input"));
  set_tip(end, QStringLiteral("Tell the script that there is no more input (Ctrl+D)"));
  row->addWidget(end);
  column->addWidget(input_row_);
  input_row_->hide();
  connect(input_, &QLineEdit::returnPressed, this, [this] {
    Q_EMIT entered(input_->text());
    input_->clear();
  });
  connect(end, &QToolButton::clicked, this, &ConsoleView::end_input);
}

void ConsoleView::end_input() {
  set_input_open(false);
  Q_EMIT input_ended();
}

// Like a terminal, Ctrl+D on an empty line ends the input, even if it is a shortcut elsewhere.
bool ConsoleView::eventFilter(QObject* object, QEvent* event) {
  const QEvent::Type type = event->type();
  if (object != input_ || (type != QEvent::ShortcutOverride && type != QEvent::KeyPress))
    return View::eventFilter(object, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() != Qt::Key_D || key->modifiers() != Qt::ControlModifier) return View::eventFilter(object, event);
  event->accept();
  if (type == QEvent::KeyPress && input_->text().isEmpty()) end_input();
  return true;
}

void ConsoleView::set_input_open(bool open) {
  const bool had_keys = input_->hasFocus();
  input_open_ = open;
  text_->set_typing(open);
  input_row_->setVisible(open);
  if (!open && had_keys) text_->setFocus(Qt::OtherFocusReason);
}

void ConsoleView::reset() {
  lines_.clear();
  kept_.clear();
  filtered_ = 0;
  at_end_ = true;
  first_ = written_ = 0;
  stale_ = 0;
  text_->clear();
  refresh();
  find_->text_changed();
}

void ConsoleView::refresh() { slice(); }

void ConsoleView::note(const QString& text) {
  const size_t first = lines_.size();
  lines_.note(text);
  changed_from(first);
  slice();
}

void ConsoleView::show_theme() {
  stale_ = 0;
  write();
}

bool ConsoleView::filtered() const {
  return !filter_->text().isEmpty() ||
         std::any_of(std::begin(streams_), std::end(streams_), [](const QPushButton* b) { return !b->isChecked(); });
}

bool ConsoleView::keeps(size_t number) const {
  const QString wanted = filter_->text();
  return streams_[static_cast<size_t>(lines_.stream(document(), number)) & 3]->isChecked() &&
         (wanted.isEmpty() || lines_.text(document(), number).contains(wanted, Qt::CaseInsensitive));
}

void ConsoleView::filter_changed() {
  kept_.clear();
  filtered_ = 0;
  stale_ = 0;
  at_end_ = true;
  slice();
  find_->text_changed();
}

void ConsoleView::changed_from(size_t first) {
  while (!kept_.empty() && kept_.back() >= first) kept_.pop_back();
  filtered_ = std::min(filtered_, first);
  stale_ = std::min(stale_, filtered() ? kept_.size() : first);
}

void ConsoleView::slice() {
  QElapsedTimer clock;
  clock.start();
  while (!lines_.complete(document()) && clock.elapsed() < kSliceMs)
    changed_from(lines_.take(document(), kBytesAtOnce));
  if (filtered()) {
    for (; filtered_ < lines_.size(); ++filtered_) {
      if ((filtered_ & 0xff) == 0xff && clock.elapsed() >= kSliceMs) break;
      if (keeps(filtered_)) kept_.push_back(static_cast<uint32_t>(filtered_));
    }
  }
  const bool more = !lines_.complete(document()) || (filtered() && filtered_ < lines_.size());
  if (more != slices_.isActive()) more ? slices_.start() : slices_.stop();
  if (!more || !written_at_.isValid() || written_at_.elapsed() > kWriteMs) write();
}

// Brings the text up to date: its rows from the first that changed on.
void ConsoleView::write() {
  written_at_.start();
  const size_t rows = this->rows();
  if (at_end_ && rows - std::min(rows, first_) > kMaxRows + kMaxRows / 4) {
    show_rows(rows - kMaxRows, kMaxRows);
  } else if (at_end_) {
    show_rows(stale_ < first_ ? rows - std::min(rows, kMaxRows) : first_, SIZE_MAX);
  } else if (stale_ < first_ + written_) {
    show_rows(std::min(first_, rows), written_);
  }
  stale_ = SIZE_MAX;
  say_count();
}

// Makes the text show rows [first, first + count), reusing those in it that have not changed.
void ConsoleView::show_rows(size_t first, size_t count) {
  const size_t last = first + std::min(count, rows() - first);
  text_->setFont(theme().code());
  QScrollBar* bar = text_->verticalScrollBar();
  const bool follow = at_end_ && bar->value() >= bar->maximum() - 2;
  QTextCursor cursor(text_->document());
  cursor.beginEditBlock();
  const size_t good = first == first_ ? std::min({stale_, first_ + written_, last}) : first;
  if (good <= first) {
    cursor.select(QTextCursor::Document);
    cursor.removeSelectedText();
    written_ = 0;
  } else if (good < first_ + written_) {
    cursor.setPosition(text_->document()->findBlockByNumber(static_cast<int>(good - first)).position());
    cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
    cursor.removeSelectedText();
    cursor.deletePreviousChar();
    written_ = good - first;
  }
  first_ = first;
  cursor.movePosition(QTextCursor::End);
  for (size_t row = first_ + written_; row < last; ++row) append(cursor, line(row));
  cursor.endEditBlock();
  if (follow) bar->setValue(bar->maximum());
}

void ConsoleView::append(QTextCursor& cursor, const ConsoleLine& line) {
  const Theme& t = theme();
  if (written_++) cursor.insertBlock();
  QTextCharFormat plain_format;
  plain_format.setForeground(line.stream == session::ConsoleStream::kStderr    ? t["red"]
                             : line.stream == session::ConsoleStream::kNote    ? t["blue"]
                             : line.stream == session::ConsoleStream::kTfPrint ? t["violet"]
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
}

void ConsoleView::say_count() {
  const size_t all = lines_.size(), rows = this->rows();
  QString text = filtered() ? QStringLiteral("%1 of %2").arg(app::count_text(rows), counted(all, "line", "lines"))
                            : counted(all, "line", "lines");
  if (written_ < rows) {
    text += QStringLiteral("; %1 to %2 are shown").arg(app::count_text(first_ + 1), app::count_text(first_ + written_));
  }
  count_->setText(all ? text : QString());
}

size_t ConsoleView::search_from() const { return first_ + static_cast<size_t>(text_->textCursor().blockNumber()); }

void ConsoleView::show_found(const Found* found) {
  if (found && found->row >= rows()) return;  // the result belongs to an earlier run
  if (!found) {
    if (at_end_) return;
    at_end_ = true;
    stale_ = 0;
    write();
    text_->verticalScrollBar()->setValue(text_->verticalScrollBar()->maximum());
    return;
  }
  if (found->row < first_ || found->row >= first_ + written_) {
    at_end_ = false;
    stale_ = 0;
    show_rows(found->row - std::min(found->row, kMaxRows / 2), kMaxRows);
    stale_ = SIZE_MAX;
    say_count();
  }
  const QTextBlock block = text_->document()->findBlockByNumber(static_cast<int>(found->row - first_));
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + static_cast<int>(found->start));
  cursor.setPosition(cursor.position() + static_cast<int>(found->length), QTextCursor::KeepAnchor);
  text_->setTextCursor(cursor);
  text_->centerCursor();
}

}  // namespace footlight::app
