// Two rows of boxes under a heading. A side that cannot be found is said below them.
#include "app/views/compare_sides.h"

#include "app/models/text.h"
#include "app/session/runs.h"
#include "app/views/layouts.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>

#include <algorithm>
#include <climits>

namespace footlight::app {
namespace {

using Kind = explain::Recorded::Kind;
constexpr size_t kMaxRuns = 20;

bool is_open(const Document& document, const QString& path) {
  return QFileInfo(path).canonicalFilePath() == QFileInfo(document.path).canonicalFilePath();
}

}  // namespace

CompareSideBox::CompareSideBox(const QString& name, QWidget* parent) : QWidget(parent) {
  auto* row = row_in(this, {}, 6);
  auto* label = plain_label(name, "dim");
  label->setMinimumWidth(34);
  row->addWidget(label);
  const auto box = [&](const QString& what, const QString& tip) {
    auto* made = new QComboBox;
    made->setAccessibleName(name + QLatin1Char(' ') + what);
    made->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    made->setMinimumContentsLength(5);
    set_tip(made, tip);
    row->addWidget(made, 1);
    return made;
  };
  recording_ = box(QStringLiteral("recording"), QStringLiteral("The recording of this side"));
  file_ = new QPushButton(QString::fromUtf8("…"));
  file_->setAccessibleName(name + QStringLiteral(": another file"));
  file_->setProperty("role", "chip");
  set_tip(file_, QStringLiteral("Choose another recording"));
  row->addWidget(file_);
  function_ = box(QStringLiteral("function"), QStringLiteral("The whole recording, or one function"));
  which_ = box(QStringLiteral("part"),
               QStringLiteral("All calls together, the calls that one trace served, or one call"));
  which_->addItem(QStringLiteral("All calls"), static_cast<int>(Kind::kFunction));
  which_->addItem(QStringLiteral("Trace"), static_cast<int>(Kind::kTrace));
  which_->addItem(QStringLiteral("Call"), static_cast<int>(Kind::kCall));
  number_ = new QSpinBox;
  number_->setRange(1, INT_MAX);
  number_->setAccessibleName(name + QStringLiteral(" number"));
  number_->setMinimumWidth(64);
  row->addWidget(number_);
  connect(recording_, &QComboBox::currentIndexChanged, this, [this] { show_parts(); });
  connect(file_, &QPushButton::clicked, this, &CompareSideBox::ask_for_file);
  connect(function_, &QComboBox::currentIndexChanged, this, [this] { show_parts(); });
  connect(which_, &QComboBox::currentIndexChanged, this, [this] { show_parts(); });
}

void CompareSideBox::set_document(const Document& document,
                                  const std::vector<std::pair<QString, QString>>& earlier) {
  const CompareSide before = document_ ? side() : CompareSide();
  document_ = &document;
  recording_->clear();
  recording_->addItem(QStringLiteral("This recording"), QString());
  for (const auto& [path, title] : earlier) add_recording(path, title);
  function_->clear();
  function_->addItem(QStringLiteral("The whole recording"), QString());
  for (const auto& [name, id] : functions_to_compare(document)) function_->addItem(name, name);
  set_side(before);
}

void CompareSideBox::add_recording(const QString& path, const QString& title) {
  recording_->addItem(title, path);
  recording_->setItemData(recording_->count() - 1, plain_tip(path), Qt::ToolTipRole);
}

void CompareSideBox::ask_for_file() {
  const QString path = QFileDialog::getOpenFileName(this, QStringLiteral("A recording to compare with"), {},
                                                    QStringLiteral("Recordings (*.footlight *.json *.gz *.pb);;"
                                                                   "All files (*)"));
  if (path.isEmpty()) return;
  CompareSide wanted = side();
  wanted.path = path;
  set_side(wanted);
}

void CompareSideBox::set_side(const CompareSide& side) {
  int at = recording_->findData(side.path);
  if (at < 0 && !side.path.isEmpty()) {
    at = recording_->count();
    add_recording(side.path, QFileInfo(side.path).completeBaseName());
  }
  recording_->setCurrentIndex(std::max(at, 0));
  function_->setCurrentIndex(std::max(0, function_->findData(q(side.what.function))));
  which_->setCurrentIndex(std::max(0, which_->findData(static_cast<int>(side.what.kind))));
  number_->setValue(static_cast<int>(std::clamp<uint64_t>(side.what.number, 1, INT_MAX)));
  show_parts();
}

CompareSide CompareSideBox::side() const {
  CompareSide made;
  made.path = recording_->currentData().toString();
  made.what.function = function_->currentData().toString().toStdString();
  if (made.what.function.empty()) return made;
  made.what.kind = static_cast<Kind>(which_->currentData().toInt());
  if (made.what.kind != Kind::kFunction) made.what.number = static_cast<uint64_t>(number_->value());
  return made;
}

void CompareSideBox::show_parts() {
  const CompareSide now = side();
  const bool function = !now.what.function.empty();
  which_->setEnabled(function);
  number_->setEnabled(function && now.what.kind != Kind::kFunction);
  if (!document_ || !now.path.isEmpty()) {
    number_->setMaximum(INT_MAX);       // what another recording holds is seen when it is read
    return;
  }
  uint64_t most = 1;
  for (const auto& [name, id] : functions_to_compare(*document_)) {
    if (name != q(now.what.function)) continue;
    most = now.what.kind == Kind::kCall ? document_->calls_of(id).calls : 0;
    for (const session::TraceRecord* t : document_->traces_of(id))
      if (now.what.kind != Kind::kCall) most = std::max<uint64_t>(most, static_cast<uint64_t>(std::max(t->number, 1)));
  }
  number_->setMaximum(static_cast<int>(std::clamp<uint64_t>(most, 1, INT_MAX)));
}

CompareSides::CompareSides(QWidget* parent) : QFrame(parent) {
  setProperty("role", "card");
  auto* column = column_in(this, {20, 16, 20, 16}, 8);
  column->addWidget(plain_label(QStringLiteral("Compare what was recorded"), "heading"));
  auto* text = plain_label(QStringLiteral("Two recordings, before and after an edit; a function in both; two traces; "
                                          "two calls. Nothing runs again."), "dim");
  text->setWordWrap(true);
  column->addWidget(text);
  left_ = new CompareSideBox(QStringLiteral("Left"));
  right_ = new CompareSideBox(QStringLiteral("Right"));
  column->addWidget(left_);
  column->addWidget(right_);
  failure_ = plain_label();
  failure_->setObjectName(QStringLiteral("compareFailure"));
  failure_->setWordWrap(true);
  failure_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(failure_);
  bar_ = new QProgressBar;
  bar_->setRange(0, 0);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(QStringLiteral("The recordings are being compared"));
  column->addWidget(bar_);
  auto* buttons = new QHBoxLayout;
  button_ = new QPushButton(QStringLiteral("Compare"));
  cancel_ = new QPushButton(QStringLiteral("Cancel"));
  for (QPushButton* one : {button_, cancel_}) {
    one->setAutoDefault(true);
    buttons->addWidget(one);
  }
  buttons->addStretch(1);
  column->addLayout(buttons);
  connect(button_, &QPushButton::clicked, this, [this] { Q_EMIT chosen(left_->side(), right_->side()); });
  connect(cancel_, &QPushButton::clicked, this, &CompareSides::cancelled);
  show_failure({});
  show_running(false);
}

QString CompareSides::earlier_run(const Document& document) {
  const QString script = file_name(document.run.script);
  for (const RunFile& run : recorded_runs(kMaxRuns))
    if (run.title == script && !is_open(document, run.path)) return run.path;
  return {};
}

void CompareSides::set_document(const Document& document) {
  std::vector<std::pair<QString, QString>> earlier;
  for (const RunFile& run : recorded_runs(kMaxRuns)) {
    if (is_open(document, run.path)) continue;
    earlier.emplace_back(run.path, run.when.toString(QStringLiteral("d MMM HH:mm:ss  ")) + run.title);
  }
  for (CompareSideBox* box : {left_, right_}) box->set_document(document, earlier);
  setEnabled(!document.path.isEmpty());
}

void CompareSides::offer(const CompareSide& left, const CompareSide& right) {
  left_->set_side(left);
  right_->set_side(right);
}

void CompareSides::show_running(bool running) {
  const bool focused = button_->hasFocus() || cancel_->hasFocus();
  running_ = running;
  show_buttons();
  if (focused) (running ? cancel_ : button_)->setFocus(Qt::OtherFocusReason);
}

void CompareSides::set_can_leave(bool can) {
  can_leave_ = can;
  show_buttons();
}

void CompareSides::show_buttons() {
  bar_->setVisible(running_);
  button_->setVisible(!running_);
  cancel_->setVisible(running_ || can_leave_);
}

void CompareSides::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && !cancel_->isHidden()) cancel_->click();
  else QFrame::keyPressEvent(event);
}

void CompareSides::show_failure(const QString& why) {
  failure_->setText(why);
  failure_->setVisible(!why.isEmpty());
}

}  // namespace footlight::app
