#include "backend/cuda/run.hpp"

#include <algorithm>
#include <cstring>

#include "backend/cuda/launch.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

// Elements of host data that travel at once.
constexpr std::size_t piece_bytes = std::size_t{64} << 20;

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

std::string name_of(const Plan& plan) { return "device cuda:" + std::to_string(plan.device.index); }

// Whether the plan's device holds what `p` points to; refuses memory of another one.
bool is_here(const Plan& plan, const void* p, const std::string& what) {
  const jit::Whereabouts w = jit::whereabouts(p);
  if (w.place != jit::Place::device) return false;
  if (w.device != plan.device.index) {
    throw Error(ErrorCode::bad_option,
                names_of(plan.ops) + ": " + what + " is on cuda:" + std::to_string(w.device) +
                    " and cannot be used on " + "cuda:" + std::to_string(plan.device.index));
  }
  return true;
}

// The same for the arrays: said to be on the device, they must be there.
bool arrays_are_here(const Plan& plan, const void* x, const void* y) {
  const bool here =
      is_here(plan, x, "the array") && (y == nullptr || is_here(plan, y, "the second array"));
  if (!here && plan.on_device) {
    throw Error(ErrorCode::bad_option,
                names_of(plan.ops) +
                    ": the data are said to be on cuda:" + std::to_string(plan.device.index) +
                    ", and a pointer of host memory was given; leave the array's device out");
  }
  return here;
}

// What the driver says, as one of our errors.
[[noreturn]] void fail(const Plan& plan, const jit::CudaError& e) {
  // cuda.h: CUresult.
  enum { invalid_context = 201, invalid_handle = 400, capture = 900, last = 908 };
  const std::string where = name_of(plan) + ": ";
  const int code = e.code();
  if (e.is_out_of_memory()) throw Error(ErrorCode::out_of_memory, where + e.what());
  if (code == invalid_context || code == invalid_handle) {
    throw Error(ErrorCode::bad_option,
                where + "the stream is none of this device's primary context: " + e.what());
  }
  if (code >= capture && code <= last) {
    throw Error(ErrorCode::bad_option,
                where + "this cannot be done while a stream is captured into a graph: " + e.what());
  }
  throw Error(ErrorCode::device_failed, where + e.what());
}

template <class F>
auto checked(const Plan& plan, F&& f) {
  try {
    return f();
  } catch (const jit::CudaError& e) {
    fail(plan, e);
  }
}

// The stream to use for device data: CUDA's default, where none is given.
void* stream_of(const Plan& plan) {
  return plan.stream == nullptr ? jit::Gpu::default_stream() : plan.stream;
}

void gather_here(Engine& engine, const Plan& plan, const Nest& nest, const void* x, const void* y,
                 int64_t* state) {
  const Size elements = nest.size();
  void* const stream = stream_of(plan);
  if (engine.gpu().graph_of(stream) != nullptr) {
    throw Error(ErrorCode::bad_option,
                names_of(plan.ops) + ": the stream is being captured into a graph, where nothing " +
                    "can be waited for; use fold_into with outputs on the device");
  }
  Engine::Borrowed workspace = engine.borrow(stream);
  const Size bytes = bytes_of(plan.dtype), piece = most_at_once(engine, plan);
  // The words are here before the driver says that the kernel has ended. Another stream's kernels
  // must wait for that, and streams that have no ids cannot be told apart.
  const bool watched = workspace->stream.has_value();
  for (Size i = 0; i < elements; i += piece) {
    const uint64_t here = address(x) + i * bytes;
    const uint64_t other = y == nullptr ? 0 : address(y) + i * bytes;
    const Launched fold(engine, plan, here, other, std::min(piece, elements - i), nest.index + i);
    if (watched) workspace->expect_words(plan.layout.words);
    fold.queue(stream, *workspace);
    workspace->unfinished = watched && workspace->words_have_come(plan.layout.words);
    if (!workspace->unfinished) engine.gpu().synchronize(stream);
    workspace->spoilt = false;
    canonicalise(workspace->state, plan.layout, plan.dtype);
    merge(state, workspace->state, plan.layout, plan.dtype);
  }
}

// Memory on the device for a while.
class Piece {
 public:
  Piece(jit::Gpu& gpu, std::size_t bytes) : gpu_(gpu), address_(gpu.allocate(bytes)) {}
  ~Piece() {
    try {
      gpu_.free(address_);
    } catch (const jit::CudaError&) {  // the device is lost, and the memory with it
    }
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  uint64_t address() const { return address_; }

 private:
  jit::Gpu& gpu_;
  uint64_t address_;
};

void gather_pieces(Engine& engine, const Plan& plan, const Nest& nest, const void* x, const void* y,
                   int64_t* state) {
  if (plan.stream != nullptr) {
    throw Error(ErrorCode::bad_option,
                names_of(plan.ops) + ": .stream is for data on the device, and these are on the " +
                    "host; leave it out");
  }
  const Size elements = nest.size();
  Engine::Borrowed workspace = engine.borrow(nullptr);
  const std::size_t bytes = bytes_of(plan.dtype);
  const Size piece = std::min<Size>(piece_bytes / bytes, elements);
  const Piece memory(engine.gpu(), (y == nullptr ? 1 : 2) * piece * bytes);
  const uint64_t here = memory.address(), other = here + piece * bytes;
  for (Size i = 0; i < elements; i += piece) {
    const Size n = std::min(piece, elements - i);
    engine.gpu().copy_in(here, static_cast<const std::byte*>(x) + i * bytes, n * bytes);
    if (y != nullptr) {
      engine.gpu().copy_in(other, static_cast<const std::byte*>(y) + i * bytes, n * bytes);
    }
    const Launched fold(engine, plan, here, other, n, nest.index + i);
    fold.queue(nullptr, *workspace);
    engine.gpu().synchronize();
    workspace->unfinished = workspace->spoilt = false;
    canonicalise(workspace->state, plan.layout, plan.dtype);
    merge(state, workspace->state, plan.layout, plan.dtype);
  }
}

struct Arrays {
  const std::byte* x;
  const std::byte* y;
  Arrays(const Plan& plan, const Nest& nest, const void* a, const void* b)
      : x(static_cast<const std::byte*>(a)), y(static_cast<const std::byte*>(b)) {
    if (x != nullptr) x += nest.origin[0];
    y = plan.inputs == 2 && y != nullptr ? y + nest.origin[1] : nullptr;
  }
};

}  // namespace

void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* state) {
  Engine& engine = Engine::of(plan.device.index);
  if (nest.size() == 0) return;
  const Arrays a(plan, nest, x, y);
  checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    const jit::Gpu::Relaxed relaxed;  // another thread may be capturing
    const bool here = arrays_are_here(plan, a.x, a.y);
    (here ? gather_here : gather_pieces)(engine, plan, nest, a.x, a.y, state);
  });
}

bool queue(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs) {
  Engine& engine = Engine::of(plan.device.index);
  const Arrays a(plan, plan.nest, x, y);
  return checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    if (plan.elements != 0 && !arrays_are_here(plan, a.x, a.y)) return false;
    std::vector<Destination> to;
    for (const Output& o : outputs) {
      const bool here = is_here(plan, o.data, "an output");
      if (o.status != nullptr && is_here(plan, o.status, "a status") != here) {
        throw Error(ErrorCode::bad_option, names_of(plan.ops) +
                                               ": an output and its status must both be on the " +
                                               "device or both on the host");
      }
      if (!here) return false;
      to.push_back({address(o.data), address(o.status)});
    }
    void* const stream = stream_of(plan);
    if (!plan.correction.fits(plan.elements)) {
      if (engine.gpu().graph_of(stream) == nullptr) return false;
      throw Error(ErrorCode::bad_option,
                  names_of(plan.ops) +
                      ": a ddof of so many bits is divided by on the host, which " +
                      "no graph holds; round it to 32 bits behind the point");
    }
    if (const Size most = most_at_once(engine, plan); plan.elements > most) {
      if (engine.gpu().graph_of(stream) == nullptr) return false;
      throw Error(ErrorCode::bad_option,
                  names_of(plan.ops) + ": more than " + std::to_string(most) + " elements of " +
                      name_of(plan.dtype) + " go in pieces, which no graph holds; " +
                      std::to_string(plan.elements) + " were given");
    }
    const Launched fold(engine, plan, address(a.x), address(a.y), plan.elements, plan.nest.index,
                        to);
    engine.with_workspace(stream, [&](Workspace& workspace) { fold.queue(stream, workspace); });
    return true;
  });
}

void write(const Plan& plan, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  Engine& engine = Engine::of(plan.device.index);
  checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    const jit::Gpu::Relaxed relaxed;
    if (is_here(plan, to, "an output")) {
      engine.gpu().copy_in(address(to), from, bytes);
    } else {
      std::memcpy(to, from, bytes);
    }
  });
}

namespace {

// Whole folds of one run of neighbours, and nothing else so far.
std::optional<Error> why_not(const Plan& plan) {
  const char* option = plan.where.selects() ? ".where"
                       : plan.initial       ? ".initial"
                       : plan.empty_nan     ? ".empty_nan"
                                            : nullptr;
  if (option != nullptr) {
    return Error(ErrorCode::no_backend, names_of(plan.ops) + ": a device cannot fold with " +
                                            option + " yet; choose the device cpu");
  }
  if (!plan.needs.of_pairs().empty()) {
    return Error(ErrorCode::no_backend, names_of(plan.ops) +
                                            ": of two arrays a device folds dot only, as yet; "
                                            "choose the device cpu");
  }
  const Nest& nest = plan.nest;
  const bool backwards = plan.indexed && !counts_on(nest.axes);
  if (const Family family = family_of(nest);
      family != Family::whole || nest.repeats != 1 || backwards) {
    std::string axes;
    for (const Axis& a : nest.axes) axes += (axes.empty() ? "" : "; ") + text_of(a, plan.inputs);
    if (nest.repeats != 1) axes += ", each element " + std::to_string(nest.repeats) + " times";
    return Error(ErrorCode::no_backend,
                 names_of(plan.ops) + ": the device folds whole arrays without holes, and this " +
                     "fold is of the family " + onefold::name_of(family) + " (" + axes +
                     "); choose the device cpu");
  }
  if (!plan.aligned) {
    return Error(ErrorCode::misaligned, names_of(plan.ops) +
                                            ": the device needs elements at multiples of their " +
                                            std::to_string(bytes_of(plan.dtype)) + " bytes" +
                                            (plan.inputs == 1 ? "" : ", in both arrays"));
  }
  return why_no_device(plan.device.index);
}

void run(const Plan& plan, const void* x, const void* y, const backend::Done& done,
         std::span<std::byte* const>) {
  std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
  clear(state.data(), plan.layout, plan.dtype);
  gather(plan, plan.nest, x, y, state.data());
  done(0, state.data());
}

}  // namespace

constinit const backend::Backend backend{.name = "cuda",
                                         .device = Device::Type::cuda,
                                         .why_not = why_not,
                                         .run = run,
                                         .queue = queue,
                                         .write = write,
                                         .gather = gather};

}  // namespace onefold::cuda_backend
