// Shared by the window's tests: a fresh window for each test, a folder, the sample session.
#pragma once

#include "tests/app/sample.h"

#include "app/views/main_window.h"
#include "app/views/theme.h"

#include <QFile>
#include <QImage>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace footlight::app {

class WindowCase : public QObject {
  Q_OBJECT

 protected:
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  QString at(const char* name) { return folder_.filePath(QLatin1String(name)); }

  MainWindow& window() { return *window_; }
  const Document& document() { return window().session().document(); }
  const Selection& selected() { return window().selection().current(); }
  // What a user does, until the window shows all that follows from it.
  void open_recording(const QString& path) {
    window().session().open(path);
    window().settle();
  }
  void show_document(Document document) {
    window().session().show(std::move(document));
    window().settle();
  }
  void go_to_view(const char* name) {
    window().show_view(QLatin1String(name));
    window().settle();
  }
  void select(const Selection& selection) {
    window().selection().select(selection);
    window().settle();
  }
  void press(QWidget* widget, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(widget, key, modifiers);
    window().settle();
  }
  void with_sample() { open_recording(at("sample.footlight")); }
  void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }

 private Q_SLOTS:
  void initTestCase() {
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    set_theme(QStringLiteral("dark"));
    qputenv("FOOTLIGHT_RUNS", folder_.filePath(QStringLiteral("runs")).toUtf8());
    write_sample_session(at("sample.footlight"));
  }

  void init() {
    window_ = std::make_unique<MainWindow>(false);
    window_->resize(1400, 900);
    window_->show();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    // Shortcuts go to the active window.
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  }
  void cleanup() { window_.reset(); }
};

}  // namespace footlight::app
