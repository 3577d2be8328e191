// Hashes of byte strings whose values must be the same everywhere: FarmHash's fingerprint, SipHash, and the
// older one behind tf.strings.to_hash_bucket.
#pragma once

#include <cstdint>
#include <string_view>

namespace footlight {

uint64_t fingerprint64(std::string_view);
uint64_t sip_hash(uint64_t key0, uint64_t key1, std::string_view);
uint64_t bucket_hash64(std::string_view);

}  // namespace footlight
