// Streams, events and graphs of CUDA as a file's own main() sees them; follows `host_header_last`.
#pragma once

#include <string_view>

namespace onefold::lab::ptx {

// A node of a graph is made by the call that it keeps, in a stream of its own. Nodes count from 1.
constexpr std::string_view host_streams = R"cuda(
static inline cudaError_t cudaDeviceGetStreamPriorityRange(int* l, int* g)
  ONEFOLD_OK_(*l = 0, *g = -5)
static inline cudaError_t cudaEventCreate(cudaEvent_t* e, unsigned flags = 0) {
  ONEFOLD_OUT_(e, "cudaEventCreate")
  ONEFOLD_NEEDS_(flags < 8, 1, "cudaEventCreateWithFlags with unknown flags")
  *e = (cudaEvent_t)onefold_host.stream(onefold_event, 0, (void*)(size_t)flags);
  return cudaSuccess; }
#define cudaEventCreateWithFlags cudaEventCreate
static inline cudaError_t onefold_of_stream(int use, void* a, void* b) {
  return onefold_did((int)(size_t)onefold_host.stream(use, a, b)); }
static inline cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = 0) {
  return onefold_of_stream(onefold_record, s, e); }
static inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s = 0,
                                                   unsigned = 0) { return cudaEventRecord(e, s); }
static inline cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  return onefold_wait(onefold_one_event, e); }
static inline cudaError_t cudaEventQuery(cudaEvent_t e) { return cudaEventSynchronize(e); }
static inline cudaError_t cudaEventDestroy(cudaEvent_t e) {
  return onefold_of_stream(onefold_destroy_event, 0, e); }
static inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) {
  ONEFOLD_OUT_(ms, "cudaEventElapsedTime")
  *ms = 1; return onefold_of_stream(onefold_elapsed, a, b); }
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned flags) {
  ONEFOLD_OUT_(s, "cudaStreamCreate")
  ONEFOLD_NEEDS_(flags < 2, 1, "cudaStreamCreateWithFlags with unknown flags")
  *s = (cudaStream_t)onefold_host.stream(onefold_stream, 0, (void*)(size_t)flags);
  return cudaSuccess; }
static inline cudaError_t cudaStreamCreate(cudaStream_t* s) {
  return cudaStreamCreateWithFlags(s, 0); }
static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int) {
  return cudaStreamCreateWithFlags(s, flags); }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  return onefold_wait(onefold_one_stream, s); }
static inline cudaError_t cudaStreamQuery(cudaStream_t s) { return cudaStreamSynchronize(s); }
static inline cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* data,
                                                unsigned) {
  ONEFOLD_NEEDS_(f, 1, "cudaStreamAddCallback without a function")
  if (const cudaError_t e = cudaStreamSynchronize(s)) return e;
  f(s, cudaSuccess, data); return cudaSuccess; }
static inline cudaError_t cudaStreamDestroy(cudaStream_t s) {
  return onefold_of_stream(onefold_destroy_stream, s, 0); }
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned = 0) {
  return onefold_of_stream(onefold_wait_for, s, e); }
typedef struct CUgraph_st* cudaGraph_t; typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t; typedef struct cudaArray* cudaArray_t;
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                             cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive,
                               cudaStreamCaptureStatusInvalidated };
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError,
                                 cudaGraphExecUpdateErrorTopologyChanged };
struct cudaGraphExecUpdateResultInfo { cudaGraphExecUpdateResult result;
                                       cudaGraphNode_t errorNode, errorFromNode; };
struct cudaKernelNodeParams { void* func; dim3 gridDim, blockDim; unsigned sharedMemBytes;
                              void **kernelParams, **extra; };
struct cudaMemsetParams { void* dst; size_t pitch; unsigned value, elementSize;
                          size_t width, height; };
struct cudaHostNodeParams { cudaHostFn_t fn; void* userData; };
struct cudaPos { size_t x, y, z; };
struct cudaMemcpy3DParms { cudaArray_t srcArray; cudaPos srcPos; cudaPitchedPtr srcPtr;
  cudaArray_t dstArray; cudaPos dstPos; cudaPitchedPtr dstPtr; cudaExtent extent;
  cudaMemcpyKind kind; };
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch, size_t x, size_t y) {
  return {p, pitch, x, y}; }
enum { onefold_begin_capture, onefold_end_capture, onefold_captured, onefold_host_call,
       onefold_create_graph, onefold_copy_graph, onefold_destroy_graph, onefold_begin_node,
       onefold_end_node, onefold_update_graph, onefold_launch_graph };
#define ONEFOLD_NODE_ (cudaStream_t)-1
#define ONEFOLD_GRAPH_(use, ...) { \
  return onefold_did(onefold_host.graph(onefold_##use, __VA_ARGS__)); }
static inline cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode)
  ONEFOLD_GRAPH_(begin_capture, s, 0, 0)
static inline cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* g)
  ONEFOLD_GRAPH_(end_capture, s, g, 0)
static inline cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus* to)
  ONEFOLD_OK_(*to = cudaStreamCaptureStatus(onefold_host.graph(onefold_captured, s, 0, 0)))
static inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) ONEFOLD_OK_()
static inline cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void* data) {
  ONEFOLD_NEEDS_(f, 1, "cudaLaunchHostFunc without a function")
  void* both[] = {(void*)f, data};
  if (!onefold_host.graph(onefold_host_call, s, both, 0)) return cudaSuccess;
  if (const cudaError_t e = cudaStreamSynchronize(s)) return e;
  f(data); return cudaSuccess; }
static inline cudaError_t cudaGraphCreate(cudaGraph_t* g, unsigned)
  ONEFOLD_GRAPH_(create_graph, 0, g, 0)
static inline cudaError_t cudaGraphClone(cudaGraph_t* g, cudaGraph_t from)
  ONEFOLD_GRAPH_(copy_graph, from, g, 0)
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* e, cudaGraph_t g,
    unsigned long long = 0) ONEFOLD_GRAPH_(copy_graph, g, e, 0)
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* e, cudaGraph_t g, cudaGraphNode_t*,
    char*, size_t) { return cudaGraphInstantiate(e, g); }
#define cudaGraphInstantiateWithFlags cudaGraphInstantiate
static inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) ONEFOLD_OK_()
static inline cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t s)
  ONEFOLD_GRAPH_(launch_graph, e, s, 0)
static inline cudaError_t cudaGraphDestroy(cudaGraph_t g) ONEFOLD_GRAPH_(destroy_graph, g, 0, 0)
static inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e)
  ONEFOLD_GRAPH_(destroy_graph, e, 0, 0)
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g,
                                              cudaGraphExecUpdateResultInfo* to) {
  const cudaError_t error = onefold_did(onefold_host.graph(onefold_update_graph, e, g, 0));
  *to = {error ? cudaGraphExecUpdateErrorTopologyChanged : cudaGraphExecUpdateSuccess};
  return error; }
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphNode_t*,
                                              cudaGraphExecUpdateResult* to) {
  cudaGraphExecUpdateResultInfo info; const cudaError_t error = cudaGraphExecUpdate(e, g, &info);
  *to = info.result; return error; }
static inline cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t* to, size_t* n) {
  const size_t all = onefold_host.graph(onefold_end_node, g, 0, 0);
  for (size_t k = 0; to && k < std::min(*n, all); ++k) to[k] = (cudaGraphNode_t)(k + 1);
  *n = all; return cudaSuccess; }
#define ONEFOLD_ADD_(name, ...) \
  static inline cudaError_t cudaGraphAdd##name##Node(cudaGraphNode_t* made, cudaGraph_t g, \
      const cudaGraphNode_t* after, size_t n, __VA_ARGS__) { \
    cudaError_t e = onefold_did(onefold_host.graph(onefold_begin_node, g, (void*)after, n)); \
    if (!e) e = onefold_node(p), \
            *made = (cudaGraphNode_t)(size_t)onefold_host.graph(onefold_end_node, g, 0, 0); \
    return e; }
static inline cudaError_t onefold_node(const cudaKernelNodeParams* p) {
  return cudaLaunchKernel((const void*)p->func, p->gridDim, p->blockDim, p->kernelParams,
                          p->sharedMemBytes, ONEFOLD_NODE_); }
// Values of elements whose bytes differ are missing.
static inline cudaError_t onefold_node(const cudaMemsetParams* p) {
  if (p->elementSize > 1 && p->value != 0) return onefold_did(801);
  for (size_t r = 0; r < p->height; ++r) {
    onefold_next(ONEFOLD_NODE_);
    if (const int e = onefold_host.fill((char*)p->dst + r * p->pitch, p->value,
                                        p->width * p->elementSize)) return onefold_did(e); }
  return cudaSuccess; }
// Rows of three dimensions; s: the stream, null if main() waits.
static inline cudaError_t onefold_copy_rows(const cudaMemcpy3DParms& p, const cudaStream_t* s) {
  if (p.srcArray || p.dstArray) return onefold_did(801);
  ONEFOLD_PITCH_(p.extent.width <= p.srcPtr.pitch && p.extent.width <= p.dstPtr.pitch,
                 "cudaMemcpy3D")
  const auto at = [](const cudaPitchedPtr& a, const cudaPos& from, size_t y, size_t z) {
    return (char*)a.ptr + ((from.z + z) * a.ysize + from.y + y) * a.pitch + from.x; };
  for (size_t r = 0; r < p.extent.height * p.extent.depth; ++r) {
    const size_t y = r % p.extent.height, z = r / p.extent.height;
    if (s) onefold_next(*s);
    if (const int e = onefold_host.copy(at(p.dstPtr, p.dstPos, y, z), at(p.srcPtr, p.srcPos, y, z),
                                        p.extent.width, p.kind)) return onefold_did(e); }
  return cudaSuccess; }
static inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return onefold_copy_rows(*p, nullptr); }
static inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t s = 0) {
  return onefold_copy_rows(*p, &s); }
static inline cudaError_t onefold_fill_rows(cudaPitchedPtr p, int v, cudaExtent x,
                                            const cudaStream_t* s) {
  ONEFOLD_NEEDS_(x.width <= p.pitch, 1, "cudaMemset3D of rows that are longer than their pitch")
  for (size_t r = 0; r < x.height * x.depth; ++r) {
    if (s) onefold_next(*s);
    const size_t row = r / x.height * p.ysize + r % x.height;
    if (const int e = onefold_host.fill((char*)p.ptr + row * p.pitch, v, x.width))
      return onefold_did(e); }
  return cudaSuccess; }
static inline cudaError_t cudaMemset3D(cudaPitchedPtr p, int v, cudaExtent x) {
  return onefold_fill_rows(p, v, x, nullptr); }
static inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int v, cudaExtent x,
                                            cudaStream_t s = 0) {
  return onefold_fill_rows(p, v, x, &s); }
static inline cudaError_t onefold_node(const cudaMemcpy3DParms* p) {
  return cudaMemcpy3DAsync(p, ONEFOLD_NODE_); }
static inline cudaError_t onefold_node(const cudaHostNodeParams* p) {
  return cudaLaunchHostFunc(ONEFOLD_NODE_, p->fn, p->userData); }
ONEFOLD_ADD_(Kernel, const cudaKernelNodeParams* p)
ONEFOLD_ADD_(Memset, const cudaMemsetParams* p)
ONEFOLD_ADD_(Memcpy, const cudaMemcpy3DParms* p)
ONEFOLD_ADD_(Host, const cudaHostNodeParams* p)
static inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* made, cudaGraph_t g,
    const cudaGraphNode_t* after, size_t n, void* to, const void* from, size_t bytes,
    cudaMemcpyKind kind) {
  cudaMemcpy3DParms p = {}; p.srcPtr = {(void*)from, bytes, bytes, 1}; p.kind = kind;
  p.dstPtr = {to, bytes, bytes, 1}; p.extent = {bytes, 1, 1};
  return cudaGraphAddMemcpyNode(made, g, after, n, &p); }
static inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t node,
                                                           const cudaKernelNodeParams* p) {
  onefold_host.graph(onefold_begin_node, e, 0, (size_t)node);
  const cudaError_t error = onefold_node(p);
  onefold_host.graph(onefold_end_node, e, 0, 0);
  return error; }
)cuda";

}  // namespace onefold::lab::ptx
