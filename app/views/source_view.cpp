// Shows a file and follows the selection through it; asks the store what its lines cost.
#include "app/views/source_view.h"

#include "app/models/line_marks.h"
#include "app/models/text.h"
#include "app/views/autograph_view.h"
#include "app/views/callers_menu.h"

#include "engine/base/error_words.h"
#include "engine/model/model_file.h"

#include <QButtonGroup>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <utility>

namespace footlight::app {
namespace {

QPushButton* chip(const QString& text, const QString& tip) {
  QPushButton* made = chip_switch(text, tip);
  made->setAccessibleName(text);
  made->setAccessibleDescription(tip);
  made->setFocusPolicy(Qt::StrongFocus);
  return made;
}

}  // namespace

SourceView::SourceView(const Context& context, QWidget* parent) : View(context, parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 10, 16, 14);
  column->setSpacing(8);
  build_head(column);
  build_note(column);
  code_ = new CodeView;
  code_->setAccessibleName(QStringLiteral("Source"));
  code_->set_row_height(24);
  nothing_ = new Lead(Lead::kMiddle);
  connect(nothing_, &Lead::followed, this, &View::wants_view);
  editor_ = new SourceEditor;
  find_ = new FindBar(code_, code_);
  column->addWidget(find_);
  sentence_ = new Lead(Lead::kLine);
  column->addWidget(sentence_);
  connect(sentence_, &Lead::followed, this, [this] {
    if (editing()) edit_->setChecked(false);
    select(Selection::of_line(document(), {file_, slowest_}));
    code_->set_marks({slowest_});
    code_->reveal(slowest_);
    code_->setFocus(Qt::OtherFocusReason);
  });
  middle_ = new QWidget;
  pages_ = new QStackedLayout(middle_);
  pages_->addWidget(card_with(code_));
  pages_->addWidget(card_with(editor_));
  column->addWidget(middle_, 1);
  column->addWidget(nothing_, 1);
  auto* legend = new QHBoxLayout;
  legend->setSpacing(14);
  for (const auto& [tone, text] : {std::pair("violet", "Staged"), std::pair("teal", "Python while tracing"),
                                   std::pair("blue", "Eager"), std::pair("red", "Fell back"),
                                   std::pair("amber", "Traced again")})
    legend->addWidget(new Swatch(QLatin1String(tone), QLatin1String(text)));
  legend->addStretch(1);
  column->addLayout(legend);
  connect(files_, &QComboBox::activated, this, [this](int index) {
    if (index >= 0) show_file(session::FileId(files_->itemData(index).toUInt()));
  });
  connect(code_, &CodeView::activated, this, [this](int number) {
    code_->set_marks({number});
    if (file_.valid()) select(Selection::of_line(document(), {file_, number}));
  });
  connect(code_, &CodeView::menu_opening, this, [this](QMenu* menu, int number) {
    if (!file_.valid()) return;
    add_callers_menu(menu, document(), {file_, number}, [this](SourcePlace place) {
      select(Selection::of_line(document(), place));
      show_file(place.file);
      code_->set_marks({place.line});
      code_->reveal(place.line);
    });
  });
  connect(code_, &CodeView::find_asked, find_, &FindBar::open);
  connect(editor_, &SourceEditor::find_asked, find_, &FindBar::open);
  connect(editor_, &SourceEditor::save_asked, this, [this] { save(); });
  connect(editor_, &SourceEditor::leave_asked, this, [this] { edit_->setChecked(false); });
  connect(editor_, &QPlainTextEdit::textChanged, find_, &FindBar::text_changed);
  connect(editor_->document(), &QTextDocument::modificationChanged, this, [this](bool modified) {
    save_->setEnabled(modified);
    edit_->setText(modified ? QString::fromUtf8("Edit •") : QStringLiteral("Edit"));
  });
  connect(editor_, &SourceEditor::disk_changed, this, [this](bool modified) {
    if (!editing()) return;
    if (modified) {
      say(QFileInfo(editor_->path()).fileName() + QStringLiteral(" has changed on the disk, and here too."), true);
    } else if (const QString error = editor_->reload(); error.isEmpty()) {
      say(QStringLiteral("The file has changed on the disk and was read again."));
    } else {
      say(error);
    }
  });
  connect(&context_.session->lines(), &LineTotals::changed, this, &SourceView::show_costs);
  reset();
}

void SourceView::build_head(QVBoxLayout* column) {
  auto* head = new QHBoxLayout;
  head->setSpacing(8);
  files_ = new QComboBox;
  files_->setAccessibleName(QStringLiteral("File"));
  files_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  files_->setMinimumContentsLength(14);
  head->addWidget(files_);
  head->addSpacing(6);
  head->addStretch(1);
  auto* group = new QButtonGroup(this);
  for (const CostMode mode : kCostModes) {
    modes_.push_back(chip(cost_mode_name(mode), cost_mode_tip(mode)));
    group->addButton(modes_.back());
    head->addWidget(modes_.back());
    connect(modes_.back(), &QPushButton::clicked, this, [this, mode] { choose_mode(mode); });
  }
  modes_.front()->setChecked(true);
  save_ = new QPushButton;
  save_->setText(QStringLiteral("Save"));
  save_->setAccessibleName(QStringLiteral("Save the file"));
  set_tip(save_, QStringLiteral("Save the file (Ctrl+S)"));
  save_->hide();
  connect(save_, &QPushButton::clicked, this, [this] { save(); });
  head->addWidget(save_);
  edit_ = chip(QStringLiteral("Edit"), QStringLiteral("Edit the file on the disk: Ctrl+S saves, F5 saves and runs"));
  head->addWidget(edit_);
  connect(edit_, &QPushButton::toggled, this, &SourceView::set_editing);
  column->addLayout(head);
}

void SourceView::build_note(QVBoxLayout* column) {
  note_ = new QWidget;
  auto* row = new QHBoxLayout(note_);
  row->setContentsMargins(2, 0, 2, 0);
  note_text_ = plain_label({}, "dim");
  note_text_->setWordWrap(true);
  note_text_->setAccessibleName(QStringLiteral("About this file"));
  row->addWidget(note_text_, 1);
  take_disk_ = new LinkButton(QStringLiteral("Take the one on disk"), false);
  keep_mine_ = new LinkButton(QStringLiteral("Keep mine and save"), false);
  row->addWidget(take_disk_);
  row->addWidget(keep_mine_);
  connect(take_disk_, &QPushButton::clicked, this, [this] { say(editor_->reload()); });
  connect(keep_mine_, &QPushButton::clicked, this, [this] { save(true); });
  column->addWidget(note_);
  note_->hide();
}

void SourceView::say(const QString& text, bool choice) {
  note_text_->setText(text);
  take_disk_->setVisible(choice);
  keep_mine_->setVisible(choice);
  note_->setVisible(!text.isEmpty());
}

void SourceView::showEvent(QShowEvent*) { want_costs(); }

void SourceView::fill_files() {
  known_files_ = document().files.size();
  files_->clear();
  // The person's own first.
  for (const bool own : {true, false}) {
    bool is_first = !own && files_->count() > 0;
    for (const session::FileRecord& f : document().files) {
      if (is_users_file(f.path) != own) continue;
      if (std::exchange(is_first, false)) files_->insertSeparator(files_->count());
      files_->addItem(file_name(f.path), f.id.value);
      files_->setItemData(files_->count() - 1, plain_tip(q(f.path)), Qt::ToolTipRole);
    }
  }
  files_->setVisible(!document().files.empty());
}

void SourceView::reset() {
  file_ = {};
  fill_files();
  if (!document().files.empty()) script_.clear();
  session::FileId script = document().file_named(document().run.script);
  if (!script.valid() && !document().files.empty()) script = document().files.front().id;
  if (script_.isEmpty()) show_file(script);
  follow_selection();
  want_costs();
}

void SourceView::refresh() {
  if (known_files_ != document().files.size()) fill_files();
  if (!file_.valid() && !document().files.empty()) {
    show_file(document().files.front().id);
  } else if (pieces_ != document().generated.size() || decisions_ != document().decisions.size() ||
             traces_ != document().traces.size()) {
    show_file(file_);
  }
  follow_selection();
  want_costs();
}

void SourceView::show_file(session::FileId file) {
  const bool another = file_ != file || !text_;
  file_ = file;
  if (file.valid()) script_.clear();
  pieces_ = document().generated.size();
  decisions_ = document().decisions.size();
  traces_ = document().traces.size();
  const session::FileRecord* record = document().file(file);
  const std::string text = record ? record->text : std::string();
  if (another || text_->whole().size() != text.size()) {
    text_ = std::make_shared<FileText>(text, std::unordered_map<int, CodeLine>{});
    find_->text_changed();
  }
  files_->setCurrentIndex(files_->findData(file.value));  // the line between the program's files and others has no data
  show_costs();
  // After another run of the script the editor stays as it is.
  if (another && editing() && !editor_->modified() && editor_->path() != disk_path()) set_editing(true);
}

void SourceView::show_script(const QString& path) {
  script_ = path;
  file_ = {};
  files_->clear();
  files_->addItem(QFileInfo(path).fileName());
  files_->setVisible(true);
  QFile file(path);
  const QByteArray text = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  text_ = std::make_shared<FileText>(text.toStdString(), std::unordered_map<int, CodeLine>{});
  code_->set_costs(nullptr);
  code_->set_empty_text({});
  code_->set_text(text_);
  sentence_->say({QStringLiteral("This script has not run yet: Run (F5) shows what its lines cost."), {}, {}, {}});
  show_nothing();
  if (editing() && !editor_->modified()) set_editing(true);
}

void SourceView::want_costs() {
  if (isVisible() && !document().files.empty()) context_.session->lines().want(current().trace);
}

void SourceView::show_nothing() {
  const bool empty = !file_.valid() && script_.isEmpty() && !editing();
  if (empty) nothing_->say(nothing_to_show(document(), current(), LeadFor::kSource));
  nothing_->setVisible(empty);
  middle_->setVisible(!empty);
}

void SourceView::show_costs() {
  show_nothing();
  if (!file_.valid()) {
    code_->set_costs(nullptr);
    code_->set_text(text_);
    sentence_->say({});
    return;
  }
  code_->set_empty_text(QStringLiteral("The text of this file was not recorded."));
  auto notes = file_notes(document(), file_, static_cast<int64_t>(text_->size()));
  const query::LineSums& sums = context_.session->lines().sums();
  mark_lines(document(), sums, file_, notes);
  text_->set_notes(std::move(notes));
  auto costs = std::make_shared<LineCosts>(line_costs(sums, file_, mode_));
  const bool counting = sums.lines.empty() && (context_.session->lines().waiting() || !isVisible());
  QString sentence = counting ? QString::fromUtf8("Counting …") : costs->sentence;
  if (document().dropped)
    sentence += QStringLiteral("; incomplete: %1 events were dropped").arg(count_text(document().dropped));
  ViewLead lead{sentence, {}, {}, {}};
  if (!counting && costs->slowest) {
    lead.link = QStringLiteral("Go to line %1").arg(costs->slowest);
    lead.view = QStringLiteral("line");
  }
  slowest_ = costs->slowest;
  sentence_->say(lead);
  set_tip(sentence_, cost_mode_tip(mode_));
  code_->set_costs(std::move(costs));
  code_->set_text(text_);
}

void SourceView::choose_mode(CostMode mode) {
  mode_ = mode;
  modes_[static_cast<size_t>(mode)]->setChecked(true);
  if (editing()) edit_->setChecked(false);
  show_costs();
}

QString SourceView::disk_path() const {
  if (!script_.isEmpty()) return script_;
  const session::FileRecord* f = document().file(file_);
  return f ? QDir(q(document().run.working_directory)).absoluteFilePath(q(f->path)) : QString();
}

void SourceView::edit(const SourcePlace& place) {
  if (place.file.valid() && place.file != file_) show_file(place.file);
  edit_->setChecked(true);
  if (editing()) editor_->show_line(place.line);
}

void SourceView::set_editing(bool on) {
  say({});
  if (on && editor_->modified()) {
    if (editor_->path() != disk_path())
      say(QFileInfo(editor_->path()).fileName() + QStringLiteral(" has edits that are not saved: save them first."));
  } else if (on) {
    const QString path = disk_path();
    const QString error = path.isEmpty() ? QStringLiteral("There is no file to edit.")
                          : model::looks_like_model(path.toStdString())
                              ? QStringLiteral("A model is shown, not edited.")
                              : editor_->open(path);
    if (!error.isEmpty()) {
      edit_->setChecked(false);
      say(error);
      return;
    }
    editor_->show_line(std::max(1, code_->current()));
    const session::FileRecord* f = document().file(file_);
    if (f && QString::fromStdString(f->text).remove(QLatin1Char('\r')) != editor_->on_disk())
      say(QStringLiteral("This is the file on the disk. It is not the text that was recorded."));
  }
  if (!on && editor_->modified())
    say(QStringLiteral("Your edits are kept but not saved. Below is the text that was recorded."));
  pages_->setCurrentIndex(on ? 1 : 0);
  show_nothing();
  save_->setVisible(on);
  save_->setEnabled(editor_->modified());
  find_->set_searched(on ? static_cast<Searched*>(editor_) : code_, main_widget());
  main_widget()->setFocus(Qt::OtherFocusReason);
}

bool SourceView::save(bool force) {
  const QString error = editor_->save(force);
  const bool conflict = error.contains(QStringLiteral("changed on the disk"));
  say(error.isEmpty() ? QString::fromUtf8("Saved. F5 runs it again.") : error, conflict);
  return error.isEmpty();
}

bool SourceView::save_edits() {
  if (!editor_->modified()) return true;
  if (save()) return true;
  edit_->setChecked(true);
  Q_EMIT wants_view(QStringLiteral("source"));
  return false;
}

bool SourceView::may_close() {
  const int edits = editor_->document()->revision();
  if (!editor_->modified() || edits == asked_at_) return true;
  asked_at_ = edits;
  edit_->setChecked(true);
  const QString name = QFileInfo(editor_->path()).fileName();
  say(name + QStringLiteral(" has edits that are not saved. Close again to drop them."));
  Q_EMIT wants_view(QStringLiteral("source"));
  return false;
}

void SourceView::show_theme() {
  editor_->show_theme();
  code_->viewport()->update();
}

void SourceView::follow_selection() {
  const SourcePlace place = place_of(document(), current());
  want_costs();
  if (!place) {
    code_->set_marks({});
    return;
  }
  if (place.file != file_) show_file(place.file);
  code_->set_marks({place.line});
  code_->reveal(place.line);
}

}  // namespace footlight::app
