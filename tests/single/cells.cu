// onefold_cells.cuh and onefold_shared_cells.cuh against ExactSum on the host. nvcc compiles this
// file, NVRTC the part without the host, and the lab runs it on its simulated GPU.
#include "onefold_shared_cells.cuh"

constexpr int most_cells = 48;

template <class T>
__device__ void scatter(const onefold::Cells<T>& cells, const T* x, const int* index, int n) {
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += threads) {
    onefold::exact_add(cells, static_cast<onefold::Size>(index[i]), x[i]);
  }
}
template <class T>
__device__ void scatter_shared(const onefold::Cells<T>& cells, const T* x, const int* index,
                               int n) {
  using Shared = onefold::SharedCells<T, most_cells>;
  __shared__ typename Shared::TempStorage temp;
  const Shared shared(temp, cells);
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += threads) {
    shared.add(static_cast<onefold::Size>(index[i]), x[i]);
  }
  shared.flush();
}
#define KERNELS(name, T)                                                                          \
  extern "C" __global__ void name##_add(onefold::Cells<T> cells, const T* x, const int* index,    \
                                        int n) {                                                  \
    scatter(cells, x, index, n);                                                                  \
  }                                                                                               \
  extern "C" __global__ void name##_add_shared(onefold::Cells<T> cells, const T* x,               \
                                               const int* index, int n) {                         \
    scatter_shared(cells, x, index, n);                                                           \
  }                                                                                               \
  extern "C" __global__ void name##_fold(onefold::Cells<T> cells) { onefold::fold_cells(cells); } \
  extern "C" __global__ void name##_round(onefold::Cells<T> cells, T* y) {                        \
    onefold::round_cells(cells, y);                                                               \
  }                                                                                               \
  extern "C" __global__ void name##_word(onefold::Cells<T> cells, long long amount) {             \
    cells.add_to_word(threadIdx.x, 0, amount);                                                    \
  }
KERNELS(f32, float)
KERNELS(f64, double)
KERNELS(bf16, onefold::bfloat16)

#if !defined(__CUDACC_RTC__) && !defined(__HIP__)
#include "data.cuh"

template <class T>
struct Kernels {
  const char* type;
  void (*add)(onefold::Cells<T>, const T*, const int*, int);
  void (*add_shared)(onefold::Cells<T>, const T*, const int*, int);
  void (*fold)(onefold::Cells<T>);
  void (*round)(onefold::Cells<T>, T*);
  void (*word)(onefold::Cells<T>, long long);
};

template <class T>
class Check {
 public:
  explicit Check(Kernels<T> kernels) : kernels_(kernels) {
    cudaMalloc(&x_, most * sizeof *x_);
    cudaMalloc(&index_, most * sizeof *index_);
    cudaMalloc(&y_, most_cells * sizeof *y_);
    cudaMalloc(&memory_, onefold::Cells<T>::bytes(most_cells, most));
  }
  ~Check() {
    cudaFree(x_);
    cudaFree(index_);
    cudaFree(y_);
    cudaFree(memory_);
  }
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  void all() {
    for (int kind = 0; kind < kinds; ++kind) {
      for (const int cells : {1, 7, most_cells}) {
        for (int way = 0; way < 3; ++way) sums(kind, cells, way);
      }
    }
    full_list();
    folds();
  }

 private:
  static constexpr int most = 2000;
  onefold::Cells<T> empty(int cells, unsigned entries, int unit) {
    const auto n = static_cast<onefold::Size>(cells);
    cudaMemset(memory_, 0, onefold::Cells<T>::bytes(n, entries));
    return {memory_, n, entries, unit};
  }
  void prepare(int kind, int cells) {
    h_ = data<T>(kind, most);
    uint64_t state = static_cast<uint64_t>(kind) + 100;
    to_.clear();
    sum_.assign(static_cast<std::size_t>(cells), onefold::ExactSum<T>());
    for (const T v : h_) {
      to_.push_back(static_cast<int>(drawn(state) % static_cast<unsigned>(cells)));
      sum_[static_cast<std::size_t>(to_.back())].add(v);
    }
    cudaMemcpy(x_, h_.data(), most * sizeof *x_, cudaMemcpyHostToDevice);
    cudaMemcpy(index_, to_.data(), most * sizeof *index_, cudaMemcpyHostToDevice);
  }
  std::vector<T> rounded(const onefold::Cells<T>& cells) {
    kernels_.round<<<2, 32>>>(cells, y_);
    std::vector<T> y(cells.size());
    cudaMemcpy(y.data(), y_, y.size() * sizeof *y_, cudaMemcpyDeviceToHost);
    return y;
  }
  // A cell begins as +0.
  static T from_zero(onefold::ExactSum<T> s) {
    s.add(T{});
    return s.value();
  }

  // Many sums, by a unit of the data or a stated one, added in several launches.
  void sums(int kind, int count, int way) {
    prepare(kind, count);
    const int unit = way == 0 ? onefold::unit_of_data(x_, most) : onefold::Cells<T>::unit_below(6);
    const auto cells = empty(count, most, unit);
    constexpr int half = most / 2;
    if (way == 0) kernels_.add<<<3, 64>>>(cells, x_, index_, most);
    if (way == 1) kernels_.add_shared<<<2, 48>>>(cells, x_, index_, most);
    if (way == 2) {
      kernels_.add<<<1, 32>>>(cells, x_, index_, half);
      kernels_.fold<<<1, 64>>>(cells);
      kernels_.add_shared<<<2, 64>>>(cells, x_ + half, index_ + half, most - half);
    }
    const std::vector<T> y = rounded(cells);
    bool same_sums = true;
    onefold::Size specials = 0;
    for (std::size_t c = 0; c < y.size(); ++c) {
      same_sums = same_sums && same(y[c], from_zero(sum_[c]));
    }
    for (const T v : h_) specials += onefold::detail::is_finite(v) ? 0u : 1u;
    const onefold::CellsState s = onefold::state_of(cells);
    expect(same_sums, kernels_.type, kind, way);
    expect(s.status == 0, kernels_.type, kind, 10 + way);
    expect(s.nan + s.positive_infinity + s.negative_infinity == specials, kernels_.type, kind, 20);
    if (kind == near_one && way == 0) expect(s.listed < 20, kernels_.type, kind, 30);
  }
  // Cells that lose an addition are NaN, the others right.
  void full_list() {
    prepare(any_bits, most_cells);
    const auto cells = empty(most_cells, 5, onefold::unit_of_data(x_, most));
    kernels_.add<<<3, 64>>>(cells, x_, index_, 30);
    const std::vector<T> y = rounded(cells);
    const onefold::CellsState s = onefold::state_of(cells);
    expect(s.listed > 5 && s.status == onefold::CellsState::list_full, kernels_.type, 0, 40);
    std::vector<onefold::ExactSum<T>> sum(most_cells);
    for (std::size_t i = 0; i < 30; ++i) sum[static_cast<std::size_t>(to_[i])].add(h_[i]);
    int nan = 0;
    for (std::size_t c = 0; c < y.size(); ++c) {
      const bool lost = onefold::is_nan(y[c]);
      nan += lost;
      expect(lost || same(y[c], from_zero(sum[c])), kernels_.type, 0, 41);
    }
    expect(nan > 0 && nan <= static_cast<int>(s.listed) - 5, kernels_.type, 0, 42);
    kernels_.add<<<1, 32>>>(empty(3, 5, 0), x_, index_, 30);
    expect(onefold::state_of(empty_view(3, 5)).status == onefold::CellsState::bad_index ||
               onefold::state_of(empty_view(3, 5)).status == 5,
           kernels_.type, 0, 43);
  }
  onefold::Cells<T> empty_view(int cells, unsigned entries) {
    return {memory_, static_cast<onefold::Size>(cells), entries, 0};
  }
  // Words as after some 2^26 additions.
  void folds() {
    constexpr long long much = 1ll << 61;
    const int unit = onefold::Cells<T>::unit_below(4);
    const auto cells = empty(2, 4, unit);
    for (int k = 0; k < 4; ++k) {
      kernels_.word<<<1, 2>>>(cells, much + 3);
      kernels_.fold<<<1, 32>>>(cells);
    }
    // The list is full after two folds of both cells.
    expect(onefold::state_of(cells).status != 0, kernels_.type, 0, 50);
    const auto few = empty(2, 8, unit);
    for (int k = 0; k < 4; ++k) {
      kernels_.word<<<1, 2>>>(few, much);
      kernels_.fold<<<1, 32>>>(few);
    }
    const auto z = rounded(few);
    expect(onefold::state_of(few).status == 0 && onefold::state_of(few).listed == 8, kernels_.type,
           0, 51);
    onefold::ExactSum<double> expected;
    double four = 1;
    for (int k = 0; k < 63 + unit; ++k) four *= 2;
    for (int k = 0; k > 63 + unit; --k) four /= 2;
    expected.add(four);
    expect(same(z[1], expected_as(expected)), kernels_.type, 0, 52);
    const auto none = empty(1, 8, unit);
    for (int k = 0; k < 2; ++k) kernels_.word<<<1, 1>>>(none, much);
    for (int k = 0; k < 2; ++k) kernels_.word<<<1, 1>>>(none, much / 2 + 1);
    expect(onefold::is_nan(rounded(none)[0]), kernels_.type, 0, 53);
    expect(onefold::state_of(none).status == onefold::CellsState::overflow, kernels_.type, 0, 54);
  }
  static T expected_as(const onefold::ExactSum<double>& s) { return s.template value<T>(); }

  Kernels<T> kernels_;
  T *x_, *y_;
  int* index_;
  void* memory_;
  std::vector<T> h_;
  std::vector<int> to_;
  std::vector<onefold::ExactSum<T>> sum_;
};

int main() {
  Check<float>({"f32", f32_add, f32_add_shared, f32_fold, f32_round, f32_word}).all();
  Check<double>({"f64", f64_add, f64_add_shared, f64_fold, f64_round, f64_word}).all();
  Check<onefold::bfloat16>({"bf16", bf16_add, bf16_add_shared, bf16_fold, bf16_round, bf16_word})
      .all();
  const cudaError_t error = cudaGetLastError();
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorString(error));
  return wrong == 0 && error == cudaSuccess ? 0 : 1;
}
#endif
