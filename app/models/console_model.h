// Console lines, told apart by where they came from, with the places in them that lead to a line of source.
#pragma once

#include "app/models/document.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace footlight::app {

struct ConsoleLink {
  int start = 0, length = 0;  // in the line's text
  QString path;
  int line = 0;
};

struct ConsoleLine {
  session::ConsoleStream stream = session::ConsoleStream::kStdout;
  QString text;
  QString stamp;              // time since the start, on the first line of a record
  std::vector<ConsoleLink> links;
};

class ConsoleLines {
 public:
  void clear();
  // Takes records of `document` from where the last call stopped. Text may break anywhere: an unfinished line of a
  // stream goes on with that stream's next record. Returns the first line that is new or changed.
  size_t take(const Document& document);
  void note(const QString& text);  // from the window itself
  const std::vector<ConsoleLine>& lines() const { return lines_; }

 private:
  size_t taken_ = 0;
  std::vector<ConsoleLine> lines_;
  ptrdiff_t open_[4] = {-1, -1, -1, -1};  // by stream: its unfinished line
};

// `File "x.py", line 12` and `x.py:12`.
std::vector<ConsoleLink> find_links(const QString& text);
// Text without colour codes and the like; tabs become spaces.
QString plain(const QString& text);

}  // namespace footlight::app
