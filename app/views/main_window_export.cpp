// The menu of exports: the graph, the timeline for other viewers, and the report.
#include "app/models/picture_place.h"
#include "app/views/main_window.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QProgressDialog>

namespace footlight::app {

void MainWindow::build_exports(QMenu* file) {
  QMenu* menu = file->addMenu(QStringLiteral("&Export"));
  add_command(menu, QString::fromUtf8("Export the &graph …"), {}, [this] {
    show_view(QStringLiteral("graph"));
    graph()->export_picture();
  });
  add_command(menu, QString::fromUtf8("Export the &timeline …"), {}, [this] {
    ask_to_export(QStringLiteral("Export the timeline"), QStringLiteral(".json"),
                  QStringLiteral("Chrome trace (*.json);;Perfetto (*.perfetto-trace)"), timeline_export);
  });
  add_command(menu, QString::fromUtf8("Export the &report …"), {}, [this] {
    ask_to_export(QStringLiteral("Export the report"), QStringLiteral(".html"),
                  QStringLiteral("One page (*.html);;Markdown (*.md);;JSON (*.json)"), report_export);
  });
}

void MainWindow::save_picture(const QString& path) {
  const QString why = why_not_saved(path);
  if (!why.isEmpty()) return show_banner(why);
  if (!pages_->currentWidget()->grab().save(path))
    show_banner(QStringLiteral("The picture could not be written to ") + path);
}

void MainWindow::ask_to_export(const QString& title, const QString& ending, const QString& filters, ExportWords words) {
  if (!session_.is_open()) return show_banner(QStringLiteral("There is no recording to export."), false);
  const QString name = QFileInfo(session_.path()).completeBaseName() + ending;
  const QString path = QFileDialog::getSaveFileName(this, title, name, filters);
  if (!path.isEmpty()) export_to(path, words);
}

void MainWindow::export_to(const QString& path, ExportWords words) {
  if (!session_.is_open()) return show_banner(QStringLiteral("There is no recording to export."), false);
  start_export(path, words(session_.path(), path));
}

// The rows of a statement, all of them: the window shows only the first.
void MainWindow::export_result(const QString& statement) {
  if (!session_.is_open()) return show_banner(QStringLiteral("There is no recording to export."), false);
  const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Export the result"),
                                                    QFileInfo(session_.path()).completeBaseName() +
                                                        QStringLiteral(".csv"),
                                                    QStringLiteral("CSV table (*.csv);;JSON (*.json)"));
  if (path.isEmpty()) return;
  const bool as_json = path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive);
  start_export(path, {QStringLiteral("sql"), as_json ? QStringLiteral("--json") : QStringLiteral("--csv"),
                      QStringLiteral("-o"), path, QStringLiteral("--"), session_.path(), statement});
}

void MainWindow::start_export(const QString& path, const QStringList& command) {
  if (export_.running()) return show_banner(QStringLiteral("Another export is being written."), false);
  if (command.isEmpty())
    return show_banner(path + QStringLiteral(": Footlight has no export format with this extension."));
  auto* progress = new QProgressDialog(QStringLiteral("Writing %1").arg(QFileInfo(path).fileName()),
                                       QStringLiteral("Cancel"), 0, 0, this);
  progress->setAttribute(Qt::WA_DeleteOnClose);
  progress->setAutoReset(false);
  progress->setAutoClose(false);
  progress->setMinimumDuration(500);
  connect(progress, &QProgressDialog::canceled, &export_, &ExportJob::cancel);
  connect(&export_, &ExportJob::done, progress, [this, progress, path](const QString& wrong) {
    progress->disconnect(&export_);
    progress->close();
    show_banner(wrong.isEmpty() ? QStringLiteral("Written: ") + path : wrong, !wrong.isEmpty());
  });
  connect(&export_, &ExportJob::cancelled, progress, [this, progress, path] {
    progress->close();
    show_banner(path + QStringLiteral(" was not written: cancelled."), false);
  });
  export_.start(command);
}

}  // namespace footlight::app
