package exact_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	exact "onefold.invalid/languages/go"
	"onefold.invalid/languages/go/internal/judge"
)

func ExampleSum() {
	var begin, end exact.Sum[float64]
	begin.AddSlice([]float64{1e16, 1})
	end.AddSlice([]float64{-1e16, 0.1})
	end.Merge(&begin)
	fmt.Println(end.Value().Float64())
	err := end.Remove(&begin)
	fmt.Println(end.Value().Float64(), end.Count(), err)
	// Output:
	// 1.1
	// -1e+16 2 <nil>
}

func ExampleVar() {
	var v exact.Var[float32]
	v.AddSlice([]float32{2, 4, 4, 4, 5, 5, 7, 9})
	fmt.Println(v.Mean().Float32(), v.Std(0).Float64(), v.Var(1).Float64())
	// Output: 5 2 4.571428571428571
}

// Vectors of conformance/vectors whose elements are lists; judge.py asks for the others, too.
func TestAnswersAreThoseOfTheVectors(t *testing.T) {
	files, _ := filepath.Glob("../../conformance/vectors/*.jsonl")
	if len(files) == 0 {
		t.Skip("conformance/vectors of Onefold is not here")
	}
	asked := 0
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewReader(file)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			asked += check(t, line)
		}
	}
	if asked < 700 {
		t.Errorf("only %d answers were compared", asked)
	}
}

func check(t *testing.T, line []byte) (asked int) {
	var vector struct {
		Name, Type string
		X, Y       any
		Answers    map[string]map[string]any
		MayRefuse  bool `json:"may_refuse"`
	}
	if err := json.Unmarshal(line, &vector); err != nil {
		t.Fatal(err)
	}
	if _, list := vector.X.([]any); !list {
		return 0
	}
	for op, answers := range vector.Answers {
		question, _ := json.Marshal(judge.Question{Op: op, Type: vector.Type, X: vector.X, Y: vector.Y})
		said := strings.Fields(judge.Answer(question))
		if said[0] == "refused" && vector.MayRefuse {
			continue
		}
		want, found := answers[said[0]]
		if !found {
			t.Errorf("%s: %s: %v, wanted %v", vector.Name, op, said, answers)
			continue
		}
		right := false
		for _, one := range texts(want) {
			a, _ := strconv.ParseFloat(one, 64)
			b, _ := strconv.ParseFloat(said[1], 64)
			right = right || one == said[1] || math.Float64bits(a) == math.Float64bits(b)
		}
		if !right {
			t.Errorf("%s: %s: %v, wanted %v", vector.Name, op, said, want)
		}
		asked++
	}
	return asked
}

func texts(answer any) (all []string) {
	if list, some := answer.([]any); some {
		for _, one := range list {
			all = append(all, one.(string))
		}
		return all
	}
	return []string{answer.(string)}
}

func TestBytesAreTheSameForAnyPartsAndOrder(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for round := 0; round < 200; round++ {
		x := make([]float64, r.Intn(1000))
		for i := range x {
			x[i] = math.Ldexp(r.NormFloat64(), r.Intn(1+round*8)-round*4)
		}
		var all, parts exact.Var[float64]
		all.AddSlice(x)
		r.Shuffle(len(x), func(i, k int) { x[i], x[k] = x[k], x[i] })
		for i := 0; i < len(x); {
			end := i + 1 + r.Intn(len(x)-i)
			var part exact.Var[float64]
			part.AddSlice(x[i:end])
			parts.Merge(&part)
			i = end
		}
		if !bytes.Equal(all.Save(), parts.Save()) {
			t.Fatalf("round %d: the bytes differ", round)
		}
		var copied exact.Var[float64]
		if err := copied.Load(all.Save()); err != nil || copied.Std(1) != all.Std(1) {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	var a, b exact.Sum[float64]
	a.Add(math.Copysign(0, -1))
	b.Add(1)
	if err := a.Remove(&b); !errors.Is(err, exact.ErrNeverAdded) {
		t.Error(err)
	}
	a.Add(1)
	if err := a.Remove(&b); !errors.Is(err, exact.ErrUnknownZero) || a.Count() != 2 {
		t.Error(err)
	}
	saved := a.Save()
	var other exact.Dot[float64]
	if err := other.Load(saved); !errors.Is(err, exact.ErrOtherState) {
		t.Error(err)
	}
	for k := range saved {
		damaged := append([]byte(nil), saved...)
		damaged[k] ^= 4
		if err := b.Load(damaged); !errors.Is(err, exact.ErrDamaged) || b.Load(saved[:k]) == nil || b.Count() != 1 {
			t.Fatal(k, err)
		}
	}
	var large exact.Sum[uint64]
	large.AddSlice([]uint64{math.MaxUint64, 1})
	if v, err := large.Value().Uint64(); !errors.Is(err, exact.ErrOverflow) {
		t.Error(v, err)
	}
	if v := large.Value().Float64(); v != math.Ldexp(1, 64) {
		t.Error(v)
	}
	defer func() {
		if said := recover(); said != "AddSlices: x has 1 elements and y 2" {
			t.Error(said)
		}
	}()
	other.AddSlices([]float64{1}, []float64{1, 2})
}

var elements, sink = func() []float64 {
	r, x := rand.New(rand.NewSource(1)), make([]float64, 1<<16)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}(), 0.0

func BenchmarkLoop(b *testing.B) {
	for i := 0; i < b.N; i++ {
		s := 0.0
		for _, v := range elements {
			s += v
		}
		sink += s
	}
}

func BenchmarkAddSlice(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var s exact.Sum[float64]
		s.AddSlice(elements)
		sink += s.Value().Float64()
	}
}

func BenchmarkAddSliceOfFloat32(b *testing.B) {
	x := make([]float32, len(elements))
	for i, v := range elements {
		x[i] = float32(v)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		var s exact.Sum[float32]
		s.AddSlice(x)
		sink += s.Value().Float64()
	}
}

func BenchmarkAdd(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var s exact.Sum[float64]
		for _, v := range elements {
			s.Add(v)
		}
		sink += s.Value().Float64()
	}
}

func BenchmarkVar(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var s exact.Var[float64]
		s.AddSlice(elements)
		sink += s.Var(1).Float64()
	}
}

func BenchmarkDot(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var s exact.Dot[float64]
		s.AddSlices(elements, elements)
		sink += s.Value().Float64()
	}
}
