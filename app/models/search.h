// The search box: finds commands, functions, traces, nodes, source lines, console lines with all words of a query.
#pragma once

#include "app/models/selection.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace footlight::app {

struct SearchHit {
  enum class Kind { kCommand, kFunction, kTrace, kNode, kSource, kConsole };
  Kind kind = Kind::kCommand;
  QString text, detail;
  QString why_not;        // of a command: why it cannot be used now
  QString view;           // tab to show
  Selection target;
  int command = -1;       // index into the commands given
  int score = 0;
};

// Best first, at most `limit`. A query that begins with '>' searches the commands only.
std::vector<SearchHit> search(const Document* document, const QStringList& commands, GraphId graph,
                              const QString& query, size_t limit = 60);

}  // namespace footlight::app
