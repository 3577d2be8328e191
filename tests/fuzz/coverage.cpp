// Between g++ and libFuzzer: what code compiled with -fsanitize-coverage=trace-pc calls, counted in the form that the
// fuzzer reads. In programs without a fuzzer the counts go nowhere.
#include <cstddef>
#include <cstdint>

extern "C" {

// libFuzzer's, or a function of the sanitizer's library that does nothing.
void __sanitizer_cov_8bit_counters_init(uint8_t* begin, uint8_t* end);

}

namespace {

// Places of code share a counter by chance; there are some tens of thousands of them. The fuzzer reads all counters
// after each input.
constexpr size_t kCounters = size_t{1} << 17;
alignas(4096) uint8_t counters[kCounters];

[[gnu::constructor]] void offer() { __sanitizer_cov_8bit_counters_init(counters, counters + kCounters); }

}  // namespace

extern "C" {

[[gnu::no_sanitize_coverage]] void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  ++counters[(place * 0x9E3779B97F4A7C15u) >> 47];
}

// g++ calls these where numbers are compared that have a point; libFuzzer has no use for them.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}

}
