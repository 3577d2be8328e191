// For machines with a GPU, without Qt. `gpu_check device`: devices, copies and kernels against the host, one line per
// check. `gpu_check session FILE`: what a session says about the device, as key=value lines for check.sh and tests.
#include "engine/base/clock.h"
#include "engine/base/device_hooks.h"
#include "engine/eager/execute.h"
#include "engine/session/reader.h"
#include "engine/tensor/gpu.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <thread>

using namespace footlight;

namespace {

int failures = 0;

template <class Body>
void check(const char* name, Body body) {
  std::string why;
  try {
    why = body();
  } catch (const std::exception& e) {
    why = e.what();
  }
  if (!why.empty()) ++failures;
  std::printf("%s %s%s%s\n", why.empty() ? "ok    " : "FAILED", name, why.empty() ? "" : ": ", why.c_str());
}

template <class T>
Tensor random_tensor(const Shape& shape, unsigned seed) {
  Tensor t = Tensor::empty(dtype_of<T>, shape);
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> draw(-1000, 1000);
  for (int64_t i = 0; i < t.elements(); ++i)
    t.data<T>()[i] = std::is_integral_v<T> ? static_cast<T>(draw(engine)) : static_cast<T>(draw(engine) / T(500));
  return t;
}

// The largest difference, relative to the largest number.
template <class T>
double difference(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape()) || a.dtype() != b.dtype()) return INFINITY;
  const Tensor x = gpu::on_host(a), y = gpu::on_host(b);
  double most = 0, largest = 1;
  for (int64_t i = 0; i < x.elements(); ++i) {
    most = std::fmax(most, std::fabs(double(x.data<T>()[i]) - double(y.data<T>()[i])));
    largest = std::fmax(largest, std::fabs(double(y.data<T>()[i])));
  }
  return most / largest;
}

const Device kGpu0 = Device::gpu(0);

template <class T>
std::string same_on_both(const char* op, const Shape& a, const Shape& b, double tolerance, const Attrs& attrs = {}) {
  const Tensor x = random_tensor<T>(a, 1), y = random_tensor<T>(b, 2);
  const OpRow& row = *find_row(op);
  const Tensor there = eager::execute1(row, Borrowed(gpu::copy_to(x, kGpu0), gpu::copy_to(y, kGpu0)), attrs);
  if (there.device() != kGpu0) return str("the result is on ", full_name(there.device()));
  const Tensor here = eager::execute1(row, Borrowed(x, y), attrs);
  const double off = difference<T>(there, here);
  return off <= tolerance ? std::string()
                          : str(op, " of ", a.to_string(), " and ", b.to_string(), " differs by ", off);
}

template <class... Words>
std::string first_of(const Words&... words) {
  std::string all;
  ((all = all.empty() ? words : all), ...);
  return all;
}

std::string add_is_correct() {
  return first_of(
      same_on_both<float>("AddV2", {1 << 20}, {1 << 20}, 0), same_on_both<float>("AddV2", {1003}, {1003}, 0),
      same_on_both<float>("Sub", {}, {1003}, 0), same_on_both<double>("AddV2", {1000, 3}, {3}, 0),
      same_on_both<int32_t>("AddV2", {7, 1, 5}, {1, 9, 1}, 0), same_on_both<int64_t>("AddV2", {}, {33}, 0),
      same_on_both<float>("AddV2", {0, 4}, {4}, 0), same_on_both<float>("Mul", {2, 3, 4, 5}, {3, 1, 5}, 0),
      same_on_both<float>("Sub", {65, 67}, {65, 1}, 0), same_on_both<double>("RealDiv", {}, {}, 0));
}

std::string matmul_is_correct() {
  const Attrs ta{{AttrName("transpose_a"), true}}, tb{{AttrName("transpose_b"), true}};
  const Attrs both{{AttrName("transpose_a"), true}, {AttrName("transpose_b"), true}};
  const Attrs adj{{AttrName("adj_y"), true}};
  return first_of(same_on_both<float>("MatMul", {65, 130}, {130, 31}, 1e-5),
                  same_on_both<double>("MatMul", {64, 64}, {64, 64}, 1e-13),
                  same_on_both<float>("MatMul", {130, 65}, {130, 31}, 1e-5, ta),
                  same_on_both<float>("MatMul", {65, 130}, {31, 130}, 1e-5, tb),
                  same_on_both<double>("MatMul", {13, 65}, {31, 13}, 1e-13, both),
                  same_on_both<float>("MatMul", {1, 1}, {1, 1}, 1e-6),
                  same_on_both<float>("MatMul", {3, 0}, {0, 4}, 0),
                  same_on_both<float>("MatMul", {1024, 1024}, {1024, 1024}, 1e-5));
}

std::string batches_are_correct() {
  const Attrs adj{{AttrName("adj_y"), true}};
  return first_of(same_on_both<float>("BatchMatMulV2", {5, 17, 9}, {5, 9, 3}, 1e-5),
                  same_on_both<double>("BatchMatMulV2", {5, 17, 9}, {9, 3}, 1e-13),
                  same_on_both<float>("BatchMatMulV2", {2, 1, 7, 9}, {3, 5, 9}, 1e-5, adj));
}

std::string copies_go_round() {
  const auto most = static_cast<int64_t>(std::min<size_t>(gpu::info(0).memory / 64, size_t{128} << 20)) / 4;
  for (const int64_t n : {int64_t{1}, int64_t{1000}, most}) {
    const Tensor x = random_tensor<float>(Shape{n}, static_cast<unsigned>(n));
    const Tensor there = gpu::copy_to(x, kGpu0);
    if (there.device() != kGpu0) return "the copy is not on the GPU";
    const Tensor back = gpu::copy_to(there, Device::cpu());
    if (std::memcmp(back.raw(), x.raw(), x.bytes()) != 0) return str(n, " floats came back changed");
  }
  return {};
}

std::string memory_comes_back() {
  const size_t before = memory_use(kGpu0).current;
  const auto part = static_cast<int64_t>(gpu::info(0).memory / 8);
  for (int i = 0; i < 100; ++i) Tensor::empty(DType::kUInt8, Shape{part}, kGpu0);  // a dozen times the memory
  if (memory_use(kGpu0).current != before) return "memory is held by nobody";
  try {
    Tensor::empty(DType::kFloat32, Shape{int64_t{1} << 42}, kGpu0);
    return "16 TB were given";
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kResourceExhausted || !std::strstr(e.what(), "are free")) return e.what();
  }
  gpu::synchronize();
  return same_on_both<float>("AddV2", {100}, {100}, 0);  // and ops still run after that
}

std::string threads_share_it() {
  std::vector<std::thread> threads;
  std::vector<std::string> said(8);
  for (size_t t = 0; t < said.size(); ++t)
    threads.emplace_back([&said, t] {
      try {
        for (int i = 0; i < 20 && said[t].empty(); ++i)
          said[t] = same_on_both<float>("MatMul", {33, 65}, {65, 20}, 1e-5);
      } catch (const std::exception& e) {
        said[t] = e.what();
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& s : said)
    if (!s.empty()) return s;
  return {};
}

int device_checks() {
  std::printf("       GPU: %s\n", gpu::in_words().c_str());
  check("device found", [] { return gpu::count() > 0 ? std::string() : gpu::why_not(); });
  if (gpu::count() == 0) return 1;
  eager::init();
  check("copy round trip", copies_go_round);
  check("add correct, with broadcasting", add_is_correct);
  check("matmul correct against the host", matmul_is_correct);
  check("batched matmul correct", batches_are_correct);
  check("memory comes back and runs out in words", memory_comes_back);
  check("threads share the device", threads_share_it);
  return failures;
}

int session_words(const char* path) {
  const auto reader = session::Reader::open(path);
  std::map<uint64_t, std::pair<std::string, std::pair<int64_t, uint32_t>>> ops;  // id -> name, start, device
  for (size_t i = 0; i < reader->op_events().index().size(); ++i) {
    const auto chunk = reader->op_events().chunk(i);
    for (size_t k = 0; k < chunk->size(); ++k) {
      const auto* name = reader->op_name(chunk->op[k]);
      ops[chunk->id[k]] = {name ? name->name : "?", {chunk->start_ns[k], chunk->device[k].value}};
      if (chunk->device[k].value)
        std::printf("op=%s device=%u\n", ops[chunk->id[k]].first.c_str(), chunk->device[k].value);
    }
  }
  for (const session::DeviceRecord& d : reader->all_device_events()) {
    const auto op = ops.find(d.op_event);
    std::printf("kind=%s op=%s call=%s bytes=%llu ns=%lld after_op_ms=%.3f name=%s\n", d.kind.c_str(),
                op == ops.end() ? "-" : op->second.first.c_str(), d.call.valid() ? "yes" : "no",
                static_cast<unsigned long long>(d.bytes), static_cast<long long>(d.end_ns - d.start_ns),
                op == ops.end() ? 0.0 : static_cast<double>(d.start_ns - op->second.second.first) / 1e6,
                d.name.c_str());
  }
  for (const auto& n : reader->contents().device_names)
    std::printf("device=%u name=%s description=%s\n", n.number.value, n.name.c_str(), n.description.c_str());
  for (const auto& d : reader->contents().dropped)
    if (d.count)
      std::printf("dropped=%llu what=%s why=%s\n", static_cast<unsigned long long>(d.count), d.what.c_str(),
                  d.why.c_str());
  for (const auto& line : reader->contents().console)
    if (line.stream == session::ConsoleStream::kNote) std::printf("note=%s\n", line.text.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && !std::strcmp(argv[1], "device")) return device_checks() ? 1 : 0;
    if (argc == 3 && !std::strcmp(argv[1], "session")) return session_words(argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gpu_check: %s\n", e.what());
    return 2;
  }
  std::fprintf(stderr, "gpu_check device | gpu_check session FILE\n");
  return 2;
}
