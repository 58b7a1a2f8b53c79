package exact

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
)

// Answer is an exact number, which is rounded when it is read.
type Answer struct {
	is       int
	negative bool
	high     uint64 // the number is high 2^exponent, and less than one more if sticky
	exponent int
	sticky   bool
}

const (
	isNumber = iota
	isInfinity
	isNaN
)

// ErrOverflow says that an integer does not fit, or that the answer is no integer.
var ErrOverflow = errors.New("the answer is not an integer that 64 bits hold")

// Float64 is the nearest float64, ties to even.
func (a Answer) Float64() float64 {
	return math.Float64frombits(a.round(53, -1074, 0x7ff) | sign(a.negative)<<63)
}

// Float32 is the float32 nearest to the exact answer.
func (a Answer) Float32() float32 {
	return math.Float32frombits(uint32(a.round(24, -149, 0xff) | sign(a.negative)<<31))
}

// Int64 is the answer as an integer.
func (a Answer) Int64() (int64, error) {
	m, err := a.integer()
	if limit := uint64(1)<<63 - 1 + sign(a.negative); err != nil || m > limit {
		return 0, ErrOverflow
	}
	if a.negative {
		return int64(-m), nil
	}
	return int64(m), nil
}

// Uint64 is the answer as an integer.
func (a Answer) Uint64() (uint64, error) {
	m, err := a.integer()
	if err != nil || (a.negative && m != 0) {
		return 0, ErrOverflow
	}
	return m, nil
}

func (a Answer) integer() (uint64, error) {
	down := uint(-a.exponent)
	if a.is == isNumber && a.high == 0 {
		return 0, nil
	}
	if a.is != isNumber || a.sticky || a.exponent > 0 || down > 63 || a.high<<(64-down) != 0 {
		return 0, ErrOverflow
	}
	return a.high >> down, nil
}

func sign(negative bool) uint64 {
	if negative {
		return 1
	}
	return 0
}

// round rounds to p bits, in units of 2^unit at least; to infinity from the field `top` on. It returns
// bits without a sign.
func (a Answer) round(p uint, unit int, top uint64) uint64 {
	switch {
	case a.is == isInfinity:
		return top << (p - 1)
	case a.is == isNaN:
		return top<<(p-1) | 1<<(p-2)
	case a.high == 0:
		return 0
	}
	drop := 64 - int(p)
	if unit-a.exponent > drop {
		drop = unit - a.exponent
	}
	if drop > 64 {
		return 0
	}
	const half = 1 << 63                                 // of what is dropped
	q, rest := a.high>>uint(drop), a.high<<uint(64-drop) // shifts by 64 give 0
	if rest > half || (rest == half && (a.sticky || q&1 != 0)) {
		q++
	}
	field := uint64(a.exponent + drop - unit)
	if field >= top {
		return top << (p - 1)
	}
	// A q of p bits carries into the field, which so becomes 1 more.
	if b := field<<(p-1) + q; b < top<<(p-1) {
		return b
	}
	return top << (p - 1)
}

// number makes the highest bit of high, which is not 0, bit 63.
func number(negative bool, high uint64, exponent int, sticky bool) Answer {
	up := bits.LeadingZeros64(high)
	return Answer{isNumber, negative, high << uint(up), exponent - up, sticky}
}

// sum is the answer of the first words and the counts.
func (s state) sum() Answer {
	c := s.counts
	switch {
	case c.nan != 0 || c.invalid != 0 || (c.positive != 0 && c.negative != 0):
		return Answer{is: isNaN}
	case c.infinities() != 0:
		return Answer{is: isInfinity, negative: c.negative != 0}
	case s.format.float && c.n > 0 && !c.flag:
		return Answer{negative: true}
	}
	unit := s.format.unit
	if s.kind == kindDot {
		unit *= 2
	}
	digit, size, negative := digits(s.first)
	if size == 0 {
		return Answer{}
	}
	var top [4]uint64
	for k := range top {
		if size > k {
			top[k] = uint64(digit[size-1-k])
		}
	}
	up := uint(bits.LeadingZeros32(uint32(top[0])))
	a := Answer{isNumber, negative, 0, unit + 32*(size-2) - int(up), false}
	a.high = (top[0]<<32|top[1])<<up | top[2]<<up>>32
	a.sticky = top[2]<<up&(1<<32-1) != 0
	for k := 0; k < size-3; k++ {
		a.sticky = a.sticky || digit[k] != 0
	}
	return a
}

// digits returns the magnitude of words, how many digits it has, and its sign.
func digits(words []int64) (digit [productWords + 1]uint32, size int, negative bool) {
	var store [productWords]int64
	w := store[:copy(store[:], words)]
	carry(w)
	negative = w[len(w)-1] < 0
	var above int64
	for k, v := range w {
		if negative {
			v = -v
		}
		above += v
		digit[k] = uint32(above)
		above >>= 32
		if digit[k] != 0 {
			size = k + 1
		}
	}
	if above != 0 {
		digit[len(w)], size = uint32(above), len(w)+1
	}
	return digit, size, negative
}

// integerOf returns words as one number.
func integerOf(w []int64) *big.Int {
	digit, size, negative := digits(w)
	bytes := make([]byte, 4*size)
	for k := 0; k < 4*size; k++ {
		bytes[4*size-1-k] = byte(digit[k/4] >> (8 * uint(k%4)))
	}
	v := new(big.Int).SetBytes(bytes)
	if negative {
		v.Neg(v)
	}
	return v
}

// quotient is a 2^unit / b, or its root.
func quotient(a, b *big.Int, unit int, root bool) Answer {
	if a.Sign() == 0 {
		return Answer{}
	}
	// 130 bits and more, of an even exponent
	up := b.BitLen() + 131 - a.BitLen()
	if up < 0 {
		up = 0
	}
	up += (unit - up) & 1
	q, rest := new(big.Int).QuoRem(new(big.Int).Lsh(new(big.Int).Abs(a), uint(up)), b, new(big.Int))
	exponent, sticky := unit-up, rest.Sign() != 0
	if root {
		r := new(big.Int).Sqrt(q)
		sticky = sticky || new(big.Int).Mul(r, r).Cmp(q) != 0
		q, exponent = r, exponent/2
	}
	if drop := q.BitLen() - 64; drop > 0 {
		sticky = sticky || q.TrailingZeroBits() < uint(drop)
		q.Rsh(q, uint(drop))
		exponent += drop
	}
	return number(a.Sign() < 0, q.Uint64(), exponent, sticky)
}

func (s state) mean() Answer {
	if s.counts.n == 0 {
		return Answer{is: isNaN}
	}
	sum := s.sum()
	if sum.is != isNumber || sum.high == 0 {
		return sum
	}
	return quotient(integerOf(s.first), big.NewInt(s.counts.n), s.format.unit, false)
}

// spread returns n Q - S² of the sums.
func (s state) spread(n int64) *big.Int {
	sum := integerOf(s.first)
	squares := integerOf(s.second)
	squares.Mul(squares, big.NewInt(n))
	return squares.Sub(squares, sum.Mul(sum, sum))
}

func (s state) variance(ddof int64, root bool) Answer {
	n := big.NewInt(s.counts.n)
	freedom := new(big.Int).Sub(n, big.NewInt(ddof))
	if s.counts.n == 0 || freedom.Sign() <= 0 || s.counts.nan+s.counts.infinities() != 0 {
		return Answer{is: isNaN}
	}
	return quotient(s.spread(s.counts.n), freedom.Mul(freedom, n), 2*s.format.unit, root)
}
