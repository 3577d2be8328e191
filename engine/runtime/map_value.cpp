// Implements maps whose versions share one hash table, by the bytes of keys.
#include "engine/runtime/map_value.h"

#include <algorithm>

namespace footlight::runtime {

namespace {

void append_number(std::string& text, uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Writes dtype, shape and elements, so that one string differs from two with the same bytes.
std::string bytes_of_key(const Tensor& key) {
  std::string text(1, static_cast<char>(key.dtype()));
  append_number(text, static_cast<uint64_t>(key.shape().rank()));
  for (const int64_t dim : key.shape().dims()) append_number(text, static_cast<uint64_t>(dim));
  if (key.dtype() == DType::kString) {
    for (int64_t k = 0; k < key.elements(); ++k) {
      const std::string& element = key.data<std::string>()[k];
      append_number(text, element.size());
      text += element;
    }
  } else if (key.bytes()) {
    text.append(static_cast<const char*>(key.raw()), key.bytes());
  }
  return text;
}

}  // namespace

void TensorMap::Entries::apply(Change& change) {
  std::optional<Entry> before;
  const auto at = now.find(change.key);
  if (at != now.end()) before = std::move(at->second);
  if (!change.entry)
    now.erase(at);
  else if (at != now.end())
    at->second = std::move(*change.entry);
  else
    now.emplace(change.key, std::move(*change.entry));
  change.entry = std::move(before);
}

TensorMap::TensorMap() : version_(Version<Entries>::of(Entries())) {}
TensorMap::TensorMap(std::shared_ptr<Version<Entries>> version, size_t size)
    : version_(std::move(version)), size_(size) {}
TensorMap::~TensorMap() = default;

Tensor TensorMap::find(const Tensor& key) const {
  const Version<Entries>::Access held(version_);
  const auto at = held->now.find(bytes_of_key(key));
  return at == held->now.end() ? Tensor() : at->second.value;
}

std::vector<TensorMap::Entry> TensorMap::entries() const {
  std::vector<Entry> all;
  {
    const Version<Entries>::Access held(version_);
    all.reserve(held->now.size());
    for (const auto& [bytes, entry] : held->now) all.push_back(entry);
  }
  std::ranges::sort(all, {}, &Entry::number);
  return all;
}

TensorMap* TensorMap::with(const Tensor& key, Tensor value) const {
  const Version<Entries>::Access held(version_);
  std::string bytes = bytes_of_key(key);
  const auto at = held->now.find(bytes);
  const bool fresh = at == held->now.end();
  const uint64_t number = fresh ? held->next_number++ : at->second.number;
  return new TensorMap(
      Version<Entries>::after(version_, {std::move(bytes), Entry{key, std::move(value), number}}), size_ + fresh);
}

TensorMap* TensorMap::without(const Tensor& key) const {
  const Version<Entries>::Access held(version_);
  std::string bytes = bytes_of_key(key);
  if (!held->now.contains(bytes)) return nullptr;
  return new TensorMap(Version<Entries>::after(version_, {std::move(bytes), std::nullopt}), size_ - 1);
}

Tensor map_tensor(TensorMap* map) {
  Tensor tensor = Tensor::empty(DType::kVariant, Shape());
  map->ref();
  *tensor.data<Resource*>() = map;
  return tensor;
}

const TensorMap* find_map(const Tensor& tensor) {
  return tensor.dtype() == DType::kVariant && tensor.elements() == 1
             ? dynamic_cast<const TensorMap*>(*tensor.data<Resource*>())
             : nullptr;
}

}  // namespace footlight::runtime
