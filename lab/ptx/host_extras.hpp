// Headers beside the CUDA runtime, as the host's compiler needs them for a main() of the file.
#pragma once

#include <string_view>

namespace onefold::lab::ptx {

// What programs with a window need to link: nothing is drawn, and the main loop draws and is idle
// once. The names are given by the assembler, since the program may declare them by <GL/glut.h>.
constexpr std::string_view window_functions = R"cuda(
static void (*onefold_draws)(), (*onefold_idles)();
extern "C" {
int onefold_gl_nothing() { return 0; }
void onefold_gl_display(void (*f)()) { onefold_draws = f; }
void onefold_gl_idle(void (*f)()) { onefold_idles = f; }
void onefold_gl_loop() {
  if (onefold_draws) onefold_draws();
  if (onefold_idles) onefold_idles(); }
}
#define ONEFOLD_GL_(name, does) \
  __asm__(".weak " #name "\n.set " #name ", onefold_gl_" #does);
ONEFOLD_GL_(glutDisplayFunc, display) ONEFOLD_GL_(glutIdleFunc, idle)
ONEFOLD_GL_(glutMainLoop, loop) ONEFOLD_GL_(glutInit, nothing)
ONEFOLD_GL_(glutInitDisplayMode, nothing) ONEFOLD_GL_(glutInitWindowSize, nothing)
ONEFOLD_GL_(glutCreateWindow, nothing) ONEFOLD_GL_(glutKeyboardFunc, nothing)
ONEFOLD_GL_(glutMouseFunc, nothing) ONEFOLD_GL_(glutPostRedisplay, nothing)
ONEFOLD_GL_(glutSwapBuffers, nothing) ONEFOLD_GL_(glClear, nothing)
ONEFOLD_GL_(glClearColor, nothing) ONEFOLD_GL_(glDrawPixels, nothing)
ONEFOLD_GL_(glFlush, nothing)
#undef ONEFOLD_GL_
)cuda";

// The headers of NVIDIA's samples, each with the names that it has there: what most of them use.
struct NamedHeader {
  const char *name, *text;
};
constexpr NamedHeader helper_headers[] = {{"helper_string.h", R"cuda(#pragma once
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
// A word "-wA=32" or "--wA=32": what stands after its name; null: it is not there.
static inline const char* onefold_flag(int n, const char** words, const char* name) {
  for (int k = 1; k < n; ++k) {
    const char* w = words[k] + strspn(words[k], "-");
    const size_t length = strlen(name);
    if (!strncmp(w, name, length) && (w[length] == 0 || w[length] == '=')) return w + length; }
  return nullptr; }
static inline bool checkCmdLineFlag(int n, const char** words, const char* name) {
  return onefold_flag(n, words, name) != nullptr; }
static inline int getCmdLineArgumentInt(int n, const char** words, const char* name) {
  const char* at = onefold_flag(n, words, name); return at && *at ? atoi(at + 1) : 0; }
static inline bool getCmdLineArgumentString(int n, const char** words, const char* name,
                                            char** to) {
  const char* at = onefold_flag(n, words, name); *to = at && *at ? (char*)at + 1 : nullptr;
  return *to != nullptr; }
// A file of the samples: the path itself, if it can be read; or null.
static inline char* sdkFindFilePath(const char* file, const char*) {
  FILE* f = fopen(file, "rb");
  if (f == nullptr) return nullptr;
  fclose(f); return strdup(file); }
)cuda"},
                                          {"helper_image.h", R"cuda(#pragma once
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
// Whether at most a share `most` of n elements differ by more than `epsilon`; 0: none may.
template <class T, class S>
bool compareData(const T* wanted, const T* found, unsigned n, S epsilon, float most) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < n; ++i) {
    const float by = static_cast<float>(wanted[i]) - static_cast<float>(found[i]);
    wrong += !(by <= epsilon && by >= -epsilon); }
  return most == 0 ? wrong == 0 : n * most > wrong; }
template <class T>
bool sdkWriteFile(const char* name, const T* data, unsigned n, double, bool = false) {
  std::ofstream out(name);
  for (unsigned i = 0; i < n; ++i) out << data[i] << ' ';
  return bool(out); }
static inline bool sdkCompareL2fe(const float* wanted, const float* found, unsigned n, float most) {
  double apart = 0, all = 0;
  for (unsigned i = 0; i < n; ++i) {
    apart += double(wanted[i] - found[i]) * (wanted[i] - found[i]);
    all += double(wanted[i]) * wanted[i]; }
  return all > 1e-7 && std::sqrt(apart) < most * std::sqrt(all); }
)cuda"},
                                          {"helper_timer.h", R"cuda(#pragma once
struct StopWatchInterface {};
static inline bool sdkCreateTimer(StopWatchInterface** t) { *t = nullptr; return true; }
static inline bool sdkStartTimer(StopWatchInterface**) { return true; }
static inline bool sdkStopTimer(StopWatchInterface**) { return true; }
static inline bool sdkResetTimer(StopWatchInterface**) { return true; }
static inline bool sdkDeleteTimer(StopWatchInterface**) { return true; }
static inline float sdkGetTimerValue(StopWatchInterface**) { return 1; }
static inline float sdkGetAverageTimerValue(StopWatchInterface**) { return 1; }
)cuda"},
                                          {"helper_cuda.h", R"cuda(#pragma once
#include <helper_string.h>
#define checkCudaErrors(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
  fprintf(stderr, "%s\n", cudaGetErrorString(e_)); exit(1); } } while (0)
#define getLastCudaError(m) checkCudaErrors(cudaGetLastError())
static inline int findCudaDevice(int, const char**) { return 0; }
static inline int gpuGetMaxGflopsDeviceId() { return 0; }
static inline int gpuDeviceInit(int) { return 0; }
static inline int _ConvertSMVer2Cores(int, int) { return 128; }
static inline bool checkCudaCapabilities(int major, int) { return major <= 9; }
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
)cuda"},
                                          {"helper_functions.h", R"cuda(#pragma once
#include <helper_string.h>
#include <helper_image.h>
#include <helper_timer.h>
)cuda"}};

// Cooperative groups and CUB as the host's compiler sees them: it only checks the calls in device
// code, which NVRTC compiles with their own headers, so that nothing needs a body.
constexpr std::string_view groups_header = R"cuda(#pragma once
namespace cooperative_groups {
#define ONEFOLD_GROUP_ \
  __device__ void sync() const; __device__ bool is_valid() const; \
  __device__ unsigned thread_rank() const, size() const, num_threads() const, \
      meta_group_rank() const, meta_group_size() const;
#define ONEFOLD_SHUFFLE_(name) template <class T> __device__ T name(T, int) const;
#define ONEFOLD_WARP_ ONEFOLD_GROUP_ \
  ONEFOLD_SHUFFLE_(shfl) ONEFOLD_SHUFFLE_(shfl_up) ONEFOLD_SHUFFLE_(shfl_down) \
  ONEFOLD_SHUFFLE_(shfl_xor) template <class T> __device__ unsigned match_any(T) const; \
  template <class T> __device__ unsigned match_all(T, int&) const; \
  __device__ int any(int) const, all(int) const; __device__ unsigned ballot(int) const;
struct thread_group { ONEFOLD_GROUP_ };
struct grid_group : thread_group {
  __device__ unsigned num_blocks() const, block_rank() const;
  __device__ dim3 group_dim() const, block_index() const, dim_blocks() const; };
struct thread_block : thread_group {
  __device__ dim3 group_index() const, thread_index() const, group_dim() const,
      dim_threads() const; };
struct coalesced_group : thread_group { ONEFOLD_WARP_ };
template <unsigned N, class P = void> struct thread_block_tile : thread_group { ONEFOLD_WARP_
  template <class Q> __device__ thread_block_tile(const thread_block_tile<N, Q>&); };
__device__ thread_block this_thread_block();
__device__ grid_group this_grid();
__device__ coalesced_group coalesced_threads();
template <unsigned N, class G> __device__ thread_block_tile<N, G> tiled_partition(const G&);
__device__ thread_group tiled_partition(const thread_group&, unsigned);
template <class G> __device__ coalesced_group binary_partition(const G&, bool);
template <class G, class T> __device__ coalesced_group labeled_partition(const G&, T);
template <class G> __device__ void sync(const G&);
template <class T = void> struct plus { __device__ T operator()(T, T) const; };
template <class T = void> struct less { __device__ T operator()(T, T) const; };
template <class T = void> struct greater { __device__ T operator()(T, T) const; };
template <class T = void> struct bit_and { __device__ T operator()(T, T) const; };
template <class T = void> struct bit_or { __device__ T operator()(T, T) const; };
template <class T = void> struct bit_xor { __device__ T operator()(T, T) const; };
template <class G, class T, class F> __device__ T reduce(const G&, T, F&&);
template <class G, class T> __device__ T inclusive_scan(const G&, T);
template <class G, class T> __device__ T exclusive_scan(const G&, T);
template <class G, class T, class F> __device__ T inclusive_scan(const G&, T, F&&);
template <class G, class T, class F> __device__ T exclusive_scan(const G&, T, F&&);
template <class G, class... A> __device__ void memcpy_async(const G&, A&&...);
template <class G> __device__ void wait(const G&);
template <unsigned N, class G> __device__ void wait_prior(const G&);
}
)cuda";
constexpr std::string_view cub_header = R"cuda(#pragma once
namespace cub {
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING,
                            BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
struct Sum { template <class T> __device__ T operator()(T, T) const; };
struct Max { template <class T> __device__ T operator()(T, T) const; };
struct Min { template <class T> __device__ T operator()(T, T) const; };
#define ONEFOLD_CUB_(name, ...) template <class... X> __device__ __VA_ARGS__ name(X&&...);
#define ONEFOLD_COLLECTIVE_(name, ...) \
  template <class T, int N, auto... A> struct name { struct TempStorage {}; \
    __device__ name(); __device__ name(TempStorage&); __VA_ARGS__ };
ONEFOLD_COLLECTIVE_(BlockReduce, ONEFOLD_CUB_(Sum, T) ONEFOLD_CUB_(Reduce, T))
template <class T, int N = 32> struct WarpReduce { struct TempStorage {};
  __device__ WarpReduce(TempStorage&); ONEFOLD_CUB_(Sum, T) ONEFOLD_CUB_(Reduce, T) };
#define ONEFOLD_SCANS_ ONEFOLD_CUB_(InclusiveSum, void) ONEFOLD_CUB_(ExclusiveSum, void) \
  ONEFOLD_CUB_(InclusiveScan, void) ONEFOLD_CUB_(ExclusiveScan, void)
ONEFOLD_COLLECTIVE_(BlockScan, ONEFOLD_SCANS_)
template <class T, int N = 32> struct WarpScan { struct TempStorage {};
  __device__ WarpScan(TempStorage&); ONEFOLD_SCANS_ };
ONEFOLD_COLLECTIVE_(BlockLoad, ONEFOLD_CUB_(Load, void))
ONEFOLD_COLLECTIVE_(BlockStore, ONEFOLD_CUB_(Store, void))
ONEFOLD_COLLECTIVE_(BlockExchange, ONEFOLD_CUB_(StripedToBlocked, void)
                    ONEFOLD_CUB_(BlockedToStriped, void))
template <class K, int N, int I, class V = void, auto... A> struct BlockRadixSort {
  struct TempStorage {}; __device__ BlockRadixSort(TempStorage&);
  ONEFOLD_CUB_(Sort, void) ONEFOLD_CUB_(SortDescending, void)
  ONEFOLD_CUB_(SortBlockedToStriped, void) };
}
)cuda";

}  // namespace onefold::lab::ptx
