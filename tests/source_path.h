// Paths of files in the source tree that tests read. ctest sets FOOTLIGHT_SOURCE. (QFINDTESTDATA would need an absolute
// __FILE__, which ccache makes relative.)
#pragma once

#include <QString>
#include <QtGlobal>

namespace footlight::test {

// source_path("tests/golden"): the absolute path of that folder in the source tree.
inline QString source_path(const char* path) {
  const QString sources = qEnvironmentVariable("FOOTLIGHT_SOURCE");
  if (sources.isEmpty()) qFatal("FOOTLIGHT_SOURCE is not set: run ctest, or set it to the folder of the sources");
  return sources + QLatin1Char('/') + QString::fromUtf8(path);
}

}  // namespace footlight::test
