// Lists all variables and random streams, and copies their contents.
#include "engine/tensor/kept_states.h"

#include "engine/base/errors.h"

#include <cstring>
#include <mutex>
#include <unordered_map>

namespace footlight {

namespace {

struct Known {
  std::mutex mutex;
  std::unordered_map<uint64_t, Variable*> variables;
  std::unordered_map<uint64_t, RandomState*> streams;
};
// Never destroyed: variables may die after the statics of this library.
Known& known() {
  static Known* all = new Known;
  return *all;
}

template <class T>
void note(std::unordered_map<uint64_t, T*>& all, T* one, bool alive) {
  std::lock_guard lock(known().mutex);
  if (alive) all.emplace(one->id(), one);
  else all.erase(one->id());
}

// Memory of its own. Values elsewhere than on the host, and those that are no plain bytes, are shared: their next
// change copies them.
Tensor copy_of(const Tensor& value) {
  const bool plain = value.device().type == DeviceType::kCpu && value.dtype() != DType::kString &&
                     value.dtype() != DType::kResource && value.dtype() != DType::kVariant;
  if (!plain) return value.alias();
  Tensor own = Tensor::empty(value.dtype(), value.shape());
  if (value.bytes() > 0) std::memcpy(own.raw(), value.raw(), value.bytes());
  return own;
}

}  // namespace

void watch_states() {
  Variable::noted = [](Variable* one, bool alive) { note(known().variables, one, alive); };
  RandomState::noted = [](RandomState* one, bool alive) { note(known().streams, one, alive); };
}

KeptStates::KeptStates(uint64_t most_bytes) {
  std::lock_guard lock(known().mutex);
  uint64_t bytes = 0;
  for (const auto& [id, variable] : known().variables)
    if (const Tensor value = variable->value_or_none()) bytes += value.bytes();
  if (bytes > most_bytes)
    fail(ErrorKind::kResourceExhausted, "the variables hold ", bytes >> 20, " MiB, and at most ", most_bytes >> 20,
         " MiB are kept to be put back");
  for (const auto& [id, variable] : known().variables) {
    const Tensor value = variable->value_or_none();
    values_.push_back({id, value ? copy_of(value) : Tensor()});
  }
  for (const auto& [id, stream] : known().streams) positions_.push_back({id, stream->position()});
}

KeptStates::~KeptStates() = default;

void KeptStates::put_back() const {
  std::vector<Tensor> replaced;  // freed without the lock
  std::lock_guard lock(known().mutex);
  for (const Value& kept : values_) {
    const auto at = known().variables.find(kept.id);
    if (at != known().variables.end())
      replaced.push_back(at->second->replace(kept.value ? copy_of(kept.value) : Tensor()));
  }
  for (const Position& kept : positions_) {
    const auto at = known().streams.find(kept.id);
    if (at != known().streams.end()) at->second->go_to(kept.at);
  }
}

}  // namespace footlight
