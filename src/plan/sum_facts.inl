// The inequalities between the sums of one array's elements, as a list of facts. One slice is
// checked exactly (api/contradiction.cpp), several slices at once approximately (group/rows.cpp).
// Included inside a namespace, so without an include guard.
//
//   x        finite elements as integers, in units of the type's smallest subnormal
//   source   N sum x^2 >= (sum |x|)^2 >= (sum x)^2 (Cauchy and Schwarz); sum |x| <= sum x^2 <=
//            (sum |x|)^2, since |x| are integers; x, |x| and x^2 are odd together

// Calls f.refuse for each fact.
//   F        defines numbers, products, and how to compare: Number, Count, value, times, less, ...
//   n        the largest possible number of finite elements; if `counted`, of those other than 0
//   counted  the number of elements other than zero is known exactly
//   null     stands for a sum that the state does not hold
template <class T, class F>
void check_sums(F& f, const typename F::Number* sum, const typename F::Number* abs,
                const typename F::Number* squares, const typename F::Count& n, bool tallied,
                bool counted) {
  using Number = typename F::Number;
  constexpr int bits = largest_bits<T>();
  for (const Number* v : {abs, squares}) {
    if (v == nullptr) continue;
    f.refuse(f.negative(*v), "a sum of what is never negative is");
    if (counted) {
      f.refuse(f.less(f.value(*v), f.times(n)), "elements that are not zero are missing");
    }
  }
  const auto most = f.times(n, nullptr, nullptr, bits);
  if (sum) f.refuse(f.less(most, f.value(*sum)), "the sum is beyond its elements");
  if (abs) f.refuse(f.less(most, f.value(*abs)), "the sum of magnitudes is beyond its elements");
  if (squares) {
    f.refuse(f.less(f.times(n, nullptr, nullptr, 2 * bits), f.value(*squares)),
             "the sum of squares is beyond its elements");
  }
  if (sum && abs) {
    f.refuse(f.less(f.value(*abs), f.value(*sum)), "the sum is beyond that of magnitudes");
  }
  if (sum && squares) {
    f.refuse(f.less(f.times(n, squares), f.value(*sum, sum)), "the variance is negative");
  }
  if (abs && squares) {
    f.refuse(f.less(f.times(n, squares), f.value(*abs, abs)),
             "the magnitudes are beyond their squares");
    f.refuse(f.less(f.value(*abs, abs), f.value(*squares)),
             "the squares are not those of the magnitudes");
    f.refuse(f.less(f.value(*squares), f.value(*abs)),
             "the squares are not those of the magnitudes");
  }
  const Number* const first = sum ? sum : abs ? abs : squares;
  for (const Number* v : {abs, squares}) {
    if (v != nullptr) f.refuse(f.parities_differ(*v, *first), "one sum is odd and another even");
  }
  if (!tallied || !sum) return;
  if (abs) f.refuse_one(n, f.value(*abs), f.value(*sum), "one element has several values");
  if (squares) {
    f.refuse_one(n, f.value(*squares), f.value(*sum, sum), "one element has several values");
  }
}
