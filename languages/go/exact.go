// Package exact has exact sums, products and variances, each answer rounded once: the same bits in
// any order, any parts, on any machine. Accumulators merge, and elements can be removed again.
//
//	var begin, end exact.Sum[float64]
//	begin.AddSlice([]float64{1e16, 1})
//	end.AddSlice([]float64{-1e16, 0.1})
//	end.Merge(&begin)
//	fmt.Println(end.Value().Float64()) // 1.1; a loop gives 0.1
//
// Save writes the bytes of Onefold's docs/format.md, which its library, program and Python package
// load.
//
//	NaN       a NaN, or infinities of both signs: NaN, positive, quiet, without payload
//	zeros     a sum of -0 alone is -0; no element, and exact cancellation, give +0
//	rounding  to nearest, ties to even; no intermediate value overflows
package exact

import "fmt"

// Element is a type of elements.
type Element interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Sum is the exact sum of elements. Its zero value has no elements; copies are independent.
type Sum[T Element] struct {
	words  [sumWords]int64
	counts counts
}

// Dot is the exact sum of products of two sequences.
type Dot[T Element] struct {
	words  [productWords]int64
	counts counts
}

// Var is the exact sum and sum of squares: mean, variance, standard deviation.
type Var[T Element] struct {
	words   [sumWords]int64
	squares [productWords]int64
	counts  counts
}

func (a *Sum[T]) state() state {
	f := formatOf[T]()
	return state{kindSum, f, a.words[:f.sum], nil, &a.counts}
}
func (a *Dot[T]) state() state {
	f := formatOf[T]()
	return state{kindDot, f, a.words[:f.products], nil, &a.counts}
}
func (a *Var[T]) state() state {
	f := formatOf[T]()
	return state{kindVar, f, a.words[:f.sum], a.squares[:f.products], &a.counts}
}

// Add adds one element.
func (a *Sum[T]) Add(x T) {
	switch v := any(x).(type) {
	case float64:
		addOne(a.words[:], &a.counts, v, formatF64.unit)
	case float32:
		addOne(a.words[:formatF32.sum], &a.counts, float64(v), formatF32.unit)
	default:
		s := a.state()
		add(&s, x)
		s.deposited(1)
	}
}

// AddSlice adds a slice: the quickest way for more than some hundred elements.
func (a *Sum[T]) AddSlice(x []T) {
	s := a.state()
	addSlice(&s, x)
}

// Value is the sum.
func (a *Sum[T]) Value() Answer { return a.state().sum() }

// Mean is the sum divided by the number of elements; NaN of no elements.
func (a *Sum[T]) Mean() Answer { return a.state().mean() }

// Add adds the product x y.
func (a *Dot[T]) Add(x, y T) {
	s := a.state()
	addPairs(&s, []T{x}, []T{y})
}

// AddSlices adds the products of two slices. It panics if their lengths differ.
func (a *Dot[T]) AddSlices(x, y []T) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("AddSlices: x has %d elements and y %d", len(x), len(y)))
	}
	s := a.state()
	addPairs(&s, x, y)
}

// Value is the sum of products. Infinity times 0 is NaN.
func (a *Dot[T]) Value() Answer { return a.state().sum() }

// Add adds one element.
func (a *Var[T]) Add(x T) {
	s := a.state()
	if add(&s, x) {
		addSquare(&s, x)
	}
	s.deposited(2)
}

// AddSlice adds a slice.
func (a *Var[T]) AddSlice(x []T) {
	s := a.state()
	addSlice(&s, x)
	addSquares(&s, x)
}

// Value is the sum.
func (a *Var[T]) Value() Answer { return a.state().sum() }

// Mean is the mean, as that of Sum.
func (a *Var[T]) Mean() Answer { return a.state().mean() }

// Var is (n Q - S²) / (n (n - ddof)) of the sum S and the sum of squares Q; NaN for n <= ddof, with a
// NaN or an infinity.
func (a *Var[T]) Var(ddof int64) Answer { return a.state().variance(ddof, false) }

// Std is the root of the variance.
func (a *Var[T]) Std(ddof int64) Answer { return a.state().variance(ddof, true) }

// Count is the number of elements, those with NaN and infinities included.
func (a *Sum[T]) Count() int64 { return a.counts.n }

// Count is the number of pairs.
func (a *Dot[T]) Count() int64 { return a.counts.n }

// Count is the number of elements.
func (a *Var[T]) Count() int64 { return a.counts.n }

// Merge adds the elements of b. Equal data give equal answers and equal bytes, whatever the parts and
// their order. It panics beyond 2^63 - 1 elements.
func (a *Sum[T]) Merge(b *Sum[T]) { a.state().merge(b.state()) }

// Merge adds the pairs of b.
func (a *Dot[T]) Merge(b *Dot[T]) { a.state().merge(b.state()) }

// Merge adds the elements of b.
func (a *Var[T]) Merge(b *Var[T]) { a.state().merge(b.state()) }

// Remove takes away the elements of b, which were added before. It is refused, and nothing is changed,
// if no data can have what is left (ErrNeverAdded), or if the sum left is 0 and nobody knows whether all
// of its elements are -0 (ErrUnknownZero). It may succeed for elements that were never added.
func (a *Sum[T]) Remove(b *Sum[T]) error { return a.state().remove(b.state()) }

// Remove takes pairs away, as Sum.Remove.
func (a *Dot[T]) Remove(b *Dot[T]) error { return a.state().remove(b.state()) }

// Remove takes elements away, as Sum.Remove.
func (a *Var[T]) Remove(b *Var[T]) error { return a.state().remove(b.state()) }

// Save returns the bytes of Onefold's format, of the NaN policy propagate.
func (a *Sum[T]) Save() []byte { return a.state().save() }

// Save returns bytes, as Sum.Save.
func (a *Dot[T]) Save() []byte { return a.state().save() }

// Save returns bytes, as Sum.Save.
func (a *Var[T]) Save() []byte { return a.state().save() }

// Load reads bytes that Save wrote, or that Onefold wrote for the same ops and type. Nothing is changed
// if it returns an error.
func (a *Sum[T]) Load(bytes []byte) error { return a.state().load(bytes) }

// Load reads bytes, as Sum.Load.
func (a *Dot[T]) Load(bytes []byte) error { return a.state().load(bytes) }

// Load reads bytes, as Sum.Load.
func (a *Var[T]) Load(bytes []byte) error { return a.state().load(bytes) }
