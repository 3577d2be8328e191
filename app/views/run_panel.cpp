// Lays out the fields, and checks them while somebody types.
#include "app/views/run_panel.h"

#include "app/views/labels.h"
#include "app/views/layouts.h"
#include "app/views/theme.h"
#include "engine/session/other_engines.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QToolButton>

#include <algorithm>

namespace footlight::app {

RunPanel::RunPanel(QWidget* parent) : QDialog(parent) {
  setWindowTitle(QStringLiteral("Run options"));
  auto* column = column_in(this, {20, 16, 20, 14}, 10);
  title_ = elided_label({}, "title");
  column->addWidget(title_);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(8);
  column->addLayout(grid);
  const auto row = [&](const char* name, QWidget* field, QWidget* picker = nullptr) {
    const int at = grid->rowCount();
    QLabel* label = plain_label(QLatin1String(name), "dim");
    label->setBuddy(field);
    grid->addWidget(label, at, 0, Qt::AlignTop | Qt::AlignLeft);
    grid->addWidget(field, at, 1, 1, picker ? 1 : 2);
    if (picker) grid->addWidget(picker, at, 2);
    field->setAccessibleName(QLatin1String(name));
  };
  const auto browse = [&](const char* name) {
    auto* button = new QToolButton;
    button->setText(QString::fromUtf8("Browse …"));
    button->setAccessibleName(QLatin1String(name));
    return button;
  };

  python_ = new QComboBox;
  python_->setEditable(true);
  python_->setInsertPolicy(QComboBox::NoInsert);
  python_->setMinimumWidth(420);
  QToolButton* find_python = browse("Browse for an interpreter");
  row("Interpreter", python_, find_python);
  engine_ = new QComboBox;
  engine_->addItem(QStringLiteral("Footlight's engine for TensorFlow; JAX and PyTorch as installed"), QString());
  for (const session::OtherEngine& engine : session::kOtherEngines)
    engine_->addItem(QStringLiteral("%1, as installed").arg(QLatin1String(engine.title)),
                     QLatin1String(engine.package));
  row("Engine", engine_);
  directory_ = new QLineEdit;
  directory_->setClearButtonEnabled(true);
  QToolButton* find_folder = browse("Browse for a working directory");
  row("Working directory", directory_, find_folder);
  arguments_ = new QLineEdit;
  arguments_->setPlaceholderText(QStringLiteral("As in a shell: --epochs 5 \"two words\""));
  row("Arguments", arguments_);
  environment_ = new QPlainTextEdit;
  environment_->setPlaceholderText(QStringLiteral("NAME=value, one in a line"));
  environment_->setTabChangesFocus(true);
  environment_->setFixedHeight(110);
  environment_->setStyleSheet(
      QStringLiteral("QPlainTextEdit { border: 1px solid %1; border-radius: 5px; padding: 3px; }")
          .arg(theme()["hairline"].name()));
  row("Environment", environment_);
  for (QWidget* field : std::initializer_list<QWidget*>{python_, directory_, arguments_, environment_})
    field->setFont(theme().code());

  problem_ = plain_label();
  problem_->setWordWrap(true);
  problem_->setAccessibleName(QStringLiteral("What is wrong"));
  column->addWidget(problem_);
  auto* buttons = new QDialogButtonBox;
  run_ = buttons->addButton(QStringLiteral("Run"), QDialogButtonBox::ApplyRole);
  run_->setObjectName(QStringLiteral("runButton"));
  keep_ = buttons->addButton(QStringLiteral("Save"), QDialogButtonBox::ApplyRole);
  buttons->addButton(QDialogButtonBox::Cancel)->setIcon({});
  run_->setDefault(true);
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(run_, &QPushButton::clicked, this, [this] { take(true); });
  connect(keep_, &QPushButton::clicked, this, [this] { take(false); });
  connect(find_python, &QToolButton::clicked, this, [this] {
    const QString path = QFileDialog::getOpenFileName(this, QStringLiteral("Choose a Python interpreter"),
                                                      QFileInfo(python_->currentText()).absolutePath());
    if (!path.isEmpty()) python_->setEditText(path);
  });
  connect(find_folder, &QToolButton::clicked, this, [this] {
    const QString from = directory_->text().isEmpty() ? QFileInfo(script_).absolutePath() : directory_->text();
    const QString path = QFileDialog::getExistingDirectory(this, QStringLiteral("Choose a working directory"), from);
    if (!path.isEmpty()) directory_->setText(path);
  });
  connect(python_, &QComboBox::editTextChanged, this, &RunPanel::check);
  connect(directory_, &QLineEdit::textChanged, this, &RunPanel::check);
  connect(environment_, &QPlainTextEdit::textChanged, this, &RunPanel::check);
}

void RunPanel::show_options(const QString& script, const RunOptions& options, const QString& usual) {
  script_ = script;
  title_->setText(script.isEmpty() ? QStringLiteral("For all scripts") : QFileInfo(script).fileName());
  python_->clear();
  for (const Interpreter& one : find_interpreters(script)) {
    python_->addItem(one.path);
    python_->setItemData(python_->count() - 1, one.about, Qt::AccessibleDescriptionRole);
  }
  python_->lineEdit()->setPlaceholderText(usual.isEmpty() ? QStringLiteral("There is no python3 on the path")
                                                          : QStringLiteral("Default: ") + usual);
  python_->setEditText(options.python);
  directory_->setPlaceholderText(script.isEmpty() ? QStringLiteral("The folder of the script")
                                                  : QFileInfo(script).absolutePath());
  directory_->setText(options.directory);
  arguments_->setText(joined_arguments(options.arguments));
  engine_->setCurrentIndex(std::max(0, engine_->findData(options.engine)));
  environment_->setPlainText(options.environment.join(QLatin1Char('\n')));
  for (QWidget* field : std::initializer_list<QWidget*>{directory_, arguments_, environment_, engine_, run_})
    field->setEnabled(!script.isEmpty());
  check();
}

RunOptions RunPanel::options() const {
  return {python_->currentText().trimmed(), directory_->text().trimmed(), split_arguments(arguments_->text()),
          read_environment(environment_->toPlainText(), nullptr), engine_->currentData().toString()};
}

QString RunPanel::problem() const { return wrong_; }

void RunPanel::check() {
  wrong_ = check_options(options());
  if (wrong_.isEmpty()) read_environment(environment_->toPlainText(), &wrong_);
  problem_->setText(wrong_);
  problem_->setStyleSheet(QStringLiteral("color: ") + theme()["red"].name());
  problem_->setVisible(!wrong_.isEmpty());
  run_->setEnabled(wrong_.isEmpty() && !script_.isEmpty());
  keep_->setEnabled(wrong_.isEmpty());
}

void RunPanel::take(bool run) {
  Q_EMIT taken(options(), run);
  accept();
}

}  // namespace footlight::app
