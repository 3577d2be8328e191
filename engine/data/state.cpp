// Encodes numbers in eight bytes, texts with their lengths, tensors as in files of elements.
#include "engine/data/state.h"

#include "engine/base/text.h"
#include "engine/data/element_file.h"
#include "engine/data/elements.h"

#include <cstring>

namespace footlight::data {

void State::wrong() {
  throw Error(ErrorKind::kDataLoss, "the state of an iterator over a dataset cannot be read: it is damaged");
}

void State::end() const {
  if (at_ != bytes_.size()) wrong();
}

void State::bits(uint64_t& value, uint64_t most) {
  if (!reads_) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return;
  }
  if (left() < sizeof value) wrong();
  std::memcpy(&value, bytes_.data() + at_, sizeof value);
  at_ += sizeof value;
  if (value > most) wrong();
}

void State::text(std::string& value) {
  size_t size = value.size();
  number(size, left());
  if (!reads_) {
    bytes_ += value;
    return;
  }
  if (size > left()) wrong();
  value.assign(bytes_, at_, size);
  at_ += size;
}

void State::of(const char* stage) {
  std::string said = stage;
  text(said);
  if (said != stage)
    fail(ErrorKind::kNotFound, "Failed to restore the iterator over a dataset: its state is that of '", said,
         "' where this dataset has '", stage, "'. Make sure that the dataset is defined as it was when the iterator "
         "was saved.");
}

void State::element(Element& element, const Stage& of) { tensors(element, of.types, of.shapes, &of); }

// A dataset among the tensors holds elements in memory: a window, whose elements are like those of its input.
void State::tensors(Element& element, const std::vector<DType>& types, const std::vector<Shape>& shapes,
                    const Stage* of) {
  size_t count = element.size();
  number(count, left());
  if (reads_) element.resize(count);
  for (size_t k = 0; k < count; ++k) {
    bool nested = !reads_ && element[k].dtype() == DType::kVariant;
    flag(nested);
    if (nested) {
      const Stage* inner = of && k < of->types.size() ? of->windowed(k) : nullptr;
      std::optional<std::vector<Element>> all;
      if (reads_) all.emplace();
      else if (inner) all = stage_of(element[k])->held();
      if (!inner || !all) {
        if (reads_) wrong();
        fail(ErrorKind::kUnimplemented, "the iterator cannot be saved: it holds an element with a tensor of dtype "
             "variant that is no window of another dataset");
      }
      elements(*all, *inner);
      if (reads_) element[k] = dataset_of(std::move(*all), inner->types, inner->shapes);
      continue;
    }
    std::string bytes;
    if (!reads_) bytes = packed({element[k]});
    text(bytes);
    if (!reads_) continue;
    Element one = unpacked(bytes);
    if (one.size() != 1) wrong();
    element[k] = std::move(one[0]);
  }
  if (reads_ && !fits(element, types, shapes)) wrong();
}

void State::outcome(Outcome& outcome, const Stage& of) {
  bool failed = outcome.failure != nullptr;
  flag(failed);
  if (!failed) return element(outcome.element, of);
  auto kind = ErrorKind::kUnknown;
  std::string message;
  if (!reads_) {
    try {
      std::rethrow_exception(outcome.failure);
    } catch (const Error& e) {
      if (e.kind() < kind) kind = e.kind();
      message = e.message();
    }
  }
  auto number_of_kind = static_cast<uint64_t>(kind);
  number(number_of_kind, static_cast<uint64_t>(ErrorKind::kUnknown));
  text(message);
  if (reads_) outcome.failure = std::make_exception_ptr(Error(static_cast<ErrorKind>(number_of_kind), message));
}

}  // namespace footlight::data
