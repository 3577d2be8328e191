// Shows a file and follows the selection through it.
#include "app/views/source_view.h"

#include "app/models/text.h"
#include "app/views/autograph_view.h"
#include "app/views/labels.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace footlight::app {

SourceView::SourceView(const Context& context, QWidget* parent) : View(context, parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 10, 16, 14);
  column->setSpacing(8);
  auto* head = new QHBoxLayout;
  head->setSpacing(14);
  files_ = new QComboBox;
  files_->setAccessibleName(QStringLiteral("File"));
  files_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  head->addWidget(files_);
  head->addStretch(1);
  head->addWidget(new Swatch(QStringLiteral("amber"), QStringLiteral("staged")));
  head->addWidget(new Swatch(QStringLiteral("teal"), QStringLiteral("Python")));
  head->addWidget(new Swatch(QStringLiteral("red"), QStringLiteral("fell back")));
  column->addLayout(head);
  code_ = new CodeView;
  code_->setAccessibleName(QStringLiteral("Source"));
  code_->set_row_height(24);
  code_->set_empty_text(QStringLiteral("No source was recorded in this run."));
  column->addWidget(card_with(code_), 1);
  connect(files_, &QComboBox::activated, this, [this](int index) {
    if (index >= 0) show_file(session::FileId(files_->itemData(index).toUInt()));
  });
  connect(code_, &CodeView::activated, this, [this](int number) {
    if (!file_.valid()) return;
    select(Selection::of_line(document(), {file_, number}));
    code_->set_marks({number});
  });
  reset();
}

void SourceView::fill_files() {
  known_files_ = document().files.size();
  files_->clear();
  for (const session::FileRecord& f : document().files) {
    files_->addItem(file_name(f.path), f.id.value);
    files_->setItemData(files_->count() - 1, plain_tip(q(f.path)), Qt::ToolTipRole);
  }
  files_->setVisible(!document().files.empty());
}

void SourceView::reset() {
  file_ = {};
  fill_files();
  session::FileId script = document().file_named(document().run.script);
  if (!script.valid() && !document().files.empty()) script = document().files.front().id;
  show_file(script);
  follow_selection();
}

void SourceView::refresh() {
  if (known_files_ != document().files.size()) fill_files();
  if (!file_.valid() && !document().files.empty()) {
    show_file(document().files.front().id);
  } else if (pieces_ != document().generated.size() || decisions_ != document().decisions.size()) {
    show_file(file_);
  }
  follow_selection();
}

void SourceView::show_file(session::FileId file) {
  file_ = file;
  pieces_ = document().generated.size();
  decisions_ = document().decisions.size();
  code_->set_lines(file.valid() ? file_lines(document(), file) : std::vector<CodeLine>{});
  for (int i = 0; i < files_->count(); ++i) {
    if (files_->itemData(i).toUInt() == file.value) files_->setCurrentIndex(i);
  }
}

void SourceView::show_text(const QString& name, const QString& text) {
  file_ = {};
  files_->clear();
  files_->addItem(name);
  files_->setVisible(true);
  std::vector<CodeLine> lines;
  for (const QString& line : text.split(QLatin1Char('\n'))) {
    CodeLine made;
    made.number = static_cast<int>(lines.size()) + 1;
    made.text = line;
    lines.push_back(std::move(made));
  }
  code_->set_lines(std::move(lines));
}

void SourceView::follow_selection() {
  const Place place = place_of(document(), current());
  if (!place) {
    code_->set_marks({});
    return;
  }
  if (place.file != file_) show_file(place.file);
  code_->set_marks({place.line});
  code_->reveal(place.line);
}

}  // namespace footlight::app
