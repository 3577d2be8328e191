// Builds the inspector's widgets from its content.
#include "app/views/inspector_panel.h"

#include "app/models/text.h"
#include "app/views/code_view.h"
#include "app/views/histogram_view.h"
#include "app/views/labels.h"
#include "app/views/paint.h"
#include "app/views/value_detail.h"

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace footlight::app {
namespace {

class Pill : public QWidget {
 public:
  Pill(const QString& text, const QString& tone, QWidget* parent = nullptr)
      : QWidget(parent), text_(text), tone_(tone) {
    setAccessibleName(text);
    setFixedSize(QFontMetrics(theme().ui(-2, QFont::Medium)).horizontalAdvance(text) + 20, 20);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    rounded(painter, rect(), 10, theme().color(tone_ + QStringLiteral("Soft")));
    text_in(painter, rect(), text_, theme().color(tone_), theme().ui(-2, QFont::Medium), Qt::AlignCenter);
  }

 private:
  QString text_, tone_;
};

QFrame* hairline() {
  auto* line = new QFrame;
  line->setProperty("role", "line");
  return line;
}

}  // namespace

InspectorPanel::InspectorPanel(const Context& context, QWidget* parent) : View(context, parent) {
  setObjectName(QStringLiteral("inspector"));
  setAttribute(Qt::WA_StyledBackground);
  setAccessibleName(QStringLiteral("Inspector"));
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(1, 0, 0, 0);
  scroll_ = new QScrollArea;
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setAccessibleName(QStringLiteral("Inspector"));
  outer->addWidget(scroll_);
  connect(&context_.session->lines(), &LineTotals::changed, this, &InspectorPanel::build);
  build();
}

void InspectorPanel::set_snippet_shown(bool shown) {
  if (snippet_ == shown) return;
  snippet_ = shown;
  shown_.clear();
  build();
}

void InspectorPanel::reset() {
  facts_ = {};
  ask();
  build();
}

void InspectorPanel::refresh() {
  ask();
  build();
}

void InspectorPanel::follow_selection() {
  median_.withdraw();
  ask();
  build();
}

void InspectorPanel::ask() {
  // While a run grows, only one query is pending at a time.
  if (facts_ticket_.waiting() && asked_ == current()) return;
  asked_ = current();
  const bool line = asked_.kind == Selection::Kind::kLine || asked_.kind == Selection::Kind::kGenerated;
  if (line && isVisible()) context_.session->lines().want(asked_.trace);
  context_.session->queries().ask(
      facts_ticket_,
      [selection = asked_, below = nodes_below(context_.session->document(), asked_)](const query::Store& store,
                                                                                     const query::Cancel& cancel) {
        return find_facts(store, selection, cancel, below);
      },
      [this](SelectionFacts facts) {
        const bool same = facts_.of == facts.of;
        const bool count = !same || facts_.ran.count != facts.ran.count;
        if (same) facts.median_ns = facts_.median_ns;
        facts_ = std::move(facts);
        build();
        if (facts_.of.kind == Selection::Kind::kNode && facts_.ran.count && count && !median_.waiting()) ask_median();
      });
}

void InspectorPanel::ask_median() {
  context_.session->queries().ask(
      median_,
      [selection = facts_.of](const query::Store& store, const query::Cancel& cancel) {
        return node_median(store, selection, cancel);
      },
      [this, of = facts_.of](int64_t median) {
        if (facts_.of != of) return;
        facts_.median_ns = median;
        build();
      },
      Queries::kLong);
}

void InspectorPanel::add_group(const InspectorGroup& group, bool first) {
  if (!first) {
    column_->addSpacing(6);
    column_->addWidget(hairline());
    column_->addSpacing(4);
    column_->addWidget(elided_label(group.title, "group"));
  }
  if (!group.paragraph.isEmpty()) {
    QLabel* text = plain_label(beginning_of(group.paragraph), "dim");
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column_->addWidget(text);
  }
  if (group.rows.empty()) return;
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(5);
  grid->setColumnMinimumWidth(0, 80);
  grid->setColumnStretch(1, 1);
  int at = 0;
  for (const InspectorRow& row : group.rows) {
    add_row(grid, row, at++);
    if (opened_.contains(row.label))
      for (const InspectorRow& inner : row.inner) add_row(grid, inner, at++);
  }
  column_->addLayout(grid);
}

void InspectorPanel::add_values() {
  for (const session::TensorValue* value : content_.values) {
    column_->addSpacing(6);
    column_->addWidget(hairline());
    column_->addSpacing(4);
    auto* detail = new ValueDetail(document(), content_.call_values, *value);
    connect(detail, &ValueDetail::wants_values, this, [this] { Q_EMIT wants_view(QStringLiteral("values")); });
    column_->addWidget(detail);
  }
}

void InspectorPanel::add_row(QGridLayout* grid, const InspectorRow& row, int at) {
  auto* label = new ElidedLabel(QString(2 * row.indent, QLatin1Char(' ')) + row.label);
  label->setProperty("role", "faint");
  label->setFixedWidth(96);
  grid->addWidget(label, at, 0, Qt::AlignTop);
  if (!row.inner.empty()) {
    const bool is_open = opened_.contains(row.label);
    auto* open = new LinkButton(QString::fromUtf8(is_open ? "▾ " : "▸ ") + row.value, true);
    open->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    open->setAccessibleName(row.label + QLatin1Char(' ') + row.value +
                            (is_open ? QStringLiteral(", shown") : QStringLiteral(", folded")));
    connect(open, &QPushButton::clicked, this, [this, label = row.label] {
      if (!opened_.remove(label)) opened_.insert(label);
      shown_.clear();
      build();
    });
    grid->addWidget(open, at, 1);
  } else if (row.link) {
    auto* link = new LinkButton(row.value, true);
    link->setAccessibleName(row.label + QLatin1Char(' ') + row.value);
    link->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    const Selection target = row.target;
    connect(link, &QPushButton::clicked, this, [this, target] {
      context_.selection->select(target);
      if (target.kind == Selection::Kind::kGenerated) Q_EMIT wants_view(QStringLiteral("autograph"));
    });
    grid->addWidget(link, at, 1);
  } else {
    // Text with spaces wraps; a long word is cut off, so that it does not widen the panel.
    const bool words = row.value.contains(QLatin1Char(' '));
    QLabel* value = words ? plain_label(row.value) : new ElidedLabel(row.value);
    value->setFont(theme().code());
    value->setWordWrap(words);
    if (words) value->setMinimumWidth(10);
    value->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    if (!row.tone.isEmpty()) value->setStyleSheet(QStringLiteral("color: ") + theme().color(row.tone).name());
    grid->addWidget(value, at, 1, Qt::AlignTop);
  }
}

void InspectorPanel::build() {
  // Keep showing the previous selection until the facts arrive.
  if (needs_facts(current()) && facts_.of != current() && facts_ticket_.waiting()) return;
  InspectorContent content = document().run.script.empty() && document().functions.empty()
                                 ? InspectorContent{}
                                 : inspect(document(), current(), &facts_, &context_.session->lines().sums());
  QString said = theme().name() + as_markdown(content) + content.tag + (snippet_ ? QStringLiteral("s") : QString()) +
                 QString::number(content.histogram.size());
  for (const InspectorGroup& g : content.groups) {
    for (const InspectorRow& r : g.rows) said += r.tone;
  }
  if (content.call_values) said += QString::number(content.call_values->start_ns);
  if (said == shown_) return;
  shown_ = said;
  content_ = std::move(content);
  auto* focused = qobject_cast<QWidget*>(QGuiApplication::focusObject());
  const bool had_focus = inside_ && focused && inside_->isAncestorOf(focused);
  inside_ = new QWidget;
  column_ = new QVBoxLayout(inside_);
  column_->setContentsMargins(16, 14, 14, 14);
  column_->setSpacing(8);
  if (content_.title.isEmpty()) {
    column_->addWidget(plain_label(QStringLiteral("Nothing selected."), "faint"));
    column_->addStretch(1);
    scroll_->setWidget(inside_);
    return;
  }
  auto* head = new QHBoxLayout;
  head->setSpacing(12);
  auto* title = new ElidedLabel(content_.title);
  title->setProperty("role", "title");
  title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  set_tip(title, content_.title);
  head->addWidget(title, 1);
  if (!content_.tag.isEmpty()) head->addWidget(new Pill(content_.tag, content_.tag_tone));
  column_->addLayout(head);
  bool first = true;
  for (const InspectorGroup& g : content_.groups) {
    if (first || !g.rows.empty() || !g.paragraph.isEmpty()) add_group(g, first);
    if (first) add_values();
    first = false;
  }
  if (!content_.histogram.empty()) {
    column_->addSpacing(6);
    column_->addWidget(hairline());
    column_->addSpacing(4);
    column_->addWidget(elided_label(content_.histogram_title, "group"));
    auto* histogram = new HistogramView;
    histogram->set(histogram_of(content_.histogram, content_.histogram_least, content_.histogram_most, 24),
                   theme().family_fill(content_.histogram_tone.toStdString()));
    column_->addWidget(histogram);
  }
  if (snippet_ && !content_.snippet.empty()) {
    column_->addSpacing(6);
    column_->addWidget(hairline());
    column_->addSpacing(4);
    column_->addWidget(elided_label(content_.snippet_title, "group"));
    auto* code = new CodeView;
    code->setAccessibleName(QStringLiteral("Source around the selection"));
    code->set_row_height(22);
    code->set_lines(content_.snippet);
    code->set_fit(true);
    code->set_marks({content_.snippet_line}, content_.snippet_value_line);
    const session::FileId file = content_.snippet_place.file;
    connect(code, &CodeView::activated, this, [this, file](int number) {
      context_.selection->select(Selection::of_line(document(), {file, number}));
    });
    column_->addWidget(code);
  }
  column_->addSpacing(6);
  const auto add_link = [&](const QString& text, auto&& act) {
    auto* link = new LinkButton(text, false);
    connect(link, &QPushButton::clicked, this, act);
    column_->addWidget(link);
  };
  for (const InspectorLink& l : content_.links) {
    const InspectorLink copy = l;
    add_link(l.text, [this, copy] {
      context_.selection->select(copy.target);
      Q_EMIT wants_view(copy.view);
    });
  }
  add_link(QStringLiteral("Copy as Markdown"),
           [this] { QGuiApplication::clipboard()->setText(as_markdown(content_)); });
  column_->addStretch(1);
  scroll_->setWidget(inside_);
  if (had_focus) scroll_->setFocus();
}

}  // namespace footlight::app
