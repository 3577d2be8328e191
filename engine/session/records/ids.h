// The ids that records name each other by.
#pragma once

#include "engine/session/describe.h"

namespace footlight::session {

using ProcessId = Id<struct ProcessTag>;    // given by the session: 0 for the process that began it
using FileId = Id<struct FileTag>;
using LocationId = Id<struct LocationTag>;
using GeneratedId = Id<struct GeneratedTag>;
using ObservationId = Id<struct ObservationTag>;
using ComparisonId = Id<struct ComparisonTag>;
using ValuesId = Id<struct ValuesTag>;
using KeyId = footlight::KeyId;
using TrackId = Id<struct TrackTag>;
using SpanId = Id<struct SpanTag, uint64_t>;
using ThreadId = Id<struct ThreadTag>;
using DeviceNumber = Id<struct DeviceTag>;  // 0: the CPU

// An op by its engine's number. Events in the rings have 16 bits for it; a session may hold ops of several engines.
struct OpNumber : Id<struct OpTag> {
  using Id::Id;
  constexpr OpNumber() = default;
  constexpr OpNumber(OpId op) : Id(op.valid() ? op.value : kNone) {}
  friend constexpr auto operator<=>(OpNumber, OpNumber) = default;
};

template <> inline constexpr bool kCountsInProcess<FileId> = true;
template <> inline constexpr bool kCountsInProcess<LocationId> = true;
template <> inline constexpr bool kCountsInProcess<GeneratedId> = true;
template <> inline constexpr bool kCountsInProcess<ObservationId> = true;
template <> inline constexpr bool kCountsInProcess<ComparisonId> = true;
template <> inline constexpr bool kCountsInProcess<ValuesId> = true;
template <> inline constexpr bool kCountsInProcess<KeyId> = true;
template <> inline constexpr bool kCountsInProcess<TrackId> = true;
template <> inline constexpr bool kCountsInProcess<SpanId> = true;
template <> inline constexpr bool kCountsInProcess<ThreadId> = true;
template <> inline constexpr bool kCountsInProcess<DeviceNumber> = true;
template <> inline constexpr bool kCountsInProcess<Id<OpTag>> = true;
template <> inline constexpr bool kCountsInProcess<CodeId> = true;
template <> inline constexpr bool kCountsInProcess<FunctionId> = true;
template <> inline constexpr bool kCountsInProcess<TraceId> = true;
template <> inline constexpr bool kCountsInProcess<GraphId> = true;
template <> inline constexpr bool kCountsInProcess<CallId> = true;
template <> inline constexpr bool kCountsInProcess<SignatureId> = true;

}  // namespace footlight::session

template <>
struct std::hash<footlight::session::OpNumber> : std::hash<footlight::Id<footlight::OpTag>> {};
