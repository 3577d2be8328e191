// How host kernel files register their kernels in the table. The files are compiled once per instruction set, each
// in a namespace of its own (FL_ISA), and the set for this machine is registered; those of scalar/ always are.
#pragma once

#include "kernels/table.h"

#ifndef FL_ISA
#define FL_ISA baseline
#endif

namespace footlight {

// One per kernel file and instruction set, chained at static initialisation.
struct KernelFile {
  std::string_view isa;
  void (*fill)();
  KernelFile* next;
  static KernelFile* first;
  KernelFile(std::string_view isa_name, void (*f)()) : isa(isa_name), fill(f), next(first) { first = this; }
};

inline void on_cpu(std::string_view op, uint32_t dtypes, Kernel kernel) {
  register_kernel(DeviceType::kCpu, op, dtypes, kernel);
}

}  // namespace footlight

#define FL_STRING2(x) #x
#define FL_STRING(x) FL_STRING2(x)

// FL_CPU_KERNELS { on_cpu("AddV2", bit_of(DType::kInt32), kernel); ... }
#define FL_CPU_KERNELS                                                      \
  static void fill_kernels();                                               \
  static const KernelFile kernel_file{FL_STRING(FL_ISA), fill_kernels};     \
  static void fill_kernels()
