// Keeps the table of kernels, and chooses the instruction set.
#include "kernels/table.h"

#include "engine/base/text.h"
#include "kernels/cpu/register.h"
#include "kernels/loops.h"
#include "kernels/streamed_reduction.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace footlight {

Kernel kernel_table[2][kMaxOps][kDTypeCount];
DeviceAccess device_access{};
constinit KernelFile* KernelFile::first = nullptr;

namespace {

std::string_view chosen_isa;
ElementLoop loop_table[kMaxOps][kDTypeCount];
StreamedReduction reduction_table[kMaxOps][kDTypeCount];

bool is_built(std::string_view isa) {
  for (KernelFile* f = KernelFile::first; f; f = f->next)
    if (f->isa == isa) return true;
  return false;
}

bool supported(std::string_view isa) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (isa == "avx2") return avx2;
  if (isa == "avx512")
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512cd");
#endif
  return isa == "baseline";
}

constexpr std::string_view kSets[] = {"avx512", "avx2", "baseline"};

std::string built_sets() {
  std::string all;
  for (const std::string_view isa : kSets)
    if (is_built(isa)) append_to(all, str(all.empty() ? "" : ", ", isa));
  return all;
}

std::string_view choose() {
  if (const char* wanted = std::getenv("FOOTLIGHT_ISA"); wanted && *wanted) {
    const bool there = is_built(wanted);
    if (there && supported(wanted)) return wanted;
    std::fprintf(stderr, "footlight: FOOTLIGHT_ISA=%s is not %s (built: %s); choosing by the processor\n", wanted,
                 there ? "supported by this processor" : "built here", built_sets().c_str());
  }
  for (const std::string_view isa : kSets)
    if (is_built(isa) && supported(isa)) return isa;
  fail(ErrorKind::kUnimplemented, "Footlight's kernels were built for ", built_sets(),
       " only, which this processor does not have: build on this machine, or with "
       "FOOTLIGHT_ISAS=\"baseline;avx2;avx512\"");
}

// A dtype that the row does not allow gets no kernel, however many dtypes a file registers at once.
uint32_t allowed(const OpRow& row, uint32_t dtypes) {
  if (row.dispatch < 0 || static_cast<size_t>(row.dispatch) >= row.inputs.size()) return dtypes;
  const int8_t type = row.inputs[static_cast<size_t>(row.dispatch)].type_attr;
  return type < 0 ? dtypes : dtypes & row.attrs[static_cast<size_t>(type)].allowed;
}

template <class Entry>
void set_entries(Entry (&table)[kMaxOps][kDTypeCount], std::string_view op, uint32_t dtypes, const Entry& entry) {
  const OpRow* row = find_row(op);
  FL_CHECK(row && row->id.value < kMaxOps);
  for (size_t d = 0; d < kDTypeCount; ++d)
    if (in_set(static_cast<DType>(d), allowed(*row, dtypes))) table[row->id.value][d] = entry;
}

}  // namespace

void register_kernel(DeviceType device, std::string_view op, uint32_t dtypes, Kernel kernel) {
  const OpRow* row = find_row(op);
  if (!row)
    std::fprintf(stderr, "footlight: kernel for an op without a row: %.*s\n", static_cast<int>(op.size()),
                 op.data());
  FL_CHECK(row && row->id.value < kMaxOps);
  for (size_t d = 0; d < kDTypeCount; ++d) {
    if (!in_set(static_cast<DType>(d), allowed(*row, dtypes))) continue;
    kernel_table[static_cast<size_t>(device)][row->id.value][d] = kernel;
    if (device != DeviceType::kCpu) continue;
    loop_table[row->id.value][d] = {};
    reduction_table[row->id.value][d] = {};
  }
}

void register_loop(std::string_view op, uint32_t dtypes, ElementLoop loop) {
  set_entries(loop_table, op, dtypes, loop);
}

void register_streamed_reduction(std::string_view op, uint32_t dtypes, const StreamedReduction& reduction) {
  set_entries(reduction_table, op, dtypes, reduction);
}

const StreamedReduction* streamed_reduction_for(OpId op, DType by) {
  const StreamedReduction& made = reduction_table[op.value][static_cast<size_t>(by)];
  return made.start ? &made : nullptr;
}

int64_t reduction_order::pieces_of(int64_t outer, int64_t total) {
  constexpr int64_t kPiece = 1 << 17;
  return std::max<int64_t>(1, std::min(outer, total / kPiece));
}

ElementLoop loop_for(OpId op, DType by, DType output) {
  const ElementLoop loop = loop_table[op.value][static_cast<size_t>(by)];
  return loop.kind == ElementLoop::Kind::kByOutput ? ElementLoop(loop.by_output(output), loop.weight) : loop;
}

void init_cpu_kernels() {
  static std::once_flag once;
  std::call_once(once, [] {
    chosen_isa = choose();
    const auto fill = [](std::string_view isa) {
      for (KernelFile* f = KernelFile::first; f; f = f->next)
        if (f->isa == isa) f->fill();
    };
    // Kernels of each set replace those of the sets before it.
    fill("scalar");
    if (chosen_isa == "avx512") fill("avx2");  // kernels that gain nothing from AVX-512 are not built for it
    fill(chosen_isa);
  });
}

std::string_view cpu_isa() { return chosen_isa; }

void no_kernel(DeviceType device, const OpRow& row, DType dtype) {
  std::string there;
  for (size_t d = 1; d < kDTypeCount; ++d)
    if (kernel_for(device, row.id, static_cast<DType>(d)))
      append_to(there, str(there.empty() ? "" : ", ", short_name(static_cast<DType>(d))));
  if (there.empty()) {
    fail(ErrorKind::kUnimplemented, row.name, " cannot run on ", device == DeviceType::kCpu ? "CPU" : "GPU",
         ": there is no kernel for it [Op:", row.name, "]");
  }
  invalid(row.name, " cannot be computed for ", short_name(dtype), " tensors on ",
          device == DeviceType::kCpu ? "CPU" : "GPU", "; it can be for ", there, " [Op:", row.name, "]");
}

}  // namespace footlight
