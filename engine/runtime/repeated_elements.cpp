// Keeps the elements of each iterator in the order in which the call took them.
#include "engine/runtime/repeated_elements.h"

#include "engine/base/errors.h"

namespace footlight::runtime {
namespace {

thread_local RepeatedElements* current = nullptr;

uint64_t bytes_of(const std::vector<Tensor>& element) {
  uint64_t bytes = 0;
  for (const Tensor& tensor : element) bytes += tensor && is_plain(tensor.dtype()) ? tensor.bytes() : 64;
  return bytes;
}

}  // namespace

RepeatedElements::Scope::Scope(RepeatedElements& elements, Mode mode) : before_(current) {
  elements.mode_ = mode;
  current = &elements;
}
RepeatedElements::Scope::~Scope() { current = before_; }

RepeatedElements::RepeatedElements() : first_new_(next_tensor_id()) {}

RepeatedElements* RepeatedElements::of(uint64_t iterator) {
  return current && iterator < current->first_new_ ? current : nullptr;
}

void RepeatedElements::keep(uint64_t iterator, const std::vector<Tensor>& element) {
  kept_bytes_ += bytes_of(element);
  is_cut_ = is_cut_ || ++kept_ > kMaxElements || kept_bytes_ > kMaxBytes;
  if (is_cut_) taken_.clear();
  else taken_[iterator].elements.push_back(element);
}

void RepeatedElements::keep_end(uint64_t iterator) { taken_[iterator].ended = true; }

bool RepeatedElements::give(uint64_t iterator, std::vector<Tensor>& element) {
  Taken& taken = taken_[iterator];
  if (taken.next < taken.elements.size()) {
    element = taken.elements[taken.next++];
    return true;
  }
  if (taken.ended) return false;
  fail(ErrorKind::kFailedPrecondition, "the repetition wants more elements of an iterator than the ",
       taken.elements.size(), " that the call took");
}

void RepeatedElements::add_ahead(const std::vector<Tensor>& element) {
  ++ahead_;
  ahead_bytes_ += bytes_of(element);
}

void RepeatedElements::rewind() {
  for (auto& [iterator, taken] : taken_) taken.next = 0;
}

}  // namespace footlight::runtime
