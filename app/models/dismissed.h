// Findings of which the user said that they are no problem: remembered by script, cause and line.
#pragma once

#include "app/models/findings.h"

#include <QStringList>

namespace footlight::app {

class Dismissed {
 public:
  static QString key_of(const Document& document, const FindingCard& card);  // empty: cannot be dismissed
  bool contains(const QString& key) const { return !key.isEmpty() && keys_.contains(key); }
  void set(const QString& key, bool dismissed);
  const QStringList& keys() const { return keys_; }
  void set_keys(const QStringList& keys) { keys_ = keys; }

 private:
  QStringList keys_;
};

}  // namespace footlight::app
