// Checksums do not count, or no change would get past the first one; limits are low, so that no input takes long.
#include "tests/fuzz/bundle_input.h"

#include "engine/base/errors.h"
#include "engine/formats/bundle.h"
#include "engine/formats/file.h"
#include "engine/wire/varint.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace footlight::fuzz {
namespace {

unsigned count = 0;

// A place of this process for the files, deleted when it ends.
const std::string& folder() {
  static const std::string path = [] {
    char name[] = "/tmp/footlight-bundle-XXXXXX";
    if (!mkdtemp(name)) std::abort();
    return std::string(name);
  }();
  static const struct AtEnd {
    ~AtEnd() {
      for (const char* file : {"/in.data-00000-of-00001", "/out.data-00000-of-00001", "/out.index"})
        unlink((path + file).c_str());
      rmdir(path.c_str());
    }
  } at_end;
  return path;
}

bool same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() != DType::kString) return a.bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
  for (int64_t i = 0; i < a.elements(); ++i)
    if (a.data<std::string>()[i] != b.data<std::string>()[i]) return false;
  return true;
}

}  // namespace

void read_checkpoint(std::string_view input) {
  if (input.size() < 2) return;
  const size_t size = std::min<size_t>(wire::fixed_at<uint16_t>(input.data()), input.size() - 2);
  const std::string in = folder() + "/in", out = folder() + "/out";
  {
    const formats::File values = formats::File::create(formats::shard_name(in, 0, 1));
    values.write(input.substr(2 + size), in);
  }
  formats::BundleLimits limits;
  limits.entries = 1 << 12;
  limits.table = {.key_bytes = 1 << 12, .all_key_bytes = 1 << 20, .block_bytes = 1 << 20, .checksums = false};
  std::unique_ptr<TensorFile> file;
  try {
    file = formats::bundle_of(input.substr(2, size), in, limits);
  } catch (const Error&) {
    return;
  }
  std::vector<NamedTensor> read;
  for (const TensorFile::Entry& entry : file->entries()) {
    try {
      read.push_back({entry.name, file->read(entry.name)});
      ++count;
    } catch (const Error&) {
    }
  }
  if (input.size() % 8) return;
  formats::write_bundle(out, read);
  const auto again = formats::open_bundle(out);
  for (const NamedTensor& one : read)
    if (!same(one.value, again->read(one.name))) {
      std::fprintf(stderr, "a tensor that was read and written is another one: %s\n", one.name.c_str());
      std::abort();
    }
}

std::string checkpoint_input(std::string_view index, std::string_view values) {
  std::string out;
  wire::put_fixed(out, static_cast<uint16_t>(index.size()));
  return out.append(index).append(values);
}

unsigned tensors_read() { return count; }

}  // namespace footlight::fuzz
