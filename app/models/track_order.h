// The tracks of the timeline that the user pinned, folded, hid or moved, kept in the user's settings under the
// recording's path. Each of several processes is folded to the tracks that sum it up, until it is opened.
#pragma once

#include "engine/query/timeline.h"

#include <QString>

#include <set>
#include <vector>

namespace footlight::app {

class TrackOrder {
 public:
  void open(const QString& recording);  // empty: nothing is kept
  // Sorts the tracks as they are to be shown, and takes out those that are hidden.
  void arrange(std::vector<query::TrackPicture>& tracks);

  bool is_pinned(const query::TrackKey& track) const { return pinned_.contains(track); }
  void set_pinned(const query::TrackKey& track, bool pinned);
  bool is_folded(const query::TrackKey& track) const { return folded_.contains(track) || closed_.contains(track); }
  // Whether folding it folds its whole process.
  bool is_of_process(const query::TrackKey& track) const { return summaries_.contains(track); }
  void set_folded(const query::TrackKey& track, bool folded);
  void hide(const query::TrackKey& track);
  void show_all();
  // How many of the tracks that were arranged the last time are hidden.
  size_t hidden() const { return hidden_here_; }
  // Up or down among those that are shown; pinned ones stay above the others.
  void move(const query::TrackKey& track, int by, const std::vector<query::TrackPicture>& shown);
  bool is_changed() const {
    return !order_.empty() || !pinned_.empty() || !hidden_.empty() || !folded_.empty() || !open_.empty();
  }
  void reset();  // restores the recording's order

 private:
  void save() const;
  QString key_;
  std::vector<query::TrackKey> order_;  // the tracks that were visible when one was moved
  std::set<query::TrackKey> pinned_, hidden_, folded_;
  std::set<uint32_t> open_;                         // processes of which all tracks are shown
  std::set<query::TrackKey> summaries_, closed_;    // of processes: all, and those of folded ones
  size_t hidden_here_ = 0;
};

}  // namespace footlight::app
