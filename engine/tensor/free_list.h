// Per-thread free lists of blocks, released when the thread ends. Off under the address sanitizer, so that it sees
// every use after free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#define FL_CACHE_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FL_CACHE_MEMORY 0
#endif
#endif
#ifndef FL_CACHE_MEMORY
#define FL_CACHE_MEMORY 1
#endif

namespace footlight {

// Singly linked through each block's first word. No constructor and no destructor: usable at any time of a
// thread's life; `closed` is set when the thread's cleaner has run.
struct FreeList {
  void* first;
  uint32_t count;

  void* pop() {
    void* block = first;
    if (block) {
      std::memcpy(&first, block, sizeof first);  // memcpy: to everybody else the block has another type
      --count;
    }
    return block;
  }
  void push(void* block) {
    std::memcpy(block, &first, sizeof first);
    first = block;
    ++count;
  }
};

}  // namespace footlight
