// Console lines with their stream, and the source locations mentioned in them.
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
  // Reads the records of `document` that are new since the last call. Text may break anywhere: an unfinished line of a
  // stream continues with that stream's next record. Returns the first line that is new or changed. Stops after about
  // `most` bytes; the next call goes on from there.
  size_t take(const Document& document, size_t most = SIZE_MAX);
  bool complete(const Document& document) const { return taken_ >= document.console.size(); }
  void note(const QString& text);  // from the window itself
  const std::vector<ConsoleLine>& lines() const { return lines_; }

 private:
  size_t taken_ = 0;
  std::vector<ConsoleLine> lines_;
  ptrdiff_t open_[4] = {-1, -1, -1, -1};  // the unfinished line of each stream
};

// `File "x.py", line 12` and `x.py:12`.
std::vector<ConsoleLink> find_links(const QString& text);
// Strips control sequences such as colours; expands tabs.
QString plain(const QString& text);

}  // namespace footlight::app
