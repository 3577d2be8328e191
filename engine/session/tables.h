// Walking descriptions: from the type of a record to its tables and columns. Everything that follows from a description
// is built on these few.
#pragma once

#include "engine/session/contents.h"

#include <optional>
#include <utility>
#include <variant>

namespace footlight::session {

// The record type of a member of Contents.
template <class T>
struct ElementOf;
template <class R>
struct ElementOf<std::vector<R> Contents::*> { using type = R; };
template <class R>
struct ElementOf<std::optional<R> Contents::*> { using type = R; };

template <size_t I>
using TableRecord = typename ElementOf<std::remove_const_t<std::tuple_element_t<I, decltype(kRecordTables)>>>::type;
constexpr size_t kRecordTableCount = std::tuple_size_v<decltype(kRecordTables)>;

template <class Visit>
void for_each_record_table(Visit&& visit) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    (visit.template operator()<TableRecord<I>, I>(), ...);
  }(std::make_index_sequence<kRecordTableCount>());
}

template <class R, size_t I = 0>
constexpr size_t table_of() {
  static_assert(I < kRecordTableCount, "the record has no table: see kRecordTables");
  if constexpr (std::is_same_v<R, TableRecord<I>>) return I;
  else return table_of<R, I + 1>();
}
template <class R>
constexpr bool is_record = []<size_t... I>(std::index_sequence<I...>) {
  return (std::is_same_v<R, TableRecord<I>> || ...);
}(std::make_index_sequence<kRecordTableCount>());

template <class E>
size_t table_count();

struct CountTables : Fields {
  size_t n = 1;
  template <class R, class E>
  void list(const char*, std::vector<E> R::*, const char*, Note = {}) { n += table_count<E>(); }
};

// The number of tables for a record or an element of a list: its own and those of nested lists.
template <class E>
size_t table_count() {
  if constexpr (Described<E>) {
    static const size_t n = [] {
      CountTables count;
      E::describe(count);
      return count.n;
    }();
    return n;
  } else {
    return 1;
  }
}

template <class Visit>
void for_each_meta_record(Visit&& visit) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    (visit.template operator()<std::tuple_element_t<I, MetaRecords>>(), ...);
  }(std::make_index_sequence<std::tuple_size_v<MetaRecords>>());
}
template <class R>
constexpr bool is_meta = std::is_same_v<R, RunRecord> || std::is_same_v<R, LevelRecord>;

// --- Kinds of chunks ----------------------------------------------------------------------------------------------
constexpr size_t kChunkKinds = std::tuple_size_v<EventChunks>;

template <class Chunk, size_t I = 0>
constexpr size_t chunk_kind() {
  static_assert(I < kChunkKinds, "no kind of chunk: see EventChunks");
  if constexpr (std::is_same_v<Chunk, std::tuple_element_t<I, EventChunks>>) return I;
  else return chunk_kind<Chunk, I + 1>();
}
// Chunks are a struct of vectors, or a vector of records.
template <class Chunk>
struct RowsOf { using type = Chunk; };
template <class R>
struct RowsOf<std::vector<R>> { using type = R; };
template <class Chunk>
constexpr bool kOfRecords = !std::is_same_v<typename RowsOf<Chunk>::type, Chunk>;
template <class R>
constexpr bool is_event = []<size_t... I>(std::index_sequence<I...>) {
  return (std::is_same_v<std::vector<R>, std::tuple_element_t<I, EventChunks>> || ...);
}(std::make_index_sequence<kChunkKinds>());

// Any record that has a table, and any event of a kind that is a vector of records.
template <class Meta, class Tables>
struct AnyOf;
template <class... Meta, size_t... I>
struct AnyOf<std::tuple<Meta...>, std::index_sequence<I...>> { using type = std::variant<Meta..., TableRecord<I>...>; };
using AnyRecord = AnyOf<MetaRecords, std::make_index_sequence<kRecordTableCount>>::type;

template <class Chunks>
struct AnyEventOf;
template <class Columns, class... R>
struct AnyEventOf<std::tuple<Columns, std::vector<R>...>> { using type = std::variant<R...>; };
using AnyEvent = AnyEventOf<EventChunks>::type;

// Each kind of chunk with its number: visit.operator()<Chunk, kind>().
template <class Visit>
void for_each_chunk_kind(Visit&& visit) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    (visit.template operator()<std::tuple_element_t<I, EventChunks>, I>(), ...);
  }(std::make_index_sequence<kChunkKinds>());
}

}  // namespace footlight::session
