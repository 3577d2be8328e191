// Runs a few lines of Python that look for the packages where an import would find them.
#include "app/session/found_packages.h"

#include "engine/session/other_engines.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcessEnvironment>

namespace footlight::app {
namespace {

// Prints {"jax": "0.10.2"}. A package's distribution may have another name: tensorflow-cpu.
const QString kProgram = QStringLiteral(R"(
import importlib.metadata, importlib.util, json, sys
found = {}
for name in sys.argv[1:]:
    if importlib.util.find_spec(name) is None:
        continue
    found[name] = ''
    for distribution in (name, name + '-cpu'):
        try:
            found[name] = importlib.metadata.version(distribution)
            break
        except importlib.metadata.PackageNotFoundError:
            pass
print(json.dumps(found))
)");

}  // namespace

QString package_words(const PackagesFound& found, const QString& package) {
  const QString needs = QStringLiteral("Needs ") + package;
  if (found.python.isEmpty()) return needs + QStringLiteral(": no python3 on the path");
  if (!found.problem.isEmpty()) return needs + QStringLiteral(": Python gave no answer");
  if (!found.known) return needs;
  const auto version = found.versions.find(package);
  if (version == found.versions.end()) return needs + QStringLiteral(": not found");
  if (version->second.isEmpty()) return needs + QStringLiteral(": found");
  return needs + QStringLiteral(": %1 found").arg(version->second);
}

PackageSearch::PackageSearch(QObject* parent) : QObject(parent) {
  connect(&process_, &QProcess::finished, this, &PackageSearch::answered);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) answered(-1);
  });
}

PackageSearch::~PackageSearch() {
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return;
  process_.kill();
  process_.waitForFinished(500);
}

void PackageSearch::ask(const QString& python) {
  if (process_.state() != QProcess::NotRunning) {
    if (python == found_.python) return;
    process_.disconnect(this);
    process_.kill();
    process_.waitForFinished(500);
    connect(&process_, &QProcess::finished, this, &PackageSearch::answered);
  }
  if (python != found_.python) found_ = {.python = python, .versions = {}};
  Q_EMIT changed();
  if (python.isEmpty()) return;
  QStringList words{QStringLiteral("-c"), kProgram};
  for (const session::OtherEngine& engine : session::kOtherEngines) words << QLatin1String(engine.package);
  // Where the packages of a script's run are found: Footlight's own package for TensorFlow is not among them.
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.remove(QStringLiteral("PYTHONPATH"));
  process_.setProcessEnvironment(environment);
  process_.setWorkingDirectory(QDir::rootPath());
  process_.start(python, words);
}

void PackageSearch::answered(int code) {
  found_.versions.clear();
  found_.problem.clear();
  found_.known = code == 0;
  const QJsonDocument answer = QJsonDocument::fromJson(process_.readAllStandardOutput());
  if (code != 0 || !answer.isObject()) found_.problem = QStringLiteral("The interpreter gave no answer");
  const QJsonObject packages = answer.object();
  for (auto at = packages.begin(); at != packages.end(); ++at) found_.versions[at.key()] = at.value().toString();
  Q_EMIT changed();
}

}  // namespace footlight::app
