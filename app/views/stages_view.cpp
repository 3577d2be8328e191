// Chooses the text to show, and marks its lines together with the lines of the program that they name.
#include "app/views/stages_view.h"

#include "app/models/function_groups.h"
#include "app/models/text.h"
#include "app/views/callers_menu.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"

#include "engine/base/errors.h"

#include <QScrollBar>
#include <QShortcut>

#include <algorithm>

namespace footlight::app {

StagesView::StagesView(const Context& context, QWidget* parent) : LeadView(context, new QWidget, parent) {
  build();
  for (CodeView* view : {source_, text_})
    connect(view, &CodeView::find_asked, this, [this, view] {
      find_->set_searched(view, view);
      find_->open();
    });
  connect(stages_, &QTabBar::currentChanged, this, [this](int index) {
    if (filling_ || index < 0 || static_cast<size_t>(index) >= all_.size()) return;
    stage_ = all_[static_cast<size_t>(index)].title;
    part_.clear();
    fill_parts();
    show_text();
  });
  connect(parts_, &QComboBox::activated, this, [this](int index) {
    if (filling_ || index < 0) return;
    part_ = parts_->itemData(index).toString();
    show_text();
  });
  connect(source_, &CodeView::activated, this, [this](int number) {
    chosen_line_ = 0;
    select_line({file_shown_, number});
  });
  connect(text_, &CodeView::activated, this, [this](int number) {
    const auto at = static_cast<size_t>(number) - 1;
    if (number < 1 || at >= shown_text_.origins.size()) return;
    chosen_line_ = number;
    if (shown_text_.origins[at].empty()) return mark();
    select_line(shown_text_.origins[at].front());
  });
  connect(source_, &CodeView::hovered, this, [this](int number) {
    const std::vector<int> lines = shown_text_.lines_from({file_shown_, number});
    text_->set_hover(QSet<int>(lines.begin(), lines.end()));
  });
  connect(text_, &CodeView::hovered, this, [this](int number) {
    QSet<int> lines;
    const auto at = static_cast<size_t>(number) - 1;
    if (number > 0 && at < shown_text_.origins.size())
      for (const SourcePlace& place : shown_text_.origins[at])
        if (place.file == file_shown_) lines.insert(place.line);
    source_->set_hover(lines);
  });
  connect(source_, &CodeView::menu_opening, this, [this](QMenu* menu, int number) {
    add_callers_menu(menu, document(), {file_shown_, number}, [this](SourcePlace place) {
      select(Selection::of_line(document(), place));
      Q_EMIT wants_view(QStringLiteral("source"));
    });
  });
  const auto key = [this](Qt::Key key, int by) {
    auto* shortcut = new QShortcut(QKeySequence(key), this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, this, [this, by] { step(by); });
  };
  key(Qt::Key_BracketLeft, -1);
  key(Qt::Key_BracketRight, 1);
  reset();
}

void StagesView::build() {
  auto* rows = new QVBoxLayout(body());
  rows->setContentsMargins(16, 8, 16, 10);
  lead_ = new Lead(Lead::kLine);
  rows->addWidget(lead_);

  source_ = new CodeView;
  source_->set_row_height(26);
  source_->set_empty_text(QStringLiteral("The text of this file was not recorded."));
  source_->setAccessibleName(QStringLiteral("Your code"));
  text_ = new CodeView;
  text_->set_row_height(24);
  text_->set_dim(true);
  text_->setAccessibleName(QStringLiteral("Text of the stage"));
  absent_ = new Lead(Lead::kMiddle);
  pages_ = new QStackedWidget;
  pages_->addWidget(card_with(text_));
  pages_->addWidget(absent_);

  auto* columns = row_in(nullptr, {}, 12);
  QHBoxLayout *left = nullptr, *right = nullptr;
  columns->addWidget(column_with(card_with(source_), QStringLiteral("Your code"), 38, &left), 1);
  columns->addWidget(column_with(pages_, {}, 38, &right), 1);
  file_ = elided_label({}, "dim");
  left->addWidget(file_, 1);
  stages_ = new Tabs(true);
  stages_->set_cuts(true);
  stages_->setAccessibleName(QStringLiteral("Stages"));
  right->addWidget(stages_);
  right->addStretch(1);
  trace_title_ = plain_label({}, "faint");
  right->addWidget(trace_title_);
  parts_ = new QComboBox;
  parts_->setAccessibleName(QStringLiteral("Text of the stage to show"));
  parts_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  right->addWidget(parts_);
  find_ = new FindBar(text_, text_);
  rows->addWidget(find_);
  rows->addLayout(columns, 1);
  joined_ = elided_label({}, "dim");
  joined_->setAccessibleName(QStringLiteral("Lines that belong together"));
  rows->addWidget(joined_);
}

void StagesView::set_missing(std::vector<std::string> missing) {
  if (missing == missing_) return;
  missing_ = std::move(missing);
  shown_ = {};
  show_trace();
}

void StagesView::reset() {
  all_.clear();
  shown_ = {};
  shown_text_ = {};
  file_shown_ = {};
  missing_.clear();
  chosen_line_ = 0;
  follow_selection();
}

void StagesView::refresh() { show_trace(); }

void StagesView::follow_selection() {
  const bool own = context_.selection->source() == this;
  if (!own) chosen_line_ = 0;
  show_trace();
  if (own) return;
  const SourcePlace place = place_of(document(), current());
  const bool is_line = current().kind != Selection::Kind::kTrace && current().kind != Selection::Kind::kFunction;
  if (!place || !is_line) return;
  source_->reveal(place.line);
  const std::vector<int> lines = shown_text_.lines_from(place);
  if (!lines.empty()) text_->reveal(lines.front());
}

// The selected trace; if only a function is selected, its first trace.
TraceId StagesView::trace_now() const {
  if (document().trace(current().trace)) return current().trace;
  const auto traces = document().traces_of(current().function);
  return traces.empty() ? TraceId() : traces.front()->id;
}

const GeneratedPart* StagesView::part_now() const {
  for (const GeneratedStage& stage : all_)
    if (stage.title == stage_)
      for (const GeneratedPart& part : stage.parts)
        if (part.title == part_) return &part;
  return nullptr;
}

void StagesView::show_trace() {
  const TraceId id = trace_now();
  const session::TraceRecord* trace = document().trace(id);
  all_ = generated_stages(document(), id, missing_);
  show_body(!all_.empty());
  if (all_.empty()) {
    say_nothing(stages_nothing(document(), current()));
    return;
  }
  const session::FunctionRecord* function = document().function(trace->function);
  trace_title_->setText(trace->native_id.empty() ? QStringLiteral("#%1").arg(trace->number)
                                                 : QStringLiteral("[%1]").arg(q(trace->native_id)));
  set_tip(trace_title_,
          QStringLiteral("Trace #%1 of %2").arg(trace->number).arg(function_title(document(), *function)));
  fill_stages();
  fill_parts();
  show_text();
}

void StagesView::fill_stages() {
  filling_ = true;
  if (std::ranges::none_of(all_, [&](const GeneratedStage& s) { return s.title == stage_; }))
    stage_ = all_.front().title;
  while (stages_->count() > static_cast<int>(all_.size())) stages_->removeTab(stages_->count() - 1);
  for (size_t i = 0; i < all_.size(); ++i) {
    const int at = static_cast<int>(i);
    if (at >= stages_->count())
      stages_->addTab(all_[i].title);
    else if (stages_->tabText(at) != all_[i].title)
      stages_->setTabText(at, all_[i].title);
    const QString said = all_[i].recorded() ? all_[i].parts.front().about : QStringLiteral("Not recorded");
    stages_->setTabToolTip(at, plain_tip(said));
    stages_->setAccessibleTabName(at,
                                  all_[i].title + (all_[i].recorded() ? QString() : QStringLiteral(", not recorded")));
    if (all_[i].title == stage_) stages_->setCurrentIndex(at);
  }
  stages_->updateGeometry();  // Qt does this by itself only where the tabs are visible
  filling_ = false;
}

void StagesView::fill_parts() {
  filling_ = true;
  QStringList titles;
  for (const GeneratedStage& stage : all_) {
    if (stage.title != stage_) continue;
    // The chosen part; else the first that was recorded.
    const auto chosen = std::ranges::find(stage.parts, part_, &GeneratedPart::title);
    const auto recorded = std::ranges::find_if(stage.parts, [](const GeneratedPart& p) { return p.absent.isEmpty(); });
    if (chosen == stage.parts.end())
      part_ = recorded == stage.parts.end() ? stage.parts.front().title : recorded->title;
    for (const GeneratedPart& part : stage.parts)
      titles << (part.absent.isEmpty() ? part.title : part.title + QStringLiteral(", not recorded"));
    bool same = parts_->count() == titles.size();
    for (int i = 0; same && i < parts_->count(); ++i) same = parts_->itemText(i) == titles[i];
    if (!same) parts_->clear();
    for (qsizetype i = 0; !same && i < titles.size(); ++i)
      parts_->addItem(titles[i], stage.parts[static_cast<size_t>(i)].title);
    parts_->setCurrentIndex(parts_->findData(part_));
  }
  parts_->setVisible(parts_->count() > 1);
  filling_ = false;
}

void StagesView::show_text() {
  const GeneratedPart* part = part_now();
  const session::TraceRecord* trace = document().trace(trace_now());
  if (!part || !trace) return;
  const size_t known = document().locations.size() + document().files.size();
  const Shown now{trace->id, trace->artifacts.size(), known, part->artifact};
  const bool another = now != shown_;
  if (another) {
    shown_ = now;
    shown_text_ = {};
    chosen_line_ = 0;
    QString damage = part->absent;
    if (damage.isEmpty()) try {
        shown_text_ = stage_text(document(), trace->id, part->artifact);
      } catch (const Error& error) {
        damage = QStringLiteral("This text is damaged in the recording: ") + q(error.what());
      }
    absent_->say({damage.isEmpty() ? QString() : QStringLiteral("Not recorded. ") + damage, {}, {}, {}});
    pages_->setCurrentIndex(damage.isEmpty() ? 0 : 1);
    text_->set_lines(shown_text_.lines);
    for (QScrollBar* bar : {text_->verticalScrollBar(), text_->horizontalScrollBar()}) bar->setValue(0);
    find_->text_changed();
    file_shown_ = {};
  }
  const size_t joined = shown_text_.with_origin();
  QString said = part->about;
  if (pages_->currentIndex() == 0)
    said += QStringLiteral(". ") + counted(shown_text_.lines.size(), "line", "lines") + QStringLiteral(", ") +
            (joined ? count_text(joined) + QStringLiteral(" of them with a line of your code")
                    : QStringLiteral("which name no line of your code"));
  lead_->say({said, {}, {}, {}});
  mark();
  if (!another || joined_->text().isEmpty()) return;
  const SourcePlace place = place_of(document(), current());
  const std::vector<int> lines = shown_text_.lines_from(place);
  if (place && place.file == file_shown_) source_->reveal(place.line);
  if (!lines.empty()) text_->reveal(lines.front());
}

void StagesView::show_source(session::FileId file) {
  if (file == file_shown_) return;
  file_shown_ = file;
  const session::FileRecord* record = document().file(file);
  file_->setText(record ? file_name(record->path) : QString());
  set_tip(file_, record ? q(record->path) : QString());
  std::vector<CodeLine> lines = file_lines(document(), file);
  for (const auto& places : shown_text_.origins)
    for (const SourcePlace& place : places)
      if (place.file == file && place.line <= static_cast<int>(lines.size()))
        lines[static_cast<size_t>(place.line) - 1].strip = QStringLiteral("violet");
  source_->set_lines(std::move(lines));
  // The function's own lines, unless a line is selected.
  if (const session::TraceRecord* trace = document().trace(shown_.trace))
    if (const session::FunctionRecord* f = continued_function(document(), trace->function); f && f->file == file)
      source_->show_first(std::max(1, std::max(f->decorator_line, 0) ? std::min(f->decorator_line, f->line) : f->line));
}

// Marks the selected line of the program, and the lines that were made of it.
void StagesView::mark() {
  const bool is_line = current().kind != Selection::Kind::kTrace && current().kind != Selection::Kind::kFunction &&
                       current().kind != Selection::Kind::kRun && current().kind != Selection::Kind::kNothing;
  SourcePlace place = is_line ? place_of(document(), current()) : SourcePlace();
  const auto at = static_cast<size_t>(chosen_line_) - 1;
  // A line of the text was chosen that names none of the program.
  const bool chosen = chosen_line_ > 0 && at < shown_text_.origins.size();
  const bool alone = chosen && shown_text_.origins[at].empty();
  if (alone) place = {};
  const session::TraceRecord* trace = document().trace(shown_.trace);
  const session::FunctionRecord* f = trace ? continued_function(document(), trace->function) : nullptr;
  const bool known = place && !document().lines(place.file).empty();
  show_source(known ? place.file : file_shown_.valid() ? file_shown_ : f ? f->file : session::FileId());
  QSet<int> mine;
  QStringList said;
  for (const SourcePlace& one : chosen ? shown_text_.origins[at] : std::vector<SourcePlace>{place}) {
    if (one && one.file == file_shown_) mine.insert(one.line);
    if (one) said << document().place_text(one);
  }
  source_->set_marks(mine);
  const std::vector<int> lines = shown_text_.lines_from(place);
  QSet<int> marked(lines.begin(), lines.end());
  if (alone) marked.insert(chosen_line_);
  text_->set_marks(marked);
  const QString ranges = line_ranges(lines);
  if (alone)
    joined_->setText(QStringLiteral("Line %1 of the text names no line of your code").arg(chosen_line_));
  else if (!place)
    joined_->setText({});
  else if (chosen && said.size() > 1)
    joined_->setText(QStringLiteral("Line %1 of the text").arg(chosen_line_) + QString::fromUtf8(" ↔ ") +
                     said.join(QStringLiteral(", ")));
  else if (lines.empty())
    joined_->setText(QStringLiteral("No line of this text names %1").arg(document().place_text(place)));
  else
    joined_->setText(document().place_text(place) + QString::fromUtf8(" ↔ ") +
                     (lines.size() == 1 ? QStringLiteral("line ") : QStringLiteral("lines ")) + ranges);
}

void StagesView::select_line(SourcePlace place) {
  Selection s = Selection::of_line(document(), place);
  const session::TraceRecord* trace = document().trace(shown_.trace);
  if (trace) s.function = trace->function, s.trace = trace->id, s.graph = trace->graph();
  select(s);
  mark();
  source_->reveal(place.line);
  const std::vector<int> lines = shown_text_.lines_from(place);
  if (!lines.empty() && !chosen_line_) text_->reveal(lines.front());
}

void StagesView::step(int by) {
  if (!stages_->count()) return;
  const int next = std::clamp(stages_->currentIndex() + by, 0, stages_->count() - 1);
  stages_->setCurrentIndex(next);
}

}  // namespace footlight::app
