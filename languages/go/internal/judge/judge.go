// Package judge answers questions of conformance/judge.py (conformance/README.md), one JSON object a
// line, and these about saved states, whose bytes are hexadecimal digits; kind is sum, var or dot.
//
//	state                     the bytes of x (a tree of parts, merged), and y
//	merge, remove             the bytes of bytes with or without those of part
//	sum, mean, var, std, dot  as for elements, with bytes instead
package judge

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	exact "onefold.invalid/languages/go"
)

// Question is a line.
type Question struct {
	Op, Kind, Type string
	X, Y           any
	Bytes, Part    string
	Threads        int
}

// Answer is the answer to a line.
func Answer(line []byte) string {
	var q Question
	if err := json.Unmarshal(line, &q); err != nil {
		return "refused " + err.Error()
	}
	switch q.Type {
	case "f64":
		return answer(q, parseFloat)
	case "f32":
		return answer(q, func(t string) float32 { return float32(parseFloat(t)) })
	case "i8":
		return answer(q, parse[int8])
	case "i32":
		return answer(q, parse[int32])
	case "i64":
		return answer(q, parse[int64])
	case "u16":
		return answer(q, parse[uint16])
	case "u64":
		return answer(q, func(t string) uint64 {
			v, err := strconv.ParseUint(t, 10, 64)
			must(err)
			return v
		})
	}
	return "-"
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
func parseFloat(t string) float64 {
	v, err := strconv.ParseFloat(t, 64)
	must(err)
	return v
}
func parse[T int8 | int32 | int64 | uint16](t string) T {
	v, err := strconv.ParseInt(t, 10, 64)
	must(err)
	return T(v)
}

func leaves[T any](texts any, read func(string) T) []T {
	all := texts.([]any)
	x := make([]T, len(all))
	for i, t := range all {
		x[i] = read(t.(string))
	}
	return x
}

// tree gathers a list of elements, or a list of lists, which are merged from left to right.
func tree[S any](x any, part func(any) S, merge func(a, b S)) S {
	lists := x.([]any)
	if len(lists) == 0 {
		return part(x)
	}
	if _, element := lists[0].(string); element {
		return part(x)
	}
	all := tree(lists[0], part, merge)
	for _, list := range lists[1:] {
		merge(all, tree(list, part, merge))
	}
	return all
}

type accumulator[S any] interface {
	Merge(S)
	Remove(S) error
	Save() []byte
	Load([]byte) error
}

// gathered returns the accumulator of a question, or the answer, which is about its bytes or an error.
func gathered[S accumulator[S]](q Question, make func() S, part func(any) S) (S, string) {
	loaded := func(digits string) (S, error) {
		s := make()
		bytes, err := hex.DecodeString(digits)
		must(err)
		return s, s.Load(bytes)
	}
	var s S
	var err error
	if q.Bytes == "" {
		s = tree(q.X, part, S.Merge)
	} else if s, err = loaded(q.Bytes); err == nil && q.Part != "" {
		var p S
		if p, err = loaded(q.Part); err == nil && q.Op == "merge" {
			s.Merge(p)
		} else if err == nil {
			err = s.Remove(p)
		}
	}
	switch {
	case err != nil:
		return s, "refused " + err.Error()
	case q.Op == "state" || q.Op == "merge" || q.Op == "remove":
		return s, "bytes " + hex.EncodeToString(s.Save())
	}
	return s, ""
}

func answer[T exact.Element](q Question, read func(string) T) string {
	kind := q.Kind
	if kind == "" {
		kind = q.Op
	}
	var a exact.Answer
	var said string
	switch kind {
	case "var", "std":
		var s *exact.Var[T]
		s, said = gathered(q, func() *exact.Var[T] { return new(exact.Var[T]) }, func(list any) *exact.Var[T] {
			s, x := new(exact.Var[T]), leaves(list, read)
			for _, v := range x[:len(x)/3] {
				s.Add(v)
			}
			s.AddSlice(x[len(x)/3:])
			return s
		})
		a = map[string]func() exact.Answer{"sum": s.Value, "mean": s.Mean, "var": func() exact.Answer { return s.Var(0) },
			"std": func() exact.Answer { return s.Std(1) }}[or(q.Op, "sum")]()
	case "dot":
		var s *exact.Dot[T]
		s, said = gathered(q, func() *exact.Dot[T] { return new(exact.Dot[T]) }, func(list any) *exact.Dot[T] {
			s := new(exact.Dot[T])
			s.AddSlices(leaves(list, read), leaves(q.Y, read))
			return s
		})
		a = s.Value()
	case "sum", "mean", "merged", "chunks", "threads":
		var s *exact.Sum[T]
		s, said = gathered(q, func() *exact.Sum[T] { return new(exact.Sum[T]) }, func(list any) *exact.Sum[T] {
			s, x := new(exact.Sum[T]), leaves(list, read)
			if q.Op == "threads" {
				addByThreads(s, x, q.Threads)
				return s
			}
			for _, v := range x[:len(x)/3] {
				s.Add(v)
			}
			s.AddSlice(x[len(x)/3:])
			return s
		})
		if a = s.Value(); q.Op == "mean" {
			a = s.Mean()
		}
	default:
		return "-"
	}
	if said != "" {
		return said
	}
	return shown[T](a, q.Op)
}

// or returns op if it is an op of Var, else other.
func or(op, other string) string {
	if op == "mean" || op == "var" || op == "std" {
		return op
	}
	return other
}

func addByThreads[T exact.Element](s *exact.Sum[T], x []T, threads int) {
	parts := make([]exact.Sum[T], threads)
	var all sync.WaitGroup
	for t := range parts {
		all.Add(1)
		go func(t int) {
			defer all.Done()
			parts[t].AddSlice(x[len(x)*t/threads : len(x)*(t+1)/threads])
		}(t)
	}
	all.Wait()
	for t := range parts {
		s.Merge(&parts[t])
	}
}

func shown[T exact.Element](a exact.Answer, op string) string {
	var x T
	fraction := op == "mean" || op == "var" || op == "std"
	switch any(x).(type) {
	case float32:
		return fmt.Sprintf("f32 %x", a.Float32())
	case float64:
		return fmt.Sprintf("f64 %x", a.Float64())
	}
	if fraction {
		return fmt.Sprintf("f64 %x", a.Float64())
	}
	if _, unsigned := any(x).(uint64); unsigned {
		if v, err := a.Uint64(); err == nil {
			return fmt.Sprintf("int %d", v)
		}
	} else if v, err := a.Int64(); err == nil {
		return fmt.Sprintf("int %d", v)
	}
	return "refused " + exact.ErrOverflow.Error()
}
