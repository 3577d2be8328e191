// Allocates long names.
#include "engine/graph/node_name.h"

#include <new>

namespace footlight {

NodeName::NodeName(std::string_view name) {
  if (name.size() <= kLast) {
    std::memcpy(room_, name.data(), name.size());
    room_[kLast] = static_cast<char>(kLast - name.size());
    return;
  }
  auto* const shared = ::new (::operator new(sizeof(Shared) + name.size() + 1)) Shared;
  shared->size = static_cast<uint32_t>(name.size());
  char* const text = reinterpret_cast<char*>(shared + 1);
  std::memcpy(text, name.data(), name.size());
  text[name.size()] = 0;
  std::memcpy(room_, &shared, sizeof shared);
  room_[kLast] = kElsewhere;
}

void NodeName::release(Shared* shared) {
  if (shared->owners.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  shared->~Shared();
  ::operator delete(shared);
}

}  // namespace footlight
