// Decides by the order of the accesses; for tensors and variables, the graph must also have captured what was there.
#include "engine/python/function/observed/frozen_state.h"

#include "engine/python/types/objects.h"
#include "engine/python/types/variable_object.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>

namespace footlight::python {

using autograph::OutsideAccess;

namespace {

constexpr int kMaxDepth = 4;  // calls that are followed to a store

bool is_store(const OutsideAccess& access) { return access.kind >= OutsideAccess::kStore; }

// append() and its like, which keep what was there before.
bool grows(const WatchedEntry& stored) {
  const auto& path = stored.made().path;
  const bool item = stored.steps && path.steps[stored.steps - 1].item;
  if (stored.made().kind != OutsideAccess::kMutation || item) return false;
  const Ref value = stored.now().value;
  return value && PyList_Check(value.get());
}

// Whether the access puts something in place of all that was there.
bool replaces(const WatchedEntry& entry) {
  const OutsideAccess& access = entry.made();
  if (access.memo) return false;
  if (access.kind == OutsideAccess::kStore || access.kind == OutsideAccess::kUpdate) return true;
  if (access.kind != OutsideAccess::kMutation) return false;
  return access.literal || (entry.steps && access.path.steps[entry.steps - 1].item);
}

// Whether `read` names the place of `stored`, or an item of what is there.
bool reads_place(const WatchedEntry& read, const WatchedEntry& stored) {
  if (stored.holder && read.holder == stored.holder && read.last() == stored.last()) return true;
  const auto &of_read = read.made().path, &of_store = stored.made().path;
  if (read.steps <= stored.steps || read.body != stored.body || of_read.root != of_store.root) return false;
  const auto steps = static_cast<std::ptrdiff_t>(stored.steps);
  return of_read.steps[stored.steps].item &&
         std::equal(of_store.steps.begin(), of_store.steps.begin() + steps, of_read.steps.begin());
}

// Whether the first `count` accesses of a body call the function, directly or through other functions. `like`: an entry
// of that body.
bool calls(const WatchedEntry& like, size_t count, PyObject* function, int depth = 0) {
  for (size_t i = 0; i < count; ++i) {
    const OutsideAccess& access = like.body->outside.accesses[i];
    if (access.kind != OutsideAccess::kCall) continue;
    const bool same_start = like.parameter && access.path.parameter == like.made().path.parameter;
    if (access.path.parameter >= 0 && !same_start) continue;
    WatchedEntry call{like.function, like.start, like.body, i, access.path.steps.size(), same_start, like.top, nullptr};
    const CalledFunction called = function_called(call);
    if (!called.function) continue;
    if (PyFunction_GET_CODE(called.function.get()) == PyFunction_GET_CODE(function)) return true;
    const SharedBody body = depth < kMaxDepth ? body_of(called.function.get()) : nullptr;
    if (!body || body->outside.accesses.empty()) continue;
    for (size_t k = 0; k < body->outside.accesses.size(); ++k) {
      if (body->outside.accesses[k].path.parameter != 0 || !called.self) continue;
      const WatchedEntry inside{called.function, called.self, body, k, 0, true, false, nullptr};
      if (calls(inside, body->outside.accesses.size(), function, depth + 1)) return true;
      break;
    }
  }
  return false;
}

bool is_captured(const WatchedEntry& read) {
  const trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
  if (!builder) return true;
  return std::ranges::any_of(builder->captures(), [&](const Tensor& captured) {
    if (captured.is_symbolic()) return false;
    if (captured.dtype() == DType::kResource) return read.identity.first == captured.resource_object();
    return !read.identity.first && read.identity.second == captured.id();
  });
}

}  // namespace

std::pair<const void*, uint64_t> identity_of(PyObject* value) {
  if (!value) return {};
  if (is_variable(value)) return {variable_handle(value).resource_object(), 0};
  if (is_tensor(value) && !tensor_of(value).is_symbolic()) return {nullptr, tensor_of(value).id()};
  return {};
}

FrozenState frozen_state(const WatchedEntry& stored, std::span<const WatchedEntry> entries) {
  FrozenState found;
  std::vector<const WatchedEntry*> stores;
  for (const WatchedEntry& entry : entries)
    if (is_store(entry.made()) && reads_place(entry, stored) && entry.steps == stored.steps) stores.push_back(&entry);
  for (const WatchedEntry* store : stores)
    if (!store->made().memo) found.stored_line = store->made().line;
  if (!found.stored_line) return {};  // a cache
  for (const WatchedEntry& read : entries) {
    const OutsideAccess& access = read.made();
    if (is_store(access) && access.kind != OutsideAccess::kUpdate) continue;
    if (!reads_place(read, stored)) continue;
    const SeenValue::Kind kind = read.before.kind;
    const bool tensor = kind == SeenValue::kTensor || kind == SeenValue::kVariable;
    if (!tensor && kind != SeenValue::kData && kind != SeenValue::kAbsent) continue;
    if (tensor && !is_captured(read)) continue;
    const bool replaced = std::ranges::any_of(stores, [&](const WatchedEntry* store) {
      if (store == &read || !replaces(*store) || (tensor && store->made().conditional)) return false;
      if (store->body == read.body && store->function.get() == read.function.get()) return store->access < read.access;
      return calls(read, read.access, store->function.get());
    });
    // What append() adds to is read behind it, too.
    const bool before = std::ranges::any_of(stores, [&](const WatchedEntry* store) {
      return store == &read || store->body != read.body || read.access < store->access || grows(*store);
    });
    if (replaced || !before) continue;
    if (!found.read) found.read = &read;
    found.reads.push_back(&read);
  }
  return found;
}

}  // namespace footlight::python
