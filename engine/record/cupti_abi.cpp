// The sizes of CUPTI's records, by version.
#include "engine/record/cupti_abi.h"

namespace footlight::cupti {

size_t record_size(Kind kind, uint32_t version) {
  switch (kind) {
    case Kind::kConcurrentKernel: return version >= kVersion13_0 ? 216 : 208;  // Kernel10, Kernel9
    case Kind::kMemcpy: return version >= kVersion12_8 ? 96 : 88;              // Memcpy6, Memcpy5
    case Kind::kMemcpy2: return 96;                                            // MemcpyPtoP4
    case Kind::kMemset: return 88;                                             // Memset4
    case Kind::kDriver:
    case Kind::kRuntime: return 40;
    case Kind::kExternalCorrelation: return 24;
    case Kind::kOverhead: return version >= kVersion13_0 ? 56 : 40;            // Overhead3, at least Overhead
    case Kind::kSynchronization: return version >= kVersion12_8 ? 56 : 40;     // Synchronization2, Synchronization
    case Kind::kContext: return version >= kVersion13_0 ? sizeof(Context) + 20 : sizeof(Context);
  }
  return 0;
}

}  // namespace footlight::cupti
