// How much of this thread's stack is left, for code that recurses as deep as its input is nested.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace footlight {

inline size_t stack_left() {
  // A cache: the system is asked once per thread.
  static thread_local const uintptr_t lowest = [] {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return uintptr_t{0};
    void* low = nullptr;
    size_t size = 0;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<uintptr_t>(low);
  }();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return lowest && here > lowest ? here - lowest : 0;
}

}  // namespace footlight
