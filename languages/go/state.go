package exact

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/bits"
)

// Why bytes are not loaded, or elements not removed.
var (
	ErrDamaged     = errors.New("load: these bytes are not a state of version 2, or they are damaged")
	ErrOtherState  = errors.New("load: a state of other ops, another type or another NaN policy")
	ErrImpossible  = errors.New("load: no data have these counts and sums")
	ErrNeverAdded  = errors.New("remove: these elements were not all added before")
	ErrUnknownZero = errors.New("remove: the rest sums to 0, and may be only -0")
)

const (
	kindSum = iota
	kindDot
	kindVar
)

// state is a view of an accumulator: sums of elements (products) in first, of squares in second.
type state struct {
	kind          int
	format        *format
	first, second []int64
	counts        *counts
}

func (s *state) carryAll() {
	carry(s.first)
	carry(s.second)
	s.counts.pending = 0
}

// deposited notes that words got so many digits each.
func (s *state) deposited(digits int64) {
	s.counts.pending += digits
	if s.counts.pending >= 1<<30 {
		s.carryAll()
	}
}

// scratch returns a copy with words of its own.
func (s state) scratch() state {
	c := *s.counts
	s.counts = &c
	s.first = append([]int64(nil), s.first...)
	s.second = append([]int64(nil), s.second...)
	s.carryAll()
	return s
}

// become takes the words of o over.
func (s state) become(o state) {
	copy(s.first, o.first)
	copy(s.second, o.second)
	*s.counts = *o.counts
}

// combine adds the words of o, times sign, to words without carries.
func (s state) combine(o state, sign int64) {
	for k, v := range o.first {
		s.first[k] += sign * v
	}
	for k, v := range o.second {
		s.second[k] += sign * v
	}
	c, more := s.counts, o.counts
	c.n += sign * more.n
	c.nan += sign * more.nan
	c.invalid += sign * more.invalid
	c.positive += sign * more.positive
	c.negative += sign * more.negative
	s.carryAll()
}

func (s state) merge(o state) {
	if s.counts.n+o.counts.n < 0 {
		panic("merge: an accumulator holds at most 2^63 - 1 elements")
	}
	s.carryAll() // o may be s itself
	s.combine(o, 1)
	s.counts.flag = s.counts.flag || o.counts.flag
}

func (s state) remove(o state) error {
	rest := s.scratch()
	rest.combine(o, -1)
	if o.counts.flag {
		numbers := rest.counts.n != rest.counts.nan
		known := rest.infinite() || !rest.isZero()
		if !s.counts.flag {
			return ErrNeverAdded
		}
		if numbers && !known {
			return ErrUnknownZero
		}
		rest.counts.flag = known
	}
	if !rest.possible() {
		return ErrNeverAdded
	}
	s.become(rest)
	return nil
}

func (s state) infinite() bool { return s.counts.infinities()+s.counts.invalid != 0 }

func (s state) isZero() bool {
	var any int64
	for _, v := range s.first {
		any |= v
	}
	for _, v := range s.second {
		any |= v
	}
	return any == 0
}

// possible says whether some data can give these canonical words, by necessary conditions.
func (s state) possible() bool {
	c := s.counts
	finite := c.n
	for _, special := range []int64{c.nan, c.invalid, c.positive, c.negative} {
		if special < 0 || special > finite {
			return false
		}
		finite -= special
	}
	float := s.format.float
	switch {
	case finite < 0 || (!float && (c.flag || finite != c.n)):
		return false
	case float && ((c.flag && c.nan == c.n) || (!c.flag && s.infinite())):
		return false
	case (finite == 0 || (float && !c.flag)) && !s.isZero():
		return false
	case !fits(s.first, finite):
		return false
	}
	return s.kind != kindVar || (fits(s.second, finite) && s.second[len(s.second)-1] >= 0 &&
		s.spread(finite).Sign() >= 0)
}

// fits says whether n elements may have this sum, which has room for 64 bits above one element.
func fits(w []int64, n int64) bool {
	digit, size, _ := digits(w)
	return size == 0 ||
		32*(size-1)+bits.Len32(digit[size-1]) <= 32*(len(w)-2)+bits.Len64(uint64(n))
}

const magic = "1fold\r\n\x02"

// layout calls text for texts, and word for words, in the order of the format.
func (s state) layout(text func(string), word func(*int64)) {
	c := s.counts
	words := func(name string, w []int64) {
		text(name)
		for k := range w {
			word(&w[k])
		}
	}
	text(s.format.name)
	text("propagate")
	n, zero, flag := c.n, int64(0), int64(sign(c.flag))
	word(&n)
	word(&zero)
	word(&zero)
	switch s.kind {
	case kindDot:
		words("dot", s.first)
	case kindVar:
		words("sum", s.first)
		words("sumsq", s.second)
		text("tally")
	default:
		words("sum", s.first)
		text("tally")
	}
	word(&c.n)
	word(&c.nan)
	if s.kind == kindDot {
		word(&c.invalid)
	}
	word(&c.positive)
	word(&c.negative)
	word(&flag)
	c.flag = flag == 1
	if n != c.n || flag>>1 != 0 || zero != 0 {
		c.n = -1 // nothing has such counts
	}
	text("")
}

func (s state) save() []byte {
	out := []byte(magic)
	number := func(v uint64) { out = binary.LittleEndian.AppendUint64(out, v) }
	s.scratch().layout(func(t string) {
		number(uint64(len(t)))
		out = append(out, t...)
	}, func(v *int64) { number(uint64(*v)) })
	return binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

func (s state) load(bytes []byte) error {
	end := len(bytes) - 4
	if end < len(magic) || string(bytes[:len(magic)]) != magic ||
		crc32.ChecksumIEEE(bytes[:end]) != binary.LittleEndian.Uint32(bytes[end:]) {
		return ErrDamaged
	}
	rest, same := bytes[len(magic):end], true
	number := func() (v uint64) {
		if len(rest) < 8 {
			same = false
			return 0
		}
		v, rest = binary.LittleEndian.Uint64(rest), rest[8:]
		return v
	}
	read := s.scratch()
	read.layout(func(t string) {
		same = number() == uint64(len(t)) && same && len(rest) >= len(t) && string(rest[:len(t)]) == t
		if same {
			rest = rest[len(t):]
		}
	}, func(v *int64) { *v = int64(number()) })
	if !same || len(rest) != 0 {
		return ErrOtherState
	}
	canonical := read.scratch()
	for k, v := range [][]int64{canonical.first, canonical.second} {
		for i, word := range [][]int64{read.first, read.second}[k] {
			if v[i] != word || int64(int32(v[len(v)-1])) != v[len(v)-1] {
				return ErrImpossible
			}
		}
	}
	if !canonical.possible() {
		return ErrImpossible
	}
	s.become(canonical)
	return nil
}
