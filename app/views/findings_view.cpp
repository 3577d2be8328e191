// Builds the cards and tracks the selected one.
#include "app/views/findings_view.h"

#include "app/models/finding_content.h"
#include "app/models/landing.h"
#include "app/models/text.h"
#include "app/models/view_leads.h"
#include "app/views/labels.h"
#include "app/views/paint.h"

#include "engine/explain/call_counts.h"
#include "engine/explain/no_findings.h"
#include "engine/query/late_beyond_chance.h"
#include "engine/session/nothing_ran.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGridLayout>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPointer>
#include <QPushButton>
#include <QStyle>

#include <algorithm>

namespace footlight::app {

FindingWidget::FindingWidget(const FindingCard& card, QWidget* parent) : QFrame(parent), card_(card) {
  setObjectName(QStringLiteral("finding"));
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setAccessibleName(card.title);
  setAccessibleDescription(card.detail + QStringLiteral(". ") + card.check);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(18, 9, 16, 10);
  grid->setHorizontalSpacing(26);
  grid->setVerticalSpacing(4);
  const QString named = card.number.isEmpty() ? card.title : card.number + QStringLiteral(": ") + card.title;
  auto* title = new ElidedLabel(named);
  title->setProperty("role", "strong");
  auto* place = new LinkButton(card.place_text, true);
  place->setAccessibleName(QStringLiteral("Go to ") + card.place_text);
  if (card.place_text.isEmpty()) place->hide();
  connect(place, &QPushButton::clicked, this, &FindingWidget::place_chosen);
  auto* function = new ElidedLabel(card.function);
  function->setProperty("role", "faint");
  auto* detail = new ElidedLabel(card.detail);
  detail->setProperty("role", "dim");
  // Hides the function's name first, then the savings, if the window is narrow.
  const int title_width = QFontMetrics(theme().ui(0, QFont::DemiBold)).horizontalAdvance(named) + 4;
  title->setMinimumWidth(std::min(title_width, 130));
  title->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
  place->setMinimumWidth(std::min(place->sizeHint().width(), 90));
  function->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* head = new QHBoxLayout;
  head->setSpacing(14);
  head->addWidget(title);
  head->addWidget(place);
  head->addWidget(function, 1);
  grid->addLayout(head, 0, 0);
  grid->addWidget(detail, 1, 0);
  if (!card.check.isEmpty()) {
    auto* check = new ElidedLabel(card.checked ? QString::fromUtf8("✓ ") + card.check : card.check);
    if (card.checked) check->setStyleSheet(QStringLiteral("color: ") + theme()["green"].name());
    else check->setProperty("role", "dim");
    auto* fix = new ElidedLabel(card.fix);
    fix->setFont(theme().code());
    // Savings are the point of the card, and shortened last; a reason for none gives way to the title.
    check->setMinimumWidth(
        std::min(QFontMetrics(theme().ui()).horizontalAdvance(check->text()) + 4, card.checked ? 210 : 120));
    fix->setMinimumWidth(std::min(QFontMetrics(theme().code()).horizontalAdvance(card.fix) + 4, 120));
    grid->addWidget(check, 0, 1);
    grid->addWidget(fix, 1, 1);
  }
  grid->setColumnStretch(0, 3);
  grid->setColumnStretch(1, 2);
}

void FindingWidget::set_chosen(bool chosen) {
  if (property("chosen").toBool() == chosen) return;
  setProperty("chosen", chosen);
  style()->unpolish(this);
  style()->polish(this);
}

void FindingWidget::paintEvent(QPaintEvent* event) {
  QFrame::paintEvent(event);
  QPainter painter(this);
  rounded(painter, QRectF(1, 1, 4, height() - 2), 2, theme().color(card_.tone + QStringLiteral("Fill")));
}

void FindingWidget::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_mouse = event->reason() == QContextMenuEvent::Mouse;
  Q_EMIT menu_asked(by_mouse ? event->globalPos() : mapToGlobal(rect().center()));
}

void FindingWidget::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  setFocus(Qt::MouseFocusReason);
  Q_EMIT chosen();
}

void FindingWidget::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) {
    Q_EMIT chosen();
  } else if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
    focusNextPrevChild(event->key() == Qt::Key_Down);
  } else {
    QFrame::keyPressEvent(event);
  }
}

FindingsView::FindingsView(const Context& context, QWidget* parent) : View(context, parent) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  scroll_ = new QScrollArea;
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setAccessibleName(QStringLiteral("Findings"));
  auto* inside = new QWidget;
  column_ = new QVBoxLayout(inside);
  column_->setContentsMargins(14, 4, 14, 10);
  column_->setSpacing(8);
  scroll_->setWidget(inside);
  outer->addWidget(scroll_);
  build();
}

QWidget* FindingsView::main_widget() { return cards_.empty() ? static_cast<QWidget*>(scroll_) : cards_.front(); }

void FindingsView::reset() {
  shown_ = QStringLiteral("\n");
  seen_traces_ = seen_calls_ = seen_eager_ = SIZE_MAX;
  ticket_ = {};
  ask_again_ = false;
  list_ = {};
  dismissed_cards_.clear();
  ask();
  build();
}

void FindingsView::open_first() {
  if (!cards_.empty()) Q_EMIT cards_.front()->chosen();
}

void FindingsView::show_again() {
  shown_ = QStringLiteral("\n");
  take(std::move(found_));
}

void FindingsView::refresh() {
  // Findings change with new traces; more calls alone hardly change what a replay saves.
  const bool ended = document().end.has_value();
  const bool late = ended && seen_eager_ != document().eager.places.size();  // ops are added up last
  if (seen_traces_ == document().traces.size() && !late && (!ended || seen_calls_ == document().calls)) return;
  ask();
}

// Runs on the store's thread: the replays of thousands of traces take longer than a frame.
void FindingsView::ask() {
  if (!context_.session->queries().serving()) return take(explain::find_findings(records_of(document())));
  ask_again_ = ticket_.waiting();
  if (ask_again_) return;
  seen_traces_ = document().traces.size();
  seen_calls_ = document().calls;
  seen_eager_ = document().eager.places.size();
  context_.session->queries().ask(
      ticket_,
      [eager = document().eager, run_ns = document().duration_ns()](const query::Store& store,
                                                                     const query::Cancel& cancel) {
        const session::Contents& c = store.reader().contents();
        const auto go_on = [&] { cancel.check(); };
        const auto pipelines = explain::pipeline_sums(store.reader(), go_on);
        explain::CallCounts counts{{}, explain::served_calls(store.reader(), go_on)};
        for (const session::FunctionRecord& f : c.functions)
          counts.of_function[f.id] = store.calls().of_function(f.id).calls;
        for (const session::TraceRecord& t : c.traces) counts.of_trace[t.id] = store.calls().of_trace(t.id).calls;
        std::vector<query::LateRank> late;
        if (c.processes.size() > 1)
          late = query::late_beyond_chance(store.reader(), query::find_late_ranks(store.reader(), cancel));
        const bool failed = c.end && c.end->exit_code != 0;
        return explain::find_findings({c.functions, c.traces, c.graphs, store.calls().distinct(), c.keys, c.files,
                                       c.codes, c.observations, c.decisions, c.generated, &eager, failed, pipelines,
                                       &counts, c.values, c.checked_calls, run_ns, &late});
      },
      [this](explain::Findings&& found) {
        take(std::move(found));
        if (ask_again_) ask();
      },
      Queries::kLong);
}

void FindingsView::take(explain::Findings found) {
  found_ = std::move(found);
  list_ = list_of(document(), found_);
  dismissed_cards_.clear();
  std::erase_if(list_.cards, [&](const FindingCard& card) {
    if (!dismissed_.contains(Dismissed::key_of(document(), card))) return false;
    dismissed_cards_.push_back(card);
    return true;
  });
  build();
}

void FindingsView::build() {
  QString contents = theme().name() + QString::number(dismissed_cards_.size()) + QString::number(show_dismissed_) +
                     QString::number(busy()) + QString::number(document().traces.empty());
  for (const FindingCard& c : list_.cards)
    contents += c.number + c.title + c.detail + c.check + c.place_text + QLatin1Char('\n');
  for (const FindingNote& note : list_.notes) contents += note.text;
  for (const LookedFor& looked : list_.not_found) contents += looked.where + looked.causes.join(QLatin1Char('\n'));
  contents += list_.dropped.join(QLatin1Char('\n'));
  if (contents == shown_) return;
  shown_ = contents;
  while (QLayoutItem* item = column_->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  cards_.clear();
  opened_ = nullptr;
  for (const FindingCard& c : list_.cards) add_card(c, false);
  for (const FindingNote& note : list_.notes) {
    add_line(note.text, note.link, [this, note] {
      if (note.target.kind != Selection::Kind::kNothing) context_.selection->select(note.target);
      Q_EMIT wants_view(note.view);
    });
  }
  if (list_.cards.empty() && list_.notes.empty()) {
    const std::string& engine = document().run.engine;
    const bool is_without_run = session::nothing_ran(engine);
    add_line(busy()                       ? QString::fromUtf8("Looking for findings …")
             : !document().end && !session::is_imported(engine) && document().traces.empty()
                 ? QStringLiteral("Findings about retraces appear here once functions have been traced.")
                 : QStringLiteral("Nothing to report: ") +
                       q(explain::no_findings_text(is_without_run, !document().traces.empty(),
                                                   eager_ops(document()))),
             {}, {});
  }
  if (!dismissed_cards_.empty()) {
    add_line(counted(dismissed_cards_.size(), "finding is", "findings are") + QStringLiteral(" no problem here."),
             show_dismissed_ ? QStringLiteral("Hide") : QStringLiteral("Show"), [this] {
               show_dismissed_ = !show_dismissed_;
               build();
             });
    if (show_dismissed_)
      for (const FindingCard& c : dismissed_cards_) add_card(c, true);
  }
  column_->addStretch(1);
  follow_selection();
  Q_EMIT list_changed();
  Q_EMIT count_changed(list_.numbered());
}

QMenu* FindingsView::menu_for(FindingWidget* finding) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const QPointer<FindingWidget> widget(finding);
  const FindingCard card = finding->card();
  const auto later = [widget](auto signal) {
    return [widget, signal] {
      if (widget) Q_EMIT (widget->*signal)();
    };
  };
  menu->addAction(QStringLiteral("Open the finding\tEnter"), this, later(&FindingWidget::chosen));
  menu->addAction(QStringLiteral("Show the line"), this, later(&FindingWidget::place_chosen))
      ->setEnabled(!card.place_text.isEmpty());
  menu->addAction(QStringLiteral("Copy as Markdown"), this, [this, card] {
    QGuiApplication::clipboard()->setText(as_markdown(finding_content(document(), card), 0));
  });
  const QString key = Dismissed::key_of(document(), card);
  const bool dismissed = dismissed_.contains(key);
  menu->addAction(dismissed ? QStringLiteral("Mark as a problem") : QStringLiteral("Not a problem here"), this,
                  [this, key, dismissed] {
                    dismissed_.set(key, !dismissed);
                    show_again();
                  })
      ->setEnabled(!key.isEmpty());
  return menu;
}

void FindingsView::add_card(const FindingCard& card, bool dismissed) {
  auto* made = new FindingWidget(card);
  column_->addWidget(made);
  if (!dismissed) cards_.push_back(made);
  connect(made, &FindingWidget::chosen, this, [this, made] {
    opened_ = made;
    const FindingCard shown = made->card();  // the widget may go with what follows
    const Landing there = landing_at(document(), shown);
    const bool is_node = shown.target.kind == Selection::Kind::kNode;
    const bool is_line = there.selection.kind == Selection::Kind::kLine;
    select(is_line ? there.selection : shown.target);
    follow_selection();
    Q_EMIT wants_view(is_node ? QStringLiteral("graph") : is_line ? there.view : QStringLiteral("retraces"));
    if (shown.finding) Q_EMIT opened(shown);
  });
  connect(made, &FindingWidget::menu_asked, this, [this, made](const QPoint& at) { menu_for(made)->popup(at); });
  connect(made, &FindingWidget::place_chosen, this, [this, made] {
    context_.selection->select(Selection::of_line(document(), made->card().place));
    Q_EMIT wants_view(QStringLiteral("source"));
  });
}

void FindingsView::add_line(const QString& text, const QString& link, std::function<void()> act) {
  auto* line = new QWidget;
  auto* row = new QHBoxLayout(line);
  row->setContentsMargins(6, 6, 6, 6);
  row->setSpacing(14);
  auto* label = plain_label(text, link.isEmpty() ? "faint" : "dim");
  label->setWordWrap(true);
  constexpr int kAlmostAll = 1000;
  row->addWidget(label, kAlmostAll);
  if (!link.isEmpty()) {
    // As wide as the text, so that the link is beside it; the text wraps where there is less room.
    label->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    label->setMaximumWidth(QFontMetrics(theme().ui()).horizontalAdvance(text) + 8);
    auto* button = new LinkButton(link, false);
    button->setAccessibleDescription(text);
    connect(button, &QPushButton::clicked, this, [act] { act(); }, Qt::QueuedConnection);
    row->addWidget(button);
    row->addStretch(1);
  }
  column_->addWidget(line);
}

// Several findings may be of the same trace or line: the one that was opened is the chosen one.
void FindingsView::follow_selection() {
  const FindingWidget* chosen = nullptr;
  for (const FindingWidget* w : cards_) {
    const Selection& target = w->card().target;
    const Selection there = landing_at(document(), w->card()).selection;
    const bool is_line = there.kind == Selection::Kind::kLine && current() == there;
    const bool is_selected = target.kind != Selection::Kind::kNothing && (is_line || current() == target);
    if (is_selected && (!chosen || w == opened_)) chosen = w;
  }
  for (FindingWidget* w : cards_) w->set_chosen(w == chosen);
}

void FindingsView::open_next() {
  if (cards_.empty()) return;
  const auto is_last = [&](const FindingWidget* w) {
    return opened_ ? w == opened_ : w->hasFocus() || w->property("chosen").toBool();
  };
  const auto last = std::find_if(cards_.begin(), cards_.end(), is_last);
  const auto next = last == cards_.end() || last + 1 == cards_.end() ? cards_.begin() : last + 1;
  Q_EMIT (*next)->chosen();
}

}  // namespace footlight::app
