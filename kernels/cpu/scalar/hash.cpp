// Computes hashes of byte strings. All of them read little-endian words, and their sums and products wrap.
#include "kernels/cpu/scalar/hash.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

namespace footlight {

namespace {

static_assert(std::endian::native == std::endian::little);

uint64_t word64(const char* s) {
  uint64_t v;
  std::memcpy(&v, s, 8);
  return v;
}
uint64_t word32(const char* s) {
  uint32_t v;
  std::memcpy(&v, s, 4);
  return v;
}
uint64_t byte(char c) { return static_cast<unsigned char>(c); }
uint64_t right(uint64_t v, int n) { return std::rotr(v, n); }

// FarmHash, the 64-bit variant without instruction-set tricks ("na"), with the seed of its fingerprint.
constexpr uint64_t kPrime[] = {0xc3a5c85c97cb3127u, 0xb492b66fbe98f273u, 0x9ae16a3b2f90404fu};

uint64_t folded(uint64_t v) { return v ^ v >> 47; }

uint64_t mixed(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = folded((u ^ v) * factor);
  return folded((v ^ a) * factor) * factor;
}

uint64_t up_to_16(const char* s, size_t n) {
  const uint64_t factor = kPrime[2] + n * 2;
  if (n >= 8) {
    const uint64_t a = word64(s) + kPrime[2], b = word64(s + n - 8);
    return mixed(right(b, 37) * factor + a, (right(a, 25) + b) * factor, factor);
  }
  if (n >= 4) return mixed(n + (word32(s) << 3), word32(s + n - 4), factor);
  if (n == 0) return kPrime[2];
  const uint64_t y = byte(s[0]) + (byte(s[n >> 1]) << 8), z = n + (byte(s[n - 1]) << 2);
  return folded(y * kPrime[2] ^ z * kPrime[0]) * kPrime[2];
}

uint64_t up_to_32(const char* s, size_t n) {
  const uint64_t factor = kPrime[2] + n * 2;
  const uint64_t a = word64(s) * kPrime[1], b = word64(s + 8);
  const uint64_t c = word64(s + n - 8) * factor, d = word64(s + n - 16) * kPrime[2];
  return mixed(right(a + b, 43) + right(c, 30) + d, a + right(b + kPrime[2], 18) + c, factor);
}

uint64_t up_to_64(const char* s, size_t n) {
  const uint64_t factor = kPrime[2] + n * 2;
  const uint64_t a = word64(s) * kPrime[2], b = word64(s + 8);
  const uint64_t c = word64(s + n - 8) * factor, d = word64(s + n - 16) * kPrime[2];
  const uint64_t y = right(a + b, 43) + right(c, 30) + d;
  const uint64_t z = mixed(y, a + right(b + kPrime[2], 18) + c, factor);
  const uint64_t e = word64(s + 16) * factor, f = word64(s + 24);
  const uint64_t g = (y + word64(s + n - 32)) * factor, h = (z + word64(s + n - 24)) * factor;
  return mixed(right(e + f, 43) + right(g, 30) + h, e + right(f + a, 18) + g, factor);
}

using Pair = std::pair<uint64_t, uint64_t>;

Pair of_32(const char* s, uint64_t a, uint64_t b) {
  const uint64_t w = word64(s), x = word64(s + 8), y = word64(s + 16), z = word64(s + 24);
  a += w;
  b = right(b + a + z, 21);
  const uint64_t c = a;
  a += x + y;
  b += right(a, 44);
  return {a + z, b + c};
}

}  // namespace

uint64_t fingerprint64(std::string_view text) {
  const char* s = text.data();
  const size_t n = text.size();
  if (n <= 16) return up_to_16(s, n);
  if (n <= 32) return up_to_32(s, n);
  if (n <= 64) return up_to_64(s, n);
  constexpr uint64_t kSeed = 81;
  uint64_t x = kSeed * kPrime[2] + word64(s);
  uint64_t y = kSeed * kPrime[1] + 113;
  uint64_t z = folded(y * kPrime[2] + 113) * kPrime[2];
  Pair v{0, 0}, w{0, 0};
  const char* end = s + (n - 1) / 64 * 64;
  const char* last = end + ((n - 1) & 63) - 63;
  const auto round = [&](uint64_t factor, uint64_t weight) {
    x = right(x + y + v.first + word64(s + 8), 37) * factor;
    y = right(y + v.second + word64(s + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + word64(s + 40);
    z = right(z + w.first, 33) * factor;
    v = of_32(s, v.second * factor, x + w.first);
    w = of_32(s + 32, z + w.second, y + word64(s + 16));
    std::swap(z, x);
  };
  for (; s != end; s += 64) round(kPrime[1], 1);
  const uint64_t factor = kPrime[1] + ((z & 0xff) << 1);
  s = last;
  w.first += (n - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  round(factor, 9);
  return mixed(mixed(v.first, w.first, factor) + folded(y) * kPrime[0] + z,
               mixed(v.second, w.second, factor) + x, factor);
}

// SipHash-2-4.
uint64_t sip_hash(uint64_t key0, uint64_t key1, std::string_view text) {
  uint64_t v[4] = {key0 ^ 0x736f6d6570736575u, key1 ^ 0x646f72616e646f6du, key0 ^ 0x6c7967656e657261u,
                   key1 ^ 0x7465646279746573u};
  const auto rounds = [&](int n) {
    for (; n > 0; --n) {
      v[0] += v[1];
      v[1] = std::rotl(v[1], 13) ^ v[0];
      v[0] = std::rotl(v[0], 32);
      v[2] += v[3];
      v[3] = std::rotl(v[3], 16) ^ v[2];
      v[0] += v[3];
      v[3] = std::rotl(v[3], 21) ^ v[0];
      v[2] += v[1];
      v[1] = std::rotl(v[1], 17) ^ v[2];
      v[2] = std::rotl(v[2], 32);
    }
  };
  const auto take = [&](uint64_t word) {
    v[3] ^= word;
    rounds(2);
    v[0] ^= word;
  };
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) take(word64(text.data() + at));
  uint64_t last = static_cast<uint64_t>(text.size()) << 56;
  for (size_t k = 0; at + k < text.size(); ++k) last |= byte(text[at + k]) << (8 * k);
  take(last);
  v[2] ^= 0xff;
  rounds(4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// MurmurHash64A with TensorFlow's seed.
uint64_t bucket_hash64(std::string_view text) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995u;
  constexpr uint64_t kSeed = 0xdecafcaffeu;
  uint64_t h = kSeed ^ text.size() * kFactor;
  const auto shifted = [](uint64_t k) { return k ^ k >> 47; };
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    h ^= shifted(word64(text.data() + at) * kFactor) * kFactor;
    h *= kFactor;
  }
  if (at < text.size()) {
    for (size_t k = 0; at + k < text.size(); ++k) h ^= byte(text[at + k]) << (8 * k);
    h *= kFactor;
  }
  return shifted(shifted(h) * kFactor);
}

}  // namespace footlight
