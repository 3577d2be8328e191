// Both pictures of a comparison on one time axis: where each lane lies, which piece is where, which belong together.
#pragma once

#include "engine/explain/compare/comparison.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace footlight::app {

// A piece of one of the two pictures.
struct PieceAt {
  bool traced = false;
  int lane = -1, piece = -1;
  bool valid() const { return lane >= 0 && piece >= 0; }
  friend bool operator==(const PieceAt&, const PieceAt&) = default;
};

struct PlacedLane {
  bool traced = false;
  int lane = 0;
  double top = 0, height = 0;
  double bottom() const { return top + height; }
};

class CompareLanes {
 public:
  void set_comparison(std::shared_ptr<const explain::Comparison> comparison);
  const explain::Comparison* comparison() const { return comparison_.get(); }
  bool empty() const { return lanes_.empty(); }

  const std::vector<PlacedLane>& lanes() const { return lanes_; }
  double height() const { return lanes_.empty() ? 0 : lanes_.back().bottom(); }
  int64_t longest() const { return longest_; }   // the end of the longer run
  const explain::Lane& lane(const PlacedLane& placed) const;
  const explain::Side& side(bool traced) const { return traced ? comparison_->traced : comparison_->eager; }
  const explain::Piece& piece(PieceAt at) const;
  const PlacedLane* placed(PieceAt at) const;

  // Pieces of a lane that touch [from, to]: [first, second).
  std::pair<size_t, size_t> between(const PlacedLane& lane, int64_t from, int64_t to) const;
  // The piece there, or the nearest within `slack` ns.
  PieceAt at(double y, int64_t time, int64_t slack) const;
  // The next or previous piece of the lane that belongs to a row; of all if none does.
  PieceAt step(PieceAt from, int by) const;
  // The nearest piece in the lane below or above.
  PieceAt beside(PieceAt from, int by) const;
  std::vector<PieceAt> of_row(int row) const;
  // The kernels among the pieces of a row, on one side: those on a device if there are any, else those on the host.
  std::vector<PieceAt> kernels_of(const std::vector<PieceAt>& of_row, bool traced) const;
  PieceAt first() const;

  QString name_of(const PlacedLane& lane) const;       // "stream 7, busy 19 %"
  QString gap_words(const explain::Piece& piece) const;  // "8.1 us before it: Python"; empty: none
  QString describe(PieceAt at) const;

 private:
  int index_of(bool traced, int lane) const;

  std::shared_ptr<const explain::Comparison> comparison_;
  std::vector<PlacedLane> lanes_;
  int64_t longest_ = 1;
};

}  // namespace footlight::app
