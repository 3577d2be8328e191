// The part of CUPTI's binary interface that is used: function types, numbers, and the leading fields of its records,
// which no version has moved. Written out here so that the recorder builds without a toolkit and reads records of
// versions older and newer than any header; tests compare every number with the pinned toolkit's own headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace footlight::cupti {

// cuptiGetVersion before 13.0 counts releases (19 = 12.0, 26 = 12.8); from 13.0 on it is major * 10000 +
// minor * 100 + patch.
inline constexpr uint32_t kVersion12_0 = 19;
inline constexpr uint32_t kVersion12_8 = 26;
inline constexpr uint32_t kVersion13_0 = 130000;
inline constexpr uint32_t kOldestVersion = kVersion12_0;

enum Result : int32_t {
  kSuccess = 0,
  kInvalidParameter = 1,
  kMaxLimitReached = 12,
  kNotInitialized = 15,
  kInvalidKind = 21,
  kInsufficientPrivileges = 35,
  kMultipleSubscribers = 39,
  kVirtualizedInsufficientPrivileges = 40,
  kUnknown = 999,
};

enum class Kind : uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kDriver = 4,
  kRuntime = 5,
  kContext = 9,
  kConcurrentKernel = 10,  // never 3 (KERNEL): that makes kernels run one after another
  kOverhead = 17,
  kMemcpy2 = 22,
  kSynchronization = 38,
  kExternalCorrelation = 39,
};

enum ExternalKind : uint32_t { kCustom0 = 3, kCustom1 = 4 };
enum CallbackDomain : uint32_t { kDomainDriver = 1, kDomainRuntime = 2 };
enum ThreadIdType : uint32_t { kThreadIdSystem = 1 };
enum Attribute : uint32_t { kZeroedOutBuffers = 5 };
inline constexpr uint32_t kFlushForced = 1;

// Leading fields only. CUPTI packs its records and aligns them to 8.
struct Activity {
  Kind kind;
};

struct Kernel {
  Kind kind;
  uint8_t cache_config, shared_memory_config;
  uint16_t registers_per_thread;
  uint32_t partitioned_cache_requested, partitioned_cache_executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared_memory, dynamic_shared_memory;
  uint32_t local_memory_per_thread, local_memory_total;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;
};

struct Memcpy {  // MEMCPY
  Kind kind;
  uint8_t copy_kind, source_kind, destination_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};

struct MemcpyPeer {  // MEMCPY2
  Kind kind;
  uint8_t copy_kind, source_kind, destination_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
  uint32_t source_device, source_context, destination_device, destination_context;
  uint32_t correlation;
};

struct Memset {
  Kind kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};

struct Api {  // RUNTIME, DRIVER
  Kind kind;
  uint32_t function;
  uint64_t start, end;
  uint32_t process, thread, correlation, result;
};

struct ExternalCorrelation {
  Kind kind;
  ExternalKind external_kind;
  uint64_t external;
  uint32_t correlation;
};

struct Overhead {
  Kind kind;
  uint32_t overhead_kind, object_kind;
  uint32_t object[3];
  uint64_t start, end;
};
// This layout is only in records of 13.0 and newer, behind the fields above.
struct OverheadWithData {
  Overhead base;
  uint32_t correlation, reserved;
  void* data;  // the reader must free it
};

struct Synchronization {
  Kind kind;
  uint32_t type;
  uint64_t start, end;
  uint32_t correlation, context, stream;
};

struct Context {
  Kind kind;
  uint32_t context, device;
};

struct SubscriberParameters {
  size_t size;
  const char* name;
  char* other_name;  // filled when another tool is subscribed
  size_t other_size;
};
inline constexpr size_t kOtherNameSize = 64;

// Bytes of a whole record in that version; 0: a kind that is not read. Versions newer than the pinned one have at least
// as many.
size_t record_size(Kind, uint32_t version);

}  // namespace footlight::cupti
