// Opens the session in a window that nobody sees, and draws it.
#include "app/screenshot.h"

#include "app/models/picture_place.h"
#include "app/views/main_window.h"
#include "app/views/theme.h"
#include "app/views/view_list.h"

#include <QApplication>
#include <QDir>
#include <QTextStream>

namespace footlight::app {
namespace {

int fail(const QString& text) {
  QTextStream(stderr) << "footlight-app: " << text << '\n';
  return 2;
}

// Empty: a picture may be written there. Only another picture is replaced.
QString why_not_replaced(const QString& path) {
  const QString kept = path.isEmpty() ? QString() : kept_there(path);
  if (kept.isEmpty()) return {};
  return QStringLiteral("%1 is %2, which a picture does not replace: name another file for --screenshot, or move this "
                        "one away first").arg(path, kept);
}

bool draw(MainWindow& window, const QString& view, const QString& path) {
  if (view == QStringLiteral("finding")) {
    if (!window.findings()->list().cards.empty()) window.findings()->open_first();
  } else if (!view.isEmpty()) {
    window.show_view(view);
  }
  window.settle();
  const double scale = window.devicePixelRatio();  // QT_SCALE_FACTOR
  QPixmap picture(window.size() * scale);
  picture.setDevicePixelRatio(scale);
  picture.fill(theme()["window"]);
  window.render(&picture);
  return picture.save(path);
}

}  // namespace

int take_screenshots(const ScreenshotRequest& request) {
  const bool all = !request.out.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive);
  if (!request.view.isEmpty() && !shown_names().contains(request.view))
    return fail(QStringLiteral("there is no view '%1'; there are: %2")
                    .arg(request.view, shown_names().join(QStringLiteral(", "))));
  if (const QString why = why_not_replaced(all ? QString() : request.out); !why.isEmpty()) return fail(why);
  if (all && !QDir().mkpath(request.out)) return fail(QStringLiteral("cannot create the folder ") + request.out);
  const auto save = [&](MainWindow& window, const QString& view) {
    const QString path = all ? QDir(request.out).filePath(view + QStringLiteral(".png")) : request.out;
    if (const QString why = why_not_replaced(path); !why.isEmpty()) return fail(why);
    return draw(window, view, path) ? 0 : fail(QStringLiteral("the picture could not be written to ") + path);
  };
  MainWindow window(false);
  window.resize(request.size);
  window.show();
  if (all || request.view == QStringLiteral("welcome")) {
    const int status = save(window, QStringLiteral("welcome"));
    if (!all || status) return status;
  }
  if (!window.open(request.session)) return fail(window.banner_text());
  QApplication::processEvents();
  window.settle();
  if (!window.session().is_open() && !request.session.endsWith(QStringLiteral(".py")))
    return fail(window.banner_text());
  for (const QString& one : request.select.split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
    QString why_not;
    if (!window.select_by_name(one, &why_not)) return fail(why_not);
    window.settle();
  }
  if (!window.has_view(request.view))
    return fail(QStringLiteral("'%1' shows the processes of a run, and this recording has one. `footlight merge` puts "
                               "the recordings of several together")
                    .arg(request.view));
  if (!all) return save(window, request.view);
  for (const QString& view : shown_names()) {
    if (view == QStringLiteral("welcome") || !window.has_view(view)) continue;
    if (const int status = save(window, view)) return status;
  }
  return 0;
}

}  // namespace footlight::app
