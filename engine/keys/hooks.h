// Functions through which a front end steers this layer. All are null where nobody has installed them.
#pragma once

#include <cstdint>
#include <optional>

namespace footlight::keys {

// The Python extension installs these (python/install_hooks.cpp). Numbers stand for the user's own trace types.
struct Hooks {
  // Called by is_subtype(): whether a trace made for `general` serves `specific`. Null: each type serves only itself.
  bool (*custom_subtype)(uint64_t specific, uint64_t general) = nullptr;
  // Called by common_supertype(): the number of a type that covers both; none: nothing does.
  std::optional<uint64_t> (*custom_supertype)(uint64_t a, uint64_t b) = nullptr;
};
extern constinit Hooks hooks;

}  // namespace footlight::keys
