// Opens libcupti and explains its error numbers.
#include "engine/record/cupti_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>

namespace footlight::cupti {
namespace {

template <class F>
bool find(void* handle, F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

// The name of the first required function that is missing.
const char* fill(void* h, Functions& f) {
  if (!find(h, f.get_version, "cuptiGetVersion")) return "cuptiGetVersion";
  if (!find(h, f.subscribe, "cuptiSubscribe")) return "cuptiSubscribe";
  if (!find(h, f.unsubscribe, "cuptiUnsubscribe")) return "cuptiUnsubscribe";
  if (!find(h, f.set_thread_id_type, "cuptiSetThreadIdType")) return "cuptiSetThreadIdType";
  if (!find(h, f.set_attribute, "cuptiActivitySetAttribute")) return "cuptiActivitySetAttribute";
  if (!find(h, f.register_callbacks, "cuptiActivityRegisterCallbacks")) return "cuptiActivityRegisterCallbacks";
  if (!find(h, f.enable, "cuptiActivityEnable")) return "cuptiActivityEnable";
  if (!find(h, f.disable, "cuptiActivityDisable")) return "cuptiActivityDisable";
  if (!find(h, f.flush_all, "cuptiActivityFlushAll")) return "cuptiActivityFlushAll";
  if (!find(h, f.dropped_records, "cuptiActivityGetNumDroppedRecords")) return "cuptiActivityGetNumDroppedRecords";
  if (!find(h, f.next_record, "cuptiActivityGetNextRecord")) return "cuptiActivityGetNextRecord";
  if (!find(h, f.get_timestamp, "cuptiGetTimestamp")) return "cuptiGetTimestamp";
  if (!find(h, f.push_external, "cuptiActivityPushExternalCorrelationId"))
    return "cuptiActivityPushExternalCorrelationId";
  if (!find(h, f.pop_external, "cuptiActivityPopExternalCorrelationId"))
    return "cuptiActivityPopExternalCorrelationId";
  if (!find(h, f.callback_name, "cuptiGetCallbackName")) return "cuptiGetCallbackName";
  find(h, f.subscribe_v2, "cuptiSubscribe_v2");
  find(h, f.enable_and_dump, "cuptiActivityEnableAndDump");
  find(h, f.enable_driver_api, "cuptiActivityEnableDriverApi");
  find(h, f.enable_runtime_api, "cuptiActivityEnableRuntimeApi");
  return nullptr;
}

}  // namespace

std::shared_ptr<Library> Library::open(const std::vector<std::string>& candidates, std::string& why) {
  static std::mutex mutex;
  static auto* const opened = new std::vector<std::shared_ptr<Library>>;
  std::lock_guard lock(mutex);
  why = "no CUPTI library was found (libcupti.so comes with the CUDA toolkit; FOOTLIGHT_CUPTI may name it)";
  for (const std::string& path : candidates) {
    for (const auto& library : *opened)
      if (library->path_ == path) {
        why.clear();
        return library;
      }
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      if (const char* words = dlerror(); words && candidates.size() == 1) why = words;
      continue;
    }
    std::shared_ptr<Library> library(new Library);
    library->handle_ = handle;
    library->path_ = path;
    if (const char* missing = fill(handle, library->functions_)) {
      why = path + " has no " + missing + ": it is not a CUPTI of CUDA 12 or newer";
      continue;
    }
    if (library->functions_.get_version(&library->version_) != kSuccess) {
      why = path + " does not report its version";
      continue;
    }
    if (library->version_ < kOldestVersion) {
      why = path + " is older than CUDA 12.0, the oldest CUPTI that is read (API version " +
            std::to_string(library->version_) + ")";
      continue;
    }
    why.clear();
    opened->push_back(library);
    return library;
  }
  return nullptr;
}

std::vector<std::string> library_candidates() {
  if (const char* chosen = std::getenv("FOOTLIGHT_CUPTI")) return {chosen};
  std::vector<std::string> candidates = {"libcupti.so.13", "libcupti.so"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable)) {
      candidates.push_back(std::string(root) + "/lib64/libcupti.so");
      candidates.push_back(std::string(root) + "/extras/CUPTI/lib64/libcupti.so");
    }
  candidates.push_back("/usr/local/cuda/lib64/libcupti.so");
  candidates.push_back("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so");
  candidates.push_back("libcupti.so.12");
  return candidates;
}

std::string version_text(uint32_t version) {
  if (version >= 10000) {
    std::string text = std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
    if (version % 100) text += "." + std::to_string(version % 100);
    return text;
  }
  static constexpr struct { uint32_t version; const char* text;
  } kReleases[] = {{19, "12.0"}, {20, "12.2"}, {21, "12.3"}, {22, "12.4"}, {23, "12.5"},
                   {24, "12.6"}, {26, "12.8"}, {27, "12.9"}, {28, "12.9"}};
  for (const auto& release : kReleases)
    if (release.version == version) return release.text;
  return "API version " + std::to_string(version);
}

std::string refusal_in_words(Result result, const std::string& other) {
  switch (static_cast<int>(result)) {
    case kUnknown:
      return "no CUDA driver answers on this machine (CUPTI error 999)";
    case kNotInitialized:
      return "the CUDA driver is too old for this CUPTI, or did not start (CUPTI error 15)";
    case kInsufficientPrivileges:
    case kVirtualizedInsufficientPrivileges:
      return "the driver lets only administrators profile (CUPTI error " + std::to_string(result) +
             "); load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0, or record as root";
    case kMultipleSubscribers:
      return "another profiling tool is subscribed to this process: " + (other.empty() ? "it gave no name" : other) +
             " (CUPTI error 39); record without it";
    default:
      return "CUPTI refused with error " + std::to_string(result);
  }
}

}  // namespace footlight::cupti
