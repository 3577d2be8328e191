// Asks an interpreter which packages of other engines it has, without importing them.
#pragma once

#include "app/models/samples.h"

#include <QObject>
#include <QProcess>

namespace footlight::app {

class PackageSearch : public QObject {
  Q_OBJECT

 public:
  explicit PackageSearch(QObject* parent = nullptr);
  ~PackageSearch() override;

  // Empty: there is no interpreter. An interpreter that is being asked is not asked again.
  void ask(const QString& python);
  const PackagesFound& found() const { return found_; }

 Q_SIGNALS:
  void changed();

 private:
  void answered(int code);

  PackagesFound found_;
  QProcess process_;
};

}  // namespace footlight::app
