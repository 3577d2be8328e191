// libcupti, opened at run time: its functions by pointer, its version, and messages for its errors.
#pragma once

#include "engine/record/cupti_abi.h"

#include <memory>
#include <string>
#include <vector>

namespace footlight::cupti {

using BufferRequested = void (*)(uint8_t** buffer, size_t* size, size_t* max_records);
using BufferCompleted = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid);

struct Functions {
  Result (*get_version)(uint32_t*);
  Result (*subscribe)(void** subscriber, void* callback, void* user);
  Result (*subscribe_v2)(void** subscriber, void* callback, void* user, SubscriberParameters*);  // may be null
  Result (*unsubscribe)(void* subscriber);
  Result (*set_thread_id_type)(ThreadIdType);
  Result (*set_attribute)(Attribute, size_t* size, void* value);
  Result (*register_callbacks)(BufferRequested, BufferCompleted);
  Result (*enable)(Kind);
  Result (*enable_and_dump)(Kind);  // may be null
  Result (*disable)(Kind);
  Result (*enable_driver_api)(uint32_t function, uint8_t on);   // may be null
  Result (*enable_runtime_api)(uint32_t function, uint8_t on);  // may be null
  Result (*flush_all)(uint32_t flag);
  Result (*dropped_records)(void* context, uint32_t stream, size_t* dropped);
  Result (*next_record)(uint8_t* buffer, size_t valid, Activity** record);
  Result (*get_timestamp)(uint64_t*);
  Result (*push_external)(ExternalKind, uint64_t id);
  Result (*pop_external)(ExternalKind, uint64_t* last);
  Result (*callback_name)(CallbackDomain, uint32_t function, const char** name);
};

class Library {
 public:
  // Opens the first of `candidates` that has all required functions. Null: `why` says what was missing. Stays open for
  // the life of the process, because CUPTI keeps threads and hooks of its own.
  static std::shared_ptr<Library> open(const std::vector<std::string>& candidates, std::string& why);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Functions& f() const { return functions_; }
  uint32_t version() const { return version_; }
  const std::string& path() const { return path_; }

 private:
  Library() = default;
  void* handle_ = nullptr;
  Functions functions_{};
  uint32_t version_ = 0;
  std::string path_;
};

// Only $FOOTLIGHT_CUPTI if it is set; else the loader's names and the places where toolkits put the library.
std::vector<std::string> library_candidates();

// "13.0.1" for 130001, "12.8" for 26.
std::string version_text(uint32_t version);

// What an error means for the user, and what to do about it. `other`: the tool that is already subscribed, according to
// CUPTI.
std::string refusal_in_words(Result, const std::string& other = {});

}  // namespace footlight::cupti
