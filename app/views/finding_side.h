// Beside the page of a finding: all findings of the run, what was dropped and why, what was looked for in vain.
#pragma once

#include "app/models/findings.h"

#include <QScrollArea>
#include <QVBoxLayout>

class QPushButton;

namespace footlight::app {

class FindingSide : public QScrollArea {
  Q_OBJECT

 public:
  explicit FindingSide(QWidget* parent = nullptr);
  void set_findings(const FindingList& list);
  void set_chosen(const FindingCard& card);  // the finding that the page shows

 Q_SIGNALS:
  void finding_chosen(const footlight::app::FindingCard& card);

 private:
  void add_texts(const QString& heading, const QStringList& texts);
  void add_list(const QStringList& texts);

  QVBoxLayout* column_ = nullptr;
  std::vector<std::pair<QPushButton*, FindingCard>> cards_;
};

}  // namespace footlight::app
