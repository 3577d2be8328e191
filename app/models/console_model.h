// Console lines with their stream, and the source locations mentioned in them.
#pragma once

#include "app/models/document.h"

#include <QString>
#include <QStringList>

#include <deque>
#include <unordered_map>
#include <vector>

namespace footlight::app {

struct ConsoleLink {
  int start = 0, length = 0;  // range in the line's text
  QString path;
  int line = 0;
};

struct ConsoleLine {
  session::ConsoleStream stream = session::ConsoleStream::kStdout;
  QString text;
  QString stamp;              // time since the start, on the first line of a record
  std::vector<ConsoleLink> links;
};

// The beginning of each line; the lines themselves are built on request.
class ConsoleLines {
 public:
  void clear() { *this = ConsoleLines(); }
  // Reads the records of `document` that are new since the last call. Text may break anywhere: an unfinished line of a
  // stream continues with that stream's next record. Returns the first line that is new or changed. Stops after about
  // `most` bytes; the next call goes on from there.
  size_t take(const Document& document, size_t most = SIZE_MAX);
  bool complete(const Document& document) const { return taken_ >= document.console.size(); }
  void note(const QString& text);  // from the window itself

  size_t size() const { return starts_.size(); }
  ConsoleLine line(const Document& document, size_t number) const;
  QString text(const Document& document, size_t number) const;  // text of the line
  session::ConsoleStream stream(const Document& document, size_t number) const;
  size_t bytes() const { return starts_.size() * sizeof(Start); }  // of memory, about

 private:
  struct Start {
    uint32_t record = 0;  // kNoted: none, but a note
    uint32_t at = 0;      // position in the record's text, or number of the note
  };
  static constexpr uint32_t kNoted = UINT32_MAX;
  struct OpenLine {
    ptrdiff_t number = -1;
    size_t bytes = 0;
  };

  size_t taken_ = 0, taken_bytes_ = 0;  // whole records, and bytes of the next one
  std::deque<Start> starts_;            // stored in blocks, so that growing copies nothing
  std::unordered_map<size_t, std::vector<Start>> rests_;  // for lines that came in several records
  std::vector<QString> notes_;
  OpenLine open_[4];                    // the unfinished line of each stream
};

// `File "x.py", line 12` and `x.py:12`.
std::vector<ConsoleLink> find_links(const QString& text);
// Strips control sequences such as colours; expands tabs.
QString plain(const QString& text);

}  // namespace footlight::app
