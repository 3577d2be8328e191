// Lays out the welcome page: on the left what to open, on the right the samples.
#include "app/views/welcome_page.h"

#include "app/models/run_end.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"
#include "app/views/theme.h"

#include <QFileInfo>
#include <QGridLayout>

namespace footlight::app {
namespace {

constexpr int kMaxRecent = 8;

void empty(QLayout* layout) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    if (QWidget* widget = item->widget()) {  // it may be the one that is clicked now
      widget->hide();
      widget->setParent(nullptr);
      widget->deleteLater();
    }
    delete item;
  }
}

QPushButton* main_button(const QString& text) {
  auto* button = new QPushButton(text);
  button->setObjectName(QStringLiteral("runButton"));
  return button;
}

QLabel* code_label(const QString& text, const char* role) {
  auto* label = new ElidedLabel(text);
  label->setProperty("role", role);
  label->setFont(theme().code());
  return label;
}

}  // namespace

WelcomePage::WelcomePage(QWidget* parent)
    : QScrollArea(parent), all_(all_samples()), of_engines_(engine_samples()) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(QStringLiteral("Welcome"));
  auto* page = new QWidget;
  auto* across = row_in(page, {40, 48, 40, 24}, 64);

  auto* left = new QVBoxLayout;
  left->setSpacing(0);
  auto* name = plain_label(QStringLiteral("Footlight"), "big");
  left->addWidget(name);
  left->addSpacing(6);
  auto* what = plain_label(QStringLiteral("See what happens when a Python function is staged into a graph."), "dim");
  what->setWordWrap(true);
  left->addWidget(what);
  left->addSpacing(12);
  back_ = new LinkButton({}, false);
  connect(back_, &QPushButton::clicked, this, &WelcomePage::back_asked);
  left->addWidget(back_);
  left->addSpacing(12);

  drop_ = new QFrame;
  drop_->setObjectName(QStringLiteral("dropZone"));
  auto* drop = column_in(drop_, {22, 18, 22, 18}, 9);
  drop->addWidget(plain_label(QStringLiteral("Drop a script, a recording or a model here"), "title"));
  drop->addWidget(code_label(QStringLiteral(".py   .footlight   .keras   .pb   .pbtxt   SavedModel   .json"), "faint"));
  auto* row = new QHBoxLayout;
  open_ = main_button(QString::fromUtf8("Open …"));
  set_tip(open_, QStringLiteral("Open a script, a recording or a model (Ctrl+O)"));
  connect(open_, &QPushButton::clicked, this, &WelcomePage::open_asked);
  row->addWidget(open_);
  row->addSpacing(8);
  row->addWidget(plain_label(QStringLiteral("or"), "dim"));
  row->addWidget(code_label(QStringLiteral("footlight-app my_script.py"), "dim"), 1);
  drop->addLayout(row);
  left->addWidget(drop_);

  ready_ = new QWidget;
  auto* ready = column_in(ready_, {}, 9);
  script_ = elided_label({}, "title");
  script_path_ = code_label({}, "faint");
  run_ = main_button(QStringLiteral("Run"));
  set_tip(run_, QStringLiteral("Run the script (F5)"));
  connect(run_, &QPushButton::clicked, this, &WelcomePage::run_asked);
  auto* read = new LinkButton(QStringLiteral("Read it"), false);
  connect(read, &QPushButton::clicked, this, &WelcomePage::read_asked);
  auto* other = new LinkButton(QString::fromUtf8("Open another file …"), false);
  connect(other, &QPushButton::clicked, this, &WelcomePage::open_asked);
  ready->addWidget(script_);
  ready->addWidget(script_path_);
  auto* ready_row = row_in(nullptr, {}, 16);
  run_->setMinimumWidth(120);
  ready_row->addWidget(run_);
  ready_row->addWidget(read);
  ready_row->addWidget(other);
  ready_row->addStretch(1);
  ready->addLayout(ready_row);
  left->addWidget(ready_);

  left->addSpacing(28);
  recent_ = new QWidget;
  column_in(recent_, {}, 4);
  left->addWidget(recent_);
  left->addStretch(1);

  auto* right = new QVBoxLayout;
  right->setSpacing(12);
  right->addSpacing(62);
  right->addWidget(plain_label(QStringLiteral("Samples"), "group"));
  samples_ = new QWidget;
  auto* grid = new QGridLayout(samples_);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(12);
  right->addWidget(samples_);
  engines_ = new QWidget;
  column_in(engines_, {0, 16, 0, 0}, 12);
  right->addWidget(engines_);
  right->addStretch(1);

  // Two columns of at most this width, in the middle.
  auto* left_box = new QWidget;
  left_box->setLayout(left);
  left_box->setMaximumWidth(560);
  auto* right_box = new QWidget;
  right_box->setLayout(right);
  right_box->setMaximumWidth(560);
  across->addStretch(1);
  across->addWidget(left_box, 8);
  across->addWidget(right_box, 8);
  across->addStretch(1);
  setWidget(page);
  set_script({});
  set_open({});
  show_samples();
}

QWidget* WelcomePage::main_widget() { return run_->isVisibleTo(this) ? run_ : open_; }

void WelcomePage::set_open(const QString& name) {
  back_->setText(QString::fromUtf8("← Back to ") + name);
  back_->setAccessibleName(QStringLiteral("Back to ") + name);
  back_->updateGeometry();
  back_->setVisible(!name.isEmpty());
}

void WelcomePage::set_script(const QString& path) {
  drop_->setVisible(path.isEmpty());
  ready_->setVisible(!path.isEmpty());
  script_->setText(QFileInfo(path).fileName());
  script_path_->setText(path);
}

void WelcomePage::set_recent(const std::vector<RecentFile>& files) {
  auto* column = static_cast<QVBoxLayout*>(recent_->layout());
  empty(column);
  recent_->setVisible(!files.empty());
  column->addWidget(plain_label(QStringLiteral("Recent"), "group"));
  const QDateTime now = QDateTime::currentDateTime();
  for (size_t i = 0; i < std::min<size_t>(files.size(), kMaxRecent); ++i) {
    const RecentFile& file = files[i];
    auto* entry = new QWidget;
    auto* lines = column_in(entry, {0, 5, 0, 3}, 1);
    auto* head = new QHBoxLayout;
    auto* link = new LinkButton(QFileInfo(file.path).fileName(), true);
    set_tip(link, file.path);
    link->setAccessibleDescription(file.path + QStringLiteral(". ") + file.note);
    connect(link, &QPushButton::clicked, this, [this, path = file.path] { Q_EMIT path_chosen(path); },
            Qt::QueuedConnection);
    head->addWidget(link);
    head->addStretch(1);
    head->addWidget(plain_label(day_text(file.when, now), "faint"));
    lines->addLayout(head);
    constexpr qsizetype kMaxNote = 72;
    auto* note = new ElidedLabel(QFileInfo::exists(file.path) ? shortened(file.note, kMaxNote)
                                                              : QStringLiteral("No longer there"));
    note->setProperty("role", "dim");
    lines->addWidget(note);
    column->addWidget(entry);
  }
}

void WelcomePage::show_samples() {
  auto* grid = static_cast<QGridLayout*>(samples_->layout());
  empty(grid);
  for (size_t i = 0; i < all_.size(); ++i)
    grid->addWidget(make_card(all_[i]), static_cast<int>(i / 2), static_cast<int>(i % 2));
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);
  show_engines();
}

void WelcomePage::set_packages(const PackagesFound& found) {
  if (found == found_) return;
  found_ = found;
  show_engines();
}

void WelcomePage::show_engines() {
  auto* column = static_cast<QVBoxLayout*>(engines_->layout());
  empty(column);
  for (const session::OtherEngine& engine : session::kOtherEngines) column->addWidget(make_engine(engine));
}

// The samples of one engine below its name, and what the chosen interpreter has of it.
QWidget* WelcomePage::make_engine(const session::OtherEngine& engine) {
  const QString package = QLatin1String(engine.package);
  auto* made = new QWidget;
  made->setAccessibleName(QStringLiteral("Samples for ") + QLatin1String(engine.title));
  auto* column = column_in(made, {0, 6, 0, 0}, 8);
  auto* head = row_in(nullptr, {}, 14);
  head->addWidget(plain_label(QStringLiteral("Samples for ") + QLatin1String(engine.title), "group"));
  const bool there = found_.known && found_.versions.contains(package);
  auto* said = new ElidedLabel(found_.python.isEmpty() ? QStringLiteral("There is no python3 on the path")
                : !found_.known         ? found_.python
                : there ? QStringLiteral("%1 %2 in %3").arg(package, found_.versions.at(package), found_.python)
                        : QStringLiteral("%1 not found in %2").arg(package, found_.python));
  said->setProperty("role", "dim");
  set_tip(said, there || !found_.known ? found_.python
                                       : QStringLiteral("Choose another interpreter, or install it into this one: "
                                                        "%1 -m pip install %2").arg(found_.python, package));
  head->addWidget(said, 1);
  if (!there) {
    auto* choose = new LinkButton(QString::fromUtf8("Choose an interpreter …"), false);
    choose->setAccessibleName(QStringLiteral("Choose an interpreter for ") + QLatin1String(engine.title));
    connect(choose, &QPushButton::clicked, this, &WelcomePage::interpreter_asked, Qt::QueuedConnection);
    head->addWidget(choose);
  }
  column->addLayout(head);
  auto* grid = new QGridLayout;
  grid->setSpacing(12);
  int at = 0;
  for (const Sample& sample : of_engines_) {
    if (sample.engine != package) continue;
    grid->addWidget(make_card(sample), at / 2, at % 2);
    ++at;
  }
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);
  column->addLayout(grid);
  return made;
}

QWidget* WelcomePage::make_card(const Sample& sample) {
  auto* card = new QFrame;
  card->setProperty("role", "card");
  auto* column = column_in(card, {15, 11, 15, 9}, 3);
  auto* title = elided_label(sample.title, "strong");
  column->addWidget(title);
  const bool changed = !sample.is_recording() && is_changed(sample);
  column->addWidget(code_label(sample.name + (changed ? QStringLiteral("   Changed by you") : QString()), "dim"));
  set_tip(card, sample.about);
  const bool runs = sample.engine.isEmpty() || (found_.known && found_.versions.contains(sample.engine));
  if (!sample.engine.isEmpty()) {
    auto* needs = elided_label(package_words(found_, sample.engine), "dim");
    column->addWidget(needs);
  }
  auto* row = row_in(nullptr, {}, 12);
  const auto link = [&](const QString& text, auto&& act) {
    auto* made = new LinkButton(text, false);
    made->setAccessibleName(text + QLatin1Char(' ') + sample.name);
    made->setAccessibleDescription(sample.title);
    connect(made, &QPushButton::clicked, this, act, Qt::QueuedConnection);
    row->addWidget(made);
  };
  if (sample.is_recording()) {
    link(QStringLiteral("Open"), [this, sample] { Q_EMIT sample_chosen(sample, false); });
  } else {
    if (runs) link(QStringLiteral("Run"), [this, sample] { Q_EMIT sample_chosen(sample, true); });
    link(QStringLiteral("Read"), [this, sample] { Q_EMIT sample_chosen(sample, false); });
  }
  if (changed)
    link(QStringLiteral("Restore"), [this, sample] {
      copy_of(sample, true);
      show_samples();
    });
  row->addStretch(1);
  column->addLayout(row);
  return card;
}

void WelcomePage::mark_drop(bool over) {
  drop_->setProperty("over", over);
  drop_->setStyleSheet(drop_->styleSheet());
}

}  // namespace footlight::app
