// Functions through which a front end with a lock of its own (Python: the GIL) steers this layer: the lock must not be
// held while a thread waits for elements. All are null where nobody has installed them.
#pragma once

namespace footlight::data {

// The Python extension installs these (python/install_hooks.cpp).
struct Hooks {
  // Called before a wait: releases the lock. Returns null if this thread does not hold it.
  void* (*leave_front_end)() = nullptr;
  // Called after a wait with the result of leave_front_end(): takes the lock again.
  void (*enter_front_end)(void*) = nullptr;
  // Called now and then during a wait, with the lock held: throws if the user has interrupted the program.
  void (*check_interrupts)() = nullptr;
};
extern constinit Hooks hooks;

}  // namespace footlight::data
