// Times that a person marked in a run, kept in the user's settings under the session file's path.
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace footlight::app {

struct Bookmark {
  int64_t time = 0;  // since the run's first event
  QString text;
};

class Bookmarks {
 public:
  void open(const QString& session);  // empty: none are kept
  const std::vector<Bookmark>& all() const { return all_; }  // sorted by time
  // Removes the one within `slack` of that time, else adds one.
  void toggle(int64_t time, int64_t slack, const QString& text);
  // The next bookmark after `time`, or (`by` < 0) the last before it; wraps around at the ends.
  std::optional<Bookmark> next(int64_t time, int by) const;

 private:
  void save() const;
  QString key_;
  std::vector<Bookmark> all_;
};

}  // namespace footlight::app
