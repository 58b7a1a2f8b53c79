package exact

import (
	"math"
	"math/bits"
)

// Sums are words w[0], w[1], ... that stand for the integer sum of w[k] 2^(32 k). A word has 64 bits and
// gets digits of 32, so carries wait: for 2^30 deposits at most.

// carry passes carries on: all words but the last are in [0, 2^32) then.
func carry(w []int64) {
	for k := 1; k < len(w); k++ {
		w[k] += w[k-1] >> 32
		w[k-1] &= 1<<32 - 1
	}
}

// counts is what is counted beside the sums. Of integers only n is.
type counts struct {
	n, nan             int64
	invalid            int64 // products of an infinity and 0
	positive, negative int64 // infinities
	flag               bool  // whether some number (product) is not -0
	pending            int64 // how many digits a word holds
}

func (c *counts) infinities() int64 { return c.positive + c.negative }

// add counts x. It returns whether it is finite.
func (c *counts) add(x float64) bool {
	c.n++
	switch {
	case x-x == 0:
		c.flag = c.flag || math.Float64bits(x) != 1<<63
		return true
	case x != x:
		c.nan++
		return false
	case x > 0:
		c.positive++
	default:
		c.negative++
	}
	c.flag = true
	return false
}

// addPair counts the product of a pair. It returns whether both are finite.
func (c *counts) addPair(x, y float64) bool {
	c.n++
	negative := math.Signbit(x) != math.Signbit(y)
	switch {
	case x-x == 0 && y-y == 0:
		c.flag = c.flag || !negative || (x != 0 && y != 0)
		return true
	case x != x || y != y:
		c.nan++
		return false
	case x == 0 || y == 0:
		c.invalid++
	case negative:
		c.negative++
	default:
		c.positive++
	}
	c.flag = true
	return false
}

// parts returns m and e of a finite number m 2^(e - 1075), and its sign: all bits or none.
func parts(x float64) (m uint64, field int, sign uint64) {
	b := math.Float64bits(x)
	m, field, sign = b&(1<<52-1), int(b>>52&0x7ff), uint64(int64(b)>>63)
	if field == 0 {
		return m, 1, sign
	}
	return m | 1<<52, field, sign
}

// deposit adds m 2^position, with a sign, to words with room for three from there on.
func deposit(w []int64, m uint64, negative bool, position int) {
	var sign uint64
	if negative {
		sign = ^sign
	}
	depositSigned(w, m, sign, uint(position))
}
func depositSigned(w []int64, m, sign uint64, position uint) {
	shift, k := position%32, position/32
	low := (m & (1<<32 - 1)) << shift
	high := (m>>32)<<shift + low>>32
	to := w[k : k+3]
	to[0] += int64(low&(1<<32-1) ^ sign - sign)
	to[1] += int64(high&(1<<32-1) ^ sign - sign)
	to[2] += int64(high>>32 ^ sign - sign)
}

// depositWide adds an integer of 128 bits in two's complement.
func depositWide(w []int64, low, high uint64, position int) {
	negative := high>>63 != 0
	if negative {
		low, high = -low, ^high
		if low == 0 {
			high++
		}
	}
	deposit(w, low, negative, position)
	if high != 0 {
		deposit(w[2:], high, negative, position)
	}
}

// depositFloat adds x, a multiple of 2^unit.
func depositFloat(w []int64, x float64, unit int) {
	m, field, sign := parts(x)
	position := field - 1075 - unit
	if position < 0 { // of a float32: below its unit all bits are 0
		m, position = m>>uint(-position), 0
	}
	depositSigned(w, m, sign, uint(position))
}

// depositProduct adds the product of two elements of a type.
func depositProduct(w []int64, x, y float64, f *format) {
	if f == &formatF32 {
		depositFloat(w, float64(x*y), 2*f.unit) // 48 bits, exact
		return
	}
	a, i, p := parts(x)
	b, j, q := parts(y)
	high, low := bits.Mul64(a, b)
	depositSigned(w, low, p^q, uint(i+j-2))
	depositSigned(w[2:], high, p^q, uint(i+j-2))
}

// addFloats adds a block of at most 256 numbers, of which some may be NaN or infinite, and counts them.
//
//	exponents within 21, f32              as f64 in lanes: no addition is rounded
//	within 36 (65, f32), of usual size    in two windows of f64: no addition is rounded
//	others                                one by one
func (s *state) addFloats(x []float64) {
	s.deposited(blockLength)
	low, high := ^uint64(0), uint64(0) // bits without signs; low is less 1, so 0 comes last
	for _, v := range x {
		b := math.Float64bits(v) << 1
		if b-1 < low {
			low = b - 1
		}
		if b > high {
			high = b
		}
	}
	unit, least, greatest := s.format.unit, int((low+1)>>53), int(high>>53)
	if greatest == 0x7ff || high == 0 {
		for _, v := range x { // a zero adds nothing to the sum
			if s.counts.add(v) && v != 0 {
				depositFloat(s.first, v, unit)
			}
		}
		return
	}
	s.counts.n += int64(len(x))
	s.counts.flag = true
	span, room := greatest-least, 36
	if s.format == &formatF32 {
		room = 65
	}
	switch {
	case s.format == &formatF32 && span <= 21:
		depositFloat(s.first, sumInLanes(x), unit)
	case span <= room && least >= 54 && greatest <= 2036: // no subnormal and no infinite part
		above, below := sumInWindows(x, greatest)
		depositFloat(s.first, above, unit)
		depositFloat(s.first, below, unit)
	default:
		for _, v := range x {
			depositFloat(s.first, v, unit)
		}
	}
}

// sumInLanes returns the sum, a multiple of the elements' least unit, below 2^53 of them.
func sumInLanes(x []float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
	}
	for _, v := range x {
		a += v
	}
	return a + b + c + d
}

// sumInWindows returns two numbers that are the sum. Adding 1.5 2^(52 + p) and taking it away again leaves
// the multiple of 2^p next to x, p = G - 43 of the greatest exponent G: 256 of them are below 2^(53 + p).
// What is left of an x is below 2^p, and so a sum of these is below 2^(L + 1), 2^53 units of the least
// exponent L. Nothing else is rounded, in any rounding mode.
func sumInWindows(x []float64, greatest int) (above, below float64) {
	window := math.Float64frombits(uint64(greatest+9)<<52 | 1<<51)
	var above2, below2 float64
	for ; len(x) >= 2; x = x[2:] {
		a := x[0] + window - window
		b := x[1] + window - window
		above += a
		below += x[0] - a
		above2 += b
		below2 += x[1] - b
	}
	for _, v := range x {
		a := v + window - window
		above += a
		below += v - a
	}
	return above + above2, below + below2
}
