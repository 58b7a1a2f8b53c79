// Gathers the exact words of one answer in shared memory, with `lift` and `merge`. Called by a
// block; works for any accumulator, loop nest and data.
//
//   cost   one pass over the elements for each accumulator; for a sum, one or two atomics of shared
//          memory for each element
#pragma once

#include "onefold/cuda/kernel/feed/repeated.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"
#include "onefold/cuda/kernel/schedule/nest.hpp"
#include "onefold/cuda/kernel/words.hpp"

namespace onefold::kernel {

// Returns how many words are limbs, for an accumulator whose words are added one by one.
template <class A>
constexpr int limbs_of() {
  if constexpr (requires { A::limbs; }) {
    return A::limbs;
  } else {
    return 0;
  }
}

template <class M, class T, uint32_t set, bool selects = false>
struct BlockWords {
  using State = StateOf<T, set>;
  enum : int { most_warps = 32, small_words = 4 };

  Shared<M, int64_t> words;

  ONEFOLD_KERNEL explicit BlockWords(M m)
      : words(shared<int64_t, State::words, struct words_>(m)) {}

  template <class F>
  ONEFOLD_KERNEL static constexpr void for_accumulators(F f) {
#define ONEFOLD_ENTRY(name)                                         \
  if constexpr (State::has(Accumulator::name)) {                    \
    f.template operator()<accumulator::name<T>>(Accumulator::name); \
  }
#include "onefold/generated/accumulator.list"
#include "onefold/generated/pair.list"
#undef ONEFOLD_ENTRY
  }

  // Gathers the elements begin..end of one answer, whose first is at `at`.
  //   input   a NestInput, or the part of one that is read here
  template <class Input, class At>
  ONEFOLD_KERNEL void gather(M m, const Input& input, const At& at, Size begin, Size end) const {
    ONEFOLD_NO_UNROLL
    for (unsigned k = static_cast<unsigned>(m.thread()); k < static_cast<unsigned>(State::words);
         k += m.threads()) {
      words[k] = int64_t{0};
    }
    m.sync();
    for_accumulators([&]<class A>(Accumulator a) {
      if constexpr (Additive<A>) {
        gather_sum<A>(m, a, input, at, begin, end);
      } else {
        gather_small<A>(m, a, input, at, begin, end);
      }
    });
    m.sync();
  }

  // A limb has room for 2^31 digits: with more elements, carries are passed on in between.
  template <class A, class Input, class At>
  ONEFOLD_KERNEL void gather_sum(M m, Accumulator a, const Input& input, const At& at, Size begin,
                                 Size end) const {
    constexpr bool repeats = Repeats<Input>;
    constexpr Size most = repeats ? most_uncarried / 4 : most_uncarried;
    constexpr int limbs = limbs_of<A>(), rest = A::words - limbs;
    constexpr bool two = TwoInputs<A>;
    const auto to = words + State::offset(a);
    int64_t count[rest == 0 ? 1 : rest] = {};
    ONEFOLD_NO_UNROLL
    for (Size from = begin; from < end; from += most) {
      const Size upto = end - from < most ? end : from + most;
      ONEFOLD_NO_UNROLL
      for (Size e = from + static_cast<unsigned>(m.thread()); e < upto; e += m.threads()) {
        const auto s = element_at<two, selects>(input, e);
        if constexpr (selects) {
          if (!is_there(input, at, s)) continue;
        }
        Size times = 1;
        if constexpr (repeats) times = times_of(m, input, at, s);
        if (repeats && times == 0) continue;
        const T x = input.x[at.x + s.x];
        const auto sink = [&](int word, int64_t v) {
          if (word >= limbs) {
            ONEFOLD_UNROLL
            for (int k = 0; k < rest; ++k) {
              count[k] += word == limbs + k ? v * static_cast<int64_t>(times) : 0;
            }
          } else if constexpr (repeats) {
            add_times(m, to, word, limbs, v, times);
          } else {
            m.add(to, word, v);
          }
        };
        if constexpr (two) {
          const T y = input.y[at.y + s.y];
          A::lift(sink, x, y, 0);
        } else {
          A::lift(sink, x, 0);
        }
      }
      if (upto == end) break;
      m.sync();
      if (static_cast<unsigned>(m.thread()) == 0) carry_times(to, limbs, 1);
      m.sync();
    }
    ONEFOLD_UNROLL
    for (int k = 0; k < rest; ++k) {
      const WarpSum v = warp_sum(m, count[k]);
      const int64_t n = v.low + v.high * (int64_t{1} << 44);
      if (static_cast<unsigned>(m.lane()) == 0 && n != 0) m.add(to, limbs + k, n);
    }
  }

  // A state in registers, and its words.
  template <class A>
  struct Small {
    static constexpr int n = sizeof(typename A::State) / 8;
    static_assert(n <= small_words);
    struct Words {
      int64_t w[n];
    };
    typename A::State s;

    template <class At>
    ONEFOLD_KERNEL static typename A::State load(At at) {
      Words v;
      ONEFOLD_UNROLL
      for (int k = 0; k < n; ++k) v.w[k] = at(k);
      return bit_cast<typename A::State>(v);
    }
    ONEFOLD_KERNEL static int64_t word(const typename A::State& s, int k) {
      return bit_cast<Words>(s).w[k];
    }
  };
  template <class A, class Input, class At>
  ONEFOLD_KERNEL void gather_small(M m, Accumulator a, const Input& input, const At& at, Size begin,
                                   Size end) const {
    using One = Small<A>;
    typename A::State s;
    ONEFOLD_NO_UNROLL
    for (Size e = begin + static_cast<unsigned>(m.thread()); e < end; e += m.threads()) {
      const auto there = element_at<SmallPair<A>, selects>(input, e);
      if constexpr (selects) {
        if (!is_there(input, at, there)) continue;
      }
      if constexpr (Repeats<Input>) {
        if (times_of(m, input, at, there) == 0) continue;
      }
      const T x = input.x[at.x + there.x];
      if constexpr (SmallPair<A>) {
        const T y = input.y[at.y + there.y];
        A::lift(s, x, y, 0);
      } else {
        A::lift(s, x, input.index + static_cast<Size>(there.step));
      }
    }
    ONEFOLD_UNROLL
    for (unsigned d = 16; d > 0; d /= 2) {
      A::merge(s, One::load([&](int k) { return m.shuffle_xor(One::word(s, k), d); }));
    }
    const auto each = shared<int64_t, most_warps * small_words, struct each_>(m);
    const unsigned t = static_cast<unsigned>(m.thread()), warps = m.threads() / 32;
    if (t % 32 == 0) {
      ONEFOLD_UNROLL
      for (int k = 0; k < One::n; ++k) {
        each[static_cast<int>(t / 32) * small_words + k] = One::word(s, k);
      }
    }
    m.sync();
    if (t == 0) {
      ONEFOLD_NO_UNROLL
      for (unsigned w = 1; w < warps; ++w) {
        A::merge(s, One::load([&](int k) {
                   const int64_t v = each[static_cast<int>(w) * small_words + k];
                   return v;
                 }));
      }
      ONEFOLD_UNROLL
      for (int k = 0; k < One::n; ++k) words[State::offset(a) + k] = One::word(s, k);
    }
    m.sync();
  }

  // Multiplies `limbs` words by a number, and carries.
  template <class P>
  ONEFOLD_KERNEL static void carry_times(P w, int limbs, Size times) {
    Int128 c = 0;
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < limbs; ++k) {
      const int64_t v = w[k];
      c += static_cast<Int128>(v) * static_cast<Int128>(times);
      if (k + 1 < limbs) {
        w[k] = static_cast<int64_t>(static_cast<uint64_t>(c) & 0xffffffffu);
        c >>= 32;
      } else {
        w[k] = static_cast<int64_t>(c);
      }
    }
  }

  // Multiplies the words of a state, so that each of its elements counts `times` times.
  ONEFOLD_KERNEL void repeat(M m, Size times) const {
    if (times == 1) return;
    if (static_cast<unsigned>(m.thread()) == 0) {
      for_accumulators([&]<class A>(Accumulator a) {
        if constexpr (Additive<A>) {
          const auto to = words + State::offset(a);
          carry_times(to, limbs_of<A>(), times);
          ONEFOLD_NO_UNROLL
          for (int k = limbs_of<A>(); k < A::words; ++k) {
            const int64_t v = to[k];
            to[k] = static_cast<int64_t>(static_cast<Size>(v) * times);
          }
        }
      });
    }
    m.sync();
  }

  // Adds one more element, which has no index.
  ONEFOLD_KERNEL void add_initial(M m, T x) const {
    if (static_cast<unsigned>(m.thread()) == 0) {
      for_accumulators([&]<class A>(Accumulator a) {
        const auto to = words + State::offset(a);
        if constexpr (Additive<A> && !TwoInputs<A>) {
          A::lift([&](int word, int64_t v) { m.add(to, word, v); }, x, 0);
        } else if constexpr (onefold::Small<A>) {
          typename A::State s = Small<A>::load([&](int k) {
            const int64_t v = to[k];
            return v;
          });
          A::lift(s, x, 0);
          ONEFOLD_UNROLL
          for (int k = 0; k < Small<A>::n; ++k) to[k] = Small<A>::word(s, k);
        }
      });
    }
    m.sync();
  }

  // Passes carries on, so that words of many parts may be added.
  ONEFOLD_KERNEL void carry(M m) const {
    if (static_cast<unsigned>(m.thread()) == 0) {
      for_accumulators([&]<class A>(Accumulator a) {
        if constexpr (Additive<A>) carry_times(words + State::offset(a), limbs_of<A>(), 1);
      });
    }
    m.sync();
  }

  // Adds up one answer's words from the words of `parts` parts, State::words each.
  ONEFOLD_KERNEL void collect(M m, Out<M, int64_t> left, uint32_t parts) const {
    for_accumulators([&]<class A>(Accumulator a) {
      const int at = State::offset(a);
      if constexpr (Additive<A>) {
        ONEFOLD_NO_UNROLL
        for (int k = static_cast<int>(static_cast<unsigned>(m.thread())); k < A::words;
             k += static_cast<int>(m.threads())) {
          int64_t v = 0;
          ONEFOLD_NO_UNROLL
          for (Size p = 0; p < parts; ++p) {
            const int64_t w = left[p * State::words + static_cast<Size>(at + k)];
            v += w;
          }
          words[at + k] = v;
        }
      } else if (static_cast<unsigned>(m.thread()) == 0) {
        typename A::State s;
        ONEFOLD_NO_UNROLL
        for (Size p = 0; p < parts; ++p) {
          A::merge(s, Small<A>::load([&](int k) {
                     const int64_t v = left[p * State::words + static_cast<Size>(at + k)];
                     return v;
                   }));
        }
        ONEFOLD_UNROLL
        for (int k = 0; k < Small<A>::n; ++k) words[at + k] = Small<A>::word(s, k);
      }
    });
    m.sync();
  }
};

}  // namespace onefold::kernel
