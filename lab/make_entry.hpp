// Makes a rung's entry from its struct. Each rung has one translation unit that includes this.
#pragma once

#include <bit>

#include "lab/enter.hpp"
#include "lab/entry.hpp"
#include "onefold/machine/sim/text.hpp"

namespace onefold::lab {

// Sanitizers make a kernel take five times as long to compile, so such builds have only ints, in
// blocks of 256 and of the least size.
#if defined(ONEFOLD_FEW_KERNELS)
inline constexpr bool few_kernels = true;
#else
inline constexpr bool few_kernels = false;
#endif

template <class K, class F, unsigned B>
void enter(const Arguments& a) {
  using T = typename F::Type;
  const Sim m;
  const sim::Pointer<T> x{a.x, 0}, y{a.y, 0};
  const sim::Pointer<unsigned> ticket{a.ticket, 0};
  call<K, F, B>(m, x, y, a.n, a.step, ticket);
}

template <class R, class K, class F, unsigned B = 1024>
Kernel at_block(unsigned block) {
  if constexpr (!few_kernels || B == 256 || B == R::about.min_block) {
    if (block == B) return &enter<K, F, B>;
  }
  if constexpr (B / 2 >= R::about.min_block) {
    return at_block<R, K, F, B / 2>(block);
  } else {
    return nullptr;
  }
}

template <class R, class K, class F>
Kernel of_fold(unsigned block) {
  constexpr Rung about = R::about;
  if (!std::has_single_bit(block) || block < about.min_block || block > 1024) return nullptr;
  if constexpr (about.block_known) {
    return at_block<R, K, F>(block);
  } else {
    return &enter<K, F, 0>;
  }
}

// Calls f with the fold of `type` and `op` if rung R has it.
template <class R, class Result, class Function>
Result with_fold(Type type, Op op, Function f) {
  constexpr Rung about = R::about;
  const auto of_type = [&]<class T>() -> Result {
    if (op == Op::sum) return f.template operator()<Sum<T>>();
    if constexpr (about.any_op || about.flow == Flow::host) {
      if (op == Op::min) return f.template operator()<Min<T>>();
      return f.template operator()<Max<T>>();
    }
    return nullptr;
  };
  if (type == Type::i32) return of_type.template operator()<int32_t>();
  if constexpr (!about.i32_only && !few_kernels) {
    if (type == Type::i64) return of_type.template operator()<int64_t>();
    if (type == Type::f32) return of_type.template operator()<float>();
    if (type == Type::f64) return of_type.template operator()<double>();
  }
  return nullptr;
}

template <class K, class F>
void run_on_host(const void* x, void* scratch, Size n, void* answer) {
  using T = typename F::Type;
  *static_cast<T*>(answer) =
      K::template host<F>(static_cast<const T*>(x), static_cast<T*>(scratch), n);
}

template <class K, class F>
void queue_call(const void* x, Size n, void* answer, const OnStream& where) {
  using T = typename F::Type;
  K::template queue<F>(static_cast<const T*>(x), n, static_cast<T*>(answer), where);
}

template <class R>
constexpr Entry make_entry(std::string_view name, std::string_view file) {
  Entry e;
  e.name = name;
  e.file = file;
  e.about = R::about;
  constexpr bool has_twin = requires { typename R::as_published; };
  if constexpr (has_twin) {
    e.twin = R::as_published::about;
    e.has_twin = true;
  }
  if constexpr (requires { &R::template queue<Sum<int32_t>>; }) {
    e.queue = [](Type type, Op op) {
      return with_fold<R, Queue>(type, op, []<class F>() -> Queue { return &queue_call<R, F>; });
    };
  }
  if constexpr (requires { &R::template host<Sum<int32_t>>; }) {
    e.host_kernel = [](Type type, Op op, bool twin) {
      return with_fold<R, HostKernel>(type, op, [&]<class F>() -> HostKernel {
        if constexpr (has_twin) {
          if (twin) return &run_on_host<typename R::as_published, F>;
        }
        return &run_on_host<R, F>;
      });
    };
  } else if constexpr (R::about.flow != Flow::library) {
    e.kernel = [](Type type, Op op, unsigned block, bool twin) {
      return with_fold<R, Kernel>(type, op, [&]<class F>() -> Kernel {
        if constexpr (has_twin) {
          if (twin) return of_fold<R, typename R::as_published, F>(block);
        }
        return of_fold<R, R, F>(block);
      });
    };
  }
  return e;
}

}  // namespace onefold::lab
