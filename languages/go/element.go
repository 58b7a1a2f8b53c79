package exact

import "math/bits"

const (
	sumWords     = 68  // of f64
	productWords = 134 // of f64
	blockLength  = 256
)

// format is what docs/format.md says of a type: elements are integers times 2^unit.
type format struct {
	name          string
	float         bool
	unit          int
	sum, products int // words
}

var (
	formatF32 = format{"f32", true, -149, 11, 20}
	formatF64 = format{"f64", true, -1074, 68, 134}
	formatI8  = format{"i8", false, 0, 4, 6}
	formatI16 = format{"i16", false, 0, 4, 6}
	formatI32 = format{"i32", false, 0, 4, 6}
	formatI64 = format{"i64", false, 0, 4, 6}
	formatU8  = format{"u8", false, 0, 4, 6}
	formatU16 = format{"u16", false, 0, 4, 6}
	formatU32 = format{"u32", false, 0, 4, 6}
	formatU64 = format{"u64", false, 0, 4, 6}
)

func formatOf[T Element]() *format {
	var x T
	switch any(x).(type) {
	case float64:
		return &formatF64
	case float32:
		return &formatF32
	case int8:
		return &formatI8
	case int16:
		return &formatI16
	case int32:
		return &formatI32
	case int64:
		return &formatI64
	case uint8:
		return &formatU8
	case uint16:
		return &formatU16
	case uint32:
		return &formatU32
	}
	return &formatU64
}

// magnitude returns that of an integer, and whether it is negative.
func magnitude[T Element](x T) (uint64, bool) {
	if x < 0 {
		return -uint64(int64(x)), true
	}
	return uint64(x), false
}

// addOne is add of a float, without the view that a state is: twice as quick.
func addOne(w []int64, c *counts, x float64, unit int) {
	if c.add(x) {
		depositFloat(w, x, unit)
	}
	if c.pending++; c.pending >= 1<<30 {
		carry(w)
		c.pending = 0
	}
}

// add adds an element to the sum, and counts it. It returns whether it is finite.
func add[T Element](s *state, x T) bool {
	if !s.format.float {
		s.counts.n++
		m, negative := magnitude(x)
		deposit(s.first, m, negative, 0)
		return true
	}
	finite := s.counts.add(float64(x))
	if finite {
		depositFloat(s.first, float64(x), s.format.unit)
	}
	return finite
}

// addSquare adds that of a finite element.
func addSquare[T Element](s *state, x T) {
	if s.format.float {
		depositProduct(s.second, float64(x), float64(x), s.format)
	} else {
		depositIntegers(s.second, x, x)
	}
}

func depositIntegers[T Element](w []int64, x, y T) {
	a, p := magnitude(x)
	b, q := magnitude(y)
	high, low := bits.Mul64(a, b)
	deposit(w, low, p != q, 0)
	deposit(w[2:], high, p != q, 0)
}

// blocks calls f for blocks of floats, as float64.
func blocks[T Element](x []T, f func([]float64)) {
	var wide [blockLength]float64
	doubles, isDouble := any(x).([]float64)
	for i := 0; i < len(x); i += blockLength {
		end := i + blockLength
		if end > len(x) {
			end = len(x)
		}
		if isDouble {
			f(doubles[i:end])
			continue
		}
		for k, v := range x[i:end] {
			wide[k] = float64(v)
		}
		f(wide[:end-i])
	}
}

// addSlice adds elements to the sum, and counts them.
func addSlice[T Element](s *state, x []T) {
	if s.format.float {
		blocks(x, s.addFloats)
	} else {
		addIntegers(s, x)
	}
}

// addPairs adds products, and counts them.
func addPairs[T Element](s *state, x, y []T) {
	if s.format.float {
		var wide [blockLength]float64
		blocks(x, func(a []float64) {
			for k := range a {
				wide[k] = float64(y[k])
			}
			y = y[len(a):]
			s.addProducts(a, wide[:len(a)])
		})
		return
	}
	s.counts.n += int64(len(x))
	for i, v := range x {
		depositIntegers(s.first, v, y[i])
		s.deposited(2)
	}
}

func (s *state) addProducts(x, y []float64) {
	for i, v := range x {
		if s.counts.addPair(v, y[i]) {
			depositProduct(s.first, v, y[i], s.format)
		}
	}
	s.deposited(2 * blockLength)
}

// addSquares adds those of finite elements.
func addSquares[T Element](s *state, x []T) {
	if s.format.float {
		blocks(x, func(a []float64) {
			for _, v := range a {
				if v-v == 0 {
					depositProduct(s.second, v, v, s.format)
				}
			}
			s.deposited(2 * blockLength)
		})
		return
	}
	for _, v := range x {
		depositIntegers(s.second, v, v)
		s.deposited(2)
	}
}

func addIntegers[T Element](s *state, x []T) {
	s.counts.n += int64(len(x))
	var low, high, carry uint64
	if s.format == &formatU64 {
		for _, v := range x {
			low, carry = bits.Add64(low, uint64(v), 0)
			high += carry
		}
	} else {
		for _, v := range x {
			low, carry = bits.Add64(low, uint64(int64(v)), 0)
			high += uint64(int64(v)>>63) + carry
		}
	}
	depositWide(s.first, low, high, 0)
	s.deposited(2)
}
