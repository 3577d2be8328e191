// One card in three states: offered, asked, running.
#include "app/views/compare_start.h"

#include "app/models/text.h"
#include "app/models/view_leads.h"
#include "app/models/why_not_run.h"
#include "app/views/layouts.h"
#include "app/views/start_card.h"

#include <QKeyEvent>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr int kMaxPairs = 10'000, kMaxSeconds = 3600;   // limits of the recorder
constexpr int kCardWidth = 620;

QSpinBox* number_box(const QString& name, int least, int most, int value, const QString& tip) {
  auto* box = new QSpinBox;
  box->setRange(least, most);
  box->setValue(value);
  box->setAccessibleName(name);
  box->setMinimumWidth(64);
  set_tip(box, tip);
  return box;
}

}  // namespace

CompareStart::CompareStart(QWidget* parent) : QWidget(parent) {
  QVBoxLayout* const column = start_card(this, kCardWidth);
  title_ = elided_label({}, "heading");
  text_ = plain_label({}, "dim");
  effects_ = plain_label();
  failure_ = plain_label();
  failure_->setObjectName(QStringLiteral("compareFailure"));
  progress_ = plain_label({}, "dim");
  for (QLabel* label : {title_, text_, effects_, failure_, progress_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  column->addWidget(failure_);
  column->addWidget(title_);
  column->addWidget(text_);
  column->addWidget(effects_);

  choices_ = new QWidget;
  auto* row = row_in(choices_, {}, 5);
  const ComparePlan usual;
  call_ = number_box(QStringLiteral("Call"), 1, 1, 1,
                     QStringLiteral("The call whose arguments are used, from 1"));
  pairs_ = number_box(QStringLiteral("Pairs"), 2, kMaxPairs, usual.pairs,
                      QStringLiteral("How often the call is repeated at most, eagerly and traced"));
  seconds_ = number_box(QStringLiteral("Seconds"), 1, kMaxSeconds, usual.seconds,
                        QStringLiteral("How long the repetitions may take"));
  const auto add = [row](const char* before, QSpinBox* box, const char* after) {
    auto* label = plain_label(QLatin1String(before), "dim");
    label->setBuddy(box);
    row->addWidget(label);
    row->addWidget(box);
    row->addWidget(plain_label(QLatin1String(after), "dim"));
    row->addSpacing(4);
  };
  add("call", call_, "");
  add("at most", pairs_, "pairs");
  add("for", seconds_, "s");
  row->addStretch(1);
  column->addWidget(choices_);

  bar_ = new QProgressBar;
  bar_->setRange(0, 0);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(QStringLiteral("The comparison is running"));
  column->addWidget(bar_);
  column->addWidget(progress_);

  auto* buttons = new QHBoxLayout;
  start_ = new QPushButton(QStringLiteral("Compare eager and traced"));
  go_ = new QPushButton(QStringLiteral("Run it"));
  cancel_ = new QPushButton(QStringLiteral("Cancel"));
  stop_ = new QPushButton(QStringLiteral("Stop"));
  set_tip(stop_, QStringLiteral("Ends the script (Esc)"));
  for (QPushButton* button : {start_, go_, cancel_, stop_}) {
    button->setAutoDefault(true);
    buttons->addWidget(button);
  }
  elsewhere_button_ = new QPushButton;
  elsewhere_button_->setAutoDefault(true);
  connect(elsewhere_button_, &QPushButton::clicked, this, [this] { Q_EMIT wants_view(elsewhere_); });
  buttons->addWidget(elsewhere_button_);
  buttons->addStretch(1);
  column->addLayout(buttons);

  connect(call_, &QSpinBox::valueChanged, this, [this] { say(); });
  connect(call_, &QSpinBox::editingFinished, this, [this] { call_by_hand_ = call_by_hand_ || call_->hasFocus(); });
  connect(pairs_, &QSpinBox::valueChanged, this, [this] { say(); });
  connect(seconds_, &QSpinBox::valueChanged, this, [this] { say(); });
  connect(start_, &QPushButton::clicked, this, &CompareStart::ask);
  connect(go_, &QPushButton::clicked, this, [this] { Q_EMIT confirmed(plan()); });
  connect(cancel_, &QPushButton::clicked, this, [this] {
    show_idle();
    Q_EMIT left();
  });
  connect(stop_, &QPushButton::clicked, this, &CompareStart::stop_asked);
  tick_.setInterval(200);
  connect(&tick_, &QTimer::timeout, this, [this] { say(); });
  show_failure({});
  set_state(State::kIdle);
}

void CompareStart::set_function(const Document& document, FunctionId function) {
  document_ = &document;
  if (state_ == State::kRunning) return;
  const session::FunctionRecord* f = document.function(function);
  if (function != function_) {
    call_by_hand_ = false;
    call_->setValue(1);
  }
  function_ = f ? function : FunctionId();
  function_name_ = f ? q(f->name) : QString();
  call_->setMaximum(static_cast<int>(std::min<qulonglong>(calls_to_choose(document, function), INT_MAX)));
  set_state(f ? state_ : State::kIdle);
}

void CompareStart::suggest_call(qulonglong call) {
  if (!call_by_hand_ && !call_->hasFocus() && state_ == State::kIdle)
    call_->setValue(static_cast<int>(std::min<qulonglong>(call, INT_MAX)));
}

ComparePlan CompareStart::plan() const {
  return {function_name_, static_cast<qulonglong>(call_->value()), pairs_->value(), seconds_->value()};
}

void CompareStart::ask() {
  if (function_name_.isEmpty() || (document_ && !why_not_run(*document_).isEmpty())) return;
  show_failure({});
  set_state(State::kAsking);
  go_->setFocus(Qt::OtherFocusReason);
}

void CompareStart::show_running(const ComparePlan& plan) {
  function_name_ = plan.function;
  since_.start();
  progress_text_.clear();
  show_failure({});
  stop_->setEnabled(true);
  set_state(State::kRunning);
  stop_->setFocus(Qt::OtherFocusReason);
}

void CompareStart::show_progress(const QString& text) {
  progress_text_ = text;
  say();
}

void CompareStart::show_stopping() {
  stop_->setEnabled(false);
  show_progress(QString::fromUtf8("stopping …"));
}

void CompareStart::show_failure(const QString& why) {
  failure_->setText(why);
  failure_->setVisible(!why.isEmpty());
}

void CompareStart::show_idle() { set_state(State::kIdle); }

void CompareStart::set_state(State state) {
  const bool focused = isAncestorOf(focusWidget()) && hasFocus();
  state_ = state;
  const QString why_not = document_ ? why_not_run(*document_) : QString();
  const bool known = !function_name_.isEmpty() && why_not.isEmpty();
  set_tip(start_, why_not);
  choices_->setVisible(known && state != State::kRunning);
  start_->setVisible(state == State::kIdle);
  start_->setEnabled(known);
  go_->setVisible(state == State::kAsking);
  cancel_->setVisible(state == State::kAsking);
  stop_->setVisible(state == State::kRunning);
  bar_->setVisible(state == State::kRunning);
  progress_->setVisible(state == State::kRunning);
  if (state == State::kRunning) tick_.start();
  else tick_.stop();
  say();
  if (focused) main_button()->setFocus(Qt::OtherFocusReason);
}

void CompareStart::say() {
  if (!document_) return;
  elsewhere_button_->hide();
  if (const QString why_not = why_not_run(*document_); !why_not.isEmpty() && state_ == State::kIdle) {
    title_->setText(QStringLiteral("Compare eager and traced"));
    text_->setText(why_not + QStringLiteral(" What was recorded is compared below."));
    effects_->hide();
    return;
  }
  if (function_name_.isEmpty()) {
    title_->setText(QStringLiteral("Compare eager and traced"));
    const ViewLead lead = nothing_to_show(*document_, {}, LeadFor::kCompare);
    text_->setText(lead.text);
    elsewhere_ = lead.view;
    elsewhere_button_->setText(lead.link);
    elsewhere_button_->setVisible(!elsewhere_.isEmpty());
    start_->setVisible(elsewhere_.isEmpty());
    effects_->hide();
    return;
  }
  if (state_ == State::kRunning) {
    title_->setText(QString::fromUtf8("Comparing %1 …").arg(function_name_));
    progress_->setText(QStringLiteral("%1%2").arg(
        duration_text(since_.nsecsElapsed()),
        progress_text_.isEmpty() ? QString() : QString::fromUtf8("  ·  ") + progress_text_));
    effects_->hide();
    text_->setText(QStringLiteral("The result appears when the call has been compared."));
    return;
  }
  title_->setText(state_ == State::kAsking ? QStringLiteral("Run the script again?")
                                           : QStringLiteral("Compare eager and traced: ") + function_name_);
  text_->setText(promise_of(plan(), *document_));
  const QStringList effects = effects_of(*document_, function_);
  effects_->setVisible(!effects.isEmpty());
  effects_->setText(QStringLiteral("%1 has effects outside of its graph, and every eager repetition repeats them: ")
                        .arg(function_name_) + effects.join(QStringLiteral("; ")) + QLatin1Char('.'));
}

QString CompareStart::shown_text() const {
  QStringList all;
  for (const QLabel* label : {failure_, title_, text_, effects_, progress_})
    if (label->isVisibleTo(this)) all << label->text();
  return all.join(QLatin1Char('\n'));
}

void CompareStart::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && state_ == State::kAsking) cancel_->click();
  else if (event->key() == Qt::Key_Escape && state_ == State::kRunning) stop_->click();
  else QWidget::keyPressEvent(event);
}

}  // namespace footlight::app
