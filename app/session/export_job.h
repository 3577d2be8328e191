// Writes the open recording in another form, by the `footlight` program in a process of its own: the window goes on,
// and a cancelled or failed export leaves no file.
#pragma once

#include <QObject>
#include <QProcess>

namespace footlight::app {

// The command's words for a file of that name, by its ending; empty for an ending that is none of them.
QStringList timeline_export(const QString& session, const QString& file);
QStringList report_export(const QString& session, const QString& file);

class ExportJob : public QObject {
  Q_OBJECT

 public:
  explicit ExportJob(QObject* parent = nullptr);
  ~ExportJob() override;

  bool running() const { return process_.state() != QProcess::NotRunning; }
  void start(const QStringList& words);
  void cancel();

 Q_SIGNALS:
  void done(const QString& wrong);  // empty: the file is there
  void cancelled();

 private:
  QProcess process_;
  bool cancelled_ = false;
};

}  // namespace footlight::app
