// The process-wide registry of signatures, grown under a lock, never shrunk.
#include "engine/base/signatures.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace footlight {
namespace {

constexpr size_t kMaxSignatures = 1u << 17;  // a program whose shapes never repeat must not fill memory

struct Registry {
  std::mutex mutex;
  std::unordered_map<uint64_t, SignatureId> by_hash;
  std::deque<Signature> all;
  uint64_t refused = 0;
};

// Never destroyed: threads may end after the statics of this library are gone.
Registry& registry() {
  static Registry* it = new Registry;
  return *it;
}

}  // namespace

SignatureId find_signature(uint64_t hash) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto it = r.by_hash.find(hash);
  return it == r.by_hash.end() ? SignatureId() : it->second;
}

SignatureId add_signature(uint64_t hash, Signature signature) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  if (const auto it = r.by_hash.find(hash); it != r.by_hash.end()) return it->second;
  if (r.all.size() >= kMaxSignatures) {
    ++r.refused;
    return {};
  }
  const SignatureId id(static_cast<uint32_t>(r.all.size()));
  r.all.push_back(std::move(signature));
  r.by_hash.emplace(hash, id);
  return id;
}

bool room_for_signatures() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  return r.all.size() < kMaxSignatures;
}

void visit_signatures(uint32_t first, void (*visit)(void*, SignatureId, const Signature&), void* context) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  for (size_t i = first; i < r.all.size(); ++i) visit(context, SignatureId(static_cast<uint32_t>(i)), r.all[i]);
}

uint64_t signatures_refused() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  return r.refused;
}

void signatures_before_fork() { registry().mutex.lock(); }
void signatures_after_fork() { registry().mutex.unlock(); }

}  // namespace footlight
