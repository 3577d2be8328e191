// Runs statements, shows their results, and turns a chosen row into a selection.
#include "app/views/sql_view.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"

#include "engine/sql/ready_queries.h"
#include "engine/sql/table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QStyle>

#include <utility>

namespace footlight::app {
namespace {

constexpr int kStatement = Qt::UserRole;
constexpr const char* kLead =
    "Query the recording with SQL: one SELECT over its tables. Selecting a row selects it in all views.";

QString seconds_text(double seconds) { return duration_text(static_cast<int64_t>(seconds * 1e9)); }

}  // namespace

SqlView::SqlView(const Context& context, QWidget* parent) : View(context, parent), worker_(this), model_(this) {
  auto* column = column_in(this, {16, 10, 16, 6}, 8);
  column->addWidget(elided_label(QLatin1String(kLead), "dim"));

  auto* across = splitter(Qt::Horizontal, 12);
  auto* left = new QWidget;
  auto* left_column = column_in(left, {}, 8);
  auto* down = splitter(Qt::Vertical, 8);
  editor_ = new SqlEditor;
  editor_->setMinimumHeight(70);
  down->addWidget(card_with(editor_));

  auto* below = new QWidget;
  auto* below_column = column_in(below, {}, 6);
  auto* row = new QHBoxLayout;
  run_ = chip_button(QStringLiteral("Run"), QStringLiteral("Runs the statement (Ctrl+Enter)"));
  stop_ = chip_button(QStringLiteral("Stop"), QStringLiteral("Stops the statement (Escape)"));
  export_ = chip_button(QString::fromUtf8("Export CSV …"), QStringLiteral("Writes all rows of the result to a file"));
  status_ = elided_label({}, "dim");
  status_->setAccessibleName(QStringLiteral("How the statement ended"));
  row->addWidget(run_);
  row->addWidget(stop_);
  row->addWidget(status_, 1);
  row->addWidget(export_);
  below_column->addLayout(row);
  table_ = new Table(&model_, QStringLiteral("Result of the statement"));
  table_->horizontalHeader()->setSectionsClickable(true);
  table_->installEventFilter(this);
  empty_ = empty_label();
  below_column->addWidget(table_, 1);
  below_column->addWidget(empty_, 1);
  down->addWidget(below);
  down->setStretchFactor(0, 0);
  down->setStretchFactor(1, 1);
  down->setSizes({150, 400});
  left_column->addWidget(down);
  across->addWidget(left);
  across->addWidget(make_side());
  across->setStretchFactor(0, 1);
  across->setStretchFactor(1, 0);
  across->setSizes({760, 250});
  column->addWidget(across, 1);

  clock_.setInterval(100);
  connect(&clock_, &QTimer::timeout, this, [this] {
    const double seconds = static_cast<double>(since_.elapsed()) / 1e3;
    if (seconds >= 0.3) say(QStringLiteral("Running for %1 s").arg(seconds, 0, 'f', 1));
  });
  connect(&worker_, &SqlWorker::done, this, &SqlView::take);
  connect(editor_, &SqlEditor::run_asked, this, qOverload<>(&SqlView::run));
  connect(editor_, &SqlEditor::stop_asked, this, &SqlView::stop);
  connect(run_, &QPushButton::clicked, this, qOverload<>(&SqlView::run));
  connect(stop_, &QPushButton::clicked, this, &SqlView::stop);
  connect(export_, &QPushButton::clicked, this, [this] { Q_EMIT export_asked(shown_); });
  connect(table_->horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int section) {
    model_.sort_by(section);
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& to) { if (to.isValid()) select_row(to.row()); });
  connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& at) {
    is_opening_ = true;
    select_row(at.row());
  });
  table_->set_actions([this](QMenu& menu, const QModelIndex& at) {
    const SqlTarget target = model_.target(document(), at.row());
    QAction* show = menu.addAction(QStringLiteral("Show in its view\tEnter"), this, [this, row = at.row()] {
      is_opening_ = true;
      select_row(row);
    });
    show->setEnabled(!target.empty());
  });
  say({});
  stop_->setEnabled(false);
  export_->setEnabled(false);
  table_->hide();
}

QWidget* SqlView::make_side() {
  auto* side = new QWidget;
  auto* column = column_in(side, {}, 4);
  const auto head = [&](const QString& text) { column->addWidget(plain_label(text, "group")); };
  head(QStringLiteral("Ready queries"));
  queries_ = new QListWidget;
  queries_->setAccessibleName(QStringLiteral("Ready queries"));
  for (const sql::ReadyQuery& query : sql::ready_queries()) {
    auto* item = new QListWidgetItem(QString::fromUtf8(query.title), queries_);
    item->setData(kStatement, QString::fromUtf8(query.statement));
  }
  queries_->setProperty("role", "picker");
  queries_->setMaximumHeight(26 * queries_->count() + 12);
  column->addWidget(queries_, 3);
  head(QStringLiteral("Tables"));
  tables_ = new QTreeWidget;
  tables_->setAccessibleName(QStringLiteral("Tables and their columns"));
  tables_->setColumnCount(2);
  tables_->setHeaderHidden(true);
  tables_->setExpandsOnDoubleClick(false);
  tables_->setProperty("role", "picker");
  tables_->installEventFilter(this);
  queries_->installEventFilter(this);
  column->addWidget(tables_, 4);
  connect(queries_, &QListWidget::itemClicked, this,
          [this](QListWidgetItem* item) { run(item->data(kStatement).toString()); });
  connect(tables_, &QTreeWidget::itemDoubleClicked, this, [this](QTreeWidgetItem* item) {
    editor_->insertPlainText(item->text(0));
    editor_->setFocus(Qt::OtherFocusReason);
  });
  fill_tables();
  return side;
}

void SqlView::fill_tables() {
  QStringList names;
  for (const sql::TableDescription& table : sql::table_descriptions()) {
    auto* item = new QTreeWidgetItem(tables_, {q(table.name), q(table.meaning)});
    names << q(table.name);
    for (const sql::Column& c : table.columns) {
      auto* under = new QTreeWidgetItem(item, {q(c.name), q(c.meaning)});
      under->setData(0, Qt::AccessibleDescriptionRole, q(c.meaning));
    }
  }
  tables_->resizeColumnToContents(0);
  editor_->set_names(names);
}

QString SqlView::status() const { return status_->text(); }

void SqlView::say(const QString& text, bool is_error) {
  status_->setText(text);
  status_->setProperty("role", is_error ? "bad" : "dim");
  status_->style()->unpolish(status_);
  status_->style()->polish(status_);
}

void SqlView::reset() {
  ticket_.withdraw();
  worker_.set_recording(document().path.isEmpty() ? context_.session->path() : document().path);
  clock_.stop();
  is_fresh_ = true;
  ran_.clear();
  shown_.clear();
  model_.set(nullptr);
  table_->hide();
  empty_->show();
  empty_->setText(context_.session->is_open() ? QStringLiteral("Run a statement, or choose a ready query.")
                                              : QStringLiteral("Open a recording to ask it with SQL."));
  say({});
  stop_->setEnabled(false);
  export_->setEnabled(false);
  run_->setEnabled(context_.session->is_open());
  if (isVisible()) showEvent(nullptr);
}

// The first query answers at once where time went, and shows how statements look.
void SqlView::showEvent(QShowEvent*) {
  if (!is_fresh_ || !context_.session->is_open()) return;
  if (editor_->toPlainText().trimmed().isEmpty()) {
    editor_->set_statement(QString::fromUtf8(sql::ready_queries().front().statement));
    queries_->setCurrentRow(0);
  }
  run();
}

void SqlView::run(const QString& statement) {
  editor_->set_statement(statement);
  run();
}

void SqlView::run() {
  if (!context_.session->is_open()) return say(QStringLiteral("Open a recording first."), true);
  is_fresh_ = false;
  editor_->mark_error(-1);
  ran_ = editor_->toPlainText();
  since_.start();
  clock_.start();
  stop_->setEnabled(true);
  worker_.run(ran_, kMaxRows);
}

void SqlView::stop() {
  if (!worker_.running()) return;
  worker_.cancel();
  clock_.stop();
  stop_->setEnabled(false);
  say(QStringLiteral("The statement was stopped."));
  Q_EMIT finished();
}

void SqlView::take(std::shared_ptr<const SqlResult> result) {
  clock_.stop();
  stop_->setEnabled(false);
  if (!result->error.isEmpty()) {
    say(result->error, true);
    editor_->mark_error(result->error_offset);
    empty_->setText({});
    table_->hide();
    empty_->show();
    model_.set(nullptr);
    export_->setEnabled(false);
    return Q_EMIT finished();
  }
  const QString rows = counted(result->rows, "row", "rows");
  say(result->has_more
          ? QStringLiteral("The first %1 are shown; there are more. Exporting writes all of them.").arg(rows)
          : rows + QStringLiteral(" in ") + seconds_text(result->seconds));
  export_->setEnabled(true);
  shown_ = ran_;
  model_.set(result);
  table_->setVisible(result->rows > 0);
  empty_->setVisible(result->rows == 0);
  empty_->setText(QStringLiteral("The statement gives no rows for this recording."));
  table_->fit_columns();
  Q_EMIT finished();
}

void SqlView::select_row(int row) {
  const bool is_opening = std::exchange(is_opening_, false);
  const SqlTarget target = model_.target(document(), row);
  if (target.empty()) return;
  const QString view = QLatin1String(target.view());
  if (target.selection.kind != Selection::Kind::kNothing) {
    select(target.selection);
  } else if (target.op_id || target.call.valid()) {
    struct Found {
      std::optional<query::OpEventRow> op;
      std::optional<session::CallRecord> call;
    };
    context_.session->queries().ask(
        ticket_,
        [op = target.op_id, call = target.call](const query::Store& store, const query::Cancel& cancel) {
          Found found;
          if (op) found.op = store.op_with_id(*op, cancel);
          const CallId id = found.op ? found.op->call : call;
          if (id.valid()) found.call = store.calls().find(id);
          return found;
        },
        [this](const Found& found) {
          if (found.op) select(Selection::of_event(document(), *found.op, found.call ? &*found.call : nullptr));
          else if (found.call) select(Selection::of_call(document(), *found.call));
        });
  } else if (target.time) {
    Q_EMIT time_chosen(target.time->first, target.time->second);
  }
  if (is_opening) Q_EMIT wants_view(view);
}

bool SqlView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return View::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
  if (watched == table_ && enter && table_->currentIndex().isValid()) {
    is_opening_ = true;
    select_row(table_->currentIndex().row());
  } else if (watched == queries_ && enter && queries_->currentItem()) {
    run(queries_->currentItem()->data(kStatement).toString());
  } else if (watched == tables_ && enter && tables_->currentItem()) {
    editor_->insertPlainText(tables_->currentItem()->text(0));
    editor_->setFocus(Qt::OtherFocusReason);
  } else if (key->key() == Qt::Key_Escape) {
    stop();
    editor_->setFocus(Qt::OtherFocusReason);
  } else {
    return View::eventFilter(watched, event);
  }
  return true;
}

}  // namespace footlight::app
