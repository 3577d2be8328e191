// CUPTI's numbers and layouts, as written in the recorder, against the pinned toolkit's headers.
#include "engine/record/cupti_library.h"

#include <cupti.h>

#include <QTest>

using namespace footlight;

#define SAME_FIELD(ours, our_field, theirs, their_field) \
  static_assert(offsetof(cupti::ours, our_field) == offsetof(theirs, their_field))
#define SAME_KIND(ours, theirs) static_assert(uint32_t(cupti::Kind::ours) == CUPTI_ACTIVITY_KIND_##theirs)

SAME_KIND(kMemcpy, MEMCPY);
SAME_KIND(kMemset, MEMSET);
SAME_KIND(kDriver, DRIVER);
SAME_KIND(kRuntime, RUNTIME);
SAME_KIND(kContext, CONTEXT);
SAME_KIND(kConcurrentKernel, CONCURRENT_KERNEL);
SAME_KIND(kOverhead, OVERHEAD);
SAME_KIND(kMemcpy2, MEMCPY2);
SAME_KIND(kSynchronization, SYNCHRONIZATION);
SAME_KIND(kExternalCorrelation, EXTERNAL_CORRELATION);

#define KERNEL(theirs)                            \
  SAME_FIELD(Kernel, start, theirs, start);       \
  SAME_FIELD(Kernel, end, theirs, end);           \
  SAME_FIELD(Kernel, device, theirs, deviceId);   \
  SAME_FIELD(Kernel, context, theirs, contextId); \
  SAME_FIELD(Kernel, stream, theirs, streamId);   \
  SAME_FIELD(Kernel, correlation, theirs, correlationId); \
  SAME_FIELD(Kernel, name, theirs, name)
KERNEL(CUpti_ActivityKernel8);
KERNEL(CUpti_ActivityKernel9);
KERNEL(CUpti_ActivityKernel10);

#define COPY(ours, theirs)                      \
  SAME_FIELD(ours, bytes, theirs, bytes);       \
  SAME_FIELD(ours, start, theirs, start);       \
  SAME_FIELD(ours, end, theirs, end);           \
  SAME_FIELD(ours, device, theirs, deviceId);   \
  SAME_FIELD(ours, context, theirs, contextId); \
  SAME_FIELD(ours, stream, theirs, streamId);   \
  SAME_FIELD(ours, correlation, theirs, correlationId)
COPY(Memcpy, CUpti_ActivityMemcpy5);
COPY(Memcpy, CUpti_ActivityMemcpy6);
COPY(MemcpyPeer, CUpti_ActivityMemcpyPtoP4);
COPY(Memset, CUpti_ActivityMemset4);
SAME_FIELD(Memcpy, copy_kind, CUpti_ActivityMemcpy6, copyKind);
SAME_FIELD(MemcpyPeer, source_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
SAME_FIELD(MemcpyPeer, destination_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);

SAME_FIELD(Api, function, CUpti_ActivityAPI, cbid);
SAME_FIELD(Api, start, CUpti_ActivityAPI, start);
SAME_FIELD(Api, end, CUpti_ActivityAPI, end);
SAME_FIELD(Api, thread, CUpti_ActivityAPI, threadId);
SAME_FIELD(Api, correlation, CUpti_ActivityAPI, correlationId);
SAME_FIELD(ExternalCorrelation, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
SAME_FIELD(ExternalCorrelation, external, CUpti_ActivityExternalCorrelation, externalId);
SAME_FIELD(ExternalCorrelation, correlation, CUpti_ActivityExternalCorrelation, correlationId);
SAME_FIELD(Overhead, overhead_kind, CUpti_ActivityOverhead3, overheadKind);
SAME_FIELD(Overhead, object_kind, CUpti_ActivityOverhead3, objectKind);
SAME_FIELD(Overhead, object, CUpti_ActivityOverhead3, objectId);
SAME_FIELD(Overhead, start, CUpti_ActivityOverhead, start);
SAME_FIELD(Overhead, start, CUpti_ActivityOverhead3, start);
SAME_FIELD(OverheadWithData, correlation, CUpti_ActivityOverhead3, correlationId);
SAME_FIELD(OverheadWithData, data, CUpti_ActivityOverhead3, overheadData);
SAME_FIELD(Synchronization, type, CUpti_ActivitySynchronization2, type);
SAME_FIELD(Synchronization, start, CUpti_ActivitySynchronization2, start);
SAME_FIELD(Synchronization, correlation, CUpti_ActivitySynchronization2, correlationId);
SAME_FIELD(Synchronization, stream, CUpti_ActivitySynchronization, streamId);
SAME_FIELD(Context, context, CUpti_ActivityContext3, contextId);
SAME_FIELD(Context, device, CUpti_ActivityContext3, deviceId);
SAME_FIELD(SubscriberParameters, other_size, CUpti_SubscriberParams, oldSubscriberSize);
static_assert(sizeof(cupti::SubscriberParameters) == CUpti_SubscriberParams_STRUCT_SIZE);
static_assert(cupti::kOtherNameSize == CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN);

static_assert(int(cupti::kInsufficientPrivileges) == int(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES));
static_assert(int(cupti::kVirtualizedInsufficientPrivileges) ==
              int(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES));
static_assert(int(cupti::kMultipleSubscribers) == int(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
static_assert(int(cupti::kNotInitialized) == int(CUPTI_ERROR_NOT_INITIALIZED));
static_assert(int(cupti::kMaxLimitReached) == int(CUPTI_ERROR_MAX_LIMIT_REACHED));
static_assert(int(cupti::kUnknown) == int(CUPTI_ERROR_UNKNOWN));
static_assert(int(cupti::kCustom0) == int(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0));
static_assert(int(cupti::kCustom1) == int(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1));
static_assert(int(cupti::kZeroedOutBuffers) == int(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER));
static_assert(int(cupti::kThreadIdSystem) == int(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM));
static_assert(int(cupti::kFlushForced) == int(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
static_assert(int(cupti::kDomainRuntime) == int(CUPTI_CB_DOMAIN_RUNTIME_API));
static_assert(int(cupti::kDomainDriver) == int(CUPTI_CB_DOMAIN_DRIVER_API));

class TestCuptiLayout : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sizes_are_the_headers() {
    using cupti::Kind;
    const auto now = [](Kind kind) { return cupti::record_size(kind, CUPTI_API_VERSION); };
    QCOMPARE(now(Kind::kConcurrentKernel), sizeof(CUpti_ActivityKernel10));
    QCOMPARE(now(Kind::kMemcpy), sizeof(CUpti_ActivityMemcpy6));
    QCOMPARE(now(Kind::kMemcpy2), sizeof(CUpti_ActivityMemcpyPtoP4));
    QCOMPARE(now(Kind::kMemset), sizeof(CUpti_ActivityMemset4));
    QCOMPARE(now(Kind::kRuntime), sizeof(CUpti_ActivityAPI));
    QCOMPARE(now(Kind::kDriver), sizeof(CUpti_ActivityAPI));
    QCOMPARE(now(Kind::kExternalCorrelation), sizeof(CUpti_ActivityExternalCorrelation));
    QCOMPARE(now(Kind::kOverhead), sizeof(CUpti_ActivityOverhead3));
    QCOMPARE(now(Kind::kSynchronization), sizeof(CUpti_ActivitySynchronization2));
    QCOMPARE(now(Kind::kContext), sizeof(CUpti_ActivityContext3));
    QCOMPARE(cupti::record_size(Kind::kConcurrentKernel, 19), sizeof(CUpti_ActivityKernel9));
    QCOMPARE(cupti::record_size(Kind::kMemcpy, 19), sizeof(CUpti_ActivityMemcpy5));
  }

  // The real library on a machine with or without a driver: it opens, reports its version, and the probe
  // answers with a message.
  void the_toolkits_library_opens() {
    std::string why;
    const auto library = cupti::Library::open({CUPTI_LIBRARY}, why);
    QVERIFY2(library, why.c_str());
    QVERIFY(library->version() >= cupti::kVersion13_0);
  }
};

QTEST_GUILESS_MAIN(TestCuptiLayout)
#include "test_cupti_layout.moc"
