// Asks an interpreter which packages of other engines it has, without importing them.
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>

#include <map>

namespace footlight::app {

// Which of the engines' packages an interpreter has.
struct PackagesFound {
  QString python;                       // empty: there is no interpreter
  std::map<QString, QString> versions;  // of those that it has
  bool known = false;                   // it has answered
  QString problem = {};                 // why it did not answer
  friend bool operator==(const PackagesFound&, const PackagesFound&) = default;
};
// "Needs jax: 0.10.2 found", "Needs jax: not found".
QString package_words(const PackagesFound& found, const QString& package);

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
